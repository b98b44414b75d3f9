// Settings of a stream from its media types and its query. Contradicting parameters are refused here.

import { collectSyntaxOptions } from "../../../address/options.ts";
import { appendFileOperand, type Wording } from "../../../bulk/messages.ts";
import { FORMAT_TABLE, sameFormatAsInput } from "../../../bulk/render/formats.ts";
import { inputSettings, type Policy } from "../../../bulk/run/options.ts";
import { nameOf } from "../../http/body.ts";
import { weightsOf } from "../../http/transmission.ts";
import type { StreamQuery } from "./parameters.ts";

export type StreamSettings = ReturnType<typeof streamSettings>;

export const HTTP_WORDING: Wording = {
  option: (name, value) => (value === undefined ? name : `${name}=${value}`),
  kind: (name) => (name in TYPE_OF_KIND ? `Content-Type: ${TYPE_OF_KIND[name as RowKind]}` : ""),
  format: (name) => (Object.hasOwn(ANSWER_TYPES, name) ? nameOf(ANSWER_TYPES[name as RowType]) : ""),
  formatOption: "Accept:",
  send: (program) => `send the output of ${appendFileOperand(program)}`,
};

/** Throws AddrsiftError USAGE. */
export function streamSettings(kind: RowKind, format: RowType, { options, given }: StreamQuery, daemons: Policy) {
  const switches = collectSyntaxOptions((name) => (given.has(name) ? options[name] : undefined));
  const policy = {
    syntax: { ...daemons.syntax, ...switches },
    minConfidence: options["min-confidence"] ?? daemons.minConfidence,
  };
  const { summary, dns, "data-version": dataVersion } = options;
  const dnsRemedy = dns === "on" ? undefined : ({ option }: Wording): string => option("dns", "on");
  const input = inputSettings(options, { kind, given, policy, format, formats: FORMAT_TABLE, dnsRemedy });
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
