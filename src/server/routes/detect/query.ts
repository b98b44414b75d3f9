// Parses the query of a GET of detection: `new URL` takes a fifth of a request, and turns `+` into a space.

/** In bytes after decoding. */
export const SUBJECT_MAX = 4096;

const PERCENT = 0x25;
const HEX_PAIR = /^[0-9a-f]{2}$/i;

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
    return this.parameters(query, false) ?? this.decode("domain", segment);
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
    for (const parameter of query.split("&")) {
      if (parameter === "") continue;
      const equals = parameter.indexOf("=");
      const name = equals < 0 ? parameter : parameter.slice(0, equals);
      const value = equals < 0 ? "" : parameter.slice(equals + 1);
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
      const wrong = name === "email" ? this.decode(name, value) : this.wish(name, value);
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

  private decode(what: "email" | "domain", text: string): string | undefined {
    let length = 0;
    for (let i = 0; i < text.length; i += 1) {
      if (length === SUBJECT_MAX)
        return `${what} is over 4 KiB: no ${what === "email" ? "address" : what} is that long`;
      let byte = text.charCodeAt(i);
      if (byte === PERCENT) {
        const pair = text.slice(i + 1, i + 3);
        if (!HEX_PAIR.test(pair))
          return `${what} has a % without two hexadecimal digits after it: write a percent sign as %25`;
        byte = Number.parseInt(pair, 16);
        i += 2;
      }
      this.bytes[length++] = byte;
    }
    this.end = length;
    return undefined;
  }
}
