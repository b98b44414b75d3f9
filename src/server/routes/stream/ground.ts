// What streams classify with: the lists of the moment, DNS, and classifiers that streams of the same policy share, because each
// remembers thousands of domains.

import type { Policy } from "../../../bulk/run/settings.ts";
import { Classifier, type ClassifierSetup } from "../../../detection/classifier.ts";
import { createMailRouter, type Router } from "../../../detection/router.ts";
import type { MailResolver } from "../../../detection/routing.ts";

/** A classifier and what it was made from. */
export interface Classifying {
  readonly setup: ClassifierSetup;
  /** Its result is used before anyone else gets a turn, so all streams may have the same. */
  readonly classifier: Classifier;
  /** Undefined: DNS is never asked. */
  readonly router: Router | undefined;
}

// Classifiers that are kept: few policies are in use, and each takes some megabytes.
const POLICIES_MAX = 4;

/** The ground of all streams that begin while the lists stay as they are. */
export class StreamGround {
  private readonly known: Map<string, Classifying> = new Map();

  constructor(
    /** The daemon's own. */
    readonly policy: Policy,
    private readonly setupOf: (policy: Policy) => ClassifierSetup,
    private readonly resolver: MailResolver | undefined,
  ) {}

  /** What classifies by this policy. */
  classifying(policy: Policy): Classifying {
    const { syntax, minConfidence, subject } = policy;
    const key = JSON.stringify([Object.entries(syntax).sort(), minConfidence, subject]);
    let found = this.known.get(key);
    if (found === undefined) {
      const setup = this.setupOf(policy);
      const { resolver } = this;
      const router = resolver && createMailRouter(resolver, setup);
      found = { setup, classifier: new Classifier(setup), router };
      const [oldest] = this.known.keys();
      if (this.known.size >= POLICIES_MAX) this.known.delete(oldest as string);
    }
    this.known.delete(key);
    this.known.set(key, found);
    return found;
  }
}
