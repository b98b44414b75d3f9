// `addrsift lists status`: the lists in use.

import { warningText } from "../../../home/lists.ts";
import type { ListSource } from "../../../lists/meta.ts";
import { findHome } from "../../open/home.ts";
import { ageInDays, openListsInUse } from "../../open/lists.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { LISTS_STATUS } from "../../options/lists.ts";
import type { Runtime } from "../../runtime.ts";
import { printJson } from "../../terminal/record-table.ts";
import { warn } from "../../terminal/say.ts";
import { printLines } from "../../terminal/text-table.ts";

/** Prints version, age, counts and sources. */
export function listsStatus({ options }: Arguments<typeof LISTS_STATUS>, runtime: Runtime): number {
  const { lists, origin, warning } = openListsInUse(findHome(options, runtime), runtime.root, "whole");
  if (warning !== undefined) warn(runtime, warningText(warning));
  const { dataVersion, date, counts, sources } = lists.meta;
  const ageDays = ageInDays(lists, runtime);
  if (options.json) {
    printJson(runtime, { data_version: dataVersion, date, age_days: ageDays, origin, counts, sources });
    return 0;
  }
  const from = origin === "home" ? "from the home" : origin;
  const lines = [`lists ${dataVersion} (${from}), taken ${date}, ${ageDays} days old`];
  for (const [name, count] of Object.entries(counts)) lines.push(`  ${name.padEnd(12)}${String(count).padStart(8)}`);
  lines.push("sources");
  for (const source of sources) lines.push(sourceLine(source));
  printLines(runtime, lines);
  return 0;
}

/** Count, key, name with version, licence; of a list that others keep also the day and the beginning of the digest. */
function sourceLine({ key, label, licence, count, taken, digest }: ListSource): string {
  const start = `  ${String(count).padStart(8)}  ${key.padEnd(18)}  ${label} (${licence})`;
  return taken === undefined || digest === undefined ? start : `${start}, taken ${taken}, ${digest.slice(0, 19)}…`;
}
