// The store under fire: three processes changing keys and channels at once, one killed with -9 at random, forty times; first three that
// do nothing else, then two daemons and the command line. Nothing that was acknowledged may be lost.
//   npm run soak:store [-- KILLS]

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killDaemons } from "./store-daemons.mjs";
import { killWriters } from "./store-run.mjs";

const kills = Number(process.argv[2] ?? 40);
for (const [what, run] of [
  ["three writers", killWriters],
  ["two daemons and the command line", killDaemons],
]) {
  const folder = mkdtempSync(join(tmpdir(), "addrsift-soak-"));
  const { said, looks, problems } = await run(join(folder, "home"), kills);
  const verdict = problems.length === 0 ? "ok" : "MISS";
  console.log(`${what}: ${kills} kills, ${said} words of changes, ${looks} looks at the file: ${verdict}`);
  for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
  rmSync(folder, { recursive: true });
  if (problems.length > 0) process.exitCode = 1;
}
