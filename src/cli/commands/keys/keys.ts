// `addrsift keys create | list | revoke`: API keys by hand. A key's text is printed when it is made and never again.

import { AddrsiftError } from "../../../errors.ts";
import type { ShownKey } from "../../../keys/record.ts";
import type { Host } from "../../open/compose.ts";
import { openKeys, openStore } from "../../open/records.ts";
import type { Arguments } from "../../options/arguments.ts";
import { shownText } from "../../terminal/escape.ts";
import { printJson, printTable, type RecordCell, tellPerson } from "../../terminal/record-table.ts";
import { writeNow } from "../../terminal/streams.ts";

/** `keys create`: the key alone on standard output, or all of it as JSON. */
export async function keysCreate(args: Arguments, host: Host): Promise<number> {
  const outcome = await openKeys(openStore(args)).create({
    name: args.text("name") as string,
    scopes: args.list("scopes"),
    team: args.text("team") as string,
    expires: args.text("expires"),
  });
  if (!outcome.ok) throw new AddrsiftError("USAGE", `--${outcome.fault.field} ${outcome.fault.message}`);
  const { text, key } = outcome.value;
  if (args.flag("json")) printJson({ ...key, key: text });
  else writeNow(1, `${text}\n`);
  tellPerson(args, host, `this is the only time that the key ${key.id} is shown: keep it where its user reads it`);
  return 0;
}

/** `keys list`: the oldest first. */
export async function keysList(args: Arguments, host: Host): Promise<number> {
  const keys = openKeys(openStore(args)).list(args.text("team"));
  if (args.flag("json")) printJson(keys);
  else
    await printTable(
      args,
      host,
      TITLES,
      keys.map((key) => row(key, Date.now())),
    );
  if (keys.length === 0) tellPerson(args, host, "there are no keys: make one with addrsift keys create");
  return 0;
}

const TITLES = ["ID", "NAME", "TEAM", "SCOPES", "STATE", "CREATED", "EXPIRES", "LAST USED"];

function row(key: ShownKey, nowMs: number): RecordCell[] {
  const { id, name, team, scopes, created_at, expires_at, last_used_at } = key;
  const day = (time: string | undefined, none: string): string => time?.slice(0, 16).replace("T", " ") ?? none;
  return [
    id,
    name,
    team,
    scopes,
    state(key, nowMs),
    day(created_at, ""),
    day(expires_at, "never"),
    day(last_used_at, "never"),
  ];
}

function state({ revoked_at, expires_at }: ShownKey, nowMs: number): string {
  if (revoked_at !== undefined) return "revoked";
  return expires_at !== undefined && nowMs >= Date.parse(expires_at) ? "expired" : "active";
}

/** `keys revoke`: says nothing when done, or gives the key as JSON. */
export async function keysRevoke(args: Arguments, host: Host): Promise<number> {
  const id = args.positionals[0] as string;
  const key = await openKeys(openStore(args)).revoke(id);
  if (key === undefined) {
    throw new AddrsiftError("USAGE", `there is no key ${shownText(id)}: take an id from addrsift keys list`);
  }
  if (args.flag("json")) printJson(key);
  tellPerson(args, host, `${key.id} (${key.name}) is revoked`);
  return 0;
}
