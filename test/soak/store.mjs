// The store under fire: three processes changing keys and channels at once, one killed with -9 at random, forty times; first three that
// do nothing else, then two daemons and the command line. Nothing that was acknowledged may be lost.
//   npm run soak:store [-- KILLS [postgres]]
// With "postgres" the store is in a new server, which is killed in turn too, and there are three daemons with their own homes.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileBacking, postgresBacking } from "./backing.mjs";
import { killDaemons } from "./store-daemons.mjs";
import { killWriters } from "./store-run.mjs";

const kills = Number(process.argv[2] ?? 40);
const isShared = process.argv[3] === "postgres";
const daemons = isShared ? 3 : 2;
for (const [what, run] of [
  ["three writers", killWriters],
  [
    `${isShared ? "three" : "two"} daemons and the command line`,
    (home, count, backing) => killDaemons(home, count, daemons, backing),
  ],
]) {
  const folder = mkdtempSync(join(tmpdir(), "addrsift-soak-"));
  const home = join(folder, "home");
  const backing = isShared ? await postgresBacking(home) : fileBacking(home);
  const { said, looks, problems } = await run(home, kills, backing);
  await backing.close();
  const verdict = problems.length === 0 ? "ok" : "MISS";
  console.log(
    `${what}${backing.what}: ${kills} kills, ${said} words of changes, ${looks} looks at the file: ${verdict}`,
  );
  for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
  rmSync(folder, { recursive: true });
  if (problems.length > 0) process.exitCode = 1;
}
