// Kills `addrsift lists allow`, `deny` and `overrides` at random points, and checks each time that acknowledged changes
// are in the file and that the file is valid.
//   node test/soak/overrides.mjs [ROUNDS]

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMMAND, scratchFolder, startNode } from "../helpers/programs.mjs";

const WRITERS = 3;
const rounds = Number(process.argv[2] ?? 50);
const home = scratchFolder("soak-overrides");
const file = join(home, "overrides.tsv");
const REMARK = "# a remark that stays";
writeFileSync(file, `${REMARK}\nstays.example\tdeny\n`);

/** Runs a change, and kills it after a random time or not at all; whether it was acknowledged, refused by a failure, or killed. */
const change = async (args, stdin, killAfterMs) => {
  const child = startNode([COMMAND, ...args, "--home", home], { stdio: ["pipe", "ignore", "pipe"] });
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const { status, signal, errors } = await child.ended;
  clearTimeout(timer);
  if (signal === null && status !== 0) throw new Error(`${args.join(" ")} gave ${status}: ${errors}`);
  return signal === null;
};

/** The overrides as the command reads them. */
const look = () => {
  const args = [COMMAND, "lists", "overrides", "--json", "--quiet", "--home", home];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`lists overrides gave ${status}: ${stderr}`);
  return new Map(JSON.parse(stdout).map(({ entry, action }) => [entry, action]));
};

const DEEDS = [
  ([one]) => ({ args: ["lists", "allow", one], stdin: "", makes: { [one]: "allow" } }),
  ([one, two]) => ({ args: ["lists", "deny", one, two], stdin: "", makes: { [one]: "deny", [two]: "deny" } }),
  ([one, two]) => ({
    args: ["lists", "deny", "-"],
    stdin: `${one}\n${two}\n`,
    makes: { [one]: "deny", [two]: "deny" },
  }),
  ([one], known) =>
    known.has(one)
      ? { args: ["lists", "overrides", "--remove", one], stdin: "", makes: { [one]: undefined } }
      : { args: ["lists", "allow", one], stdin: "", makes: { [one]: "allow" } },
];

const started = performance.now();
await change(["lists", "allow", "first.example"], "");
const wholeMs = performance.now() - started;
let known = look();
let [acknowledged, killed, taken] = [0, 0, 0];
for (let round = 0; round < rounds; round += 1) {
  // Each writer has its own names, so that what each made can be distinguished.
  const deeds = Array.from({ length: WRITERS }, (_, writer) => {
    const names = ["a", "b"].map((letter) => `${letter}${Math.floor(Math.random() * 4)}.writer-${writer}.example`);
    return DEEDS[Math.floor(Math.random() * DEEDS.length)](names, known);
  });
  const done = await Promise.all(
    deeds.map(({ args, stdin }, writer) =>
      change(args, stdin, writer === 0 ? undefined : Math.random() * 1.5 * WRITERS * wholeMs),
    ),
  );
  const now = look();
  for (const [writer, { args, makes }] of deeds.entries()) {
    const are = (wanted) => Object.keys(makes).every((entry) => now.get(entry) === wanted(entry));
    const made = are((entry) => makes[entry]);
    if (done[writer] && !made) throw new Error(`round ${round}: ${args.join(" ")} was acknowledged and is lost`);
    if (!made && !are((entry) => known.get(entry))) throw new Error(`round ${round}: ${args.join(" ")} is a half`);
    if (done[writer]) acknowledged += 1;
    else killed += 1;
    if (!done[writer] && made) taken += 1;
  }
  if (now.get("stays.example") !== "deny" || !readFileSync(file, "utf8").startsWith(`${REMARK}\n`)) {
    throw new Error(`round ${round}: what no one touched has changed`);
  }
  known = now;
}
console.log(`${acknowledged} acknowledged, ${killed} killed (${taken} of them after the change): ok`);
