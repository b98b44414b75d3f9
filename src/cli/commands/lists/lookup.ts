// `addrsift lists status` and `lists lookup`: the lists in use; the entries, overrides, reasons and sources of domains.

import { errorMessage, usageError } from "../../../base/errors.ts";
import { escapeInvisible, pluralize, quote } from "../../../base/format-text.ts";
import { omitUndefined, type Result } from "../../../base/result.ts";
import { findInParents } from "../../../base/user-input.ts";
import { Provenance, type SourceEntry } from "../../../curation/provenance.ts";
import type { ListName } from "../../../curation/read-data.ts";
import { DISPOSABLE_KEYS, SOURCES, type Source, UPDATABLE_KEYS } from "../../../curation/sources.ts";
import { HomeLists, summarizeUpdates } from "../../../curation/update/home-lists.ts";
import { type DomainLookup, findMatches, lookUpDomain, toOverrideMatch } from "../../../detection/domain/evidence.ts";
import { domainKindOf, findNamespace } from "../../../detection/domain/kind.ts";
import type { Match } from "../../../detection/evidence.ts";
import { formatWarning } from "../../../home/lists.ts";
import { parseOverrideEntry } from "../../../home/override-entry.ts";
import { describeOverride, hasExpired, OVERRIDES_FILE, readOverrides } from "../../../home/overrides.ts";
import type { DomainKind } from "../../../lists/attributes.ts";
import type { Confidence } from "../../../lists/confidence.ts";
import { type ExchangeEntry, findExchange, findExchangeAddress } from "../../../lists/exchanges.ts";
import { type ListSource, sourceKey, sourceLabels } from "../../../lists/meta.ts";
import { findMailboxOverride } from "../../../lists/overrides.ts";
import type { CompiledLists } from "../../../lists/table.ts";
import { ageInDays, findHome, openListsInUse } from "../../composition/lists.ts";
import { openListsAndOverrides } from "../../composition/overrides.ts";
import type { ArgumentsOf } from "../../options/commands.ts";
import type { Runtime } from "../../runtime.ts";
import { formatTime, Printer } from "../../terminal/printer.ts";
import { readNames } from "../../terminal/read-value.ts";
import { rejectFileNames } from "./overrides.ts";

/** Prints what is in use. The exit status is 2 if the home's lists, their state or the overrides can't be used. */
export async function listsStatus({ options }: ArgumentsOf<"lists status">, runtime: Runtime): Promise<number> {
  const out = new Printer(runtime, options);
  const home = findHome(options, runtime);
  const { lists, origin, warning } = openListsInUse(home, runtime.root, "in-memory");
  const { dataVersion, date, counts, disposableCounted, sources } = lists.meta;
  const ageDays = ageInDays(lists, runtime.now());
  const state = home === undefined ? {} : new HomeLists(home.folder).readState();
  const overrides = home && countOverrides(home.folder, runtime.now(), lists);
  const listsProblems = [warning && formatWarning(warning), state.problem].flatMap((text) => text ?? []);
  const problems = [...listsProblems, ...(overrides?.problems ?? [])];
  for (const problem of problems) out.warn(problem);
  const { sourcesCheckedAt = {} } = state;
  const updates = summarizeUpdates(state);
  const status = problems.length === 0 ? 0 : 2;
  if (options.json) {
    const facts = { data_version: dataVersion, date, age_days: ageDays, origin };
    const sourcesJson = sources.map((source) => toSourceJson(source, sourcesCheckedAt[source.key]));
    const problem = problems.join("; ") || undefined;
    const optionalFacts = omitUndefined({ problem, ...updates, overrides: overrides?.counts });
    out.json({ ...facts, ...optionalFacts, counts, disposable_counted: disposableCounted, sources: sourcesJson });
    return status;
  }
  const days = sources.flatMap(({ taken }) => taken ?? []).sort();
  const age = `built ${pluralize(ageDays, "day", "days")} ago`;
  const period = days.length === 0 ? "" : ` from public lists taken ${days[0]} to ${days.at(-1)}`;
  const lines = [`lists ${dataVersion} (${origin}), ${age}${period}`];
  lines.push(...describeUpdates(updates, sourcesCheckedAt));
  if (overrides?.counts !== undefined) {
    const { file, allow, deny, expired } = overrides.counts;
    const expiredText = expired === 0 ? "" : `, ${expired} expired`;
    lines.push(`overrides: ${allow} allow, ${deny} deny${expiredText}, in ${escapeInvisible(file)}`);
  }
  const notes: Readonly<Record<string, string>> = {
    disposable: `, of which ${disposableCounted} count by default`,
    exchange: ", for lookups in live DNS; not in lists export",
  };
  for (const [name, count] of Object.entries(counts)) {
    lines.push(`  ${name.padEnd(12)}${String(count).padStart(8)}${notes[name] ?? ""}`);
  }
  out.lines(lines);
  const rows = sources.map((source) => toSourceRow(source, sourcesCheckedAt[source.key]));
  const isPublic = ([, key = ""]: string[]): boolean => key in SOURCES;
  const titles = ["ENTRIES", "KEY", "SOURCE", "TAKEN", "CHECKED"];
  out.lines(["public sources; KEY is their name in lists update and lists diff:"]);
  await out.table(titles, rows.filter(isPublic));
  out.lines(["lists of this project, which change only with a new version:"]);
  const ownRows = rows.filter((row) => !isPublic(row)).map((row) => row.slice(0, -1));
  await out.table(titles.slice(0, -1), ownRows);
  out.lines([
    "projects that correct wrong entries of public lists; see addrsift-lists(1):",
    ...DISPOSABLE_KEYS.map((key) => `  ${key}  ${SOURCES[key].project}  ${SOURCES[key].role}`),
  ]);
  return status;
}

