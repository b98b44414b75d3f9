// What a domain's mail exchangers say about it. The rules for live DNS, and nothing else; asking is the resolver's.

import { DOMAIN_MAX } from "../address/limits.ts";
import { encodeUtf8 } from "../bytes/octets.ts";
import { CONFIDENCES } from "../lists/confidence.ts";
import { type ExchangeEntry, findExchange, findExchangeAddress } from "../lists/exchanges.ts";
import { type CompiledLists, ListMatch } from "../lists/table.ts";
import { type Exchange, isAnswer, type MailRouting } from "./routing.ts";

/** One reason: an entry of the exchangers' list, or of the disposable domains under which an exchanger stands. */
export interface ExchangeMatch {
  readonly flag: "disposable" | "relay_domain";
  readonly kind: "mx" | "mx_address";
  readonly entry: string;
  /** The relay or the service, where the exchangers' list says. */
  readonly provider?: string;
  /** Lineage bits, where the disposable domains say. */
  readonly lineages?: number;
}

/** What an answer came to. */
export interface RoutingEvidence {
  /** DNS answered: otherwise nothing is known. */
  readonly answered: boolean;
  readonly relayProvider: string | undefined;
  readonly disposable: boolean;
  readonly matches: readonly ExchangeMatch[];
}

/** Entries below this are too often stale to condemn who else stands under them. */
const MINIMUM_RANK = CONFIDENCES.indexOf("single");

/** Exchanges looked at: more are a server's oddity. */
const EXCHANGES_MAX = 32;
/** Exchanges whose addresses are worth a question. */
const ADDRESSES_WANTED_MAX = 4;

/** Labels under which nothing stands in DNS, or must not be asked for there: RFC 6761, RFC 6762, RFC 7686, RFC 9476. */
const NOT_IN_DNS = /(?:^|\.)(?:invalid|local|localhost|onion|alt)$/i;

/** True for a name that may be asked for: no address literal, no name of a realm of its own. */
export function isAskable(domain: string): boolean {
  return !domain.startsWith("[") && !NOT_IN_DNS.test(domain);
}

/** Judges mail routing by the lists; `minimum` is the confidence rank below which disposable entries don't count. */
export function judgeRouting(routing: MailRouting, lists: CompiledLists, minimum: number): RoutingEvidence {
  const answered = isAnswer(routing.status);
  const matches: ExchangeMatch[] = [];
  for (const exchange of answered ? (routing.exchanges ?? []).slice(0, EXCHANGES_MAX) : []) {
    const match = matchExchange(exchange, lists, minimum);
    if (match !== undefined && !matches.some(({ entry }) => entry === match.entry)) matches.push(match);
  }
  const relay = matches.find(({ flag }) => flag === "relay_domain");
  return {
    answered,
    relayProvider: relay?.provider,
    // A relay is never disposable.
    disposable: relay === undefined && matches.length > 0,
    matches: relay === undefined ? matches : matches.filter(({ flag }) => flag === "relay_domain"),
  };
}

/** The exchanges whose addresses may tell what their names don't; none where a name has told already. */
export function undecidedExchanges(exchanges: readonly Exchange[], lists: CompiledLists, minimum: number): string[] {
  const undecided: string[] = [];
  for (const { exchange } of exchanges.slice(0, EXCHANGES_MAX)) {
    const found = judgeHost(exchange, lists, minimum);
    if (found === "unknown") undecided.push(exchange);
    else if (found !== "shared") return [];
  }
  return undecided.slice(0, ADDRESSES_WANTED_MAX);
}

function matchExchange(
  { exchange, addresses = [] }: Exchange,
  lists: CompiledLists,
  minimum: number,
): ExchangeMatch | undefined {
  const found = judgeHost(exchange, lists, minimum);
  if (found !== "unknown") return found === "shared" ? undefined : found;
  for (const address of addresses) {
    const entry = findExchangeAddress(address, lists);
    if (entry !== undefined && entry.class !== "shared") return matchOf(entry, "mx_address");
  }
  return undefined;
}

/** What an exchanger's name says. The exchangers' list goes before the domain lists. */
function judgeHost(host: string, lists: CompiledLists, minimum: number): ExchangeMatch | "shared" | "unknown" {
  const name = host.toLowerCase();
  if (name.length > DOMAIN_MAX) return "unknown";
  const listed = findExchange(name, lists);
  if (listed !== undefined) return listed.class === "shared" ? "shared" : matchOf(listed, "mx");
  const octets = encodeUtf8(name);
  const match = new ListMatch();
  lists.match(octets, 0, octets.length, Math.max(minimum, MINIMUM_RANK), match);
  if (match.settling === "none") return "unknown";
  // Relays, mailbox providers and companies take mail for others as well.
  if (match.settling !== "disposable") return "shared";
  return { flag: "disposable", kind: "mx", entry: name.slice(match.entryStart), lineages: match.lineages };
}

function matchOf({ entry, class: ofClass, provider }: ExchangeEntry, kind: ExchangeMatch["kind"]): ExchangeMatch {
  return { flag: ofClass === "relay" ? "relay_domain" : "disposable", kind, entry, provider };
}
