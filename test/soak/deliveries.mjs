// Soaks deliveries: 1,000 events, while the process that records them and the daemon, which also delivers them, are killed
// with -9 at random, fifty times.
//   npm run soak:deliveries [-- KILLS [EVENTS]]

import { join } from "node:path";
import { COMMAND, reportProblems, scratchFolder } from "../helpers/programs.mjs";
import { killDeliverers } from "./delivery-run.mjs";

const [kills = 50, events = 1000] = process.argv.slice(2, 4).map(Number);
const startMs = performance.now();
const home = join(scratchFolder("soak"), "home");
const { requests, arrived, repeated, problems } = await killDeliverers(home, { events, kills, daemon: COMMAND });
const seconds = Math.round((performance.now() - startMs) / 1000);
reportProblems(
  `deliveries: ${events} events, ${kills} kills, ${requests} requests, ${arrived} events arrived, ${repeated} arrived more than once, ${seconds} s`,
  problems,
);
