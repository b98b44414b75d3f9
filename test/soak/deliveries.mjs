// Soaks deliveries: 1,000 events, while the processes that record and deliver them are killed with -9 at random, fifty
// times. One of the two is the daemon.
//   npm run soak:deliveries [-- KILLS [EVENTS [postgres]]]
// With "postgres" the stores are in a new server, which is killed in turn too, and there are three daemons.

import { join } from "node:path";
import { COMMAND, reportProblems, scratchFolder } from "../helpers/programs.mjs";
import { openBacking } from "./backing.mjs";
import { killDeliverers } from "./delivery-run.mjs";

const [kills = 50, events = 1000] = process.argv.slice(2, 4).map(Number);
const isShared = process.argv[4] === "postgres";
const started = performance.now();
const home = join(scratchFolder("soak"), "home");
const backing = await openBacking(home, isShared);
const wanted = { events, kills, daemons: Array(isShared ? 3 : 1).fill(COMMAND) };
const { requests, arrived, again, problems } = await killDeliverers(home, wanted, backing);
await backing.close();
const seconds = Math.round((performance.now() - started) / 1000);
reportProblems(
  `deliveries${backing.what}: ${events} events, ${kills} kills, ${requests} requests, ${arrived} events arrived, ${again} came more than once, ${seconds} s`,
  problems,
);
