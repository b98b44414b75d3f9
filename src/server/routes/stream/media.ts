// The media types of streams: which kind of rows a body has, which format the answer gets.

import { ownFormat, type RowLayout } from "../../../bulk/row-layout.ts";

/** The kinds of input. */
export type RowKind = "lines" | "csv" | "jsonl";
/** The formats of output. */
export type RowType = "csv" | "ndjson";

export const TYPE_OF_KIND: Readonly<Record<RowKind, string>> = {
  lines: "text/plain",
  csv: "text/csv",
  jsonl: "application/x-ndjson",
};

/** The media types of bodies that are streams. */
export const ROW_TYPES: readonly string[] = Object.values(TYPE_OF_KIND);

/** The media types of the answers. */
export const ANSWER_TYPES: Readonly<Record<RowType, string>> = {
  ndjson: "application/x-ndjson",
  csv: "text/csv; charset=utf-8",
};

/** The kind of rows that a Content-Type declares. */
export function kindOf(contentType: string): RowKind {
  const type = mediaType(contentType);
  return (["csv", "jsonl"] as const).find((kind) => TYPE_OF_KIND[kind] === type) ?? "lines";
}

/**
 * The format that an Accept header prefers (RFC 9110 §12.5.1); without one that is ours, the format that gives such rows back with
 * fields added.
 */
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
