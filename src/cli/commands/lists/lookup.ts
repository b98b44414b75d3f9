// `addrsift lists status` and `lists lookup`: the lists in use; entries and overrides for domains, with reasons and
// sources.

import { parseMailbox } from "../../../address/mailbox.ts";
import { encodeUtf8 } from "../../../base/bytes/bytes.ts";
import { usageError } from "../../../base/errors.ts";
import { pluralize } from "../../../base/format-text.ts";
import { omitUndefined, type Result } from "../../../base/result.ts";
import { Provenance, type SourceEntry } from "../../../curation/provenance.ts";
import type { ListName } from "../../../curation/read-data.ts";
import { type DomainLookup, listedMatches, lookUpDomain } from "../../../detection/domain/evidence.ts";
import { domainKindOf, findNamespace } from "../../../detection/domain/kind.ts";
import type { Match } from "../../../detection/evidence.ts";
import { warningText } from "../../../home/lists.ts";
import { overrideEntry } from "../../../home/override-entry.ts";
import type { DomainKind } from "../../../lists/attributes.ts";
import { type ExchangeEntry, findExchange, findExchangeAddress } from "../../../lists/exchanges.ts";
import { type ListSource, labels, lineageKey } from "../../../lists/meta.ts";
import type { CompiledLists } from "../../../lists/table.ts";
import { ageInDays, findHome, knownInUse, openListsInUse } from "../../composition/lists.ts";
import type { ArgumentsOf } from "../../options/commands.ts";
import type { Runtime } from "../../runtime.ts";
import { shownText } from "../../terminal/output.ts";
import { Printer } from "../../terminal/printer.ts";
import { givenNames } from "../../terminal/read-value.ts";

export async function listsStatus({ options }: ArgumentsOf<"lists status">, runtime: Runtime): Promise<void> {
  const out = new Printer(runtime, options);
  const { lists, origin, warning } = openListsInUse(findHome(options, runtime), runtime.root, "whole");
  if (warning !== undefined) out.warn(warningText(warning));
  const { dataVersion, date, counts, sources } = lists.meta;
  const ageDays = ageInDays(lists, runtime.now());
  if (options.json) {
    out.json({ data_version: dataVersion, date, age_days: ageDays, origin, counts, sources });
    return;
  }
  const from = origin === "home" ? "from the home" : origin;
  const lines = [`lists ${dataVersion} (${from}), taken ${date}, ${pluralize(ageDays, "day", "days")} old`];
  for (const [name, count] of Object.entries(counts)) lines.push(`  ${name.padEnd(12)}${String(count).padStart(8)}`);
  out.lines(lines);
  await out.table(["ENTRIES", "KEY", "SOURCE", "TAKEN"], sources.map(sourceRow));
}

/** A row that fits 80 columns. The label of a hand-kept list is its file with the day. */
function sourceRow({ key, label, count, taken }: ListSource): string[] {
  const [file = label, day = ""] = label.split(" ").slice(taken === undefined ? 1 : 0);
  return [String(count).padStart("ENTRIES".length), key, file, taken ?? day];
}

type LookupParts = ReturnType<typeof knownInUse> & {
  /** The sources' own files. */
  readonly provenance: Provenance;
};

type ExplainedMatch = Match & { readonly reason?: string };

type ListedExchanger = ExchangeEntry & { readonly sources: readonly string[]; readonly reason?: string };

type Listing = ReturnType<typeof listingOf>;

/** Prints the facts about each domain. A text that is not a domain is a warning, and the status is 2 at the end. */
export async function listsLookup(args: ArgumentsOf<"lists lookup">, runtime: Runtime): Promise<number> {
  const { options, positionals } = args;
  if (positionals.length === 0 && runtime.stdin.isTerminal) {
    throw usageError("there is no domain: give one, or pipe them in, one a line");
  }
  const out = new Printer(runtime, options);
  const names = givenNames(positionals.length === 0 ? ["-"] : positionals, runtime);
  const inUse = knownInUse(options, runtime, names.length === 1 ? "pieces" : "whole");
  const { lists } = inUse;
  const { root } = runtime;
  const provenance = new Provenance({ root, home: findHome(options, runtime)?.folder, lists });
  const known: LookupParts = { ...inUse, provenance };
  let status = 0;
  for (const name of names) {
    const domain = domainIn(name.text, known);
    if (!domain.ok) {
      const shown = `${name.place}"${shownText(name.text)}"`;
      out.warn(`${shown} is not a mail domain (${domain.fault}): give a domain such as example.org`);
      status = 2;
      continue;
    }
    const { kindText, ...found } = lookUp(name.text, domain.value, known);
    if (options.json) out.json({ ...found, data_version: lists.meta.dataVersion });
    else out.lines(linesAbout(found, kindText));
  }
  const unread = Array.from(provenance.unreadSources, (key) => sourceLabel(key, lists)).join(", ");
  if (unread !== "")
    out.note(`the days of ${unread} are not known, because its file is gone: run addrsift lists update`);
  return status;
}

