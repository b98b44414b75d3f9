// Soaks the store: three processes change keys and channels concurrently, and one is killed with -9 at random, forty
// times; first three that only write, then two daemons and the command line. No acknowledged change may be lost.
//   npm run soak:store [-- KILLS [postgres]]
// With "postgres" the store is in a new server, which is also killed, and there are three daemons with their own homes.

import { join } from "node:path";
import { reportProblems, scratchFolder } from "../helpers/programs.mjs";
import { openStorage } from "./storage.mjs";
import { killDaemons } from "./store-daemons.mjs";
import { killWriters } from "./store-run.mjs";

const kills = Number(process.argv[2] ?? 40);
const isShared = process.argv[3] === "postgres";
const daemons = isShared ? 3 : 2;
for (const [title, run] of [
  ["three writers", killWriters],
  [`${isShared ? "three" : "two"} daemons and the command line`, killDaemons],
]) {
  const home = join(scratchFolder("soak"), "home");
  const storage = await openStorage(home, isShared);
  const { acknowledged, checks, problems } = await run(home, kills, storage, daemons);
  await storage.close();
  reportProblems(
    `${title}${storage.label}: ${kills} kills, ${acknowledged} acknowledged changes, ${checks} checks of the file`,
    problems,
  );
}
