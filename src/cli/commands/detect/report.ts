// The HTML report of --report: looks up the frequent domains, and renders the page, whose design is in `page/`.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { scanDomain } from "../../../address/domain/domain.ts";
import { MailboxScan } from "../../../address/scan.ts";
import { encodeUtf8 } from "../../../base/bytes/bytes.ts";
import type { NameCount } from "../../../bulk/name-counts.ts";
import type { ReportCounts } from "../../../bulk/report-counts.ts";
import { increment } from "../../../detection/classes.ts";
import { Classifier, type ClassifierSetup } from "../../../detection/classifier.ts";
import { createExplainer } from "../../../detection/explain.ts";
import type { ReportFacts, Typo } from "../../../page/facts.ts";
import type { Runtime } from "../../runtime.ts";

export interface ReportInput extends Omit<ReportFacts, "samples" | "domainKinds" | "providers" | "typos"> {
  readonly counts: ReportCounts;
  readonly setup: ClassifierSetup;
}

export function renderReport(
  { counts, setup, ...facts }: ReportInput,
  { root, load }: Pick<Runtime, "root" | "load">,
): string {
  const style = readFileSync(join(root, "dist/page/report.css"), "utf8");
  const report = { ...facts, samples: counts.samples, ...analyzeDomains(counts, setup) };
  return load("../dist/page.cjs").renderReport(report, style);
}

const MAX_ENTRIES_SHOWN = 12;
// Enough for nearly all rows of most files, at no noticeable cost.
const MAX_DOMAINS_LOOKED_UP = 1000;
const LOCAL_PART = "x";

/** Looks up the frequent domains, which were counted as written, and totals them by canonical name. */
function analyzeDomains({ domains, malformed }: ReportCounts, setup: ClassifierSetup) {
  const classifier = new Classifier(setup);
  const explain = createExplainer(setup);
  const scan = new MailboxScan(setup.syntax);
  const domainKinds = new Map<string, number>();
  const providers = new Map<string, number>();
  const names = new Map<string, string>();
  const typos = new Map<string, Typo>();
  const addDomain = ({ name, rows }: NameCount): void => {
    const bytes = encodeUtf8(`${LOCAL_PART}@${name}`);
    classifier.classify(bytes, 0, bytes.length);
    const { suggestion, domain_kind: kind } = explain(bytes, 0, bytes.length, classifier);
    const correctedDomain = suggestion?.slice(suggestion.lastIndexOf("@") + 1);
    // Names in different scripts may be the same domain.
    const domain = classifier.fault === undefined ? classifier.domainName(bytes, bytes.length) : name;
    // A malformed domain can be followed by text about a person.
    const isDomain = scanDomain(bytes, LOCAL_PART.length + 1, bytes.length, scan);
    if (classifier.isMistyped && isDomain && correctedDomain !== undefined && correctedDomain !== domain)
      typos.set(domain, { domain, suggestion: correctedDomain, rows: rows + (typos.get(domain)?.rows ?? 0) });
    if (classifier.fault !== undefined) return;
    const { normalized, provider, verdict } = classifier;
    const { isPublic } = verdict;
    if (isPublic) {
      const mailDomain = normalized.slice(LOCAL_PART.length + 1);
      // Of a provider's interchangeable domains, the first is the most frequent one.
      const name = names.get(mailDomain) ?? (provider.canonicalDomain === undefined ? mailDomain : domain);
      names.set(mailDomain, name);
      increment(providers, name, rows);
    }
    const label = kind ?? (isPublic ? "consumer provider" : undefined);
    if (label !== undefined) increment(domainKinds, label, rows);
  };
  for (const count of [...domains.top(MAX_DOMAINS_LOOKED_UP), ...malformed.top(MAX_DOMAINS_LOOKED_UP)])
    addDomain(count);
  return {
    domainKinds: mostFrequent(domainKinds),
    providers: mostFrequent(providers),
    typos: largest([...typos.values()]),
  };
}

function mostFrequent(counts: ReadonlyMap<string, number>): NameCount[] {
  return largest([...counts].map(([name, rows]) => ({ name, rows })));
}

function largest<Item extends { readonly rows: number }>(items: readonly Item[]): Item[] {
  return [...items].sort((a, b) => b.rows - a.rows).slice(0, MAX_ENTRIES_SHOWN);
}
