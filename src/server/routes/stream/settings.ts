// What is done with the rows of one stream: from its media types and its query. Parameters that contradict each other are refused
// here, before anything is read.

import { syntaxOptions } from "../../../address/options.ts";
import { type Face, usage } from "../../../bulk/face.ts";
import { inputSettings, refuseDnsClasses } from "../../../bulk/run/options.ts";
import type { InputSettings, Policy } from "../../../bulk/run/settings.ts";
import { type RowKind, type RowType, TYPE_OF_KIND } from "./media.ts";
import type { StreamQuery } from "./parameters.ts";

/** One stream's settings. */
export interface StreamSettings extends InputSettings {
  readonly format: RowType;
  readonly dns: boolean;
  readonly summary: StreamQuery["summary"];
  /** The only version of the lists that may be used; undefined: any. */
  readonly dataVersion: string | undefined;
}

/** The words of a request. */
export const REQUEST: Face = {
  option: (name, value) => (value === undefined ? name : `${name}=${value}`),
  kind: (name) => (name in TYPE_OF_KIND ? `Content-Type: ${TYPE_OF_KIND[name as RowKind]}` : ""),
  send: (program) => `send the output of ${program} FILE`,
};

/** Puts the query together with the daemon's own policy. Throws AddrsiftError USAGE. */
export function streamSettings(kind: RowKind, format: RowType, query: StreamQuery, daemons: Policy): StreamSettings {
  const policy = {
    syntax: { ...daemons.syntax, ...syntaxOptions((name) => query.switches[name]) },
    minConfidence: query["min-confidence"] ?? daemons.minConfidence,
  };
  const input = inputSettings(query, { kind, given: query.given, policy });
  if (query.column.length > 1 && (kind === "csv") !== (format === "csv")) {
    throw usage(() => "rows with several addresses come back as they are: give column once, or leave Accept out");
  }
  if (query.part && query.summary !== undefined) {
    throw usage(() => "part and summary exclude each other: a part's counts are not those of the whole");
  }
  if (query.explain && format === "csv") {
    throw usage(
      () =>
        "explain needs NDJSON: send Accept: application/x-ndjson, or take columns with fields, such as fault,suggestion,matched",
    );
  }
  if (query.dns !== "on") refuseDnsClasses(query);
  const { summary, dns, "data-version": dataVersion } = query;
  return { ...input, format, dns: dns === "on", summary, dataVersion };
}
