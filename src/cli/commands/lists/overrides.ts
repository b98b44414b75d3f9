// `addrsift lists allow`, `deny` and `overrides`: a team's own verdicts for domains and addresses.

import { userInfo } from "node:os";
import { domainToUnicode } from "../../../address/domain/idna.ts";
import { decodeUtf8, encodeUtf8 } from "../../../base/bytes/bytes.ts";
import { usageError } from "../../../base/errors.ts";
import { escapeInvisible, formatFirst, quote } from "../../../base/format-text.ts";
import { omitUndefined, type Result } from "../../../base/result.ts";
import { findInParents, nameFault, parseExpiry } from "../../../base/user-input.ts";
import { isPublicSuffix } from "../../../curation/names.ts";
import { changeOverrides } from "../../../home/change-overrides.ts";
import { parseOverrideEntry, topLevelNote } from "../../../home/override-entry.ts";
import {
  type Action,
  describeOverride,
  type HomeOverrides,
  hasExpired,
  type OverrideRecord,
  readOverrides,
} from "../../../home/overrides.ts";
import { minimumRank } from "../../../lists/confidence.ts";
import { KIND } from "../../../lists/format.ts";
import { findOverride } from "../../../lists/overrides.ts";
import { type CompiledLists, ListMatch } from "../../../lists/table.ts";
import { openListsWithWarnings, requireHome } from "../../composition/lists.ts";
import type { ArgumentsOf } from "../../options/commands.ts";
import type { Arguments } from "../../options/table.ts";
import type { Runtime } from "../../runtime.ts";
import { formatTime, Printer, type RecordCell } from "../../terminal/printer.ts";
import { type InputName, readNames } from "../../terminal/read-value.ts";
import { findPathType } from "../detect/addresses.ts";

const MAX_FAULTS_SHOWN = 20;
/** Why an override changes no verdict at present, by the kind of entry that decides. */
const REDUNDANCY: Readonly<Partial<Record<ListMatch["decidingKind"], string>>> = {
  disposable: "already disposable in the lists: the override matters only if later lists say otherwise",
  none: "not disposable in the lists: the override matters only if live DNS or later lists say otherwise",
};
type OverrideArguments = ArgumentsOf<"lists allow" | "lists deny">;

/** Runs `lists allow` and `lists deny`. */
export async function setOverrides(args: OverrideArguments, runtime: Runtime): Promise<void> {
  const { command, options, positionals } = args;
  const action = command === "lists allow" ? "allow" : "deny";
  const out = new Printer(runtime, options);
  const decision = createDecision(action, options, runtime);
  const lists = openListsWithWarnings(options, runtime, "in-memory");
  rejectFileNames(args);
  const entries = parseNames(readNames(positionals, runtime), "no override was stored", out, (text) => {
    const entry = parseOverrideEntry(text, lists);
    return entry.ok ? entry : { ok: false, fault: `${escapeInvisible(quote(text))} ${entry.fault}` };
  });
  const records = entries.map((entry): OverrideRecord => ({ entry, ...decision }));
  const { folder } = requireHome(options, runtime);
  const before = await changeOverrides(folder, () => new Map(records.map((record) => [record.entry, record])));
  const replaced = (record: OverrideRecord): OverrideRecord | undefined => before.record(record.entry);
  if (options.json) out.json(records.map((record) => ({ ...record, ...omitUndefined({ before: replaced(record) }) })));
  else out.lines(records.map((record) => describeChange(record, replaced(record))));
  if (out.quiet) return;
  const overrides = readOverrides(folder, runtime.now());
  overrides.ignoreInvalidEntries(lists, () => {});
  const isReversed = ({ entry }: OverrideRecord): boolean => {
    const previous = before.record(entry);
    return previous !== undefined && previous.action !== action && !hasExpired(previous, runtime.now());
  };
  const unreversed = records.filter((record) => !isReversed(record)).map(({ entry }) => entry);
  const redundant = findRedundant(unreversed, action, overrides, lists);
  const contrary = findContrary(records, action, overrides);
  if (contrary.length > 0) {
    const state = action === "allow" ? "denied" : "allowed";
    out.notice(`still ${state} by overrides of their own: ${escapeInvisible(formatFirst(contrary))}`);
  }
  for (const { entry } of records) {
    const note = topLevelNote(entry, lists);
    const home = options.home === undefined ? "" : ` --home ${options.home}`;
    const undo = `addrsift lists overrides${home} --remove ${entry} undoes it`;
    if (entry.startsWith("www."))
      out.notice(`${entry} covers only addresses at that host: to ${action} the whole domain, give ${entry.slice(4)}`);
    if (note !== undefined) out.notice(`${escapeInvisible(entry)} ${note}; ${undo}`);
    else if (redundant.has(entry)) {
      const { decidingKind } = matchLists(entry, action, lists);
      const fact = "never disposable by lists or live DNS: the override changes no verdict";
      out.notice(`${entry} is ${REDUNDANCY[decidingKind] ?? fact}`);
    } else if (action === "deny" && !entry.includes("@")) {
      const listing = describeListing(entry, lists);
      if (listing !== undefined) out.notice(`${entry} is ${listing}: ${undo}`);
    }
  }
}

