// Runs processes that only write, as fast as the disk allows, to one store, and repeatedly kills one with -9 at a
// random moment.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { FROM_SOURCE } from "../helpers/from-source.mjs";
import { startNode } from "../helpers/programs.mjs";
import { watchStore, whatIsMissing } from "./store-look.mjs";

const WRITER = join(import.meta.dirname, "store-writer.mjs");
const WRITERS = 3;
const LARGE = 250;

/** Runs `kills` kills over the store in `home`; returns what came of it. `problems` is empty when nothing was lost. */
export async function killWriters(home, kills, backing) {
  await writeLarge(backing, LARGE);
  const watch = watchStore(backing);
  const outputs = [];
  const start = () => startWriter(home, outputs, watch.problems, backing);
  const writers = Array.from({ length: WRITERS }, start);
  for (let killed = 0; killed < kills; killed++) {
    const at = Math.floor(Math.random() * (WRITERS + backing.victims.length));
    if (at >= WRITERS) {
      await watch.during(60 + Math.random() * 400);
      await backing.victims[at - WRITERS].kill();
      continue;
    }
    // On a busy machine a process may need seconds to begin.
    while (!writers[at].hasBegun()) await watch.during(20);
    await watch.during(60 + Math.random() * 400);
    await kill(writers[at], watch.problems);
    writers[at] = start();
  }
  await Promise.all(writers.map((writer) => kill(writer, watch.problems)));
  // A line cut off by a kill is not an acknowledgment.
  const acknowledged = outputs.flatMap(({ text }) => text.split("\n").slice(0, -1));
  return {
    acknowledged: acknowledged.length,
    looks: watch.looks(),
    problems: [...watch.problems, ...(await whatIsMissing(backing, acknowledged))],
  };
}

/** A store with so many channels. */
async function writeLarge(backing, count) {
  const channel = (i) => ({
    id: `ch_${i}`,
    team: "large",
    name: `channel ${i}`,
    type: "webhook",
    config: { url: `https://hooks.example.com/${i}`, secret: `whsec_${randomBytes(32).toString("base64")}` },
    is_verified: true,
    created_at: new Date().toISOString(),
  });
  await backing.write(Object.fromEntries(Array.from({ length: count }, (_, i) => [`ch_${i}`, channel(i)])));
}

function startWriter(home, outputs, problems, backing) {
  const child = startNode([...FROM_SOURCE, WRITER, home], { stdio: ["ignore", "pipe", "pipe"] });
  const own = { text: "" };
  outputs.push(own);
  child.stdout.on("data", (chunk) => {
    own.text += chunk;
  });
  child.stderr.on("data", (chunk) => {
    for (const line of String(chunk).trim().split("\n")) {
      if (!backing.mayBeSaid(line)) problems.add(`a writer says: ${line}`);
    }
  });
  return { child, hasBegun: () => own.text !== "" };
}

async function kill({ child }, problems) {
  child.kill("SIGKILL");
  if ((await child.ended).signal !== "SIGKILL") problems.add(`a writer ended by itself, with ${child.exitCode}`);
}
