// Writers that do nothing but write, as fast as the disk lets them, on one store; one of them killed with -9 at a random moment, again
// and again.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { watchStore, whatIsMissing } from "./store-look.mjs";

const WRITER = join(import.meta.dirname, "store-writer.mjs");
const WRITERS = 3;

/** Runs `kills` kills over the store in `home`; gives what came of it. `problems` is empty when nothing was lost. */
export async function killWriters(home, kills) {
  const watch = watchStore(home);
  const outputs = [];
  const start = () => startWriter(home, outputs, watch.problems);
  const writers = Array.from({ length: WRITERS }, start);
  for (let killed = 0; killed < kills; killed++) {
    await watch.during(60 + Math.random() * 400);
    const at = Math.floor(Math.random() * WRITERS);
    await kill(writers[at], watch.problems);
    writers[at] = start();
  }
  await Promise.all(writers.map((writer) => kill(writer, watch.problems)));
  // A line that a kill cut off was not said.
  const said = outputs.flatMap(({ text }) => text.split("\n").slice(0, -1));
  return { said: said.length, looks: watch.looks(), problems: [...watch.problems, ...whatIsMissing(home, said)] };
}

function startWriter(home, outputs, problems) {
  const child = spawn(process.execPath, [WRITER, home], { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.on("close", (_, signal) => resolve(signal)));
  const own = { text: "" };
  outputs.push(own);
  child.stdout.on("data", (chunk) => {
    own.text += chunk;
  });
  child.stderr.on("data", (chunk) => problems.add(`a writer says: ${chunk}`));
  return { child, ended };
}

async function kill({ child, ended }, problems) {
  child.kill("SIGKILL");
  if ((await ended) !== "SIGKILL") problems.add(`a writer ended by itself, with ${child.exitCode}`);
}
