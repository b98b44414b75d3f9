// Classifies with live DNS: synchronously if the lists decide the domain, or else when the resolver answers.

import { rejectOnAbort } from "../base/concurrency.ts";
import { usageError } from "../base/errors.ts";
import { minimumRank } from "../lists/confidence.ts";
import { Classifier, type ClassifierSetup } from "./classifier.ts";
import type { Explanation } from "./evidence.ts";
import { createExplainer, type Explainer } from "./explain.ts";
import { type MailResolver, type MailRouting, ROUTING_STATUSES, type SelectExchanges } from "./routing.ts";
import { selectUndecidedExchanges } from "./routing-evidence.ts";

export interface DetectRequest {
  readonly explain?: boolean;
  /** Look up undecided domains. Default: true. */
  readonly dns?: boolean;
  readonly signal?: AbortSignal;
  /**
   * Runs the lookup when the caller's limits allow. If set, `signal` is ignored, and this function handles
   * cancellation.
   */
  readonly scheduleLookup?: (lookUp: () => Promise<MailRouting>) => Promise<MailRouting>;
}

/** Reads the classifier's result. The next call overwrites it. */
export type ReadResult<T> = (classifier: Classifier, explanation: Explanation | undefined) => T;

/** Classifies addresses; calls that wait for DNS may overlap. */
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

  /** Returns the value of `readResult`; if DNS is needed, a promise of it, which rejects if `signal` is aborted. */
  detect<T>(
    bytes: Uint8Array,
    start: number,
    end: number,
    request: DetectRequest,
    readResult: ReadResult<T>,
  ): T | Promise<T> {
    const { classifier, mailRouter } = this;
    const { explain = false, dns = true, scheduleLookup } = request;
    const finish = (): T => readResult(classifier, explain ? this.explain(bytes, start, end, classifier) : undefined);
    if (mailRouter === undefined || !dns) {
      classifier.classify(bytes, start, end);
      return finish();
    }
    const domain = classifier.domainToLookUp(bytes, start, end);
    if (domain === undefined) return finish();
    const pendingRouting =
      scheduleLookup === undefined ? mailRouter(domain, request.signal) : scheduleLookup(() => mailRouter(domain));
    return pendingRouting.then((routing) => {
      // Other calls may have used the classifier since.
      classifier.classify(bytes, start, end, routing);
      return finish();
    });
  }
}

/** Looks up a domain in lower-case A-labels. Rejects at once if `signal` is aborted, and for an invalid result. */
export type MailRouter = (asciiDomain: string, signal?: AbortSignal) => Promise<MailRouting>;

/** Creates a router that looks up only addresses that can decide. If the resolver fails, the status is `error`. */
export function createMailRouter(resolver: MailResolver, { lists, minConfidence }: ClassifierSetup): MailRouter {
  const minRank = minimumRank(minConfidence);
  const selectExchanges: SelectExchanges = (exchanges) => selectUndecidedExchanges(exchanges, lists, minRank);
  return async (asciiDomain, signal) => {
    let routing: MailRouting;
    try {
      const pending = resolver.route(asciiDomain, signal, selectExchanges);
      routing = await (signal === undefined ? pending : rejectOnAbort(pending, signal));
    } catch {
      signal?.throwIfAborted();
      return { status: "error" };
    }
    const fault = routingFault(routing);
    if (fault !== undefined) throw usageError(`the resolver returned ${fault}`);
    return routing;
  };
}

/** Returns what is wrong with a resolver's result, which may come from plain JavaScript; undefined if it is valid. */
function routingFault(routing: MailRouting | undefined): string | undefined {
  const { status, exchanges = [] } = (routing ?? {}) as MailRouting;
  if (!ROUTING_STATUSES.includes(status))
    return `the status ${status}: return an object whose status is one of ${ROUTING_STATUSES.join(", ")}`;
  if (!Array.isArray(exchanges) || exchanges.some((one) => typeof one?.exchange !== "string"))
    return 'unusable exchanges: return an array such as [{ preference: 10, exchange: "mx.example.com" }]';
  return undefined;
}
