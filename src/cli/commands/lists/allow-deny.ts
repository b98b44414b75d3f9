// `addrsift lists allow` and `addrsift lists deny`: a team's own decisions about domains and addresses.

import { userInfo } from "node:os";
import { encodeUtf8 } from "../../../base/bytes/octets.ts";
import { AddrsiftError } from "../../../base/errors.ts";
import { nameFault } from "../../../base/names.ts";
import { changeOverrides } from "../../../home/change-overrides.ts";
import { reasonFault } from "../../../home/import-overrides.ts";
import { overrideEntry } from "../../../home/override-entry.ts";
import { type Action, detailOf, type OverrideRecord } from "../../../home/overrides.ts";
import { parseExpiry } from "../../../keys/expiry.ts";
import { type CompiledLists, ListMatch } from "../../../lists/table.ts";
import { homeFolder } from "../../open/home.ts";
import { openEntryReader } from "../../open/overrides.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { LISTS_ALLOW, LISTS_DENY } from "../../options/lists.ts";
import type { Runtime } from "../../runtime.ts";
import { shownText } from "../../terminal/escape.ts";
import { printJson } from "../../terminal/record-table.ts";
import { warn } from "../../terminal/say.ts";
import { printLines } from "../../terminal/text-table.ts";
import { givenNames } from "./given-names.ts";

type DecisionArguments = Arguments<typeof LISTS_ALLOW | typeof LISTS_DENY>;

/** Calls domains and addresses not disposable. */
export function listsAllow(args: DecisionArguments, runtime: Runtime): Promise<number> {
  return decide("allow", args, runtime);
}

/** Calls domains and addresses disposable. */
export function listsDeny(args: DecisionArguments, runtime: Runtime): Promise<number> {
  return decide("deny", args, runtime);
}

async function decide(action: Action, { options, positionals }: DecisionArguments, runtime: Runtime): Promise<number> {
  const decision = readDecision(action, options, runtime);
  const reader = openEntryReader(options, runtime);
  const entries = givenNames(positionals, runtime).map(({ text, place }) => {
    const entry = overrideEntry(text, reader);
    if (entry.ok) return entry.value;
    throw new AddrsiftError("USAGE", `${place}"${shownText(text)}" ${entry.fault}`);
  });
  const records = [...new Set(entries)].map((entry): OverrideRecord => ({ entry, ...decision }));
  if (records.length === 0) throw new AddrsiftError("USAGE", "standard input has no domains: give one a line");
  const before = await changeOverrides(homeFolder(options, runtime), (kept) => {
    const replaced = new Map(kept);
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

/** What all overrides of one call share. */
function readDecision(
  action: Action,
  { reason, expires, by }: DecisionArguments["options"],
  runtime: Runtime,
): Omit<OverrideRecord, "entry"> {
  // Whole seconds, because people read the file.
  const nowMs = Math.floor(runtime.now() / 1000) * 1000;
  const ends = expires === undefined ? undefined : parseExpiry(expires, nowMs);
  if (ends?.ok === false) throw new AddrsiftError("USAGE", `--expires ${ends.fault}`);
  const who = by ?? userName();
  const faults = {
    reason: reason === undefined ? undefined : reasonFault(reason),
    by: who === undefined ? undefined : nameFault(who),
  };
  for (const [name, fault] of Object.entries(faults))
    if (fault !== undefined) throw new AddrsiftError("USAGE", `--${name} ${fault}`);
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
  const octets = encodeUtf8(entry);
  lists.match(octets, 0, octets.length, 0, match);
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
