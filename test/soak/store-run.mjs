// Writers on one store, one of them killed with -9 at a random moment, again and again; then what was acknowledged is compared with
// what is there. The suite runs a short one, `npm run soak` the whole.

import { spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const WRITER = join(import.meta.dirname, "store-writer.mjs");
const WRITERS = 3;

/** Runs `kills` kills over the store in `home`; gives what came of it. `problems` is empty when nothing was lost. */
export async function killWriters(home, kills) {
  const said = [];
  const problems = new Set();
  const writers = Array.from({ length: WRITERS }, () => startWriter(home, said, problems));
  let reads = 0;
  for (let killed = 0; killed < kills; killed++) {
    const until = performance.now() + 60 + Math.random() * 240;
    while (performance.now() < until) {
      reads += 1;
      look(home, problems);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const at = Math.floor(Math.random() * WRITERS);
    await kill(writers[at]);
    look(home, problems);
    writers[at] = startWriter(home, said, problems);
  }
  await Promise.all(writers.map(kill));
  // A line that a kill cut off was not said.
  const lines = said.flatMap(({ text }) => text.split("\n").slice(0, -1));
  for (const problem of missing(home, lines)) problems.add(problem);
  const acknowledged = lines.filter((line) => line[0] !== "?").length;
  return { kills, acknowledged, reads, problems: [...problems] };
}

function startWriter(home, said, problems) {
  const child = spawn(process.execPath, [WRITER, home], { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.on("close", (_, signal) => resolve(signal)));
  const own = { text: "" };
  said.push(own);
  child.stdout.on("data", (chunk) => {
    own.text += chunk;
  });
  child.stderr.on("data", (chunk) => problems.add(`a writer says: ${chunk}`));
  return { child, ended, problems };
}

async function kill({ child, ended, problems }) {
  child.kill("SIGKILL");
  if ((await ended) !== "SIGKILL") problems.add(`a writer ended by itself, with ${child.exitCode}`);
}

/** Any reader at any moment finds whole JSON in a file that is its owner's alone. */
function look(home, problems) {
  const path = join(home, "store.json");
  try {
    JSON.parse(readFileSync(path, "utf8"));
    const mode = statSync(path).mode & 0o777;
    if (mode !== 0o600) problems.add(`the mode is ${mode.toString(8)}`);
  } catch (error) {
    if (error.code !== "ENOENT") problems.add(`not readable: ${error.message}`);
  }
}

/** What was acknowledged and is not so. */
function missing(home, lines) {
  const { collections } = JSON.parse(readFileSync(join(home, "store.json"), "utf8"));
  const records = { ...collections.keys.records, ...collections.channels.records };
  const said = (mark) => lines.filter((line) => line[0] === mark).map((line) => line.slice(1));
  // A deletion may have reached the disk while the kill kept the word of it from us.
  const tried = new Set(said("?"));
  const lost = said("+").filter((id) => records[id] === undefined && !tried.has(id));
  const back = said("-").filter((id) => records[id] !== undefined);
  const good = said("!").filter((id) => records[id]?.revoked_at === undefined);
  const left = readdirSync(home).filter(
    (name) => !/^store\.json(\.lock|\.previous|\.new|\.previous\.new)?$/.test(name),
  );
  return [
    ...lost.map((id) => `lost: ${id}`),
    ...back.map((id) => `not deleted: ${id}`),
    ...good.map((id) => `not revoked: ${id}`),
    ...left.map((name) => `left behind: ${name}`),
  ];
}
