// A compiled table's own description: version, sources, counts, and the names that records refer to by number.

import { AddrsiftError } from "../base/errors.ts";
import { quote } from "../base/format-text.ts";
import { CONFIDENCES, type Confidence, confidenceRank, sourceLettersOf } from "./confidence.ts";

export interface ListSource {
  /** Letter of a disposable lineage, or the name of a hand-kept list. */
  readonly key: string;
  readonly label: string;
  readonly licence: string;
  readonly count: number;
  /** ISO date on which it was taken, of a list that others keep. */
  readonly taken?: string;
  /** `sha256:` and the hash of its sorted names, one a line, of a list that others keep. */
  readonly digest?: string;
}

export interface ListsMeta {
  /** The version of the precomputed data: a date and a hash of everything in the table. */
  readonly dataVersion: string;
  /** ISO date on which the sources were last taken. */
  readonly date: string;
  readonly sources: readonly ListSource[];
  readonly counts: Readonly<Record<string, number>>;
  readonly relayProviders: readonly string[];
  readonly publicOperators: readonly string[];
  readonly protectedKinds: readonly string[];
  readonly exchangeProviders: readonly string[];
}

type WithMeta = { readonly meta: ListsMeta };

/** Throws AddrsiftError USAGE when the lists are not of the `wanted` version. */
export function requireVersion(lists: WithMeta, wanted: string | undefined, option = "--data-version"): void {
  // Reading the description takes a one-off a tenth longer.
  if (wanted === undefined || wanted === lists.meta.dataVersion) return;
  const inUse = `but the lists in use have version ${lists.meta.dataVersion}`;
  const remedy = `use lists of the version that it names, or leave ${option} out`;
  throw new AddrsiftError("USAGE", `${option} is ${quote(wanted)}, ${inUse}: ${remedy}`);
}

export function parseMeta(value: unknown): ListsMeta | undefined {
  const meta = value as Partial<ListsMeta> | null;
  const isComplete =
    typeof meta === "object" &&
    meta !== null &&
    typeof meta.dataVersion === "string" &&
    typeof meta.date === "string" &&
    typeof meta.counts === "object" &&
    [meta.sources, meta.relayProviders, meta.publicOperators, meta.protectedKinds, meta.exchangeProviders].every(
      Array.isArray,
    );
  return isComplete ? (meta as ListsMeta) : undefined;
}

/** The sources and the confidence of a disposable entry, by its byte in the table. */
export function describeSources(entryFlags: number, lists: WithMeta) {
  const confidence = CONFIDENCES[confidenceRank(entryFlags)] as Confidence;
  return { sources: sourceLabels(lists, sourceLettersOf(entryFlags).map(sourceKey)), confidence };
}

/** The table's sources name our own additions by their file. */
export function sourceKey(letter: string): string {
  return letter === "H" ? "additions" : letter;
}

export function sourceLabels({ meta }: WithMeta, keys: readonly string[]): string[] {
  return keys.map((key) => meta.sources.find((source) => source.key === key)?.label ?? key);
}
