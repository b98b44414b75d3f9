// `addrsift lists allow`, `deny` and `overrides`: a team's own decisions about domains and addresses, made, listed,
// removed and imported.

import { userInfo } from "node:os";
import { encodeUtf8 } from "../../../base/bytes/bytes.ts";
import { AddrsiftError, usage } from "../../../base/errors.ts";
import { nameFault, parseExpiry } from "../../../base/names.ts";
import { changeOverrides } from "../../../home/change-overrides.ts";
import { overrideEntry, readImport, reasonFault } from "../../../home/import-overrides.ts";
import {
  type Action,
  detailOf,
  hasExpired,
  OVERRIDES_FILE,
  type OverrideRecord,
  readOverrides,
} from "../../../home/overrides.ts";
import { type CompiledLists, ListMatch } from "../../../lists/table.ts";
import { homeFolder, openEntryReader } from "../../open/known.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { LISTS_ALLOW, LISTS_DENY, LISTS_OVERRIDES } from "../../options/lists.ts";
import type { Runtime } from "../../runtime.ts";
import { printJson, printRecords, type RecordCell } from "../../terminal/record-table.ts";
import { shownMinute, shownText, tellPerson, warn } from "../../terminal/say.ts";
import { readText } from "../../terminal/small-input.ts";
import { printLines } from "../../terminal/text-table.ts";
import { givenNames } from "./given-names.ts";

type DecisionArguments = Arguments<typeof LISTS_ALLOW | typeof LISTS_DENY>;

export function listsAllow(args: DecisionArguments, runtime: Runtime): Promise<number> {
  return decide("allow", args, runtime);
}

export function listsDeny(args: DecisionArguments, runtime: Runtime): Promise<number> {
  return decide("deny", args, runtime);
}

async function decide(action: Action, { options, positionals }: DecisionArguments, runtime: Runtime): Promise<number> {
  const decision = readDecision(action, options, runtime);
  const reader = openEntryReader(options, runtime);
  const entries = givenNames(positionals, runtime).map(({ text, place }) => {
    const entry = overrideEntry(text, reader);
    if (entry.ok) return entry.value;
    throw usage(`${place}"${shownText(text)}" ${entry.fault}`);
  });
  const records = [...new Set(entries)].map((entry): OverrideRecord => ({ entry, ...decision }));
  if (records.length === 0) throw usage("standard input has no domains: give one a line");
  const before = await changeOverrides(homeFolder(options, runtime), (kept) => {
    const replaced = new Map(records.map(({ entry }) => [entry, kept.get(entry)]));
    for (const record of records) kept.set(record.entry, record);
    return replaced;
  });
  if (options.json) printJson(runtime, records);
  else
    printLines(
      runtime,
      records.map((record) => decisionLine(record, before.get(record.entry))),
    );
  if (action === "deny" && !options.quiet) for (const { entry } of records) warnOfEffect(entry, reader.lists, runtime);
  return 0;
}

function decisionLine(record: OverrideRecord, before: OverrideRecord | undefined): string {
  const was = before === undefined ? "" : ` (before: ${shownText(detailOf(before))})`;
  return `${shownText(record.entry)}: ${shownText(detailOf(record))}${was}`;
}

/** The part that all overrides of one call share. */
function readDecision(
  action: Action,
  { reason, expires, by }: DecisionArguments["options"],
  runtime: Runtime,
): Omit<OverrideRecord, "entry"> {
  // Whole seconds, because people read the file.
  const nowMs = Math.floor(runtime.now() / 1000) * 1000;
  const ends = expires === undefined ? undefined : parseExpiry(expires, nowMs);
  if (ends?.ok === false) throw usage(`--expires ${ends.fault}`);
  const who = by ?? userName();
  const faults = {
    reason: reason === undefined ? undefined : reasonFault(reason),
    by: who === undefined ? undefined : nameFault(who),
  };
  for (const [name, fault] of Object.entries(faults)) if (fault !== undefined) throw usage(`--${name} ${fault}`);
  return {
    action,
    ...(reason === undefined ? {} : { reason }),
    ...(who === undefined ? {} : { by: who }),
    created_at: new Date(nowMs).toISOString(),
    ...(ends === undefined ? {} : { expires_at: new Date(ends.value).toISOString() }),
  };
}

/** The system's name of the user; undefined for one that the system does not know. */
function userName(): string | undefined {
  try {
    return userInfo().username || undefined;
  } catch {
    return undefined;
  }
}

/** Says what denying a well-known domain does, because it may be a mistake. */
function warnOfEffect(entry: string, lists: CompiledLists, runtime: Runtime): void {
  if (entry.includes("@")) return;
  const match = new ListMatch();
  const bytes = encodeUtf8(entry);
  lists.match(bytes, 0, bytes.length, 0, match);
  const what = knownAs(match, lists);
  if (what === undefined) return;
  const undo = `addrsift lists overrides --remove ${entry} undoes it`;
  warn(runtime, `${entry} is ${what}, so every address there and below is disposable now: ${undo}`);
}

