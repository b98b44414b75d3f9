// The types of score.mjs, as far as its test needs them.

export interface Counted {
  readonly hits: number;
  readonly n: number;
}
export function score<T>(
  answer: ((input: T) => unknown) | undefined,
  inputs: readonly T[],
  wanted?: boolean,
): Promise<Counted | undefined>;
export function interval(counted: Counted): [low: number, high: number];
export function renderShare(counted: Counted | undefined): string;
export function renderCount(counted: Counted | undefined): string;
