// Deliveries under fire: 1,000 events, and the processes that record and deliver them killed with -9 at random, fifty times; one of the
// two is the daemon.
//   npm run soak:deliveries [-- KILLS [EVENTS [postgres]]]
// With "postgres" the stores are in a new server, which is killed in turn too, and there are three daemons.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileBacking, postgresBacking } from "./backing.mjs";
import { killDeliverers } from "./delivery-run.mjs";

const COMMAND = join(import.meta.dirname, "../../bin/addrsift.cjs");

const [kills = 50, events = 1000] = process.argv.slice(2, 4).map(Number);
const isShared = process.argv[4] === "postgres";
const folder = mkdtempSync(join(tmpdir(), "addrsift-soak-"));
const started = performance.now();
const home = join(folder, "home");
const backing = isShared ? await postgresBacking(home) : fileBacking(home);
const wanted = { events, kills, daemons: Array(isShared ? 3 : 1).fill(COMMAND) };
const { requests, arrived, again, problems } = await killDeliverers(home, wanted, backing);
await backing.close();
const verdict = problems.length === 0 ? "ok" : "MISS";
const seconds = Math.round((performance.now() - started) / 1000);
console.log(
  `deliveries${backing.what}: ${events} events, ${kills} kills, ${requests} requests, ${arrived} events arrived, ${again} came more than once, ${seconds} s: ${verdict}`,
);
for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
rmSync(folder, { recursive: true });
if (problems.length > 0) process.exitCode = 1;
