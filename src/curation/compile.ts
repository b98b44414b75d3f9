// Compiles the reviewed lists into one table. Equal lists give equal bytes.

import { PROVIDER_RULES } from "../address/providers.ts";
import { encodeUtf8 } from "../base/bytes/bytes.ts";
import { type DomainAttributes, MISSPELLED_KIND, packAttributes } from "../lists/attributes.ts";
import { countsByDefault, entryFlags, firstDayOf, lastDayOf } from "../lists/confidence.ts";
import { type ExchangeClass, packExchange } from "../lists/exchanges.ts";
import { KIND, type TableEntry, writeTable } from "../lists/format.ts";
import type { ListSource, ListsMeta } from "../lists/meta.ts";
import { ROLE_FLAG, SUFFIX, TOP_LEVEL } from "../lists/table.ts";
import { closestAncestor } from "./names.ts";
import type { MaintainedLists, Rows } from "./read-data.ts";
import { CurationError } from "./sources.ts";

const REPLY_RULE = PROVIDER_RULES.findIndex(({ id }) => id === "reply_address") + 1;

/** Contents of a table. Rows of hand-maintained lists have the columns of MAINTAINED_LISTS; the first is the key. */
export interface TableInput extends Omit<MaintainedLists, "additions" | "removals"> {
  readonly dataVersion: string;
  readonly date: string;
  readonly sources: readonly ListSource[];
  readonly disposable: ReadonlyMap<string, number>;
  readonly rootZone: readonly string[];
  /** Suffixes of the Public Suffix List's ICANN and private sections. `any` stands for a wildcard label. */
  readonly registrySuffixes: readonly string[];
  readonly privateSuffixes: readonly string[];
  /** Exceptions from the ICANN section's wildcards. */
  readonly suffixExceptions: readonly string[];
}

/** Compiles the lists. Throws CurationError when they contradict each other. */
export function compileTable(input: TableInput): Uint8Array {
  const relayProviders = distinctValues(input.relays, 1);
  const publicOperators = distinctValues(input.public, 1);
  const protectedKinds = distinctValues(input.protected, 1);
  const exchangeProviders = distinctValues(input.exchanges, 3);
  if (relayProviders.length > 255 || protectedKinds.length > MISSPELLED_KIND)
    throw new CurationError("too many names to number");
  const domains = new Map<string, DomainAttributes>();
  const attributesOf = (domain: string): DomainAttributes => {
    const attributes = domains.get(domain) ?? {};
    domains.set(domain, attributes);
    return attributes;
  };
  for (const [domain, [, provider, match]] of input.relays) {
    attributesOf(domain).relay = relayProviders.indexOf(provider as string);
    attributesOf(domain).relayCoversSubdomains = match === "subdomains";
  }
  const ruleNumbers = providerRuleNumbers(input.providers, publicOperators);
  for (const [domain, [, operator]] of input.public) {
    attributesOf(domain).public = publicOperators.indexOf(operator as string);
    const rule = ruleNumbers.get(operator as string);
    if (rule !== undefined) attributesOf(domain).provider = rule;
  }
  for (const host of input.replyHosts.keys()) attributesOf(host).provider = REPLY_RULE;
  for (const [domain, [, kind]] of input.protected)
    attributesOf(domain).protected = protectedKinds.indexOf(kind as string);
  for (const domain of misspelledDomains(input)) {
    if (domains.has(domain)) throw new CurationError(`data/typos.tsv has ${domain}, which another list says is meant`);
    attributesOf(domain).protected = MISSPELLED_KIND;
  }
  for (const domain of input.formerProviders.keys()) {
    if (domains.has(domain)) throw new CurationError(`data/former-providers.tsv has ${domain}, which another list has`);
  }
  for (const domain of input.mailSuffixes.keys()) attributesOf(domain).receivesMail = true;
  const { dataVersion, date, sources } = input;
  const names = { relayProviders, publicOperators, protectedKinds, exchangeProviders };
  const disposableCounted = [...input.disposable.values()].map(entryFlags).filter(countsByDefault).length;
  const meta: ListsMeta = { dataVersion, date, sources, counts: countRows(input), disposableCounted, ...names };
  const entries = [...domainEntries(input.disposable, domains), ...otherEntries(input), ...namespaceEntries(input)];
  return writeTable([...entries, ...exchangeEntries(input, meta)], meta);
}

/** Returns the misspelled domains whose top-level domain exists. */
function misspelledDomains({ typos, rootZone }: TableInput): string[] {
  const labels = new Set(rootZone);
  return [...typos.keys()].filter((name) => name.includes(".") && labels.has(name.slice(name.lastIndexOf(".") + 1)));
}

function* domainEntries(
  disposable: ReadonlyMap<string, number>,
  domains: ReadonlyMap<string, DomainAttributes>,
): Generator<TableEntry> {
  for (const domain of new Set([...disposable.keys(), ...domains.keys()])) {
    const entry = disposable.get(domain) ?? 0;
    const attributes = { ...domains.get(domain), ...disposableAttributes(entry) };
    const protection = attributes.relay ?? attributes.public ?? attributes.protected;
    if (entry > 0 && protection !== undefined) {
      throw new CurationError(`${domain} is disposable and protected at once`);
    }
    yield { kind: KIND.domain, name: Buffer.from(domain), attributes: packAttributes(attributes) };
  }
}

