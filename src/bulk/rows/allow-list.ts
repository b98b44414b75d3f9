// The file of --allow-file: addresses and paths that --scan skips. Records which lines match something.

import { findDomain, toAsciiDomain } from "../../address/domain/domain.ts";
import { quote } from "../../base/format-text.ts";
import { usage } from "../messages.ts";
import { PathPattern } from "./path-pattern.ts";
import { formatRowNumbers } from "./row-warnings.ts";

/** Matches an address, @DOMAIN or NAME@. Not wildcards, URLs, quotes or addresses at one label: --scan finds none. */
const ADDRESS =
  /^@[\p{L}\p{N}-]+$|^(?!@$|\.\/)(?:"[^"]+"|[\p{L}\p{M}\p{N}._+&'=!#$%?^`{|}~/-]+)?@(?:[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)+)?$/u;
/** Matches a path from the top of the repository: ./FILE, or FOLDER/ for all files in it. It must have a slash. */
const PATH = /^(?!\/(?:\/|$)|!|\.\.\/)(?:\/[^@:]*|[^@:/]+\/[^:]*)$/;
const FIX =
  "write an address, @DOMAIN for a domain and its subdomains, NAME@ for a name at any domain, ./FILE or FOLDER/ from " +
  "the top of the repository";
const MAX_LINES_SHOWN = 20;

export class AllowList {
  /** Line numbers of addresses, @DOMAINs and NAME@s, by key. */
  private readonly addresses = new Map<string, number>();
  /** Patterns by line number. */
  private readonly paths = new Map<number, PathPattern>();
  /** Path of the list itself, from the top of the repository. */
  ownPath: string | undefined = undefined;
  private readonly usedLines = new Set<number>();

  /** Throws AddrsiftError USAGE for lines that are neither addresses nor paths, or are paths that mean all files. */
  constructor(
    text = "",
    private readonly file = "",
  ) {
    if (/[\0\ufffd]/.test(text)) throw usage(() => `--allow-file ${file} is not UTF-8 text: save it as UTF-8`);
    const faults = text.split("\n").flatMap((line, i) => {
      const entry = line.replace(/(?:^|\s)#.*/, "").trim();
      const fault = entry === "" ? undefined : this.addEntry(entry, i + 1);
      return fault === undefined ? [] : [{ line: i + 1, text: `${quote(entry)}, ${fault}` }];
    });
    this.rejectLines(faults);
  }

  /** Throws AddrsiftError USAGE for lines @DOMAIN that have a fault. */
  rejectDomains(findFault: (domain: string) => string | undefined): void {
    const faults = Array.from(this.addresses, ([key, line]) => {
      const fault = /^@./.test(key) ? findFault(key.slice(1)) : undefined;
      return fault === undefined ? [] : [{ line, text: `${quote(key)} ${fault}` }];
    });
    this.rejectLines(faults.flat());
  }

  private rejectLines([first, ...others]: readonly { line: number; text: string }[]): void {
    if (first === undefined) return;
    const otherLines = others.slice(0, MAX_LINES_SHOWN).map(({ line }) => line);
    const more = `; also correct ${formatRowNumbers({ rows: others.length, first: otherLines }, "line")}`;
    throw usage(
      () => `line ${first.line} of --allow-file ${this.file}, ${first.text}${others.length === 0 ? "" : more}`,
    );
  }

  /** Returns the problem and its fix if the entry is invalid. */
  private addEntry(entry: string, line: number): string | undefined {
    const key = ADDRESS.test(entry) ? toKey(entry) : undefined;
    const pattern = PATH.test(entry) ? new PathPattern(entry) : undefined;
    // Only wildcards for all names match this character.
    if (key === undefined && pattern?.matches("\0")) return `skips all files: ${FIX}`;
    if (key !== undefined) this.addresses.set(key, line);
    else if (pattern !== undefined) this.paths.set(line, pattern);
    else {
      const domain = findDomain(entry);
      const hint = `write @${domain} for the domain and its subdomains, ./FILE for a file`;
      const problem = entry.startsWith("../") ? "is outside of the repository" : "is neither an address nor a path";
      return `${problem}: ${domain?.includes(".") ? hint : FIX}`;
    }
    return undefined;
  }

  /** Reports whether an address is in the list, or its name or one of its domains. */
  hasAddress(address: string): boolean {
    const key = this.addresses.size === 0 ? undefined : toKey(address);
    if (key === undefined) return false;
    const at = key.lastIndexOf("@");
    const entries = [key, key.slice(0, at + 1)];
    for (let i = at; i >= 0; i = key.indexOf(".", i + 1)) entries.push(`@${key.slice(i + 1)}`);
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

/** Returns the same key for all spellings of an address's domain and all letter cases; undefined if it is invalid. */
function toKey(address: string): string | undefined {
  const at = address.lastIndexOf("@") + 1;
  const domain = at === address.length ? "" : toAsciiDomain(address.slice(at));
  return domain === undefined ? undefined : address.slice(0, at).toLowerCase().normalize("NFC") + domain;
}
