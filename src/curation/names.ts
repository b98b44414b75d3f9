// Normalizes host names and looks up public suffixes.

import { toAsciiDomain } from "../address/domain/domain.ts";
import { CurationError } from "./sources.ts";

let tldts: typeof import("tldts") | undefined;

/** Converts a name to lower-case A-labels. Undefined if it is not a host name of two or more labels. */
export function toHostName(name: string): string | undefined {
  const ascii = toAsciiDomain(name.trim());
  return ascii?.includes(".") ? ascii : undefined;
}

export function isHostName(name: string): boolean {
  return toHostName(name) === name;
}

/** Reports whether the domain is in either section of the Public Suffix List. */
export function isPublicSuffix(domain: string): boolean {
  return isSuffix(domain, true);
}

/** Reports whether the domain is in the list's ICANN section, where only registries assign names. */
export function isRegistrySuffix(domain: string): boolean {
  return isSuffix(domain, false);
}

function isSuffix(domain: string, allowPrivateDomains: boolean): boolean {
  tldts ??= require("tldts") as typeof import("tldts");
  return tldts.getPublicSuffix(domain, { allowPrivateDomains, extractHostname: false }) === domain;
}

/** Returns the ancestors, closest first: of `a.b.c`, these are `b.c` and `c`. */
export function ancestorsOf(domain: string): string[] {
  const labels = domain.split(".");
  return labels.slice(1).map((_, i) => labels.slice(i + 1).join("."));
}

/** Returns the closest ancestor that passes `test`. */
export function closestAncestor(domain: string, test: (parent: string) => boolean): string | undefined {
  const dot = domain.indexOf(".");
  return dot < 0 ? undefined : closestName(domain.slice(dot + 1), test);
}

/** Returns the domain if it passes `test`, or else its closest ancestor that does. */
export function closestName(domain: string, test: (name: string) => boolean): string | undefined {
  return test(domain) ? domain : closestAncestor(domain, test);
}

/** tldts's rules as a tree. A node's edges end where those of the next node start. */
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

/** Lists a section's suffixes, with `any` as wildcard label, or the `exceptions` to wildcards. Throws CurationError. */
export function listSuffixes(section: keyof typeof SECTION, exceptions = false): readonly string[] {
  // tldts has no API for this. Its version is pinned, and the result is checked against its lookups below.
  const trie: Trie = require("tldts/dist/cjs/src/data/trie.js");
  const labelOffsets: number[] = [];
  let offset = 0;
  for (const length of trie.edgeLength) {
    labelOffsets.push(offset);
    offset += length;
  }
  const suffixes: string[] = [];
  const walk = (node: number, parent: string): void => {
    for (let edge = trie.edgeStart[node] as number; edge < (trie.edgeStart[node + 1] as number); edge += 1) {
      const start = labelOffsets[edge] as number;
      const label = trie.labelText.slice(start, start + (trie.edgeLength[edge] as number)).replace("*", "any");
      const child = trie.edgeChild[edge] as number;
      const name = parent === "" ? label : `${label}.${parent}`;
      if (((trie.nodeFlags[child] as number) & SECTION[section]) !== 0) suffixes.push(name);
      walk(child, name);
    }
  };
  walk(exceptions ? trie.exceptionsRoot : trie.rulesRoot, "");
  const mismatch = suffixes.find((name) => isSuffix(name, section === "private") === exceptions);
  if (mismatch !== undefined || suffixes.length === 0)
    throw new CurationError(`unexpected rules in tldts: ${mismatch ?? "empty"}`);
  return suffixes;
}