function disposableAttributes(entry: number): DomainAttributes {
  return { entryFlags: entryFlags(entry), since: firstDayOf(entry), lastSeen: lastDayOf(entry) };
}

function* otherEntries(input: TableInput): Generator<TableEntry> {
  for (const [role, [, match, kind]] of input.roles) {
    const flags = (match === "prefix" ? ROLE_FLAG.prefix : 0) | (kind === "no_reply" ? ROLE_FLAG.noReply : 0);
    const attributes = Uint8Array.of(flags);
    // Canonical local parts have only this form of sigma.
    yield { kind: KIND.role, name: encodeUtf8(role.replaceAll("ς", "σ")), attributes };
  }
  const special = new Set([...input.specialUse.keys()].filter((name) => !name.includes(".")));
  for (const label of [...input.rootZone.filter((tld) => !special.has(tld)), ...special].sort()) {
    const attributes = Uint8Array.of(special.has(label) ? TOP_LEVEL.specialUse : TOP_LEVEL.rootZone);
    yield { kind: KIND.topLevel, name: encodeUtf8(label), attributes };
  }
  for (const [suffixes, attribute] of [
    [input.registrySuffixes, SUFFIX.rule],
    [input.suffixExceptions, SUFFIX.exception],
  ] as const) {
    for (const name of suffixes) {
      yield { kind: KIND.suffix, name: encodeUtf8(name.replace(/^any\b/, "*")), attributes: Uint8Array.of(attribute) };
    }
  }
  for (const [name, [, intended]] of input.typos) {
    yield { kind: KIND.typo, name: encodeUtf8(name), attributes: encodeUtf8(intended as string) };
  }
  for (const [name, [, intended]] of input.typoTlds) {
    yield { kind: KIND.typoTld, name: encodeUtf8(name), attributes: encodeUtf8(intended as string) };
  }
}

/** Yields names whose subdomains are all of one kind: free hosts, former providers, verified bodies, special-use. */
function* namespaceEntries(input: TableInput): Generator<TableEntry> {
  const kinds = new Map<string, string>();
  const freeHosts = new Set(input.privateSuffixes.map((name) => name.replace(/^any\./, "")));
  for (const name of input.freeHosts.keys()) freeHosts.add(name);
  for (const name of input.soldSuffixes.keys()) freeHosts.delete(name);
  const counts = countListedBelow(freeHosts, input.disposable);
  for (const name of freeHosts) kinds.set(name, `free_subdomain ${counts.get(name) ?? 0}`);
  for (const name of input.formerProviders.keys()) kinds.set(name, "former_provider");
  for (const [name, [, kind]] of input.restrictedSuffixes) kinds.set(name, kind as string);
  for (const name of input.specialUse.keys()) kinds.set(name, "reserved");
  for (const [name, kind] of kinds) {
    yield { kind: KIND.namespace, name: encodeUtf8(name), attributes: encodeUtf8(kind) };
  }
}

/** Counts, for each host, the disposable entries below it that count by default. */
function countListedBelow(hosts: ReadonlySet<string>, disposable: ReadonlyMap<string, number>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [domain, entry] of disposable) {
    if (!countsByDefault(entryFlags(entry))) continue;
    const host = closestAncestor(domain, (parent) => hosts.has(parent));
    if (host !== undefined) counts.set(host, (counts.get(host) ?? 0) + 1);
  }
  return counts;
}

function* exchangeEntries({ exchanges }: TableInput, meta: ListsMeta): Generator<TableEntry> {
  for (const [name, [, match, exchangeClass, provider]] of exchanges) {
    const number = meta.exchangeProviders.indexOf(provider as string);
    const attributes = packExchange(exchangeClass as ExchangeClass, match === "suffix", number);
    yield { kind: match === "address" ? KIND.exchangeAddress : KIND.exchange, name: encodeUtf8(name), attributes };
  }
}

function countRows(input: TableInput): Record<string, number> {
  return {
    disposable: input.disposable.size,
    relay: input.relays.size,
    public: input.public.size,
    protected: input.protected.size,
    role: input.roles.size,
    tld: input.rootZone.filter((label) => !input.specialUse.has(label)).length,
    exchange: input.exchanges.size,
  };
}

function distinctValues(rows: Rows, column: number): string[] {
  return [...new Set([...rows.values()].map((row) => row[column] as string))].sort();
}

/** Returns each operator's provider rule number, starting at 1. Operators with the generic rule are omitted. */
function providerRuleNumbers(providers: Rows, operators: readonly string[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const [operator, [, id]] of providers) {
    const rule = PROVIDER_RULES.findIndex((candidate) => candidate.id === id);
    if (rule < 0) throw new CurationError(`data/providers.tsv names the rule ${id}, which does not exist`);
    if (!operators.includes(operator))
      throw new CurationError(`data/providers.tsv names ${operator}, which has no domain in data/public.tsv`);
    numbers.set(operator, rule + 1);
  }
  return numbers;
}
