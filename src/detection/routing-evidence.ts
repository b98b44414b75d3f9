// Rules for live DNS: what a domain's mail exchangers reveal about it.

import { DOMAIN_MAX } from "../address/scan.ts";
import { encodeUtf8 } from "../base/bytes/bytes.ts";
import { CONFIDENCES } from "../lists/confidence.ts";
import { type ExchangeClass, type ExchangeEntry, findExchange, findExchangeAddress } from "../lists/exchanges.ts";
import { describeSources, sourceLabels } from "../lists/meta.ts";
import { type CompiledLists, ListMatch } from "../lists/table.ts";
import type { Match } from "./evidence.ts";
import { acceptsNoMail, type Exchange, isAnswer, type MailRouting } from "./routing.ts";

export interface RoutingEvidence {
  readonly isAnswered: boolean;
  readonly acceptsNoMail: boolean;
  readonly relayProvider: string | undefined;
  readonly isDisposable: boolean;
  /** Provider of the first exchanger, by preference, that is in the list of exchangers. */
  readonly mailProvider: string | undefined;
  readonly matches: readonly Match[];
}

/** Evidence of an exchanger: an entry, `shared` (neither its name nor its address is evidence), or `unknown`. */
interface HostEvidence {
  readonly outcome: Match | "shared" | "unknown";
  readonly provider?: string;
}

/** Entries below this rank are outdated too often to decide about other domains. */
const EXCHANGER_RANK_MIN = CONFIDENCES.indexOf("single");

/** Maximum number of exchanges to evaluate. More are a misconfiguration. */
const EXCHANGES_MAX = 32;
/** Maximum number of exchanges whose addresses are looked up. */
const ADDRESS_QUERIES_MAX = 4;

/** Names that are not in DNS or must not be looked up (RFC 6761, RFC 6762, RFC 7686, RFC 9476). */
const NOT_IN_DNS = /(?:^|\.)(?:invalid|local|localhost|onion|alt)$/i;

export function isDnsName(domain: string): boolean {
  return !domain.startsWith("[") && !NOT_IN_DNS.test(domain);
}

/** Evaluates mail routing by the lists. Ignores disposable entries below the confidence rank `minRank`. */
export function judgeRouting(routing: MailRouting, lists: CompiledLists, minRank: number): RoutingEvidence {
  const isAnswered = isAnswer(routing.status);
  const matches: Match[] = [];
  let mailProvider: string | undefined;
  for (const exchange of isAnswered ? (routing.exchanges ?? []).slice(0, EXCHANGES_MAX) : []) {
    const { outcome, provider } = judgeExchange(exchange, lists, minRank);
    mailProvider ??= provider;
    if (typeof outcome === "object" && !matches.some(({ entry }) => entry === outcome.entry)) matches.push(outcome);
  }
  const relay = matches.find(({ flag }) => flag === "relay_domain");
  return {
    isAnswered,
    acceptsNoMail: acceptsNoMail(routing.status),
    relayProvider: relay?.detail,
    isDisposable: relay === undefined && matches.some(({ flag }) => flag === "disposable"),
    mailProvider,
    matches: relay === undefined ? matches : matches.filter(({ flag }) => flag !== "disposable"),
  };
}

/** Returns the exchanges with an unknown name, whose addresses may decide; none if the name of another one decides. */
export function selectUndecidedExchanges(
  exchanges: readonly Exchange[],
  lists: CompiledLists,
  minRank: number,
): string[] {
  const undecided: string[] = [];
  for (const { exchange } of exchanges.slice(0, EXCHANGES_MAX)) {
    const { outcome } = judgeHostName(exchange, lists, minRank);
    if (outcome === "unknown") undecided.push(exchange);
    else if (outcome !== "shared" && outcome.flag !== "parked") return [];
  }
  return undecided.slice(0, ADDRESS_QUERIES_MAX);
}

function judgeExchange({ exchange, addresses = [] }: Exchange, lists: CompiledLists, minRank: number): HostEvidence {
  const evidence = judgeHostName(exchange, lists, minRank);
  if (evidence.outcome !== "unknown") return evidence;
  for (const address of addresses) {
    const entry = findExchangeAddress(address, lists);
    if (entry !== undefined && entry.class !== "shared") return judgeEntry(entry, "mx_address", lists);
  }
  return evidence;
}

/** Looks up an exchanger's name in the exchangers' list, then in the domain lists. */
function judgeHostName(host: string, lists: CompiledLists, minRank: number): HostEvidence {
  const name = host.toLowerCase();
  if (name.length > DOMAIN_MAX) return { outcome: "unknown" };
  const exchangeEntry = findExchange(name, lists);
  if (exchangeEntry !== undefined) return judgeEntry(exchangeEntry, "mx", lists);
  const bytes = encodeUtf8(name);
  const match = new ListMatch();
  lists.match(bytes, 0, bytes.length, Math.max(minRank, EXCHANGER_RANK_MIN), match);
  if (match.decidingKind === "none") return { outcome: "unknown" };
  // Relays, mailbox providers and companies also receive mail for other domains.
  if (match.decidingKind !== "disposable") return { outcome: "shared" };
  const entry = name.slice(match.entryStart);
  return { outcome: { flag: "disposable", entry, kind: "mx", ...describeSources(match.entryFlags, lists) } };
}

const FLAG_OF_CLASS: Readonly<Record<Exclude<ExchangeClass, "shared">, Match["flag"]>> = {
  disposable: "disposable",
  relay: "relay_domain",
  parked: "parked",
};

function judgeEntry(
  { entry, class: exchangeClass, provider }: ExchangeEntry,
  kind: Match["kind"],
  lists: CompiledLists,
): HostEvidence {
  if (exchangeClass === "shared") return { provider, outcome: "shared" };
  const sources = sourceLabels(lists, ["exchanges"]);
  return { provider, outcome: { flag: FLAG_OF_CLASS[exchangeClass], entry, kind, sources, detail: provider } };
}
