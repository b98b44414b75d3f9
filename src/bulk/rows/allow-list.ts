// The file of --allow-file: addresses and paths that --scan skips. Records which lines match something.

import { quote } from "../../base/format-text.ts";
import { usage } from "../messages.ts";
import { PathPattern } from "./path-pattern.ts";

/** Matches an address, @DOMAIN or NAME@. Not wildcards, URLs, quotes or domains of one label: --scan finds none. */
const ADDRESS =
  /^(?!@$)(?:"[^"]+"|[\p{L}\p{M}\p{N}._+&'=!#$%?^`{|}~/-]+)?@(?:[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)+)?$/u;
/** Matches a path from the top of the repository: ./FILE, or FOLDER/ for all files in it. It must have a slash. */
const PATH = /^(?!\/(?:\/|$)|!|\.\.\/)[^@:/]*\/[^@:]*$/;
const FIX =
  "write an address, @DOMAIN for a domain and its subdomains, NAME@ for a name at any domain, ./FILE or FOLDER/ from " +
  "the top of the repository";

export class AllowList {
  /** Line numbers of addresses, @DOMAINs and NAME@s in lower case. */
  private readonly addresses = new Map<string, number>();
  /** Patterns by line number. */
  private readonly paths = new Map<number, PathPattern>();
  /** Path of the list itself, from the top of the repository. */
  ownPath: string | undefined = undefined;
  private readonly usedLines = new Set<number>();

  /** Throws AddrsiftError USAGE for a line that is neither an address nor a path, or is a path that means all files. */
  constructor(text = "", file = "") {
    for (const [i, line] of text.split("\n").entries()) {
      const entry = line.replace(/(?:^|\s)#.*/, "").trim();
      // Only wildcards for all names match this character.
      const hasAllFiles = PATH.test(entry) && new PathPattern(entry).matches("\0");
      if (ADDRESS.test(entry)) this.addresses.set(entry.toLowerCase(), i + 1);
      else if (PATH.test(entry) && !hasAllFiles) this.paths.set(i + 1, new PathPattern(entry));
      else if (entry !== "") {
        const location = `line ${i + 1} of --allow-file ${file}`;
        const problem = hasAllFiles ? "skips all files" : "is no address, and no path with a slash";
        throw usage(() => `${location}, ${quote(entry)}, ${problem}: ${FIX}`);
      }
    }
  }

  /** Reports whether an address, in lower case, is in the list, or its name or one of its domains. */
  hasAddress(address: string): boolean {
    if (this.addresses.size === 0) return false;
    const at = address.lastIndexOf("@");
    const entries = [address, address.slice(0, at + 1)];
    for (let i = at; i >= 0; i = address.indexOf(".", i + 1)) entries.push(`@${address.slice(i + 1)}`);
    return this.markUsed(entries.flatMap((entry) => this.addresses.get(entry) ?? []));
  }

  hasPath(path: string): boolean {
    return this.markUsed([...this.paths].flatMap(([line, pattern]) => (pattern.matches(path) ? [line] : [])));
  }

  /** Returns the numbers of the lines that have matched nothing, in order. Of repeated lines, only the last counts. */
  unusedLines(): number[] {
    const lines = [...this.addresses.values(), ...this.paths.keys()];
    return lines.filter((line) => !this.usedLines.has(line)).sort((a, b) => a - b);
  }

  private markUsed(lines: readonly number[]): boolean {
    for (const line of lines) this.usedLines.add(line);
    return lines.length > 0;
  }
}
