// `addrsift lists status` and `lists lookup`: the lists in use, and what they and the overrides say about domains, why,
// and which sources list them.

import { type ParserContext, parseMailbox } from "../../../address/mailbox.ts";
import { encodeUtf8 } from "../../../base/bytes/bytes.ts";
import { usage } from "../../../base/errors.ts";
import { defined } from "../../../base/result.ts";
import { counted } from "../../../base/shown.ts";
import { Provenance, type Vote } from "../../../curation/provenance.ts";
import { hasSources, type ListName } from "../../../curation/read-data.ts";
import type { ClassifierSetup } from "../../../detection/classifier.ts";
import { labels, listedMatches, lookUpDomain } from "../../../detection/domain/evidence.ts";
import type { Match } from "../../../detection/evidence.ts";
import { createParserContext, loadTldts } from "../../../detection/parser-context.ts";
import { overrideEntry } from "../../../home/import-overrides.ts";
import { warningText } from "../../../home/lists.ts";
import { type ExchangeEntry, findExchange, findExchangeAddress } from "../../../lists/exchanges.ts";
import type { ListSource } from "../../../lists/meta.ts";
import type { OverrideIndex } from "../../../lists/overrides.ts";
import type { CompiledLists } from "../../../lists/table.ts";
import { ageInDays, findHome, listsInUse, openListsInUse, overridesInUse } from "../../open/known.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { LISTS_LOOKUP, LISTS_STATUS } from "../../options/lists.ts";
import type { Runtime } from "../../runtime.ts";
import { printJson, printTable } from "../../terminal/record-table.ts";
import { shownText, warn } from "../../terminal/say.ts";
import { printLines } from "../../terminal/text-table.ts";
import { type GivenName, givenNames } from "./given-names.ts";

export async function listsStatus({ options }: Arguments<typeof LISTS_STATUS>, runtime: Runtime): Promise<number> {
  const { lists, origin, warning } = openListsInUse(findHome(options, runtime), runtime.root, "whole");
  if (warning !== undefined) warn(runtime, warningText(warning));
  const { dataVersion, date, counts, sources } = lists.meta;
  const ageDays = ageInDays(lists, runtime);
  if (options.json) {
    printJson(runtime, { data_version: dataVersion, date, age_days: ageDays, origin, counts, sources });
    return 0;
  }
  const from = origin === "home" ? "from the home" : origin;
  const lines = [`lists ${dataVersion} (${from}), taken ${date}, ${counted(ageDays, "day", "days")} old`];
  for (const [name, count] of Object.entries(counts)) lines.push(`  ${name.padEnd(12)}${String(count).padStart(8)}`);
  printLines(runtime, lines);
  await printTable(runtime, options, ["ENTRIES", "KEY", "SOURCE", "TAKEN"], sources.map(sourceRow));
  return 0;
}

/** A row that fits 80 columns. The label of a hand-kept list is its file with the day. */
function sourceRow({ key, label, count, taken }: ListSource): string[] {
  const [file = label, day = ""] = label.split(" ").slice(taken === undefined ? 1 : 0);
  return [String(count).padStart("ENTRIES".length), key, file, taken ?? day];
}

interface LookupParts {
  readonly lists: CompiledLists;
  readonly parserContext: ParserContext;
  readonly overrides: OverrideIndex;
  /** The sources' own files; undefined where they are left out. */
  readonly provenance: Provenance | undefined;
}

type ExplainedMatch = Match & { readonly reason?: string };

/** An entry of the exchangers' list, and where the list says that it comes from. */
type ListedExchanger = ExchangeEntry & { readonly sources: readonly string[]; readonly reason?: string };

interface Found {
  readonly domain: string;
  readonly matches: readonly ExplainedMatch[];
  /** The entry of the exchangers' list, where the name or the address is one of a mail exchanger. */
  readonly exchanger: ListedExchanger | undefined;
  /** The sources that list the domain; undefined when that is not known. */
  readonly votes: readonly Vote[] | undefined;
}

