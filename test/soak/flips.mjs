// Damage to the lists beside the program: single bits flipped in the lists, and the command run after each.
//   npm run soak:flips [-- FLIPS]

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { flipLists } from "./flip-run.mjs";

const flips = Number(process.argv[2] ?? 200);
const folder = mkdtempSync(join(tmpdir(), "addrsift-soak-"));
try {
  const { right, refused, problems } = flipLists(folder, flips);
  const verdict = problems.length === 0 ? "ok" : "MISS";
  console.log(`lists.bin: ${flips} flips, ${right} right answers, ${refused} refused in one line: ${verdict}`);
  for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
