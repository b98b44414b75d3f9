// Two versions side by side on one home: a daemon of each and the command line of both change keys and channels, then a daemon of each
// delivers 300 events, and each process is killed with -9 twenty times. No record that was acknowledged may be lost. A version that does
// not know journals may refuse the store once it has one.
//   npm run soak:versions -- FOLDER [KILLS]
// FOLDER is another build of addrsift, with its bin/ and dist/.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileBacking } from "./backing.mjs";
import { killDeliverers } from "./delivery-run.mjs";
import { killDaemons } from "./store-daemons.mjs";
import { writeLarge } from "./store-run.mjs";

const [other, kills = 20] = process.argv.slice(2);
if (other === undefined) throw new Error("the folder of another build is missing");
const commands = [resolve(other), join(import.meta.dirname, "../..")].map((folder) => join(folder, "bin/addrsift.cjs"));
// Of each there are three processes.
const all = 3 * Number(kills);
// Of a store that stays small, and of one that gets a journal after some changes.
for (const channels of [0, 245])
  await inNewHome(`${channels} channels and more`, async (home) => {
    await writeLarge(fileBacking(home), channels);
    const { said, refusals, problems } = await killDaemons(home, all, commands);
    return [`${said} words of changes, ${refusals} refusals by the earlier one`, problems];
  });
await inNewHome("deliveries", async (home) => {
  const { requests, arrived, again, problems } = await killDeliverers(home, {
    events: 300,
    kills: all,
    daemons: commands,
  });
  return [`${arrived} of 300 events arrived in ${requests} requests, ${again} of them again`, problems];
});

async function inNewHome(what, run) {
  const folder = mkdtempSync(join(tmpdir(), "addrsift-soak-"));
  const [figures, problems] = await run(join(folder, "home"));
  const verdict = problems.length === 0 ? "0 records lost" : "MISS";
  console.log(`two versions, ${what}: each process killed ${kills} times, ${figures}: ${verdict}`);
  for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
  rmSync(folder, { recursive: true });
  if (problems.length > 0) process.exitCode = 1;
}
