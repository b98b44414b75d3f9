// Asks a resolver for what the lists can use. It works with any resolver.

import { leastRank } from "../lists/confidence.ts";
import type { ClassifierSetup } from "./classifier.ts";
import type { AddressesWanted, MailResolver, MailRouting } from "./routing.ts";
import { undecidedExchanges } from "./routing-evidence.ts";

/** Gives the routing of a domain in lower-case A-labels; rejects only when `signal` is aborted. */
export type Router = (asciiDomain: string, signal?: AbortSignal) => Promise<MailRouting>;

/** A router that asks the resolver for what the lists can use. A resolver that fails has given no answer. */
export function createMailRouter(resolver: MailResolver, { lists, minConfidence }: ClassifierSetup): Router {
  const minimum = leastRank(minConfidence);
  const wanted: AddressesWanted = (exchanges) => undecidedExchanges(exchanges, lists, minimum);
  return async (asciiDomain, signal) => {
    try {
      return await resolver.route(asciiDomain, signal, wanted);
    } catch {
      signal?.throwIfAborted();
      return { status: "error" };
    }
  };
}