function knownAs({ settling, public: operator, protected: kind }: ListMatch, lists: CompiledLists): string | undefined {
  if (operator >= 0) return "a consumer mailbox provider";
  if (settling === "relay") return "a privacy relay";
  if (settling !== "protected") return undefined;
  const name = lists.meta.protectedKinds[kind];
  return name === undefined || name === "removal" ? "a protected domain" : `a protected domain (${name})`;
}

type OverridesArguments = Arguments<typeof LISTS_OVERRIDES>;

const TITLES = ["ENTRY", "ACTION", "BY", "CREATED", "EXPIRES", "REASON"];
const IMPORT_MAX_BYTES = 256 * 1024 * 1024;

export async function listsOverrides({ options }: OverridesArguments, runtime: Runtime): Promise<number> {
  const { remove, "remove-expired": expired, import: file, replace, json } = options;
  const deeds = [remove.length > 0, expired, file !== undefined].filter(Boolean).length;
  if (deeds > 1) throw usage("--remove, --remove-expired and --import exclude each other: make a call for each");
  if (replace && file === undefined) throw usage("--replace needs a file: add --import FILE");
  if (json && deeds > 0) throw usage("--json prints the overrides: give it without --remove and --import");
  const folder = homeFolder(options, runtime);
  if (remove.length > 0) await removeEntries(remove, folder, options, runtime);
  else if (expired) await removeExpired(folder, options, runtime);
  else if (file !== undefined) await importFile(file, folder, options, runtime);
  else await printAll(folder, options, runtime);
  return 0;
}

async function removeEntries(
  texts: readonly string[],
  folder: string,
  options: OverridesArguments["options"],
  runtime: Runtime,
): Promise<void> {
  const reader = openEntryReader(options, runtime);
  const count = await changeOverrides(folder, (kept) => {
    // One that is listed can always be removed, even if such a name is refused today.
    const entries = texts.map((text) => {
      const entry = overrideEntry(text, reader);
      return kept.get(text) !== undefined || !entry.ok ? text : entry.value;
    });
    const unknown = entries.find((entry) => kept.get(entry) === undefined);
    if (unknown !== undefined) {
      throw usage(`there is no override of "${shownText(unknown)}", so none was removed: see addrsift lists overrides`);
    }
    for (const entry of entries) kept.delete(entry);
    return new Set(entries).size;
  });
  report(count, "removed", options, runtime);
}

async function removeExpired(folder: string, options: OverridesArguments["options"], runtime: Runtime): Promise<void> {
  const count = await changeOverrides(folder, (kept) => {
    const expired = [...kept.records()].filter((record) => hasExpired(record, runtime.now()));
    for (const { entry } of expired) kept.delete(entry);
    return expired.length;
  });
  report(count, "removed", options, runtime);
}

async function importFile(
  file: string,
  folder: string,
  options: OverridesArguments["options"],
  runtime: Runtime,
): Promise<void> {
  const shown = file === "-" ? "standard input" : file;
  const read = readImport(readText(file, runtime, IMPORT_MAX_BYTES), {
    ...openEntryReader(options, runtime),
    nowMs: runtime.now(),
  });
  if (!read.ok) throw new AddrsiftError("INPUT", `${shown}, ${read.fault}; nothing was changed`);
  if (read.value.length === 0 && options.replace) {
    throw new AddrsiftError("INPUT", `${shown} has no overrides, and --replace would remove all: use --remove`);
  }
  await changeOverrides(folder, (kept) => {
    if (options.replace) kept.clear();
    for (const record of read.value) kept.set(record.entry, record);
  });
  report(read.value.length, "set", options, runtime);
}

async function printAll(folder: string, options: OverridesArguments["options"], runtime: Runtime): Promise<void> {
  const nowMs = runtime.now();
  const records = [...readOverrides(folder, nowMs, "whole").records()];
  records.sort((one, other) => (one.entry < other.entry ? -1 : 1));
  await printRecords(runtime, options, {
    records,
    titles: TITLES,
    row: (record) => overrideRow(record, nowMs),
    none: "there are no overrides: make one with addrsift lists allow or addrsift lists deny",
  });
  if (records.length > 0 && !options.quiet) warnOfUnused(records, options, runtime);
}

/** Says which entries a person wrote in a form that no look-up asks for. */
function warnOfUnused(
  records: readonly OverrideRecord[],
  options: OverridesArguments["options"],
  runtime: Runtime,
): void {
  const reader = openEntryReader(options, runtime);
  for (const { entry } of records) {
    const read = overrideEntry(entry, reader);
    const shown = `"${shownText(entry)}" in ${OVERRIDES_FILE}`;
    if (!read.ok) warn(runtime, `${shown} ${read.fault}`);
    else if (read.value !== entry) warn(runtime, `${shown} matches no address: write ${shownText(read.value)}`);
  }
}

function overrideRow(record: OverrideRecord, nowMs: number): RecordCell[] {
  const { entry, action, by = "", created_at, expires_at, reason = "" } = record;
  const ends = expires_at === undefined ? "never" : shownMinute(expires_at);
  return [entry, action, by, shownMinute(created_at), hasExpired(record, nowMs) ? `${ends} (expired)` : ends, reason];
}

function report(count: number, deed: string, options: OverridesArguments["options"], runtime: Runtime): void {
  tellPerson(runtime, options, `${count} ${count === 1 ? "override" : "overrides"} ${deed}`);
}
