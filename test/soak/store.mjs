// The store under fire: three processes writing keys and channels at once, one killed with -9 at random, forty times and more.
//   npm run soak:store [-- KILLS]

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killWriters } from "./store-run.mjs";

const kills = Number(process.argv[2] ?? 40);
const home = join(mkdtempSync(join(tmpdir(), "addrsift-soak-")), "home");
const { acknowledged, reads, problems } = await killWriters(home, kills);
console.log(
  `${kills} kills, ${acknowledged} acknowledged changes, ${reads} looks: ${problems.length === 0 ? "ok" : "MISS"}`,
);
for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
rmSync(join(home, ".."), { recursive: true });
process.exitCode = problems.length === 0 ? 0 : 1;
