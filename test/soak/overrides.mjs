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
const COMMENT = "# a comment that stays";
writeFileSync(file, `${COMMENT}\nstays.example\tdeny\n`);

/** Runs a change, and kills it after `killAfterMs` if set. Returns whether it was acknowledged. Throws if it failed. */
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

/** Reads the overrides with the command. */
const readOverrides = () => {
  const args = [COMMAND, "lists", "overrides", "--json", "--quiet", "--home", home];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`lists overrides gave ${status}: ${stderr}`);
  return new Map(JSON.parse(stdout).map(({ entry, action }) => [entry, action]));
};

const CHANGES = [
  ([first]) => ({ args: ["lists", "allow", first], stdin: "", effect: { [first]: "allow" } }),
  ([first, second]) => ({
    args: ["lists", "deny", first, second],
    stdin: "",
    effect: { [first]: "deny", [second]: "deny" },
  }),
  ([first, second]) => ({
    args: ["lists", "deny", "-"],
    stdin: `${first}\n${second}\n`,
    effect: { [first]: "deny", [second]: "deny" },
  }),
  ([first], overrides) =>
    overrides.has(first)
      ? { args: ["lists", "overrides", "--remove", first], stdin: "", effect: { [first]: undefined } }
      : { args: ["lists", "allow", first], stdin: "", effect: { [first]: "allow" } },
];

const startMs = performance.now();
await change(["lists", "allow", "first.example"], "");
const changeMs = performance.now() - startMs;
let previous = readOverrides();
let [acknowledged, killed, applied] = [0, 0, 0];
for (let round = 0; round < rounds; round += 1) {
  // Each writer has its own names, so that the changes can be told apart.
  const changes = Array.from({ length: WRITERS }, (_, writer) => {
    const names = ["a", "b"].map((letter) => `${letter}${Math.floor(Math.random() * 4)}.writer-${writer}.example`);
    return CHANGES[Math.floor(Math.random() * CHANGES.length)](names, previous);
  });
  const wasAcknowledged = await Promise.all(
    changes.map(({ args, stdin }, writer) =>
      change(args, stdin, writer === 0 ? undefined : Math.random() * 1.5 * WRITERS * changeMs),
    ),
  );
  const current = readOverrides();
  for (const [writer, { args, effect }] of changes.entries()) {
    const allAre = (expected) => Object.keys(effect).every((entry) => current.get(entry) === expected(entry));
    const isApplied = allAre((entry) => effect[entry]);
    if (wasAcknowledged[writer] && !isApplied)
      throw new Error(`round ${round}: ${args.join(" ")} was acknowledged and is lost`);
    if (!isApplied && !allAre((entry) => previous.get(entry)))
      throw new Error(`round ${round}: ${args.join(" ")} is half applied`);
    if (wasAcknowledged[writer]) acknowledged += 1;
    else killed += 1;
    if (!wasAcknowledged[writer] && isApplied) applied += 1;
  }
  if (
    current.get("stays.example") !== "deny" ||
    !readFileSync(file, "utf8").includes(`${COMMENT}\nstays.example\tdeny`)
  ) {
    throw new Error(`round ${round}: an override that no one changed is different`);
  }
  previous = current;
}
console.log(`${acknowledged} acknowledged, ${killed} killed (${applied} of them after the change): ok`);
