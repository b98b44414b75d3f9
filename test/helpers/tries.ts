// How often laws are tried that take seconds: a twentieth of the times in `npm test`, every time in `npm run test:slow`.
// The slow project has each test file that imports this one.

import { createRandom } from "../bench/generate.mjs";
import { SEED } from "./seed.ts";

const isSlow = process.env["ADDRSIFT_TEST_TRIES"] === "all";

/** The number of tries, of so many in the slow project. */
export const tries = (all: number): number => (isSlow ? all : Math.ceil(all / 20));

/** A third of the cases, by chance, and each one in the slow project. */
export function drawn<Case>(cases: readonly Case[]): Case[] {
  if (isSlow) return [...cases];
  const at = Math.floor(createRandom(SEED)() * cases.length);
  return [...cases.slice(at), ...cases.slice(0, at)].slice(0, Math.ceil(cases.length / 3));
}

/** Every twentieth of the cases, and each one in the slow project. */
export const some = <Case>(cases: readonly Case[]): Case[] => cases.filter((_, i) => isSlow || i % 20 === 0);