/** Prints the facts about each domain. A text that is not a domain is a warning, and the status is 2 at the end. */
export function listsLookup({ options, positionals }: Arguments<typeof LISTS_LOOKUP>, runtime: Runtime): number {
  if (positionals.length === 0 && runtime.stdin.isTerminal) {
    throw usage("there is no domain: give one, or pipe them in, one a line");
  }
  const names = givenNames(positionals.length === 0 ? ["-"] : positionals, runtime);
  const use = names.length === 1 ? "pieces" : "whole";
  const overrides = overridesInUse(options, runtime, use);
  const lists = listsInUse(options, runtime, use);
  const known: LookupParts = {
    lists,
    parserContext: createParserContext(lists),
    overrides,
    provenance: openProvenance(lists, findHome(options, runtime)?.folder, runtime),
  };
  let status = 0;
  for (const name of names) {
    const domain = domainIn(name.text, known);
    if (domain.ok) printFound(lookUp(name.text, domain.value, known), options.json, lists, runtime);
    else {
      warn(runtime, notADomain(name, domain.code));
      status = 2;
    }
  }
  if (!options.quiet) warnOfUnread(known, runtime);
  return status;
}

function openProvenance(lists: CompiledLists, home: string | undefined, runtime: Runtime): Provenance | undefined {
  if (!hasSources(runtime.root)) return undefined;
  const sections = { allowPrivateDomains: true, extractHostname: false, validateHostname: false, detectIp: false };
  const isPublicSuffix = (domain: string): boolean => loadTldts().getPublicSuffix(domain, sections) === domain;
  return new Provenance({ root: runtime.root, home, lists, isPublicSuffix });
}

function domainIn(
  text: string,
  { parserContext, lists }: LookupParts,
): { ok: true; value: string } | { ok: false; code: string } {
  if (findExchangeAddress(text, lists) !== undefined) return { ok: true, value: text };
  const parsed = parseMailbox(encodeUtf8(`postmaster@${text.replace(/^.*@/s, "")}`), {}, parserContext);
  return parsed.ok ? { ok: true, value: parsed.value.domain.ascii } : { ok: false, code: parsed.fault.code };
}

function notADomain({ text, place }: GivenName, code: string): string {
  return `${place}"${shownText(text)}" is not a mail domain (${code}): give a domain such as example.org`;
}

function lookUp(text: string, domain: string, known: LookupParts): Found {
  const { overrides, provenance } = known;
  const setup: ClassifierSetup = { ...known, cacheEntries: 0 };
  // Only an address has a decision of its own; what is wrong before the @ does not matter here.
  const mailbox = overrides.size > 0 && text.lastIndexOf("@") > 0 ? overrideEntry(text, known) : undefined;
  const looked = lookUpDomain(domain, setup, mailbox?.ok === true ? mailbox.value : undefined);
  const matches = listedMatches(looked, setup).map((match): ExplainedMatch => {
    const reason = provenance === undefined ? undefined : reasonOf(match, provenance);
    return reason === undefined ? match : { ...match, reason };
  });
  return { domain, matches, exchanger: exchangerOf(domain, matches, known), votes: provenance?.votes(domain) };
}

/** The entry of an exchanger; one that another list has too says there what it is. */
function exchangerOf(
  host: string,
  matches: readonly Match[],
  { lists, provenance }: LookupParts,
): ListedExchanger | undefined {
  const found = findExchange(host, lists) ?? findExchangeAddress(host, lists);
  if (found === undefined || matches.some(({ entry }) => entry === found.entry)) return undefined;
  const reason = provenance?.reason("exchanges", found.entry);
  return { ...found, sources: labels(lists, ["exchanges"]), ...(reason === undefined ? {} : { reason }) };
}

const LISTS_OF: Readonly<Partial<Record<Match["flag"], readonly ListName[]>>> = {
  disposable: ["additions"],
  relay_domain: ["relays"],
  public_domain: ["public"],
  // Domains below a public domain or a relay's own are protected by it.
  protected: ["protected", "removals", "relays", "public"],
  mistyped: ["typos"],
};

