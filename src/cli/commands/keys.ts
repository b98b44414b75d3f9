// `addrsift keys`: creates, lists and revokes API keys.

import { formatAlternatives } from "../../base/closest-names.ts";
import { usageError } from "../../base/errors.ts";
import { escapeInvisible } from "../../base/format-text.ts";
import { keyState } from "../../keys/keys.ts";
import { openKeys, openStores } from "../composition/stores.ts";
import type { ArgumentsOf } from "../options/commands.ts";
import type { GlobalOptions } from "../options/table.ts";
import type { Runtime } from "../runtime.ts";
import { formatTime, Printer } from "../terminal/printer.ts";

export async function keysCreate({ options }: ArgumentsOf<"keys create">, runtime: Runtime): Promise<void> {
  const { name, scopes, team, expires, json } = options;
  const { keys, out } = await openKeyCommand(options, runtime);
  const outcome = await keys.create({ name: name as string, scopes, team, expires });
  if (!outcome.ok) throw usageError(`--${outcome.fault}`);
  const { text, key } = outcome.value;
  if (json) out.json({ ...key, key: text });
  else runtime.stdout.write(`${text}\n`);
  out.info(`save the key ${key.id} now; it won't be shown again`);
}

export async function keysList({ options }: ArgumentsOf<"keys list">, runtime: Runtime): Promise<void> {
  const { keys, out } = await openKeyCommand(options, runtime);
  const nowMs = runtime.now();
  out.warnIfMissing(options.home);
  return out.records(keys.list(options.team), {
    titles: ["ID", "NAME", "TEAM", "SCOPES", "STATE", "CREATED (UTC)", "EXPIRES (UTC)", "LAST USED (UTC)"],
    row: (key) => {
      const { id, name, team, scopes, created_at, expires_at, last_used_at } = key;
      const times = [formatTime(created_at), formatTime(expires_at) || "never", formatTime(last_used_at) || "never"];
      return [id, name, team, scopes, keyState(key, nowMs), ...times];
    },
    emptyMessage: "there are no keys: run addrsift keys create --name NAME --scopes LIST",
  });
}

export async function keysRevoke(args: ArgumentsOf<"keys revoke">, runtime: Runtime): Promise<void> {
  const { options, positionals } = args;
  const [id = ""] = positionals;
  const { keys, out } = await openKeyCommand(options, runtime);
  const key = await keys.revoke(id);
  if (key === undefined) {
    const ids = keys.list().flatMap((each) => (each.name === id ? [each.id] : []));
    const fix = ids.length === 0 ? "see addrsift keys list" : `the key of that name is ${formatAlternatives(ids)}`;
    // Never print a key, also if it was copied with its scheme.
    throw usageError(`there is no ${id.includes("adsf_") ? "such key" : `key ${escapeInvisible(id)}`}: ${fix}`);
  }
  if (options.json) out.json(key);
  else out.lines([`${key.id} (${escapeInvisible(key.name)}) is revoked`]);
}

async function openKeyCommand(options: GlobalOptions & { readonly json: boolean }, runtime: Runtime) {
  const out = new Printer(runtime, options);
  const { records } = await openStores(options, runtime);
  return { keys: openKeys(records, runtime.now), out };
}