type Updates = ReturnType<typeof summarizeUpdates>;

function describeUpdates(updates: Updates, sourcesCheckedAt: Readonly<Record<string, string>>): string[] {
  const { checked_at, failure, failed_at, rolled_back, held_back } = updates;
  const missing = UPDATABLE_KEYS.filter((key) => sourcesCheckedAt[key] === undefined);
  const isPartial = missing.length < UPDATABLE_KEYS.length;
  const advice = failure === undefined ? "not yet: run addrsift lists update" : "not yet, every attempt failed";
  const problem = isPartial ? `not yet, ${missing.join(", ")} never fetched` : advice;
  const lines = [`last update of all sources: ${checked_at === undefined ? problem : `${formatTime(checked_at)} UTC`}`];
  if (failure !== undefined)
    lines.push(`unresolved failures (the last at ${formatTime(failed_at)} UTC): ${escapeInvisible(failure)}`);
  if (rolled_back.length > 0)
    lines.push(`rolled back, installed again only by lists update --again: ${rolled_back.join(", ")}`);
  if (held_back.length > 0) lines.push(`sources held back until they change: ${held_back.join(", ")}`);
  return lines;
}

const SOURCES_BY_KEY: Readonly<Record<string, Source | undefined>> = SOURCES;

function toSourceJson(source: ListSource, checkedAt: string | undefined): object {
  const { url, project } = SOURCES_BY_KEY[source.key] ?? {};
  return { ...source, ...omitUndefined({ url, project, checked_at: checkedAt }) };
}

/** Counts a home's overrides, expired ones separately, and returns why the file or lines of it can't be used. */
function countOverrides(folder: string, nowMs: number, lists: CompiledLists) {
  const counts = { file: `${folder}/${OVERRIDES_FILE}`, allow: 0, deny: 0, expired: 0 };
  const problems: string[] = [];
  try {
    const overrides = readOverrides(folder, nowMs);
    overrides.ignoreInvalidEntries(lists, (problem) => problems.push(problem));
    for (const { action } of overrides.activeRecords()) counts[action] += 1;
    for (const record of overrides.records()) if (hasExpired(record, nowMs)) counts.expired += 1;
    return { counts, problems };
  } catch (error) {
    return { problems: [errorMessage(error)] };
  }
}

/** Returns a row that fits 80 columns. The label of a hand-maintained list is its file and day. */
function toSourceRow({ key, label, count, taken }: ListSource, checkedAt: string | undefined): string[] {
  const [file = label, day = ""] = label.split(" ").slice(taken === undefined ? 1 : 0);
  const checkDay = checkedAt?.slice(0, 10) ?? (SOURCES_BY_KEY[key]?.url === undefined ? "" : "never");
  return [String(count).padStart("ENTRIES".length), key, file, taken ?? day, checkDay];
}

type LookupContext = ReturnType<typeof openListsAndOverrides> & {
  /** The sources' own data, for reasons and dates. */
  readonly provenance: Provenance;
  readonly minConfidence: Confidence;
};

type ExplainedMatch = Match & { readonly reason?: string };

type ListedExchanger = ExchangeEntry & { readonly sources: readonly string[]; readonly reason?: string };

type Listing = ReturnType<typeof toListing>;

