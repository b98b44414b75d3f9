// Parses the target of a GET of detection itself: `new URL` would cost a fifth of all requests, and would turn the `+` of many
// addresses into a space.

/** The longest address or domain that a target may hold, in octets after decoding. */
export const SUBJECT_MAX = 4096;

const AMPERSAND = "&";
const PERCENT = 0x25;

const UNKNOWN = "unknown query parameter: use";

/** The last target that was read. */
export class DetectQuery {
  explain = false;
  dns = true;

  /** The address or domain is before `end`. The next target is read into the same array: a new one for each would cost a tenth of the request. */
  octets: Uint8Array = new Uint8Array(SUBJECT_MAX);
  end = 0;
  private seen = 0;
  private takesEmail = true;

  /** Reads the part after the `?`, with the address; gives what is wrong with it and how to fix it, or undefined. */
  read(query: string): string | undefined {
    const wrong = this.parameters(query, true);
    if (wrong !== undefined) return wrong;
    if (this.end < 0) return "email is missing: add ?email= and the address";
    if (this.end === 0) return "email is empty: write the address after ?email=";
    return undefined;
  }

  /** Reads the segment of a path that is a domain, and the part after the `?`; gives what is wrong as `read` does. */
  readDomain(segment: string, query: string): string | undefined {
    return this.parameters(query, false) ?? this.decode("domain", segment, 0, segment.length);
  }

  /** Leaves the array to the work on this target, which takes time because DNS is asked. */
  giveOctets(): void {
    this.octets = new Uint8Array(SUBJECT_MAX);
  }

  private parameters(query: string, takesEmail: boolean): string | undefined {
    this.end = -1;
    this.explain = false;
    this.dns = true;
    this.seen = 0;
    this.takesEmail = takesEmail;
    for (let at = 0; at < query.length; ) {
      const next = query.indexOf(AMPERSAND, at);
      const end = next < 0 ? query.length : next;
      const wrong = end === at ? undefined : this.parameter(query, at, end);
      if (wrong !== undefined) return wrong;
      at = end + 1;
    }
    return undefined;
  }

  private parameter(query: string, start: number, end: number): string | undefined {
    const equals = query.indexOf("=", start);
    const named = equals < 0 || equals > end ? end : equals;
    const from = Math.min(named + 1, end);
    const name = query.slice(start, named);
    if (name === "email" && this.takesEmail) return this.email(query, from, end);
    if (name === "explain") return this.explanation(query.slice(from, end));
    if (name === "dns") return this.liveDns(query.slice(from, end));
    return this.takesEmail
      ? `${UNKNOWN} email, explain or dns, and write & in an address as %26`
      : `${UNKNOWN} explain or dns`;
  }

  private email(query: string, start: number, end: number): string | undefined {
    if (this.repeated(1)) return "email is given more than once: send one address, or POST a list of them";
    return this.decode("email", query, start, end);
  }

  /** Takes a part of the target, percent-decoded, as the address or domain. */
  private decode(what: "email" | "domain", target: string, start: number, end: number): string | undefined {
    let length = 0;
    for (let i = start; i < end; i += 1) {
      if (length === SUBJECT_MAX)
        return `${what} is over 4 KiB: no ${what === "email" ? "address" : what} is that long`;
      let octet = target.charCodeAt(i);
      if (octet === PERCENT) {
        octet = hexPair(target, i + 1, end);
        if (octet < 0) return `${what} has a % without two hexadecimal digits after it: write a percent sign as %25`;
        i += 2;
      }
      this.octets[length++] = octet;
    }
    this.end = length;
    return undefined;
  }

  private explanation(value: string): string | undefined {
    if (this.repeated(2)) return "explain is given more than once: give it once";
    if (value !== "true" && value !== "false") return "explain must be true or false: write explain=true";
    this.explain = value === "true";
    return undefined;
  }

  private liveDns(value: string): string | undefined {
    if (this.repeated(4)) return "dns is given more than once: give it once";
    if (value !== "on" && value !== "off") return "dns must be on or off: write dns=off";
    this.dns = value === "on";
    return undefined;
  }

  private repeated(bit: number): boolean {
    const before = this.seen & bit;
    this.seen |= bit;
    return before !== 0;
  }
}

/** Two hexadecimal digits as an octet, or -1. */
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