function reasonOf({ flag, kind, entry }: Match, provenance: Provenance): string | undefined {
  if (kind === "override") return undefined;
  for (const list of LISTS_OF[flag] ?? []) {
    const reason = provenance.reason(list, entry);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function printFound(found: Found, asJson: boolean, lists: CompiledLists, runtime: Runtime): void {
  const { domain, matches, exchanger, votes } = found;
  if (!asJson) printLines(runtime, linesAbout(found, lists));
  else {
    const listed_by = votes?.map(({ key, entry, since, lastSeen, below, leftOut }) => {
      const more = defined({ since, last_seen: lastSeen, below, left_out: leftOut });
      return { source: sourceLabel(key, lists), key, entry, ...more };
    });
    printJson(runtime, {
      domain,
      matches,
      ...(exchanger && { exchanger }),
      ...(listed_by && { listed_by }),
      data_version: lists.meta.dataVersion,
    });
  }
}

function linesAbout({ domain, matches, exchanger, votes = [] }: Found, lists: CompiledLists): string[] {
  const lines = matches.map((match) => `${domain}: ${matchText(match)}`);
  if (exchanger !== undefined) lines.push(`${domain}: ${exchangerText(exchanger)}`);
  const ofLists = matches.filter(({ kind }) => kind !== "override");
  if (ofLists.length === 0 && exchanger === undefined) lines.push(`${domain}: in no list`);
  // A disposable match names its sources itself.
  if (votes.length > 0 && ofLists.every(({ flag }) => flag !== "disposable")) {
    lines.push(`${domain}: ${votesText(votes, lists)}`);
  }
  return lines;
}

function matchText(match: ExplainedMatch): string {
  const { flag, kind, entry, sources, confidence, since, last_seen, counted, detail, reason } = match;
  if (kind === "override") return `override of ${shownText(entry)}: ${shownText(detail ?? "")}`;
  const seen = last_seen === undefined ? "" : `, last seen ${last_seen}`;
  const age = `${since === undefined ? "" : `, since ${since}`}${seen}`;
  const sure = confidence === undefined ? "" : `, ${confidence}${age}${counted === false ? ", not counted" : ""}`;
  const whose = detail === undefined ? "" : ` ${detail}`;
  const why = reason === undefined ? "" : `: ${shownText(reason)}`;
  return `${flag}${whose} by ${entry} (${kind}${sure}) from ${sources.join(", ")}${why}`;
}

function exchangerText({ entry, class: ofClass, provider, sources, reason }: ListedExchanger): string {
  const why = reason === undefined ? "" : `: ${shownText(reason)}`;
  return `mail exchanger of ${provider} (${ofClass}) by ${entry} from ${sources.join(", ")}${why}`;
}

function votesText(votes: readonly Vote[], lists: CompiledLists): string {
  const named = votes.map((vote) => `${sourceLabel(vote.key, lists)} (${voteText(vote)})`).join(", ");
  const whys = [...new Set(votes.flatMap(({ leftOut }) => (leftOut === undefined ? [] : [leftOut])))];
  const why = whys.length === 0 ? "" : `, because ${whys.join("; ")}`;
  return `called disposable by ${named}; this does not count${why}`;
}

function voteText({ entry, since, below }: Vote): string {
  if (below !== undefined) return `${below} names below ${entry}`;
  return since === undefined ? entry : `${entry}, since ${since}`;
}

function sourceLabel(key: Vote["key"], lists: CompiledLists): string {
  return labels(lists, [key === "H" ? "additions" : key])[0] as string;
}

/** Warns of sources whose snapshot is gone, so that nothing tells their days. */
function warnOfUnread({ lists, provenance }: LookupParts, runtime: Runtime): void {
  const unread = [...(provenance?.unread ?? [])];
  if (unread.length === 0) return;
  const named = unread.map((key) => sourceLabel(key, lists)).join(", ");
  warn(runtime, `the days of ${named} are not known, because its file is gone: run addrsift lists update`);
}