/** Prints the facts about each domain. Other text gets a warning, and the exit status is 2. */
export async function listsLookup(args: ArgumentsOf<"lists lookup">, runtime: Runtime): Promise<number> {
  const { options, positionals } = args;
  if (positionals.length === 0 && runtime.stdin.isTerminal) {
    throw usageError("there is no domain: give one, or pipe them in, one a line");
  }
  const out = new Printer(runtime, options);
  rejectFileNames(args);
  const names = readNames(positionals.length === 0 ? ["-"] : positionals, runtime);
  const listsAndOverrides = openListsAndOverrides(options, runtime, names.length === 1 ? "on-demand" : "in-memory");
  const { lists } = listsAndOverrides;
  const provenance = new Provenance({ root: runtime.root, home: findHome(options, runtime)?.folder, lists });
  const context: LookupContext = { ...listsAndOverrides, provenance, minConfidence: options["min-confidence"] };
  let status = 0;
  for (const name of names) {
    if (out.isClosed) break;
    const domain = parseDomain(name.text, context);
    if (!domain.ok) {
      const label = `${name.prefix}${escapeInvisible(quote(name.text))}`;
      out.warn(`${label} ${domain.fault}`);
      if (options.json) out.json({ input: name.text, problem: domain.fault });
      status = 2;
      continue;
    }
    const { kindText, ...facts } = lookUp(name.text, domain.value, context);
    if (options.json) out.json({ input: name.text, ...facts, data_version: lists.meta.dataVersion });
    else {
      out.lines(describeDomain(facts, kindText));
      const projects = [...new Set(facts.listed_by.flatMap(({ project = [] }) => project))];
      if (projects.length > 0 && names.length === 1 && runtime.stdout.isTerminal)
        out.info(`to correct an entry, see addrsift lists allow, and report it to ${projects.join(", ")}`);
    }
  }
  const unreadSources = Array.from(provenance.unreadSources, (key) => sourceLabel(key, lists)).join(", ");
  if (unreadSources !== "")
    out.notice(
      `the dates in ${unreadSources} are unknown, because its file is missing or unreadable: run addrsift lists update`,
    );
  return status;
}

function parseDomain(text: string, { lists }: LookupContext): Result<string, string> {
  if (findExchangeAddress(text, lists) !== undefined) return { ok: true, value: text };
  const entry = parseOverrideEntry(text, lists);
  // A normalized address may have another domain of its provider.
  return entry.ok && entry.value.includes("@") ? parseOverrideEntry(text.replace(/^.*@/s, ""), lists) : entry;
}

/** Returns the facts about a domain as --json prints them, and a description of its kind. */
function lookUp(text: string, domain: string, context: LookupContext) {
  const { lists, overrides, provenance } = context;
  // Only an address can have its own override.
  const mailbox = overrides.size > 0 && text.lastIndexOf("@") > 0 ? parseOverrideEntry(text, lists) : undefined;
  const address = mailbox?.ok === true ? mailbox.value : "";
  const addressOverride = findMailboxOverride(address, overrides);
  const lookup = lookUpDomain(domain, context);
  const matches = [
    ...(addressOverride === undefined ? [] : [toOverrideMatch(addressOverride)]),
    ...findMatches(lookup, context),
  ].map((match): ExplainedMatch => ({ ...match, ...omitUndefined({ reason: findReason(match, provenance) }) }));
  const expired = overrides.expired(address) ?? findInParents(domain, (name) => overrides.expired(name));
  const kind = domainKindOf(lookup.bytes, 0, lookup.bytes.length, lookup.match, lists);
  const exchanger = findExchanger(domain, matches, context);
  return {
    domain,
    matches,
    ...omitUndefined({ expired_override: expired, domain_kind: kind, exchanger }),
    listed_by: provenance.listSources(domain).map((source) => toListing(source, lists)),
    // A match may already show the kind.
    kindText: matches.some(({ detail }) => detail === kind) ? undefined : kind && describeKind(kind, lookup, context),
  };
}

function toListing({ key, entry, since, lastSeen, childCount, ignoredReason }: SourceEntry, lists: CompiledLists) {
  const { project } = SOURCES_BY_KEY[key] ?? {};
  const more = omitUndefined({ project, since, last_seen: lastSeen, below: childCount, left_out: ignoredReason });
  return { source: sourceLabel(key, lists), key, entry, ...more };
}

const NAMESPACE_LISTS: readonly ListName[] = ["formerProviders", "freeHosts", "restrictedSuffixes", "specialUse"];

function describeKind(kind: DomainKind, { ascii, bytes }: DomainLookup, { lists, provenance }: LookupContext): string {
  const namespace = findNamespace(bytes, 0, bytes.length, lists);
  if (namespace?.kind !== kind) return kind;
  const entry = ascii.slice(namespace.start);
  for (const list of NAMESPACE_LISTS) {
    const reason = provenance.reason(list, entry);
    if (reason !== undefined) return `${kind} by ${entry} from ${describeSources(sourceLabels(lists, [list]), reason)}`;
  }
  // The Public Suffix List has no reasons.
  return `${kind} by ${entry}`;
}

