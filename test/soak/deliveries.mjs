// Soaks deliveries: 1,000 events, while the processes that record and deliver them are killed with -9 at random, fifty
// times. One of the two is the daemon.
//   npm run soak:deliveries [-- KILLS [EVENTS [postgres]]]
// With "postgres" the stores are in a new server, which is also killed, and there are three daemons.

import { join } from "node:path";
import { COMMAND, reportProblems, scratchFolder } from "../helpers/programs.mjs";
import { killDeliverers } from "./delivery-run.mjs";
import { openStorage } from "./storage.mjs";

const [kills = 50, events = 1000] = process.argv.slice(2, 4).map(Number);
const isShared = process.argv[4] === "postgres";
const startMs = performance.now();
const home = join(scratchFolder("soak"), "home");
const storage = await openStorage(home, isShared);
const plan = { events, kills, daemons: Array(isShared ? 3 : 1).fill(COMMAND) };
const { requests, arrived, repeated, problems } = await killDeliverers(home, plan, storage);
await storage.close();
const seconds = Math.round((performance.now() - startMs) / 1000);
reportProblems(
  `deliveries${storage.label}: ${events} events, ${kills} kills, ${requests} requests, ${arrived} events arrived, ${repeated} arrived more than once, ${seconds} s`,
  problems,
);
