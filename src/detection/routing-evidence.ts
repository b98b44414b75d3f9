// What a domain's mail exchangers say about it. The rules for live DNS, and nothing else; asking is the resolver's.

import { DOMAIN_MAX } from "../address/limits.ts";
import { encodeUtf8 } from "../bytes/octets.ts";
import { CONFIDENCES } from "../lists/confidence.ts";
import { type ExchangeClass, type ExchangeEntry, findExchange, findExchangeAddress } from "../lists/exchanges.ts";
import { type CompiledLists, ListMatch } from "../lists/table.ts";
import { type Exchange, isAnswer, type MailRouting } from "./routing.ts";

/** One reason: an entry of the exchangers' list, or of the disposable domains under which an exchanger stands. */
export interface ExchangeMatch {
  readonly flag: "disposable" | "relay_domain" | "parked";
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
  /** Whose exchangers they are: the first in order of preference that the exchangers' list knows. */
  readonly mailProvider: string | undefined;
  readonly matches: readonly ExchangeMatch[];
}

/** What an exchanger's name says: a reason, nothing for good (`shared`), or nothing yet. */
interface HostJudgement {
  readonly found: ExchangeMatch | "shared" | "unknown";
  readonly provider?: string;
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
  let mailProvider: string | undefined;
  for (const exchange of answered ? (routing.exchanges ?? []).slice(0, EXCHANGES_MAX) : []) {
    const { found, provider } = judgeExchange(exchange, lists, minimum);
    mailProvider ??= provider;
    if (typeof found === "object" && !matches.some(({ entry }) => entry === found.entry)) matches.push(found);
  }
  const relay = matches.find(({ flag }) => flag === "relay_domain");
  return {
    answered,
    relayProvider: relay?.provider,
    // A relay is never disposable.
    disposable: relay === undefined && matches.some(({ flag }) => flag === "disposable"),
    mailProvider,
    matches: relay === undefined ? matches : matches.filter(({ flag }) => flag !== "disposable"),
  };
}

/** The exchanges whose addresses may tell what their names don't; none where a name has told already. */
export function undecidedExchanges(exchanges: readonly Exchange[], lists: CompiledLists, minimum: number): string[] {
  const undecided: string[] = [];
  for (const { exchange } of exchanges.slice(0, EXCHANGES_MAX)) {
    const { found } = judgeHost(exchange, lists, minimum);
    if (found === "unknown") undecided.push(exchange);
    else if (found !== "shared" && found.flag !== "parked") return [];
  }
  return undecided.slice(0, ADDRESSES_WANTED_MAX);
}

function judgeExchange({ exchange, addresses = [] }: Exchange, lists: CompiledLists, minimum: number): HostJudgement {
  const judged = judgeHost(exchange, lists, minimum);
  if (judged.found !== "unknown") return judged;
  for (const address of addresses) {
    const entry = findExchangeAddress(address, lists);
    if (entry !== undefined && entry.class !== "shared") return judgeEntry(entry, "mx_address");
  }
  return judged;
}

/** What an exchanger's name says. The exchangers' list goes before the domain lists. */
function judgeHost(host: string, lists: CompiledLists, minimum: number): HostJudgement {
  const name = host.toLowerCase();
  if (name.length > DOMAIN_MAX) return { found: "unknown" };
  const listed = findExchange(name, lists);
  if (listed !== undefined) return judgeEntry(listed, "mx");
  const octets = encodeUtf8(name);
  const match = new ListMatch();
  lists.match(octets, 0, octets.length, Math.max(minimum, MINIMUM_RANK), match);
  if (match.settling === "none") return { found: "unknown" };
  // Relays, mailbox providers and companies take mail for others as well.
  if (match.settling !== "disposable") return { found: "shared" };
  const entry = name.slice(match.entryStart);
  return { found: { flag: "disposable", kind: "mx", entry, lineages: match.lineages } };
}

const FLAGS: Readonly<Record<Exclude<ExchangeClass, "shared">, ExchangeMatch["flag"]>> = {
  disposable: "disposable",
  relay: "relay_domain",
  parked: "parked",
};

function judgeEntry({ entry, class: ofClass, provider }: ExchangeEntry, kind: ExchangeMatch["kind"]): HostJudgement {
  return { provider, found: ofClass === "shared" ? "shared" : { flag: FLAGS[ofClass], kind, entry, provider } };
}
