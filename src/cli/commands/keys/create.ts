// `addrsift keys create`: the only time that the key's text is printed.

import { AddrsiftError } from "../../../base/errors.ts";
import { openKeys } from "../../open/records.ts";
import { openStores } from "../../open/stores.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { KEYS_CREATE } from "../../options/keys.ts";
import type { Runtime } from "../../runtime.ts";
import { printJson } from "../../terminal/record-table.ts";
import { tellPerson } from "../../terminal/say.ts";

/** Prints the key on standard output, or all of its record as JSON. */
export async function keysCreate({ options }: Arguments<typeof KEYS_CREATE>, runtime: Runtime): Promise<number> {
  const { records } = await openStores(options, runtime);
  const outcome = await openKeys(records, runtime).create({
    name: options.name as string,
    scopes: options.scopes,
    team: options.team,
    expires: options.expires,
  });
  if (!outcome.ok) throw new AddrsiftError("USAGE", `--${outcome.fault.field} ${outcome.fault.message}`);
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
