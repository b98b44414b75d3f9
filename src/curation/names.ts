// Names by the real packages: host name form, A-labels, public suffixes.

import { scanDomain } from "../address/domain/domain.ts";
import { MailboxScan } from "../address/scan.ts";
import { asciiText, encodeUtf8 } from "../base/bytes/bytes.ts";
import { CurationError } from "./sources.ts";

let tldts: typeof import("tldts") | undefined;

/** The name in lower-case A-labels by the parser's rules; undefined for what is not a host name of two labels. */
export function toHostName(name: string): string | undefined {
  const bytes = encodeUtf8(name.trim());
  const scan = new MailboxScan();
  if (!scanDomain(bytes, 0, bytes.length, scan)) return undefined;
  const { domain } = scan;
  const ascii = asciiText(domain.bytes, domain.start, domain.end);
  return ascii.includes(".") ? ascii : undefined;
}

export function isHostName(name: string): boolean {
  return toHostName(name) === name;
}

/** True for a suffix of either section of the Public Suffix List. */
export function isPublicSuffix(domain: string): boolean {
  return isSuffix(domain, true);
}

/** True for a suffix of the list's ICANN section, below which only a registry assigns names. */
export function isRegistrySuffix(domain: string): boolean {
  return isSuffix(domain, false);
}

function isSuffix(domain: string, allowPrivateDomains: boolean): boolean {
  tldts ??= require("tldts") as typeof import("tldts");
  return tldts.getPublicSuffix(domain, { allowPrivateDomains, extractHostname: false }) === domain;
}

/** The first name above a domain that passes a test, nearest first: of `a.b.c` it asks for `b.c` and `c`. */
export function findParent(domain: string, test: (parent: string) => boolean): string | undefined {
  for (let dot = domain.indexOf("."); dot >= 0; dot = domain.indexOf(".", dot + 1)) {
    const parent = domain.slice(dot + 1);
    if (test(parent)) return parent;
  }
  return undefined;
}

/** The first name that passes a test: the domain itself, else its nearest parent. */
export function nearest(domain: string, test: (name: string) => boolean): string | undefined {
  return test(domain) ? domain : findParent(domain, test);
}

/** The rules as a tree: a node's edges, each with a label, end where those of the next node start. */
interface Trie {
  readonly nodeFlags: Uint8Array;
  readonly edgeStart: Uint16Array;
  readonly edgeLength: Uint8Array;
  readonly edgeChild: Uint16Array;
  readonly labelText: string;
  readonly rulesRoot: number;
  readonly exceptionsRoot: number;
}

const SECTION = { registry: 1, private: 2 } as const;

/**
 * All suffixes of one of the list's sections, with `any` for a label that may be anything, or the `exceptions` from
 * these. Throws CurationError.
 */
export function suffixesOf(section: keyof typeof SECTION, exceptions = false): readonly string[] {
  // The package's API does not list all rules. Its version is pinned, and the result is checked against its answers.
  const trie: Trie = require("tldts/dist/cjs/src/data/trie.js");
  const places: number[] = [];
  let at = 0;
  for (const length of trie.edgeLength) {
    places.push(at);
    at += length;
  }
  const suffixes: string[] = [];
  const walk = (node: number, parent: string): void => {
    for (let edge = trie.edgeStart[node] as number; edge < (trie.edgeStart[node + 1] as number); edge += 1) {
      const from = places[edge] as number;
      const label = trie.labelText.slice(from, from + (trie.edgeLength[edge] as number)).replace("*", "any");
      const child = trie.edgeChild[edge] as number;
      const name = parent === "" ? label : `${label}.${parent}`;
      if (((trie.nodeFlags[child] as number) & SECTION[section]) !== 0) suffixes.push(name);
      walk(child, name);
    }
  };
  walk(exceptions ? trie.exceptionsRoot : trie.rulesRoot, "");
  const odd = suffixes.find((name) => isSuffix(name, section === "private") === exceptions);
  if (odd !== undefined || suffixes.length === 0)
    throw new CurationError(`the rules of tldts are not as they were: ${odd ?? "empty"}`);
  return suffixes;
}
