// Runs processes that only write, as fast as the disk allows, to one store, and repeatedly kills one with -9 at a
// random moment.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { FROM_SOURCE } from "../helpers/from-source.mjs";
import { startNode } from "../helpers/programs.mjs";
import { findLostChanges, watchStore } from "./store-check.mjs";

const WRITER = join(import.meta.dirname, "store-writer.mjs");
const WRITERS = 3;
// Makes the file large enough that a kill can interrupt a write.
const CHANNELS = 250;

/** Kills writers of the store in `home` `kills` times. Returns the counts, and the problems if changes were lost. */
export async function killWriters(home, kills, storage) {
  await writeChannels(storage, CHANNELS);
  const watch = watchStore(storage);
  const outputs = [];
  const start = () => startWriter(home, outputs, watch.problems, storage);
  const writers = Array.from({ length: WRITERS }, start);
  for (let killed = 0; killed < kills; killed++) {
    const at = Math.floor(Math.random() * (WRITERS + storage.victims.length));
    if (at >= WRITERS) {
      await watch.checkFor(60 + Math.random() * 400);
      await storage.victims[at - WRITERS].kill();
      continue;
    }
    // On a busy machine a process may need seconds to start.
    while (!writers[at].hasStarted()) await watch.checkFor(20);
    await watch.checkFor(60 + Math.random() * 400);
    await kill(writers[at], watch.problems);
    writers[at] = start();
  }
  await Promise.all(writers.map((writer) => kill(writer, watch.problems)));
  // A line cut off by a kill is not an acknowledgment.
  const acknowledged = outputs.flatMap(({ text }) => text.split("\n").slice(0, -1));
  return {
    acknowledged: acknowledged.length,
    checks: watch.checks(),
    problems: [...watch.problems, ...(await findLostChanges(storage, acknowledged))],
  };
}

/** Writes a store with `count` channels. */
async function writeChannels(storage, count) {
  const channel = (i) => ({
    id: `ch_${i}`,
    team: "large",
    name: `channel ${i}`,
    type: "webhook",
    config: { url: `https://hooks.example.com/${i}`, secret: `whsec_${randomBytes(32).toString("base64")}` },
    is_verified: true,
    created_at: new Date().toISOString(),
  });
  await storage.write(Object.fromEntries(Array.from({ length: count }, (_, i) => [`ch_${i}`, channel(i)])));
}

function startWriter(home, outputs, problems, storage) {
  const child = startNode([...FROM_SOURCE, WRITER, home], { stdio: ["ignore", "pipe", "pipe"] });
  const output = { text: "" };
  outputs.push(output);
  child.stdout.on("data", (chunk) => {
    output.text += chunk;
  });
  child.stderr.on("data", (chunk) => {
    for (const line of String(chunk).trim().split("\n")) {
      if (!storage.isExpectedMessage(line)) problems.add(`a writer printed: ${line}`);
    }
  });
  return { child, hasStarted: () => output.text !== "" };
}

async function kill({ child }, problems) {
  child.kill("SIGKILL");
  if ((await child.ended).signal !== "SIGKILL") problems.add(`a writer ended by itself, with ${child.exitCode}`);
}
