// `addrsift lists overrides`: the team's decisions, listed, removed, imported.

import { AddrsiftError, usage } from "../../../base/errors.ts";
import { changeOverrides } from "../../../home/change-overrides.ts";
import { readImport } from "../../../home/import-overrides.ts";
import { overrideEntry } from "../../../home/override-entry.ts";
import { hasExpired, OVERRIDES_FILE, type OverrideRecord, readOverrides } from "../../../home/overrides.ts";
import { homeFolder } from "../../open/home.ts";
import { openEntryReader } from "../../open/overrides.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { LISTS_OVERRIDES } from "../../options/lists.ts";
import type { Runtime } from "../../runtime.ts";
import { shownMinute, shownText } from "../../terminal/escape.ts";
import { printRecords, type RecordCell } from "../../terminal/record-table.ts";
import { tellPerson, warn } from "../../terminal/say.ts";
import { inputError, readFileBounded } from "../../terminal/small-input.ts";

type OverridesArguments = Arguments<typeof LISTS_OVERRIDES>;

const TITLES = ["ENTRY", "ACTION", "BY", "CREATED", "EXPIRES", "REASON"];
const IMPORT_MAX_OCTETS = 256 * 1024 * 1024;

/** Changes the overrides as the options say, or prints them. */
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
      return kept.has(text) || !entry.ok ? text : entry.value;
    });
    const unknown = entries.find((entry) => !kept.has(entry));
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
    const expired = [...kept.values()].filter((record) => hasExpired(record, runtime.now()));
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
  const read = readImport(readText(file, shown, runtime), {
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

function readText(file: string, shown: string, runtime: Runtime): string {
  try {
    const octets =
      file === "-" ? runtime.stdin.readBounded(IMPORT_MAX_OCTETS) : readFileBounded(file, IMPORT_MAX_OCTETS);
    if (octets.length > IMPORT_MAX_OCTETS) throw new AddrsiftError("INPUT", `${shown} is over 256 MiB: split it`);
    return new TextDecoder("utf-8", { fatal: true }).decode(octets);
  } catch (error) {
    if (error instanceof AddrsiftError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ERR_ENCODING_INVALID_ENCODED_DATA") throw inputError(shown, error);
    throw new AddrsiftError("INPUT", `${shown} is not UTF-8: save it as UTF-8`, error);
  }
}

async function printAll(folder: string, options: OverridesArguments["options"], runtime: Runtime): Promise<void> {
  const nowMs = runtime.now();
  const records = [...readOverrides(folder, nowMs, "whole").records()];
  records.sort((one, other) => (one.entry < other.entry ? -1 : 1));
  await printRecords(runtime, options, {
    records,
    titles: TITLES,
    row: (record) => row(record, nowMs),
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

function row(record: OverrideRecord, nowMs: number): RecordCell[] {
  const { entry, action, by = "", created_at, expires_at, reason = "" } = record;
  const ends = expires_at === undefined ? "never" : shownMinute(expires_at);
  return [entry, action, by, shownMinute(created_at), hasExpired(record, nowMs) ? `${ends} (expired)` : ends, reason];
}

function report(count: number, deed: string, options: OverridesArguments["options"], runtime: Runtime): void {
  tellPerson(runtime, options, `${count} ${count === 1 ? "override" : "overrides"} ${deed}`);
}
