// Numbers of labels that public suffixes have under each top-level label, read from the rules in the package tldts.

import { isRegistrySuffix } from "./names.ts";
import { CurationError } from "./sources.ts";

/** The rules as a tree: a node's edges are those between its own start and the next node's start; each edge has a label. */
interface Trie {
  readonly nodeFlags: Uint8Array;
  readonly edgeStart: Uint16Array;
  readonly edgeLength: Uint8Array;
  readonly edgeChild: Uint16Array;
  /** The labels of all edges, joined. */
  readonly labelText: string;
  readonly rulesRoot: number;
}

const ICANN = 1;

/** The largest number of labels of a suffix in the list's ICANN section, by its last label. */
export function suffixLabels(): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  for (const suffix of registrySuffixes()) {
    const labels = suffix.split(".");
    const last = labels.at(-1) as string;
    most.set(last, Math.max(labels.length, most.get(last) ?? 0));
  }
  return most;
}

/**
 * All suffixes of the list's ICANN section, with `any` for a label that may be anything. Throws CurationError when the rules
 * can't be read.
 */
export function registrySuffixes(): readonly string[] {
  // The package's own module, because its API does not list all rules. Its version is pinned, and the result is checked against its
  // answers.
  const trie: Trie = require("tldts/dist/cjs/src/data/trie.js");
  const places = labelPlaces(trie);
  const suffixes: string[] = [];
  const walk = (node: number, parent: string): void => {
    for (let edge = trie.edgeStart[node] as number; edge < (trie.edgeStart[node + 1] as number); edge += 1) {
      const from = places[edge] as number;
      const label = trie.labelText.slice(from, from + (trie.edgeLength[edge] as number)).replace("*", "any");
      const child = trie.edgeChild[edge] as number;
      const name = parent === "" ? label : `${label}.${parent}`;
      if (((trie.nodeFlags[child] as number) & ICANN) !== 0) suffixes.push(name);
      walk(child, name);
    }
  };
  walk(trie.rulesRoot, "");
  const odd = suffixes.find((name) => !isRegistrySuffix(name));
  if (odd !== undefined || suffixes.length === 0)
    throw new CurationError(`the rules of tldts are not as they were: ${odd ?? "empty"}`);
  return suffixes;
}

function labelPlaces({ edgeLength }: Trie): readonly number[] {
  const places: number[] = [];
  let at = 0;
  for (const length of edgeLength) {
    places.push(at);
    at += length;
  }
  return places;
}
