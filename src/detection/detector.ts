// The classifier with live DNS: what the lists settle is answered at once, the rest when the resolver has answered. Knows the port
// alone, no DNS.

import { Classifier, type ClassifierSetup } from "./classifier.ts";
import type { Explanation } from "./evidence.ts";
import { createExplain, type Explain } from "./explain.ts";
import { createRouter, type Router } from "./router.ts";
import type { MailResolver, MailRouting } from "./routing.ts";

/** What a caller may ask for. */
export interface Asked {
  /** Add the evidence. */
  readonly explain?: boolean;
  /** false: ask nothing of DNS this time. */
  readonly dns?: boolean;
  /** Ends this caller's wait for DNS, and nobody else's. */
  readonly signal?: AbortSignal;
  /** Has a question asked when there is room for it, and sees to the caller's wait itself: without `signal`. */
  readonly whenRoom?: (ask: () => Promise<MailRouting>) => Promise<MailRouting>;
}

/** Takes what `classifier` holds; it will hold something else as soon as this returns. */
export type Use<T> = (classifier: Classifier, explanation: Explanation | undefined) => T;

/** Classifies one address after another, and any number at once while DNS is asked. */
export class Detector {
  /** The version of the precomputed data. */
  readonly dataVersion: string;
  private readonly classifier: Classifier;
  private readonly explain: Explain;
  private readonly router: Router | undefined;

  /** Without a resolver, DNS is never asked. */
  constructor(setup: ClassifierSetup, resolver?: MailResolver) {
    this.dataVersion = setup.lists.meta.dataVersion;
    this.classifier = new Classifier(setup);
    this.explain = createExplain(setup);
    this.router = resolver === undefined ? undefined : createRouter(resolver, setup);
  }

  /**
   * Classifies the address between `start` and `end` of `octets` and gives what `use` makes of it: at once when nothing is asked
   * of DNS, else as a promise, which is rejected when the signal is aborted.
   */
  detect<T>(octets: Uint8Array, start: number, end: number, asked: Asked, use: Use<T>): T | Promise<T> {
    const { classifier, router } = this;
    if (router === undefined || asked.dns === false) {
      classifier.classify(octets, start, end);
      return this.finish(octets, start, end, asked, use);
    }
    const question = classifier.question(octets, start, end);
    if (question === undefined) return this.finish(octets, start, end, asked, use);
    const { whenRoom } = asked;
    const answer = whenRoom === undefined ? router(question, asked.signal) : whenRoom(() => router(question));
    return answer.then((routing) => {
      // Others used the classifier meanwhile; classifying again is cheap beside the question.
      classifier.classify(octets, start, end, routing);
      return this.finish(octets, start, end, asked, use);
    });
  }

  private finish<T>(octets: Uint8Array, start: number, end: number, { explain = false }: Asked, use: Use<T>): T {
    const { classifier } = this;
    return use(classifier, explain ? this.explain(octets, start, end, classifier) : undefined);
  }
}
