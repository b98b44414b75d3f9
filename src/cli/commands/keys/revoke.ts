// `addrsift keys revoke`: makes a key invalid, permanently.

import { AddrsiftError } from "../../../base/errors.ts";
import { openKeys } from "../../open/records.ts";
import { openStores } from "../../open/stores.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { KEYS_REVOKE } from "../../options/keys.ts";
import type { Runtime } from "../../runtime.ts";
import { shownText } from "../../terminal/escape.ts";
import { printJson } from "../../terminal/record-table.ts";
import { tellPerson } from "../../terminal/say.ts";

/** Prints nothing when done, or the key as JSON. */
export async function keysRevoke(
  { options, positionals }: Arguments<typeof KEYS_REVOKE>,
  runtime: Runtime,
): Promise<number> {
  const id = positionals[0] as string;
  const { records } = await openStores(options, runtime);
  const key = await openKeys(records, runtime).revoke(id);
  if (key === undefined) {
    throw new AddrsiftError("USAGE", `there is no key ${shownText(id)}: take an id from addrsift keys list`);
  }
  if (options.json) printJson(runtime, key);
  tellPerson(runtime, options, `${key.id} (${key.name}) is revoked`);
  return 0;
}
