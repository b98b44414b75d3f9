// Soaks the store: three processes change keys and channels concurrently, and one is killed with -9 at random, forty
// times; first three that only write, then two daemons and the command line. No acknowledged change may be lost.
//   npm run soak:store [-- KILLS [postgres]]
// With "postgres" the store is in a new server, which is killed in turn too, and there are three daemons with their own homes.

import { join } from "node:path";
import { reportProblems, scratchFolder } from "../helpers/programs.mjs";
import { openBacking } from "./backing.mjs";
import { killDaemons } from "./store-daemons.mjs";
import { killWriters } from "./store-run.mjs";

const kills = Number(process.argv[2] ?? 40);
const isShared = process.argv[3] === "postgres";
const daemons = isShared ? 3 : 2;
for (const [what, run] of [
  ["three writers", killWriters],
  [`${isShared ? "three" : "two"} daemons and the command line`, killDaemons],
]) {
  const home = join(scratchFolder("soak"), "home");
  const backing = await openBacking(home, isShared);
  const { acknowledged, looks, problems } = await run(home, kills, backing, daemons);
  await backing.close();
  reportProblems(
    `${what}${backing.what}: ${kills} kills, ${acknowledged} acknowledged changes, ${looks} looks at the file`,
    problems,
  );
}
