// Sets the seed of all random cases, before each test file. A failed run prints its seed, and ADDRSIFT_TEST_SEED=N
// repeats its cases.

import fc from "fast-check";

export const SEED = Number(process.env["ADDRSIFT_TEST_SEED"]);

fc.configureGlobal({ seed: SEED });
