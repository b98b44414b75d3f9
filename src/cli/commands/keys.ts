// `addrsift keys`: makes, lists and revokes API keys.

import { usage } from "../../base/errors.ts";
import type { ShownKey } from "../../keys/record.ts";
import { openKeys, openStores } from "../open/records.ts";
import type { Arguments } from "../options/arguments.ts";
import type { KEYS_CREATE, KEYS_LIST, KEYS_REVOKE } from "../options/commands.ts";
import type { Runtime } from "../runtime.ts";
import { printJson, printRecords, type RecordCell } from "../terminal/record-table.ts";
import { shownMinute, shownText, tellPerson } from "../terminal/say.ts";

/** Prints the key on standard output, or all of its record as JSON. */
export async function keysCreate({ options }: Arguments<typeof KEYS_CREATE>, runtime: Runtime): Promise<number> {
  const { records } = await openStores(options, runtime);
  const outcome = await openKeys(records, runtime).create({
    name: options.name as string,
    scopes: options.scopes,
    team: options.team,
    expires: options.expires,
  });
  if (!outcome.ok) throw usage(`--${outcome.fault.field} ${outcome.fault.message}`);
  const { text, key } = outcome.value;
  if (options.json) printJson(runtime, { ...key, key: text });
  else runtime.stdout.write(`${text}\n`);
  tellPerson(
    runtime,
    options,
    `this is the only time that the key ${key.id} is shown: keep it where its user reads it`,
  );
  return 0;
}

const TITLES = ["ID", "NAME", "TEAM", "SCOPES", "STATE", "CREATED", "EXPIRES", "LAST USED"];

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

/** Prints nothing when done, or the key as JSON. */
export async function keysRevoke(
  { options, positionals }: Arguments<typeof KEYS_REVOKE>,
  runtime: Runtime,
): Promise<number> {
  const id = positionals[0] as string;
  const { records } = await openStores(options, runtime);
  const key = await openKeys(records, runtime).revoke(id);
  if (key === undefined) {
    throw usage(`there is no key ${shownText(id)}: take an id from addrsift keys list`);
  }
  if (options.json) printJson(runtime, key);
  tellPerson(runtime, options, `${key.id} (${key.name}) is revoked`);
  return 0;
}
