// Renders a detection as JSON, with control, bidirectional and other invisible characters escaped.

import { AT, CLOSE_BRACE } from "../base/bytes/ascii.ts";
import { type ByteWriter, PreparedBytes } from "../base/bytes/byte-writer.ts";
import { decodeUtf8 } from "../base/bytes/bytes.ts";
import type { Classifier } from "./classifier.ts";
import type { Detection, DomainDetection } from "./detection.ts";
import type { Explanation } from "./evidence.ts";
import { createValidDetection, domainFlags, flagsOf } from "./fields.ts";

/** Maximum length of `email` in characters; longer ones are truncated and get an ellipsis. */
export const EMAIL_OUTPUT_MAX = 1024;

const encoder = new TextEncoder();
const EMAIL_PREFIX = new PreparedBytes('{"email":"');
const DOMAIN_PREFIX = new PreparedBytes('{"domain":"');
const INVALID_INFIX = new PreparedBytes('","syntax_validation":false');
const NORMALIZED_INFIX = new PreparedBytes('","syntax_validation":true,"normalized":"');

export interface ByteRange {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** 1 for bytes that JSON needn't escape: printable ASCII except `"` and `\`. */
const NEEDS_NO_ESCAPE = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c ? 1 : 0,
);

/** Serializes JSON with every control, format and separator character escaped. */
export function toSafeJson(value: unknown): string {
  return escapeJson(value, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu);
}

/** Serializes JSON with every match of `pattern` escaped, which must match only characters in strings. */
export function escapeJson(value: unknown, pattern: RegExp): string {
  return JSON.stringify(value).replace(pattern, (char) =>
    Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""),
  );
}

/** Decodes the address for output: invalid bytes become U+FFFD, a long address is truncated. */
export function formatEmail(bytes: Uint8Array, start: number, end: number): string {
  // A character has at most 4 bytes.
  const text = decodeUtf8(bytes, start, Math.min(end, start + 4 * (EMAIL_OUTPUT_MAX + 1)));
  if (text.length <= EMAIL_OUTPUT_MAX) return text;
  const characters = Array.from(text);
  return characters.length <= EMAIL_OUTPUT_MAX ? text : `${characters.slice(0, EMAIL_OUTPUT_MAX).join("")}…`;
}

/** Caches the rendered fields after the address by verdict and flags. */
export class ResponseTailCache {
  private readonly tails: (Uint8Array | undefined)[] = [];

  constructor(private readonly render: (flags: Partial<ReturnType<typeof flagsOf>>) => Uint8Array) {}

  get({ verdict, hasTag, isRole, classifiesDomains }: Classifier): Uint8Array {
    const index = verdict.id * 4 + (hasTag ? 2 : 0) + (isRole ? 1 : 0);
    this.tails[index] ??= this.render(classifiesDomains ? domainFlags(verdict) : flagsOf(verdict, hasTag, isRole));
    return this.tails[index];
  }
}

export class JsonRenderer {
  private readonly tails: ResponseTailCache = new ResponseTailCache((flags) =>
    encoder.encode(`",${JSON.stringify(flags).slice(1, -1)}`),
  );

  /** Writes a detection, with `classes` and `explain` if given. */
  write(
    out: ByteWriter,
    address: ByteRange,
    classifier: Classifier,
    explanation: Explanation | undefined,
    classes?: readonly string[],
  ): void {
    writeJsonSubject(out, address, classifier);
    if (classifier.fault !== undefined) {
      out.prepared(INVALID_INFIX);
    } else {
      out.prepared(NORMALIZED_INFIX);
      writeJsonNormalized(out, classifier);
      out.bytes(this.tails.get(classifier));
    }
    if (classes !== undefined) out.text(`,"classes":${JSON.stringify(classes)}`);
    if (explanation !== undefined) out.text(`,"explain":${toSafeJson(explanation)}`);
    out.byte(CLOSE_BRACE);
  }
}

/** Writes the start of the object, up to the address or domain without its closing quote. */
export function writeJsonSubject(out: ByteWriter, { bytes, start, end }: ByteRange, classifier: Classifier): void {
  out.prepared(classifier.classifiesDomains ? DOMAIN_PREFIX : EMAIL_PREFIX);
  if (classifier.fault === undefined && classifier.isPlain) out.slice(bytes, start, end);
  else writeJsonText(out, bytes, start, end);
}

/** Writes the canonical address or domain as the content of a JSON string. It must be well-formed. */
export function writeJsonNormalized(out: ByteWriter, classifier: Classifier): void {
  if (!classifier.classifiesDomains) {
    const { bytes, start, end } = classifier.canonicalLocalPart;
    if (classifier.isPlain) out.slice(bytes, start, end);
    else writeJsonText(out, bytes, start, end);
    out.byte(AT);
  }
  writeDomain(out, classifier);
}

/** Returns the classifier's result as an object. `email` is the classified string. */
export function createDetection(email: string, classifier: Classifier): Detection {
  if (classifier.fault !== undefined) return { email, syntax_validation: false };
  const normalized = classifier.isNormalized(email) ? email : classifier.normalized;
  const { verdict, hasTag, isRole } = classifier;
  return createValidDetection(email, normalized, verdict, hasTag, isRole);
}

/** Returns the result of a classifier of domains as an object. `domain` is the classified string. */
export function createDomainDetection(domain: string, classifier: Classifier): DomainDetection {
  if (classifier.fault !== undefined) return { domain, syntax_validation: false };
  const { normalized, verdict } = classifier;
  return { domain, syntax_validation: true, normalized, ...domainFlags(verdict) };
}

export function writeDomain(out: ByteWriter, classifier: Classifier): void {
  const { domainBytes, domainStart, domainEnd } = classifier;
  if (classifier.isDomainLowercase) out.slice(domainBytes, domainStart, domainEnd);
  else out.hostName(domainBytes, domainStart, domainEnd);
}

/** Writes `formatEmail`'s text as the content of a JSON string. */
export function writeJsonText(out: ByteWriter, bytes: Uint8Array, start: number, end: number): void {
  const textStart = out.length;
  if (end - start <= EMAIL_OUTPUT_MAX) {
    out.reserve(end - start);
    const target = out.buffer;
    let writeIndex = textStart;
    let i = start;
    while (i < end && NEEDS_NO_ESCAPE[bytes[i] as number] === 1) target[writeIndex++] = bytes[i++] as number;
    if (i === end) {
      out.length = writeIndex;
      return;
    }
  }
  out.text(toSafeJson(formatEmail(bytes, start, end)).slice(1, -1));
}
