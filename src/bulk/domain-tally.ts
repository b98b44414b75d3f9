// Rows by domain, for the summary's names and for a report. A row is counted at its domain's place in the classifier's
// cache, which costs next to nothing; the name is taken down when it leaves the cache, or at the end.

import type { Classifier } from "../detection/classifier.ts";
import type { HeavyHitters } from "./heavy-hitters.ts";
import type { Summary } from "./summary.ts";

/** Counts the well-formed addresses of one classifier, which nothing else may use. */
export class DomainTally {
  /** `domains` gets all domains as they are written, in lower case; the summary those that are disposable. */
  constructor(
    private readonly classifier: Classifier,
    private readonly summary: Summary,
    private readonly domains: HeavyHitters | undefined,
  ) {
    summary.tally = this;
    classifier.countDomains((bytes, start, end, rows, { verdict }) => {
      if (verdict.disposable) summary.addDisposable(bytes, start, end, rows);
      domains?.add(bytes, start, end, rows);
    });
  }

  add(): void {
    const { classifier } = this;
    if (classifier.countDomain()) return;
    const { domainBytes, domainStart, domainEnd } = classifier;
    if (classifier.verdict.disposable) this.summary.addDisposable(domainBytes, domainStart, domainEnd, 1);
    this.domains?.add(domainBytes, domainStart, domainEnd, 1);
  }

  /** Takes down all names. */
  flush(): void {
    this.classifier.flushDomains();
  }
}
