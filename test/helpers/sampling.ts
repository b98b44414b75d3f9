// Reduces the cases of tests that take seconds: `npm test` runs a sample, `npm run test:slow` every case. The slow
// project includes each test file that imports this module.

import { createRandom } from "../bench/generate.mjs";
import { SEED } from "./seed.ts";

const isSlow = process.env["ADDRSIFT_TEST_TRIES"] === "all";

/** Returns `count` in the slow project, and a twentieth of it otherwise. */
export const sampleSize = (count: number): number => (isSlow ? count : Math.ceil(count / 20));

/** Returns all cases in the slow project, and a random third of them otherwise. */
export function sampleThird<Case>(cases: readonly Case[]): Case[] {
  if (isSlow) return [...cases];
  const start = Math.floor(createRandom(SEED)() * cases.length);
  return [...cases.slice(start), ...cases.slice(0, start)].slice(0, Math.ceil(cases.length / 3));
}

/** Returns all cases in the slow project, and every twentieth otherwise. */
export const sampleTwentieth = <Case>(cases: readonly Case[]): Case[] => cases.filter((_, i) => isSlow || i % 20 === 0);
