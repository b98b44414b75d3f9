// Settings of a stream from its media types and its query. Contradicting parameters are refused here.

import { syntaxOptions } from "../../../address/options.ts";
import { type Face, usage, withFile } from "../../../bulk/face.ts";
import { ownFormat } from "../../../bulk/row-layout.ts";
import type { RowLayout } from "../../../bulk/rows/layout.ts";
import { inputSettings, type Policy, refuseDnsClasses } from "../../../bulk/run/options.ts";
import type { StreamQuery } from "./parameters.ts";

export type StreamSettings = ReturnType<typeof streamSettings>;

export const REQUEST: Face = {
  option: (name, value) => (value === undefined ? name : `${name}=${value}`),
  kind: (name) => (name in TYPE_OF_KIND ? `Content-Type: ${TYPE_OF_KIND[name as RowKind]}` : ""),
  send: (program) => `send the output of ${withFile(program)}`,
};

/** Throws AddrsiftError USAGE. */
export function streamSettings(kind: RowKind, format: RowType, query: StreamQuery, daemons: Policy) {
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
  const type = mediaType(contentType);
  return (["csv", "jsonl"] as const).find((kind) => TYPE_OF_KIND[kind] === type) ?? "lines";
}

/** The format that an Accept header prefers (RFC 9110 §12.5.1); by default that of the rows. */
export function formatFor(kind: RowKind, accept: string): RowType {
  const own = ownFormat({ kind } as RowLayout) as RowType;
  const weights = { csv: 0, ndjson: 0 };
  for (const range of accept.split(",")) {
    const type = mediaType(range);
    const weight = weightOf(range);
    if (type === "text/csv") weights.csv = weight;
    if (type === "application/x-ndjson") weights.ndjson = weight;
  }
  if (weights.csv === weights.ndjson) return own;
  return weights.csv > weights.ndjson ? "csv" : "ndjson";
}

function mediaType(text: string): string {
  return (text.split(";", 1)[0] as string).trim().toLowerCase();
}

function weightOf(range: string): number {
  const [, weight = "1"] = /;\s*q=([0-9.]+)/i.exec(range) ?? [];
  return Number(weight) || 0;
}
