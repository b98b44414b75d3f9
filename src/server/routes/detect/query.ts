// Parses the query of a GET detection. `new URL` would take a fifth of the request's time and turn `+` into a space.

import { PERCENT } from "../../../base/bytes/ascii.ts";
import { suggestName } from "../../../base/closest-names.ts";
import { quote } from "../../../base/format-text.ts";

/** Maximum length of an address or domain after decoding, in bytes. */
export const MAX_SUBJECT_BYTES = 4096;

export const OPTION_NAMES: readonly string[] = ["explain", "classes", "dns"];

export class DetectQuery {
  explain = false;
  classes = false;
  dns = true;

  /** The address or domain, up to `end`. Reused: a new array per query would take a tenth of the request's time. */
  bytes: Uint8Array = new Uint8Array(MAX_SUBJECT_BYTES);
  end = 0;
  /** An array: each `clear()` of a Set allocates a hash table, and only a full garbage collection frees the old one. */
  private readonly seenNames: string[] = [];

  /** Parses the part after `?`, and the domain from the path, if any. Returns the problem and its fix, or undefined. */
  read(query: string, domain?: string): string | undefined {
    this.end = -1;
    this.explain = false;
    this.classes = false;
    this.dns = true;
    this.seenNames.length = 0;
    for (let start = 0, end = 0; start < query.length; start = end + 1) {
      end = findDelimiter(query, "&", start, query.length);
      if (end === start) continue;
      const equals = findDelimiter(query, "=", start, end);
      const problem = this.readParameter(
        query.slice(start, equals),
        query.slice(equals + 1, end),
        domain !== undefined,
      );
      if (problem !== undefined) return problem;
    }
    if (domain !== undefined) return this.decode("domain", domain);
    if (this.end < 0) return "email is missing: add ?email=ADDRESS";
    return this.end === 0 ? "email is empty: add the address after ?email=" : undefined;
  }

  /** Allocates a new array, because a lookup that waits for DNS still uses the old one. */
  releaseBytes(): void {
    this.bytes = new Uint8Array(MAX_SUBJECT_BYTES);
  }

  private readParameter(name: string, value: string, isDomain: boolean): string | undefined {
    if (this.seenNames.includes(name)) {
      return `${name} is repeated: ${name === "email" ? "send one address, or POST a list" : "send it once"}`;
    }
    this.seenNames.push(name);
    if (name === "email" && !isDomain) return this.decode(name, value);
    if (name === "explain" || name === "classes") {
      this[name] = value === "true";
      return this[name] || value === "false"
        ? undefined
        : `${name} must be true or false, in lower case: write ${name}=true`;
    }
    if (name === "dns") {
      this.dns = value === "on";
      return this.dns || value === "off" ? undefined : "dns must be on or off: write dns=off";
    }
    const fix = suggestName(name, isDomain ? OPTION_NAMES : ["email", ...OPTION_NAMES]);
    return `unknown query parameter ${quote(name)}: ${fix}${isDomain ? "" : "; write & in an address as %26"}`;
  }

  private decode(name: "email" | "domain", text: string): string | undefined {
    let length = 0;
    for (let i = 0; i < text.length; i += 1) {
      if (length === MAX_SUBJECT_BYTES)
        return `${name} exceeds 4 KiB: no ${name === "email" ? "address" : name} is that long`;
      let byte = text.charCodeAt(i);
      if (byte === PERCENT) {
        byte = 16 * hexDigit(text.charCodeAt(i + 1)) + hexDigit(text.charCodeAt(i + 2));
        if (Number.isNaN(byte))
          return `${name} has a % without two hexadecimal digits after it: write a percent sign as %25`;
        i += 2;
      }
      this.bytes[length++] = byte;
    }
    this.end = length;
    return undefined;
  }
}

/** Returns the index of `delimiter` in a range of `query`, or `end` if it is not there. */
function findDelimiter(query: string, delimiter: string, start: number, end: number): number {
  const index = query.indexOf(delimiter, start);
  return index < 0 || index > end ? end : index;
}

/** Returns the value of a hexadecimal digit, or else NaN. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}
