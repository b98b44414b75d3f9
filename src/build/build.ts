// Maintainers' program: makes dist/, or a part of it.
//   npm run build [-- code lists types]

import { join } from "node:path";
import { PARTS, type Part } from "./parts.ts";

const ROOT = join(import.meta.dirname, "../..");

const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(PARTS)) {
  if (!Object.hasOwn(PARTS, name)) throw new Error(`unknown part ${name}: use ${Object.keys(PARTS).join(", ")}`);
  // `npm ci` builds, and else would say nothing for a minute.
  console.error(`building ${name}`);
  await PARTS[name as Part].make(ROOT);
}