/** Throws AddrsiftError USAGE if an argument is the name of a file. */
export function rejectFileNames({ command, positionals }: Pick<Arguments, "command" | "positionals">): void {
  const file = positionals.find((name) => findPathType(name, true) === "file");
  if (file === undefined) return;
  throw usageError(
    /\.csv$/i.test(file)
      ? `${file} is a file: to read its first column, run cut -d, -f1 ${file} | addrsift ${command} -; tail -n +2 skips a header`
      : `${file} is a file: to read it, run addrsift ${command} - < ${file}`,
  );
}

type ParseEntry = (text: string) => Result<string, string>;

/** Returns the entries of names without duplicates. Reports all faults and, for several names, the `outcome`. */
function parseNames(names: readonly InputName[], outcome: string, out: Printer, parse: ParseEntry): string[] {
  if (names.length === 0) throw usageError("standard input has no domains: give one a line");
  const faults: string[] = [];
  const entries = names.flatMap(({ text, prefix }) => {
    const entry = parse(text);
    if (!entry.ok) faults.push(`${prefix}${entry.fault}`);
    return entry.ok ? [entry.value] : [];
  });
  const unshown = faults.splice(MAX_FAULTS_SHOWN).length;
  if (faults.length > 0 && names.length > 1) faults.push(`${unshown > 0 ? `and ${unshown} more: ` : ""}${outcome}`);
  if (faults.length > 0) rejectFaults(faults, out);
  return [...new Set(entries)];
}

/** Prints all faults but the last, which is the error. */
function rejectFaults(faults: readonly string[], out: Printer): never {
  for (const fault of faults.slice(0, -1)) out.warn(fault);
  throw usageError(faults.at(-1) as string);
}

/** Returns the addresses and subdomains of the changed domains whose own overrides decide otherwise. */
function findContrary(records: readonly OverrideRecord[], action: Action, overrides: HomeOverrides): string[] {
  const changed = new Set(records.map(({ entry }) => entry));
  const isBelow = (entry: string): boolean =>
    findInParents(entry.slice(entry.lastIndexOf("@") + 1), (name) => changed.has(name) || undefined) === true;
  const others = [...overrides.activeRecords()].filter((record) => record.action !== action);
  return others.map(({ entry }) => entry).filter(isBelow);
}

/** Returns the domains whose override changes no verdict: neither their own nor that of a listed domain below them. */
function findRedundant(
  entries: readonly string[],
  action: Action,
  overrides: HomeOverrides,
  lists: CompiledLists,
): ReadonlySet<string> {
  const agrees = (domain: string): boolean =>
    (matchLists(domain, action, lists).decidingKind === "disposable") === (action === "deny");
  const hasOverriddenParent = (domain: string): boolean =>
    findOverride(domain.slice(domain.indexOf(".") + 1), overrides) !== undefined;
  const redundant = new Set(
    entries.filter((entry) => !entry.includes("@") && agrees(entry) && !hasOverriddenParent(entry)),
  );
  if (redundant.size === 0) return redundant;
  for (const { kind, name } of lists.entries()) {
    if (kind !== KIND.domain) continue;
    const domain = decodeUtf8(name);
    const decision = findOverride(domain, overrides)?.entry;
    if (decision !== undefined && redundant.has(decision) && !agrees(domain)) redundant.delete(decision);
  }
  return redundant;
}

/** Looks up a domain. For `allow`, entries below the default confidence count too: `--min-confidence` may be lower. */
function matchLists(domain: string, action: Action, lists: CompiledLists): ListMatch {
  const match = new ListMatch();
  const bytes = encodeUtf8(domain);
  lists.match(bytes, 0, bytes.length, action === "allow" ? 0 : minimumRank(), match);
  return match;
}

function describeChange(record: OverrideRecord, before: OverrideRecord | undefined): string {
  const previous = before === undefined ? "" : ` (before: ${escapeInvisible(describeOverride(before))})`;
  return `${formatEntry(record.entry)}: ${escapeInvisible(describeOverride(record))}${previous}`;
}

/** Returns the entry, and its domain in Unicode if it has A-labels. */
function formatEntry(entry: string): string {
  const domain = entry.slice(entry.lastIndexOf("@") + 1);
  const unicode = domainToUnicode(domain);
  return escapeInvisible(unicode === domain ? entry : `${entry} (${unicode})`);
}

function createDecision(
  action: Action,
  { reason, expires, by }: OverrideArguments["options"],
  { env, now }: Runtime,
): Omit<OverrideRecord, "entry"> {
  // Whole seconds: people read the file.
  const nowMs = Math.floor(now() / 1000) * 1000;
  const expiry = expires === undefined ? undefined : parseExpiry(expires, nowMs);
  if (expiry?.ok === false) throw usageError(`--expires ${expiry.fault}`);
  return {
    action,
    ...omitUndefined({ reason, by: by ?? userName(env) }),
    created_at: new Date(nowMs).toISOString(),
    ...omitUndefined({ expires_at: expiry && new Date(expiry.value).toISOString() }),
  };
}