/** Finds the entry of a mail exchanger, unless one of the matches has the same entry. */
function findExchanger(host: string, matches: readonly Match[], context: LookupContext): ListedExchanger | undefined {
  const { lists, provenance } = context;
  const match = findExchange(host, lists) ?? findExchangeAddress(host, lists);
  if (match === undefined || matches.some(({ entry }) => entry === match.entry)) return undefined;
  const reason = provenance.reason("exchanges", match.entry);
  return { ...match, sources: sourceLabels(lists, ["exchanges"]), ...omitUndefined({ reason }) };
}

const DATA_LISTS_BY_FLAG: Readonly<Partial<Record<Match["flag"], readonly ListName[]>>> = {
  disposable: ["additions"],
  relay_domain: ["relays"],
  public_domain: ["public"],
  // Subdomains of public and relay domains are protected too.
  protected: ["protected", "removals", "relays", "public"],
  mistyped: ["typos", "public"],
};

function findReason({ flag, kind, entry }: Match, provenance: Provenance): string | undefined {
  if (kind === "override") return undefined;
  const reasons = (DATA_LISTS_BY_FLAG[flag] ?? []).map((list) => provenance.reason(list, entry));
  return reasons.find((reason) => reason !== undefined);
}

type LookupResult = Omit<ReturnType<typeof lookUp>, "kindText">;

function describeDomain(facts: LookupResult, kindText?: string): string[] {
  const { domain, matches, expired_override: expired, exchanger, listed_by } = facts;
  const isOverridden = matches.some(({ kind, entry }) => kind === "override" && !entry.includes("@"));
  const lines = matches.map((match) => describeMatch(domain, match, isOverridden));
  if (expired !== undefined)
    lines.push(`${domain}: ${escapeInvisible(`expired override of ${expired.entry}: ${describeOverride(expired)}`)}`);
  if (kindText !== undefined) lines.push(`${domain}: ${kindText}`);
  if (exchanger !== undefined) lines.push(`${domain}: ${describeExchanger(exchanger)}`);
  const entries = matches.filter(({ kind }) => kind !== "override");
  if (entries.length === 0 && exchanger === undefined && kindText === undefined && listed_by.length === 0)
    lines.push(`${domain}: in no list`);
  // The line of a disposable entry has its sources.
  const isListed = entries.some(({ flag }) => flag === "disposable");
  const listings = listed_by.filter(({ left_out }) => !isListed || left_out !== undefined);
  if (listings.length > 0) lines.push(`${domain}: ${describeListings(listings)}`);
  return lines;
}

/** Returns the line of a match. An override of the domain decides whether it is disposable, whatever lists say. */
function describeMatch(domain: string, match: ExplainedMatch, isOverridden: boolean): string {
  const { flag, kind, entry, sources, confidence, since, last_seen, counted, detail, reason } = match;
  if (kind === "override") {
    const subject = entry.includes("@") ? entry : domain;
    const verdict = detail?.startsWith("allowed") ? "not disposable" : "disposable";
    return escapeInvisible(`${subject}: ${verdict}, by override of ${entry}: ${detail}`);
  }
  const lastSeenText = last_seen === undefined ? "" : `, last seen ${last_seen}`;
  const age = `${since === undefined ? "" : `, since ${since}`}${lastSeenText}`;
  const basis = confidence === "single" && sources.length > 1 ? " because all sources but one are outdated" : "";
  const confidenceText =
    confidence === undefined
      ? ""
      : `, confidence ${confidence}${basis}${age}${counted === false ? ", not counted" : ""}`;
  const owner = detail === undefined ? "" : ` ${detail}`;
  const condition = isOverridden && flag === "disposable" ? "without the override, " : "";
  return `${domain}: ${condition}${flag}${owner} by ${entry} (${kind}${confidenceText}) from ${describeSources(sources, reason)}`;
}

function describeExchanger({ entry, class: exchangeClass, provider, sources, reason }: ListedExchanger): string {
  return `mail exchanger of ${provider} (${exchangeClass}) by ${entry} from ${describeSources(sources, reason)}`;
}

function describeSources(sources: readonly string[], reason: string | undefined): string {
  return `${sources.join(", ")}${reason === undefined ? "" : `: ${escapeInvisible(reason)}`}`;
}

function describeListings(listings: readonly Listing[]): string {
  const sourceTexts = listings.map((listing) => `${listing.source} (${describeListing(listing)})`).join(", ");
  const reasons = [...new Set(listings.flatMap(({ left_out }) => left_out ?? []))];
  const because = reasons.length === 0 ? "" : `, because ${reasons.join("; ")}`;
  return `called disposable by ${sourceTexts}; this does not count${because}`;
}

function describeListing({ entry, since, below }: Listing): string {
  if (below !== undefined) return `${below} names below ${entry}`;
  return since === undefined ? entry : `${entry}, since ${since}`;
}

function sourceLabel(key: SourceEntry["key"], lists: CompiledLists): string {
  return sourceLabels(lists, [sourceKey(key)])[0] as string;
}
