// The HTML report of --report: looks up the frequent domains, and renders the page, whose design is in `page/`.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { encodeUtf8 } from "../../../base/bytes/bytes.ts";
import { NameCounts } from "../../../bulk/name-counts.ts";
import type { ReportCounts } from "../../../bulk/report-counts.ts";
import { Classifier, type ClassifierSetup } from "../../../detection/classifier.ts";
import { createExplainer } from "../../../detection/explain.ts";
import type { ReportFacts } from "../../../page/facts.ts";
import type { Runtime } from "../../runtime.ts";

export interface ReportInput extends Omit<ReportFacts, "samples" | "providers" | "typos" | "version" | "isOfDomains"> {
  readonly counts: ReportCounts;
  readonly setup: ClassifierSetup;
}

export function renderReport(
  { counts, setup, ...facts }: ReportInput,
  { root, load }: Pick<Runtime, "root" | "load">,
): string {
  const style = readFileSync(join(root, "dist/page/report.css"), "utf8");
  const { version } = load("../package.json");
  const isOfDomains = setup.subject === "domain";
  const report = { ...facts, version, isOfDomains, samples: counts.samples, ...analyzeDomains(counts, setup) };
  return load("../dist/page.cjs").renderReport(report, style);
}

const MAX_ENTRIES_SHOWN = 12;
// Enough for nearly all rows of most files, at no noticeable cost.
const MAX_DOMAINS_LOOKED_UP = 2000;
const LOCAL_PART = "x";

/** Looks up the frequent domains, which were counted as written, and totals them by canonical name. */
function analyzeDomains({ domains }: ReportCounts, setup: ClassifierSetup) {
  const classifier = new Classifier(setup);
  const explain = createExplainer(setup);
  const providers = new NameCounts();
  const typos = new NameCounts();
  for (const { name, rows } of domains.top(MAX_DOMAINS_LOOKED_UP)) {
    const bytes = encodeUtf8(`${LOCAL_PART}@${name}`);
    classifier.classify(bytes, 0, bytes.length);
    const { suggestion } = explain(bytes, 0, bytes.length, classifier);
    const { fault, normalized, verdict } = classifier;
    const correctedDomain = suggestion?.slice(suggestion.lastIndexOf("@") + 1);
    // Names in different scripts may be the same domain.
    const domain = fault === undefined ? classifier.domainName(bytes, bytes.length) : name;
    if (classifier.isMistyped && correctedDomain !== undefined && correctedDomain !== domain) {
      // A malformed domain can be followed by text about a person.
      const hasText = !/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) && domain.length > correctedDomain.length + 2;
      if (fault === undefined || !hasText) typos.add(`${domain} → ${correctedDomain}`, rows);
    }
    if (fault !== undefined || !verdict.isPublic) continue;
    // The domain as written may name a person: jane.fastmail.com.
    providers.add(normalized.slice(normalized.indexOf("@") + 1), rows);
  }
  return { providers: providers.top(MAX_ENTRIES_SHOWN), typos: typos.top(MAX_ENTRIES_SHOWN) };
}
