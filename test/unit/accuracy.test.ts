// Tests how the accuracy bench counts and renders: hits, intervals, shares.

import { expect, it } from "vitest";
import { interval, renderCount, renderShare, score } from "../bench/accuracy/score.mjs";

it("score() counts the inputs whose awaited answer is the expected one", async () => {
  const isEven = (n: number) => Promise.resolve(n % 2 === 0);
  expect(await score(isEven, [1, 2, 3])).toEqual({ hits: 1, n: 3 });
  expect(await score(isEven, [1, 2, 3], false)).toEqual({ hits: 2, n: 3 });
  expect(await score(undefined, [1, 2, 3])).toBeUndefined();
});

it("interval() returns the 95 % Wilson interval: 25.5 to 36.6 % for 81 of 263, and 0 to 28 % for 0 of 10", () => {
  const [low, high] = interval({ hits: 81, n: 263 });
  expect(low).toBeCloseTo(0.255, 3);
  expect(high).toBeCloseTo(0.366, 3);
  expect(interval({ hits: 0, n: 10 })).toEqual([0, expect.closeTo(0.278, 3)]);
});

it("renderShare never rounds a share up to 100 % or down to 0 %, and adds the interval if n is small", () => {
  expect(renderShare({ hits: 9999, n: 10_000 })).toBe("99.9 %");
  expect(renderShare({ hits: 1, n: 10_000 })).toBe("0.1 %");
  expect(renderShare({ hits: 500, n: 500 })).toBe("100 %");
  expect(renderShare({ hits: 5, n: 10 })).toBe("50.0 % (24–76)");
  expect(renderShare(undefined)).toBe("–");
  expect(renderCount({ hits: 1, n: 9 })).toBe("1 of 9");
});
