// How often laws are tried that take seconds: a fifth of the times in `npm test`, every time in `npm run test:slow`.

/** The number of tries, of so many in the slow project. vitest.config.ts names the files that ask. */
export function tries(all: number): number {
  return process.env["ADDRSIFT_TEST_TRIES"] === "all" ? all : Math.ceil(all / 5);
}
