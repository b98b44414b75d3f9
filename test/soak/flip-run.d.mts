// Types of flip-run.mjs for the test that runs a sample of it.

/** What came of the flips of one file. */
interface FlipOutcome {
  readonly name: string;
  readonly right: number;
  readonly refused: number;
  readonly problems: readonly string[];
}

export function flipFiles(folder: string, flips: number): FlipOutcome[];
