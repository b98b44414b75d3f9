// `addrsift keys list`: the keys, the oldest first.

import type { ShownKey } from "../../../keys/record.ts";
import { openKeys } from "../../open/records.ts";
import { openStores } from "../../open/stores.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { KEYS_LIST } from "../../options/keys.ts";
import type { Runtime } from "../../runtime.ts";
import { shownMinute } from "../../terminal/escape.ts";
import { printRecords, type RecordCell } from "../../terminal/record-table.ts";

const TITLES = ["ID", "NAME", "TEAM", "SCOPES", "STATE", "CREATED", "EXPIRES", "LAST USED"];

/** Prints the keys of one team, or of all. */
export async function keysList({ options }: Arguments<typeof KEYS_LIST>, runtime: Runtime): Promise<number> {
  const { records } = await openStores(options, runtime);
  const keys = openKeys(records, runtime).list(options.team);
  const nowMs = runtime.now();
  await printRecords(runtime, options, {
    records: keys,
    titles: TITLES,
    row: (key) => row(key, nowMs),
    none: "there are no keys: make one with addrsift keys create",
  });
  return 0;
}

function row(key: ShownKey, nowMs: number): RecordCell[] {
  const { id, name, team, scopes, created_at, expires_at, last_used_at } = key;
  const times = [shownMinute(created_at), shownMinute(expires_at) || "never", shownMinute(last_used_at) || "never"];
  return [id, name, team, scopes, state(key, nowMs), ...times];
}

function state({ revoked_at, expires_at }: ShownKey, nowMs: number): string {
  if (revoked_at !== undefined) return "revoked";
  return expires_at !== undefined && nowMs >= Date.parse(expires_at) ? "expired" : "active";
}