function domainIn(text: string, { lists }: LookupParts): Result<string, string> {
  if (findExchangeAddress(text, lists) !== undefined) return { ok: true, value: text };
  const parsed = parseMailbox(encodeUtf8(`postmaster@${text.replace(/^.*@/s, "")}`), {}, lists);
  return parsed.ok ? { ok: true, value: parsed.value.domain.ascii } : { ok: false, fault: parsed.fault.code };
}

/** The facts about a domain as --json prints them, and the kind with the name that it comes from. */
function lookUp(text: string, domain: string, known: LookupParts) {
  const { lists, overrides, provenance } = known;
  // Only an address can have a decision; what is wrong before the @ does not matter here.
  const mailbox = overrides.size > 0 && text.lastIndexOf("@") > 0 ? overrideEntry(text, lists) : undefined;
  const looked = lookUpDomain(domain, known);
  const matches = listedMatches(looked, known, mailbox?.ok === true ? mailbox.value : undefined).map(
    (match): ExplainedMatch => ({ ...match, ...omitUndefined({ reason: reasonOf(match, provenance) }) }),
  );
  const kind = domainKindOf(looked.bytes, 0, looked.bytes.length, looked.match, lists);
  const exchanger = exchangerOf(domain, matches, known);
  return {
    domain,
    matches,
    ...omitUndefined({ domain_kind: kind, exchanger }),
    listed_by: provenance.listSources(domain).map((vote) => listingOf(vote, lists)),
    // Undefined where a match says it.
    kindText: matches.some(({ detail }) => detail === kind) ? undefined : kind && kindTextOf(kind, looked, known),
  };
}

/** A source that lists a domain. */
function listingOf(
  { key, entry, since, lastSeen, childCount: below, ignoredReason: leftOut }: SourceEntry,
  lists: CompiledLists,
) {
  const more = omitUndefined({ since, last_seen: lastSeen, below, left_out: leftOut });
  return { source: sourceLabel(key, lists), key, entry, ...more };
}

const NAMESPACE_LISTS: readonly ListName[] = ["formerProviders", "freeHosts", "restrictedSuffixes", "specialUse"];

function kindTextOf(kind: DomainKind, { ascii, bytes }: DomainLookup, { lists, provenance }: LookupParts): string {
  const found = findNamespace(bytes, 0, bytes.length, lists);
  if (found?.kind !== kind) return kind;
  const entry = ascii.slice(found.start);
  const list = NAMESPACE_LISTS.find((name) => provenance.reason(name, entry) !== undefined);
  const reason = list === undefined ? undefined : provenance.reason(list, entry);
  // The Public Suffix List has no reasons.
  if (list === undefined || reason === undefined) return `${kind} by ${entry}`;
  return `${kind} by ${entry} from ${labels(lists, [list])[0]}: ${shownText(reason)}`;
}

/** The entry of an exchanger; one that another list has too says there what it is. */
function exchangerOf(
  host: string,
  matches: readonly Match[],
  { lists, provenance }: LookupParts,
): ListedExchanger | undefined {
  const found = findExchange(host, lists) ?? findExchangeAddress(host, lists);
  if (found === undefined || matches.some(({ entry }) => entry === found.entry)) return undefined;
  const reason = provenance.reason("exchanges", found.entry);
  return { ...found, sources: labels(lists, ["exchanges"]), ...omitUndefined({ reason }) };
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
  const reasons = (LISTS_OF[flag] ?? []).map((list) => provenance.reason(list, entry));
  return reasons.find((reason) => reason !== undefined);
}

type Found = Omit<ReturnType<typeof lookUp>, "kindText">;

function linesAbout({ domain, matches, exchanger, listed_by }: Found, kindText: string | undefined): string[] {
  const lines = matches.map((match) => `${domain}: ${matchText(match)}`);
  if (kindText !== undefined) lines.push(`${domain}: ${kindText}`);
  if (exchanger !== undefined) lines.push(`${domain}: ${exchangerText(exchanger)}`);
  const ofLists = matches.filter(({ kind }) => kind !== "override");
  if (ofLists.length === 0 && exchanger === undefined && kindText === undefined) lines.push(`${domain}: in no list`);
  if (listed_by.length > 0 && ofLists.every(({ flag }) => flag !== "disposable")) {
    lines.push(`${domain}: ${listingsText(listed_by)}`);
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

function listingsText(listings: readonly Listing[]): string {
  const named = listings.map((listing) => `${listing.source} (${listingText(listing)})`).join(", ");
  const whys = [...new Set(listings.flatMap(({ left_out }) => left_out ?? []))];
  const why = whys.length === 0 ? "" : `, because ${whys.join("; ")}`;
  return `called disposable by ${named}; this does not count${why}`;
}

function listingText({ entry, since, below }: Listing): string {
  if (below !== undefined) return `${below} names below ${entry}`;
  return since === undefined ? entry : `${entry}, since ${since}`;
}

function sourceLabel(key: SourceEntry["key"], lists: CompiledLists): string {
  return labels(lists, [lineageKey(key)])[0] as string;
}
