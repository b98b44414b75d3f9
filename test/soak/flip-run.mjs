// Flips single bits of the lists in a copy of the package, and runs the command after each flip: it must give the right
// result, or one line and status 2. Half of the flips hit bytes that the command reads.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyPackage } from "../helpers/package-copy.mjs";

const ADDRESSES = ["jane.doe@mailinator.com", "info@gmail.com", "a@quiet-harbour-tools.com", "b@bücher.example"];
const COMMAND = ["detect", "--offline", ...ADDRESSES];
const TIMEOUT_MS = 20_000;

/** Preloaded code that logs each read of the lists, as a line "OFFSET LENGTH". */
const READ_LOG = `const fs = require("node:fs");
const { readSync, appendFileSync } = fs;
fs.readSync = (...call) => {
  if (call.length === 5) appendFileSync(process.env.FLIP_LOG, call[4] + " " + call[3] + "\\n");
  return readSync(...call);
};
`;

/** Flips `flips` bits of the lists, one at a time, in a copy of the package under `folder`. Returns the outcomes. */
export function flipLists(folder, flips) {
  const root = join(folder, "package");
  copyPackage(root);
  const expected = detect(root);
  if (expected.status !== 0) throw new Error(`the undamaged package fails: ${JSON.stringify(expected)}`);
  const readOffsets = findReadOffsets(root, folder);
  const path = join(root, "dist/lists.bin");
  const bytes = readFileSync(path);
  const outcome = { correct: 0, rejected: 0, problems: [] };
  for (let i = 0; i < flips; i += 1) {
    const anyOffset = Math.floor(Math.random() * bytes.length);
    const at = i % 2 === 0 ? readOffsets[Math.floor(Math.random() * readOffsets.length)] : anyOffset;
    const mask = 1 << Math.floor(Math.random() * 8);
    writeFileSync(path, flipBit(bytes, at, mask));
    recordOutcome(detect(root), expected, outcome, `byte ${at}, bit mask ${mask}`);
  }
  return outcome;
}

function detect(root, env = {}) {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [join(root, "bin/addrsift.cjs"), ...COMMAND], {
    env: { PATH: process.env.PATH, HOME: root, ADDRSIFT_HOME: join(root, "home"), ...env },
    encoding: "utf8",
    timeout: TIMEOUT_MS,
  });
  return { status: signal ?? status, stdout, stderr };
}

/** Returns the offsets of all bytes of the lists that the command reads. */
function findReadOffsets(root, folder) {
  const [preload, log] = [join(folder, "preload.cjs"), join(folder, "read.log")];
  writeFileSync(preload, READ_LOG);
  detect(root, { NODE_OPTIONS: `--require ${preload}`, FLIP_LOG: log });
  const reads = readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.split(" ").map(Number));
  return reads.flatMap(([offset, length]) => Array.from({ length }, (_, i) => offset + i));
}

function flipBit(bytes, at, mask) {
  const copy = Buffer.from(bytes);
  copy[at] ^= mask;
  return copy;
}

function recordOutcome(result, expected, outcome, where) {
  const { status, stdout, stderr } = result;
  if (status === 0 && stdout === expected.stdout && stderr === "") outcome.correct += 1;
  else if (status === 2 && stdout === "" && /^addrsift: [^\n]+\n$/.test(stderr)) outcome.rejected += 1;
  else outcome.problems.push(`${where}: ${JSON.stringify(result).slice(0, 300)}`);
}
