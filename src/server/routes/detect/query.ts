// Parses the query of a GET of detection: `new URL` takes a fifth of a request, and turns `+` into a space.

/** In bytes after decoding. */
export const SUBJECT_MAX = 4096;

const PERCENT = 0x25;

const UNKNOWN = "unknown query parameter: use";
const WISHES = { explain: ["true", "false"], dns: ["on", "off"] } as const;
const EXAMPLES = { explain: "true", dns: "off" };

export class DetectQuery {
  explain = false;
  dns = true;

  /** The address or domain is before `end`. A new array for each query would take a tenth of the request. */
  bytes: Uint8Array = new Uint8Array(SUBJECT_MAX);
  end = 0;

  /** Reads the part after the `?`; returns what is wrong and how to fix it. */
  read(query: string): string | undefined {
    const wrong = this.parameters(query, true);
    if (wrong !== undefined) return wrong;
    if (this.end < 0) return "email is missing: add ?email= and the address";
    if (this.end === 0) return "email is empty: write the address after ?email=";
    return undefined;
  }

  /** Reads the segment of a path that is a domain, and the part after the `?`; returns what is wrong. */
  readDomain(segment: string, query: string): string | undefined {
    return this.parameters(query, false) ?? this.decode("domain", segment, 0, segment.length);
  }

  /** Leaves the array to a lookup that waits for DNS. */
  giveBytes(): void {
    this.bytes = new Uint8Array(SUBJECT_MAX);
  }

  private parameters(query: string, takesEmail: boolean): string | undefined {
    this.end = -1;
    this.explain = false;
    this.dns = true;
    const seen: string[] = [];
    for (let start = 0, end = 0; start < query.length; start = end + 1) {
      const next = query.indexOf("&", start);
      end = next < 0 ? query.length : next;
      if (end === start) continue;
      const equals = query.indexOf("=", start);
      const named = equals < 0 || equals > end ? end : equals;
      const name = query.slice(start, named);
      if (name !== "explain" && name !== "dns" && !(name === "email" && takesEmail)) {
        return takesEmail
          ? `${UNKNOWN} email, explain or dns, and write & in an address as %26`
          : `${UNKNOWN} explain or dns`;
      }
      if (seen.includes(name)) {
        const instead = name === "email" ? "send one address, or POST a list of them" : "give it once";
        return `${name} is given more than once: ${instead}`;
      }
      seen.push(name);
      const from = Math.min(named + 1, end);
      const wrong = name === "email" ? this.decode(name, query, from, end) : this.wish(name, query.slice(from, end));
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  private wish(name: "explain" | "dns", value: string): string | undefined {
    const [on, off] = WISHES[name];
    if (value !== on && value !== off) return `${name} must be ${on} or ${off}: write ${name}=${EXAMPLES[name]}`;
    this[name] = value === on;
    return undefined;
  }

  private decode(what: "email" | "domain", target: string, start: number, end: number): string | undefined {
    let length = 0;
    for (let i = start; i < end; i += 1) {
      if (length === SUBJECT_MAX)
        return `${what} is over 4 KiB: no ${what === "email" ? "address" : what} is that long`;
      let byte = target.charCodeAt(i);
      if (byte === PERCENT) {
        byte = hexPair(target, i + 1, end);
        if (byte < 0) return `${what} has a % without two hexadecimal digits after it: write a percent sign as %25`;
        i += 2;
      }
      this.bytes[length++] = byte;
    }
    this.end = length;
    return undefined;
  }
}

function hexPair(text: string, at: number, end: number): number {
  if (at + 2 > end) return -1;
  const high = hexDigit(text.charCodeAt(at));
  const low = hexDigit(text.charCodeAt(at + 1));
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const small = code | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : -1;
}
