// Derives the settings of a stream from its media types and its query, and rejects contradictory parameters.

import { collectSyntaxOptions } from "../../../address/options.ts";
import { appendFileOperand, type Wording } from "../../../bulk/messages.ts";
import { FORMAT_FACTS, sameFormatAsInput } from "../../../bulk/render/format-facts.ts";
import { inputSettings, type Policy } from "../../../bulk/run/options.ts";
import { withoutParameters } from "../../http/body.ts";
import { parseWeights } from "../../http/body-io.ts";
import type { StreamQuery } from "./parameters.ts";

export type StreamSettings = ReturnType<typeof streamSettings>;

export const HTTP_WORDING: Wording = {
  option: (name, value) => (value === undefined ? name : `${name}=${value}`),
  kind: (name) => (name in MEDIA_TYPES ? `Content-Type: ${MEDIA_TYPES[name as RowKind]}` : ""),
  format: (name) =>
    Object.hasOwn(RESPONSE_MEDIA_TYPES, name) ? withoutParameters(RESPONSE_MEDIA_TYPES[name as ResponseFormat]) : "",
  formatOption: "Accept:",
  send: (program) => `send the output of ${appendFileOperand(program)}`,
};

/** Converts the query to the settings of a stream. Throws AddrsiftError USAGE. */
export function streamSettings(
  kind: RowKind,
  format: ResponseFormat,
  { options, explicitOptions }: StreamQuery,
  defaults: Policy,
) {
  const syntaxOptions = collectSyntaxOptions((name) => (explicitOptions.has(name) ? options[name] : undefined));
  const policy = {
    syntax: { ...defaults.syntax, ...syntaxOptions },
    minConfidence: options["min-confidence"] ?? defaults.minConfidence,
  };
  const { summary, dns, "data-version": dataVersion } = options;
  const dnsRemedy = dns === "on" ? undefined : ({ option }: Wording): string => option("dns", "on");
  const input = inputSettings(options, { kind, explicitOptions, policy, format, formats: FORMAT_FACTS, dnsRemedy });
  return { ...input, format, dns: dns === "on", summary, dataVersion };
}

type RowKind = "lines" | "csv" | "jsonl";
type ResponseFormat = "csv" | "ndjson";

const MEDIA_TYPES: Readonly<Record<RowKind, string>> = {
  lines: "text/plain",
  csv: "text/csv",
  jsonl: "application/x-ndjson",
};

export const ROW_MEDIA_TYPES: readonly string[] = Object.values(MEDIA_TYPES);

export const RESPONSE_MEDIA_TYPES: Readonly<Record<ResponseFormat, string>> = {
  ndjson: "application/x-ndjson",
  csv: "text/csv; charset=utf-8",
};

export function rowKindOf(contentType: string): RowKind {
  const type = withoutParameters(contentType);
  return (["csv", "jsonl"] as const).find((kind) => MEDIA_TYPES[kind] === type) ?? "lines";
}

/** Returns the format that Accept prefers (RFC 9110 §12.5.1); by default, that of the body. */
export function chooseFormat(kind: RowKind, accept: string): ResponseFormat {
  const weights = parseWeights(accept);
  const [csv, ndjson] = [weights.get("text/csv") ?? 0, weights.get("application/x-ndjson") ?? 0];
  if (csv === ndjson) return sameFormatAsInput(kind) as ResponseFormat;
  return csv > ndjson ? "csv" : "ndjson";
}
