// `addrsift lists overrides`: the team's decisions, listed, removed, imported.

import { AddrsiftError } from "../../../base/errors.ts";
import { overrideEntry } from "../../../overrides/entry.ts";
import type { KeptOverrides } from "../../../overrides/kept.ts";
import { readImport } from "../../../overrides/read-import.ts";
import { hasExpired, type OverrideRecord } from "../../../overrides/record.ts";
import { openEntryReader, openKeptOverrides } from "../../open/kept-overrides.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { LISTS_OVERRIDES } from "../../options/lists.ts";
import type { Runtime } from "../../runtime.ts";
import { shownMinute, shownText } from "../../terminal/escape.ts";
import { printRecords, type RecordCell } from "../../terminal/record-table.ts";
import { tellPerson } from "../../terminal/say.ts";
import { readFileBounded } from "../../terminal/small-input.ts";

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
  const kept = openKeptOverrides(options, runtime);
  if (remove.length > 0) await removeEntries(remove, kept, options, runtime);
  else if (expired) report(await kept.removeExpired(runtime.now()), "removed", options, runtime);
  else if (file !== undefined) await importFile(file, kept, options, runtime);
  else await printAll(kept, options, runtime);
  return 0;
}

async function removeEntries(
  texts: readonly string[],
  kept: KeptOverrides,
  options: OverridesArguments["options"],
  runtime: Runtime,
): Promise<void> {
  const reader = openEntryReader(options, runtime);
  const known = new Set(kept.list().map(({ entry }) => entry));
  // One that is listed can always be removed, even if such a name is refused today.
  const entries = texts.map((text) => {
    const entry = overrideEntry(text, reader);
    return known.has(text) || !entry.ok ? text : entry.value;
  });
  const unknown = await kept.remove(entries);
  if (unknown !== undefined) {
    throw usage(`there is no override of "${shownText(unknown)}", so none was removed: see addrsift lists overrides`);
  }
  report(new Set(entries).size, "removed", options, runtime);
}

async function importFile(
  file: string,
  kept: KeptOverrides,
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
  await kept.set(read.value, options.replace);
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
    const reason = code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "it is not UTF-8" : (error as Error).message;
    throw new AddrsiftError("INPUT", `can't read ${shown}: ${reason}`, error);
  }
}

async function printAll(kept: KeptOverrides, options: OverridesArguments["options"], runtime: Runtime): Promise<void> {
  const nowMs = runtime.now();
  await printRecords(runtime, options, {
    records: kept.list(),
    titles: TITLES,
    row: (record) => row(record, nowMs),
    none: "there are no overrides: make one with addrsift lists allow or addrsift lists deny",
  });
  // A look at them also makes their table again, if it is damaged. Who may only read them may look as well.
  await kept.publish().catch(() => {});
}

function row(record: OverrideRecord, nowMs: number): RecordCell[] {
  const { entry, action, by = "", created_at, expires_at, reason = "" } = record;
  const ends = expires_at === undefined ? "never" : shownMinute(expires_at);
  return [entry, action, by, shownMinute(created_at), hasExpired(record, nowMs) ? `${ends} (expired)` : ends, reason];
}

function report(count: number, deed: string, options: OverridesArguments["options"], runtime: Runtime): void {
  tellPerson(runtime, options, `${count} ${count === 1 ? "override" : "overrides"} ${deed}`);
}

function usage(message: string): AddrsiftError {
  return new AddrsiftError("USAGE", message);
}