function userName(env: Runtime["env"]): string | undefined {
  try {
    // Under sudo, userInfo() is root for everyone.
    const username = env["SUDO_USER"] ?? userInfo().username;
    return nameFault(username) === undefined ? username : undefined;
  } catch {
    return undefined;
  }
}

/** Describes a denied domain that is well known or a public suffix, which may be a mistake. */
function describeListing(entry: string, lists: CompiledLists): string | undefined {
  const consequence = "so every address there and below is disposable now";
  const match = matchLists(entry, "deny", lists);
  if (match.public >= 0) return `a consumer mailbox provider, ${consequence} (the provider's other domains are not)`;
  if (match.decidingKind === "relay") return `a privacy relay, ${consequence}`;
  if (match.decidingKind === "protected") {
    const name = lists.meta.protectedKinds[match.protected];
    return `a protected domain${name === undefined || name === "removal" ? "" : ` (${name})`}, ${consequence}`;
  }
  return isPublicSuffix(entry) ? `a suffix of other people's domains, ${consequence}, theirs included` : undefined;
}

export async function listsOverrides({ options }: ArgumentsOf<"lists overrides">, runtime: Runtime): Promise<number> {
  const { remove, "remove-expired": removesExpired, json, home } = options;
  const { folder } = requireHome(options, runtime);
  const out = new Printer(runtime, options);
  const isExpired = (record: OverrideRecord): boolean => hasExpired(record, runtime.now());
  const names = readNames(remove, runtime);
  if (remove.length === 0 && !removesExpired) {
    out.warnIfMissing(home);
    return printOverrides(folder, runtime.now(), out, () => openListsWithWarnings(options, runtime, "in-memory"));
  }
  const lists = openListsWithWarnings(options, runtime, "in-memory");
  let removed: readonly string[] = [];
  const before = await changeOverrides(folder, (current) => {
    removed = removesExpired
      ? [...current.records()].filter(isExpired).map(({ entry }) => entry)
      : parseNames(names, "no override was removed", out, (text) => findEntry(text, current, lists));
    return new Map(removed.map((entry) => [entry, undefined]));
  });
  if (json) out.json(removed.map((entry) => before.record(entry)));
  else out.lines(removed.map((entry) => `${formatEntry(entry)}: override removed`));
  return 0;
}

/** Returns the entry of an override, even if its name would be rejected today. */
function findEntry(text: string, overrides: HomeOverrides, lists: CompiledLists): Result<string, string> {
  const parsed = parseOverrideEntry(text, lists);
  const entry = overrides.record(text) === undefined && parsed.ok ? parsed.value : text;
  if (overrides.record(entry) !== undefined) return { ok: true, value: entry };
  return { ok: false, fault: `there is no override of ${escapeInvisible(quote(entry))}: see addrsift lists overrides` };
}

/** Prints the overrides. Returns 2, the exit status, if a line is ignored. */
async function printOverrides(folder: string, nowMs: number, out: Printer, open: () => CompiledLists): Promise<number> {
  const overrides = readOverrides(folder, nowMs, (faults) => rejectFaults(faults, out));
  const records = [...overrides.records()];
  records.sort((one, other) => (one.entry < other.entry ? -1 : 1));
  const problems: string[] = [];
  const notes: string[] = [];
  if (records.length > 0) {
    const lists = open();
    overrides.ignoreInvalidEntries(lists, (message) => problems.push(message));
    for (const { entry } of overrides.activeRecords()) {
      const note = out.quiet ? undefined : topLevelNote(entry, lists);
      if (note !== undefined) notes.push(`${overrides.locate(entry)}: ${escapeInvisible(quote(entry))} ${note}`);
    }
  }
  const isIgnored = ({ entry }: OverrideRecord): boolean => overrides.record(entry) === undefined;
  const rows = records.map((record) => (isIgnored(record) ? { ...record, ignored: true } : record));
  await out.records<OverrideRecord & { ignored?: boolean }>(rows, {
    titles: ["ENTRY", "ACTION", "BY", "CREATED (UTC)", "EXPIRES (UTC)", "REASON"],
    row: (record) => toOverrideRow(record, nowMs),
    emptyMessage: "there are no overrides: make one with addrsift lists allow or addrsift lists deny",
  });
  for (const message of [...problems, ...notes]) out.warn(message);
  return problems.length > 0 ? 2 : 0;
}

function toOverrideRow(record: OverrideRecord, nowMs: number): RecordCell[] {
  const { entry, action, by = "", created_at, expires_at, reason = "" } = record;
  const end = expires_at === undefined ? "never" : formatTime(expires_at);
  return [
    formatEntry(entry),
    action,
    by,
    formatTime(created_at),
    hasExpired(record, nowMs) ? `${end} (expired)` : end,
    reason,
  ];
}
