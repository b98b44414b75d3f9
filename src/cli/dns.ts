// Live DNS for a one-off, a file of the build of its own: most calls ask nothing and do not load it.

import { type AnswerStore, type DnsOptions, type DnsResolver, resolverWith } from "../dns/resolver.ts";

/** A resolver that keeps all its answers: the process ends before they are old. */
export function createDnsResolver(options: DnsOptions): DnsResolver {
  return resolverWith(options, <Value>(): AnswerStore<Value> => new Map<string, Value>());
}
