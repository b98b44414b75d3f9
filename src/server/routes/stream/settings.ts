// Settings of a stream from its media types and its query. Contradicting parameters are refused here.

import { syntaxOptions } from "../../../address/options.ts";
import { type Face, usage, withFile } from "../../../bulk/face.ts";
import { FORMAT_TABLE, sameFormatAsInput } from "../../../bulk/render/formats.ts";
import { inputSettings, type Policy, refuseDnsClasses } from "../../../bulk/run/options.ts";
import { nameOf } from "../../http/body.ts";
import { weightsOf } from "../../http/transmission.ts";
import type { StreamQuery } from "./parameters.ts";

export type StreamSettings = ReturnType<typeof streamSettings>;

export const REQUEST: Face = {
  option: (name, value) => (value === undefined ? name : `${name}=${value}`),
  kind: (name) => (name in TYPE_OF_KIND ? `Content-Type: ${TYPE_OF_KIND[name as RowKind]}` : ""),
  send: (program) => `send the output of ${withFile(program)}`,
};

/** Throws AddrsiftError USAGE. */
export function streamSettings(kind: RowKind, format: RowType, query: StreamQuery, daemons: Policy) {
  const switches = syntaxOptions((name) => (query.given.includes(name) ? query[name] : undefined));
  const policy = {
    syntax: { ...daemons.syntax, ...switches },
    minConfidence: query["min-confidence"] ?? daemons.minConfidence,
  };
  const input = inputSettings(query, { kind, given: query.given, policy });
  if (query.column.length > 1 && !FORMAT_TABLE[format].echoes?.includes(kind)) {
    throw usage(() => "rows with several addresses come back as they are: give column once, or leave Accept out");
  }
  if (query.part && query.summary !== undefined) {
    throw usage(() => "part and summary exclude each other: a part's counts are not those of the whole");
  }
  if (query.explain && !FORMAT_TABLE[format].hasExplain) {
    throw usage(
      () =>
        "explain needs NDJSON: send Accept: application/x-ndjson, or take columns with fields, such as " +
        "fault,suggestion,matched",
    );
  }
  if (query.dns !== "on") refuseDnsClasses(query);
  const { summary, dns, "data-version": dataVersion } = query;
  return { ...input, format, dns: dns === "on", summary, dataVersion };
}

type RowKind = "lines" | "csv" | "jsonl";
type RowType = "csv" | "ndjson";

const TYPE_OF_KIND: Readonly<Record<RowKind, string>> = {
  lines: "text/plain",
  csv: "text/csv",
  jsonl: "application/x-ndjson",
};

export const ROW_TYPES: readonly string[] = Object.values(TYPE_OF_KIND);

export const ANSWER_TYPES: Readonly<Record<RowType, string>> = {
  ndjson: "application/x-ndjson",
  csv: "text/csv; charset=utf-8",
};

export function kindOf(contentType: string): RowKind {
  const type = nameOf(contentType);
  return (["csv", "jsonl"] as const).find((kind) => TYPE_OF_KIND[kind] === type) ?? "lines";
}

/** The format that an Accept header prefers (RFC 9110 §12.5.1); by default that of the rows. */
export function formatFor(kind: RowKind, accept: string): RowType {
  const weights = weightsOf(accept);
  const [csv, ndjson] = [weights.get("text/csv") ?? 0, weights.get("application/x-ndjson") ?? 0];
  if (csv === ndjson) return sameFormatAsInput(kind) as RowType;
  return csv > ndjson ? "csv" : "ndjson";
}
