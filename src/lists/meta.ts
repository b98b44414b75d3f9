// A compiled table's metadata: version, sources, counts, and the names that records refer to by number.

import { AddrsiftError } from "../base/errors.ts";
import { quote } from "../base/format-text.ts";
import { CONFIDENCES, type Confidence, confidenceRank, sourceLettersOf } from "./confidence.ts";

export interface ListSource {
  /** Letter of a disposable source, or the name of a hand-maintained list. */
  readonly key: string;
  readonly label: string;
  readonly license: string;
  readonly count: number;
  /** ISO date of the snapshot of a third-party list. */
  readonly taken?: string;
  /** `sha256:` and the hash of the sorted names, one per line, of a third-party list. */
  readonly digest?: string;
}

export interface ListsMeta {
  /** A date and a hash of everything in the table. */
  readonly dataVersion: string;
  /** ISO date of the latest snapshot. */
  readonly date: string;
  readonly sources: readonly ListSource[];
  readonly counts: Readonly<Record<string, number>>;
  /** Number of disposable domains that count by default. */
  readonly disposableCounted: number;
  readonly relayProviders: readonly string[];
  readonly publicOperators: readonly string[];
  readonly protectedKinds: readonly string[];
  readonly exchangeProviders: readonly string[];
}

type WithMeta = { readonly meta: ListsMeta };

/** Throws AddrsiftError USAGE if the version of the lists is not `expected`. */
export function requireVersion(lists: WithMeta, expected: string | undefined, option = "--data-version"): void {
  // Without `expected`, don't load the metadata: it makes a one-off run 10 % slower.
  if (expected === undefined || expected === lists.meta.dataVersion) return;
  const mismatch = `but the lists in use have version ${lists.meta.dataVersion}`;
  const remedy = `use lists of the version that it names, or leave ${option} out`;
  throw new AddrsiftError("USAGE", `${option} is ${quote(expected)}, ${mismatch}: ${remedy}`);
}

export function parseMeta(value: unknown): ListsMeta | undefined {
  const meta = value as Partial<ListsMeta> | null;
  const isComplete =
    typeof meta === "object" &&
    meta !== null &&
    typeof meta.dataVersion === "string" &&
    typeof meta.date === "string" &&
    typeof meta.counts === "object" &&
    typeof meta.disposableCounted === "number" &&
    [meta.sources, meta.relayProviders, meta.publicOperators, meta.protectedKinds, meta.exchangeProviders].every(
      Array.isArray,
    );
  return isComplete ? (meta as ListsMeta) : undefined;
}

/** Returns the source labels and the confidence of a disposable entry. */
export function describeSources(entryFlags: number, lists: WithMeta) {
  const confidence = CONFIDENCES[confidenceRank(entryFlags)] as Confidence;
  return { sources: sourceLabels(lists, sourceLettersOf(entryFlags).map(sourceKey)), confidence };
}

/** Returns a source's key in the table's meta, where our own additions have their file's name. */
export function sourceKey(letter: string): string {
  return letter === "H" ? "additions" : letter;
}

export function sourceLabels({ meta }: WithMeta, keys: readonly string[]): string[] {
  return keys.map((key) => meta.sources.find((source) => source.key === key)?.label ?? key);
}
