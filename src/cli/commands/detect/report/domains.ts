// Findings about the frequent domains of a run: their kinds, consumer providers, and mistyped names with what is probably meant.

import { encodeUtf8 } from "../../../../base/bytes/octets.ts";
import type { Frequent } from "../../../../bulk/heavy-hitters.ts";
import type { ReportCounts } from "../../../../bulk/report-counts.ts";
import type { Counted } from "../../../../bulk/summary.ts";
import { Classifier, type ClassifierSetup } from "../../../../detection/classifier.ts";
import { createExplain } from "../../../../detection/explain.ts";

// Domains that are looked up again for the report: enough for nearly all rows of most files, and few enough to take no time.
const LOOKED_UP = 1000;
const SHOWN = 12;
// A name for which suggestions differ would be too long to be typed.
const LOCAL_PART = "x";

export interface Typo {
  readonly domain: string;
  readonly meant: string;
  readonly rows: number;
}

export interface DomainFindings {
  readonly kinds: readonly Counted[];
  readonly providers: readonly Counted[];
  readonly typos: readonly Typo[];
}

/** Looks the frequent domains up. They are counted as they are written, and shown by their canonical names. */
export function findDomains({ domains, malformed }: ReportCounts, setup: ClassifierSetup): DomainFindings {
  const classifier = new Classifier(setup);
  const explain = createExplain(setup);
  const kinds = new Map<string, number>();
  const providers = new Map<string, number>();
  const typos: Typo[] = [];
  const look = ({ name, rows }: Frequent): void => {
    const octets = encodeUtf8(`${LOCAL_PART}@${name}`);
    classifier.classify(octets, 0, octets.length);
    const { suggestion, domain_kind: kind } = explain(octets, 0, octets.length, classifier);
    const meant = suggestion?.slice(suggestion.lastIndexOf("@") + 1);
    if (meant !== undefined && meant !== name) typos.push({ domain: name, meant, rows });
    if (classifier.fault !== undefined) return;
    const isPublic = classifier.verdict.publicDomain;
    if (isPublic) count(providers, classifier.normalized.slice(LOCAL_PART.length + 1), rows);
    const shown = kind ?? (isPublic ? "consumer provider" : undefined);
    if (shown !== undefined) count(kinds, shown, rows);
  };
  for (const frequent of [...domains.top(LOOKED_UP), ...malformed.top(LOOKED_UP)]) look(frequent);
  return { kinds: bars(kinds), providers: bars(providers), typos: largest(typos) };
}

function count(counts: Map<string, number>, name: string, rows: number): void {
  counts.set(name, (counts.get(name) ?? 0) + rows);
}

function bars(counts: ReadonlyMap<string, number>): Counted[] {
  return largest([...counts].map(([name, rows]) => ({ name, rows })));
}

function largest<Item extends { readonly rows: number }>(items: readonly Item[]): Item[] {
  return [...items].sort((a, b) => b.rows - a.rows).slice(0, SHOWN);
}
