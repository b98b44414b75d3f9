// The classifier with live DNS: domains that the lists settle are answered at once, others when the resolver answers.

import { minimumRank } from "../lists/confidence.ts";
import { Classifier, type ClassifierSetup } from "./classifier.ts";
import type { Explanation } from "./evidence.ts";
import { createExplainer, type Explainer } from "./explain.ts";
import type { MailResolver, MailRouting, SelectExchanges } from "./routing.ts";
import { selectUndecidedExchanges } from "./routing-evidence.ts";

export interface DetectRequest {
  readonly explain?: boolean;
  /** false: do not ask DNS this time. */
  readonly dns?: boolean;
  readonly signal?: AbortSignal;
  /** Asks the question when the caller's limit allows it, and ends the wait itself instead of `signal`. */
  readonly scheduleQuery?: (ask: () => Promise<MailRouting>) => Promise<MailRouting>;
}

/** Reads the classifier's result, which changes as soon as this returns. */
export type ReadResult<T> = (classifier: Classifier, explanation: Explanation | undefined) => T;

/** Classifies one address after another, and any number at once while DNS is asked. */
export class Detector {
  readonly dataVersion: string;
  private readonly classifier: Classifier;
  private readonly explain: Explainer;
  private readonly mailRouter: MailRouter | undefined;

  constructor(setup: ClassifierSetup, resolver?: MailResolver) {
    this.dataVersion = setup.lists.meta.dataVersion;
    this.classifier = new Classifier(setup);
    this.explain = createExplainer(setup);
    this.mailRouter = resolver === undefined ? undefined : createMailRouter(resolver, setup);
  }

  /** Returns the result of `use`, as a promise when DNS is asked. It rejects when the signal is aborted. */
  detect<T>(
    bytes: Uint8Array,
    start: number,
    end: number,
    request: DetectRequest,
    readResult: ReadResult<T>,
  ): T | Promise<T> {
    const { classifier, mailRouter } = this;
    const { explain = false, dns = true, scheduleQuery } = request;
    const finish = (): T => readResult(classifier, explain ? this.explain(bytes, start, end, classifier) : undefined);
    if (mailRouter === undefined || !dns) {
      classifier.classify(bytes, start, end);
      return finish();
    }
    const domain = classifier.domainToLookUp(bytes, start, end);
    if (domain === undefined) return finish();
    const pendingRouting =
      scheduleQuery === undefined ? mailRouter(domain, request.signal) : scheduleQuery(() => mailRouter(domain));
    return pendingRouting.then((routing) => {
      // Other calls used the classifier meanwhile.
      classifier.classify(bytes, start, end, routing);
      return finish();
    });
  }
}

/** Returns the routing of a domain in lower-case A-labels; rejects only when `signal` is aborted. */
export type MailRouter = (asciiDomain: string, signal?: AbortSignal) => Promise<MailRouting>;

/** A router that asks the resolver for what the lists can use. A resolver that fails is an `error`. */
export function createMailRouter(resolver: MailResolver, { lists, minConfidence }: ClassifierSetup): MailRouter {
  const minimum = minimumRank(minConfidence);
  const selectExchanges: SelectExchanges = (exchanges) => selectUndecidedExchanges(exchanges, lists, minimum);
  return async (asciiDomain, signal) => {
    try {
      return await resolver.route(asciiDomain, signal, selectExchanges);
    } catch {
      signal?.throwIfAborted();
      return { status: "error" };
    }
  };
}
