// Types of flip-run.mjs for the test that runs a sample of it.

export function flipLists(
  folder: string,
  flips: number,
): { readonly right: number; readonly refused: number; readonly problems: readonly string[] };
