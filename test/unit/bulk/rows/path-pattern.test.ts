import { expect, it } from "vitest";
import { PathPattern } from "../../../../src/bulk/rows/path-pattern.ts";

it.each([
  ["./a.ts", ["a.ts", "./a.ts"], ["b/a.ts", "a.tsx", "axts", "a.t"]],
  ["src/", ["src/a", "src/b/c"], ["src", "srcs/a", "b/src/a"]],
  ["./*", ["a", "a.ts", "a\nb", "a/b"], []],
  ["./**", ["a", "a/b"], []],
  ["**/x/", ["x/a", "a/x/b", "a/b/x/y/c", "a\nb/x/c"], ["x", "ax/b", "a/xy/x"]],
  ["**/x*y.ts", ["xy.ts", "a/xaxyy.ts"], ["xy/a.ts", "a/xby.tsx", "axy.ts"]],
  ["a/**/**/b", ["a/b", "a/c/d/b", "a/b/c"], ["a/cb", "ab"]],
  ["a**/b", ["a/b", "ac/d/b"], ["b/a/b"]],
  ["./[a]+(b", ["[a]+(b"], ["a"]],
] as const)("PathPattern $0 matches $1, but not $2", (pattern, matching, others) => {
  const matches = (path: string): boolean => new PathPattern(pattern).matches(path);
  expect([...matching, ...others].filter(matches)).toEqual(matching);
});

it.each([
  [`${"**/".repeat(100)}x`, "a/".repeat(2000)],
  [`./${"*a".repeat(100)}b`, "a".repeat(4000)],
  [`${"**a".repeat(100)}b/`, "a".repeat(4000)],
])("PathPattern with many wildcards rejects a long path without exponential backtracking: case %#", (pattern, path) => {
  expect(new PathPattern(pattern).matches(path)).toBe(false);
});
