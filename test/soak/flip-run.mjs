// Flips single bits of the lists in a copy of the package, and runs the command after each flip: it must give the right
// result, or one line and status 2. Half of the flips hit bytes that the command reads.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyPackage } from "../helpers/package-copy.mjs";

const ADDRESSES = ["jane.doe@mailinator.com", "info@gmail.com", "a@quiet-harbour-tools.com", "b@bücher.example"];
const COMMAND = ["detect", "--offline", ...ADDRESSES];
const TIMEOUT_MS = 20_000;

/** Notes each piece of the lists that is read: [offset, length] a line. */
const READ_LOG = `const fs = require("node:fs");
const { readSync, appendFileSync } = fs;
fs.readSync = (...call) => {
  if (call.length === 5) appendFileSync(process.env.FLIP_LOG, call[4] + " " + call[3] + "\\n");
  return readSync(...call);
};
`;

/** Flips `flips` bits of the lists, one at a time, in a copy of the package under `folder`; returns what came of it. */
export function flipLists(folder, flips) {
  const root = join(folder, "package");
  copyPackage(root);
  const right = detect(root);
  if (right.status !== 0) throw new Error(`the undamaged package fails: ${JSON.stringify(right)}`);
  const read = bytesRead(root, folder);
  const path = join(root, "dist/lists.bin");
  const bytes = readFileSync(path);
  const outcome = { right: 0, refused: 0, problems: [] };
  for (let i = 0; i < flips; i += 1) {
    const any = Math.floor(Math.random() * bytes.length);
    const at = i % 2 === 0 ? read[Math.floor(Math.random() * read.length)] : any;
    const mask = 1 << Math.floor(Math.random() * 8);
    writeFileSync(path, flipped(bytes, at, mask));
    judge(detect(root), right, outcome, `byte ${at}, bit mask ${mask}`);
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

/** The bytes of the lists that the command reads. */
function bytesRead(root, folder) {
  const [preload, log] = [join(folder, "preload.cjs"), join(folder, "read.log")];
  writeFileSync(preload, READ_LOG);
  detect(root, { NODE_OPTIONS: `--require ${preload}`, FLIP_LOG: log });
  const pieces = readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.split(" ").map(Number));
  return pieces.flatMap(([offset, length]) => Array.from({ length }, (_, i) => offset + i));
}

function flipped(bytes, at, mask) {
  const copy = Buffer.from(bytes);
  copy[at] ^= mask;
  return copy;
}

function judge(found, right, outcome, where) {
  if (found.status === 0 && found.stdout === right.stdout && found.stderr === "") outcome.right += 1;
  else if (found.status === 2 && found.stdout === "" && /^addrsift: [^\n]+\n$/.test(found.stderr)) outcome.refused += 1;
  else outcome.problems.push(`${where}: ${JSON.stringify(found).slice(0, 300)}`);
}
