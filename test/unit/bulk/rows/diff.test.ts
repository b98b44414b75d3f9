// Tests hunks of diffs, generated with the locations of the addresses that they add. test/command/detect/diff.test.ts
// runs git.

import fc from "fast-check";
import { expect, it } from "vitest";
import { sampleSize } from "../../../helpers/sampling.ts";
import { scanText } from "../../../helpers/scan-text.ts";

/** A line of a hunk: a sign for each old file, its text and its line ending. */
interface Line {
  readonly signs: string;
  readonly text: string;
  readonly end: string;
}
interface Hunk {
  readonly start: number;
  readonly lines: readonly Line[];
}
interface FileDiff {
  readonly hasFirstLine: boolean;
  readonly hunks: readonly Hunk[];
}

const TEXTS = [
  ..."jane@example.org|a joe@example.org, ann@example.org|text||-- removed@example.org|++ b/y@example.org".split("|"),
  ..."@@ -1 +1 @@ x@example.org|diff --git a/x b/x|\\ No x@example.org|\0z@example.org|commit 1234567".split("|"),
];
const NO_NEWLINE = "\n\\ No newline at end of file\n";

const files = (parents: number): fc.Arbitrary<FileDiff[]> => {
  const changed = fc.tuple(
    fc.constantFrom("+", "-"),
    fc.array(fc.boolean(), { minLength: parents, maxLength: parents }),
  );
  const line = fc.record({
    signs: fc.oneof(
      fc.constant(" ".repeat(parents)),
      changed.map(([sign, has]) => has.map((is) => (is ? sign : " ")).join("")),
    ),
    text: fc.constantFrom(...TEXTS),
    end: fc.constantFrom("\n", "\n", "\r\n", NO_NEWLINE),
  });
  const hunk = fc.record({ start: fc.nat(99), lines: fc.array(line, { minLength: 1, maxLength: 6 }) });
  const file = fc.record({ hasFirstLine: fc.boolean(), hunks: fc.array(hunk, { minLength: 1, maxLength: 3 }) });
  return fc.array(file, { minLength: 1, maxLength: 3 });
};

const range = (start: number, count: number): string => (count === 1 ? `${start}` : `${start},${count}`);

/** Formats a hunk as git does. `isTrimmed`: an editor has removed the signs of empty lines. */
function formatHunk(hunk: Hunk, parents: number, isTrimmed: boolean): string[] {
  const { start, lines } = hunk;
  const isRemoved = ({ signs }: Line): boolean => signs.includes("-");
  const olds = Array.from({ length: parents }, (_, i) => {
    const count = lines.filter((line) => (isRemoved(line) ? line.signs[i] === "-" : line.signs[i] === " ")).length;
    return `-${range(1, count)}`;
  });
  const marks = "@".repeat(parents + 1);
  const header = `${marks} ${olds.join(" ")} +${range(start, lines.filter((line) => !isRemoved(line)).length)} ${marks}\n`;
  return [
    header,
    ...lines.map(({ signs, text, end }) => (isTrimmed && /^ *$/.test(signs + text) ? end : signs + text + end)),
  ];
}

/** Returns the locations of the added addresses, and the kinds of skipped items. */
function expectedResult(diff: readonly FileDiff[]): { readonly locations: string[]; readonly skipped: string[] } {
  const locations: string[] = [];
  const skipped: string[] = [];
  for (const [i, { hunks }] of diff.entries()) {
    let isBinary = false;
    for (const { start, lines } of hunks) {
      let number = start;
      for (const { signs, text } of lines) {
        if (signs.includes("+") && !isBinary && text.includes("\0")) {
          isBinary = true;
          skipped.push("binary");
        }
        if (signs.includes("+") && !isBinary)
          locations.push(...scanText(text).map((location) => `f${i}:${number}:${location.slice(2)}`));
        if (!signs.includes("-")) number += 1;
      }
    }
  }
  return { locations, skipped };
}

it.each([1, 2, 3])("addresses added by a diff of %i old files have their locations in the new file", (parents) => {
  fc.assert(
    fc.property(files(parents), fc.boolean(), fc.boolean(), fc.boolean(), (diff, isTrimmed, isTruncated, isCrlf) => {
      const parts = diff.flatMap(({ hasFirstLine, hunks }, i) => [
        // Git always begins a file of a combined diff with this line.
        ...(hasFirstLine || parents > 1 ? [`diff --git a/f${i} b/f${i}\n`] : []),
        `--- a/f${i}\n+++ b/f${i}\n`,
        ...hunks.flatMap((hunk) => formatHunk(hunk, parents, isTrimmed)),
      ]);
      const whole = diff.map((file) => ({ ...file, hunks: [...file.hunks] }));
      if (isTruncated) {
        parts.pop();
        const hunks = whole.at(-1)?.hunks as Hunk[];
        const last = hunks.pop() as Hunk;
        hunks.push({ ...last, lines: last.lines.slice(0, -1) });
      }
      const complete = diff.flatMap(({ hunks }) => hunks).slice(0, isTruncated ? -1 : undefined);
      const text = parts.join("");
      const skipped: string[] = [];
      const found = (): string[] => scanText(isCrlf ? text.replace(/\r?\n/g, "\r\n") : text, { diff: true, skipped });
      // A hunk without changes comes from a word diff.
      if (complete.some(({ lines }) => lines.every(({ signs }) => signs.trim() === "")))
        return void expect(found).toThrow("the input is not a unified diff");
      const expected = expectedResult(whole);
      expect(found()).toEqual(expected.locations);
      expect(skipped).toEqual([...expected.skipped, ...(isTruncated ? ["cut_off"] : [])]);
    }),
    { numRuns: sampleSize(2000) },
  );
});

const hunks = (text: string): string => `diff --git a/f b/f\n--- a/f\n+++ b/f\n${text}`;
const MAIL = `From ${"1".repeat(40)} Mon Sep 17 00:00:00 2001\nFrom: <a@example.org>\n\n`;
it.each<[string, string, string[], string[]]>([
  ["a removed header", hunks("@@ -1 +1,2 @@\n+x\n-References: <a@example.org>\n+ <b@example.org>\n"), ["f:2:3 b"], []],
  ["a header before a hunk", hunks("@@ -0,0 +1 @@\n+References:\n@@ -1,0 +2 @@\n+ <b@example.org>\n"), ["f:2:3 b"], []],
  ["a header before text", hunks("@@ -0,0 +1,3 @@\n+References:\n+ x\n+ b@example.org\n"), ["f:3:2 b"], []],
  [
    "a mail after a truncated one",
    `${MAIL}diff --git a/x b/x\n@@ -1 +1 @@\n${MAIL}`,
    ["(author):1:8 a", "(author):1:8 a"],
    ["cut_off"],
  ],
  [
    "a file after a binary one",
    "--- f\n+++ f\n@@ -0,0 +1 @@\n+\0\n--- g\n+++ g\n@@ -0,0 +1 @@\n+b@example.org\n",
    ["g:1:1 b"],
    ["binary"],
  ],
  ["an added line after the end of a hunk", hunks("@@ -0,0 +1 @@\n+x\n+z\n"), [], ["outside"]],
  [
    "a binary file after a deleted one",
    "diff --git a/x b/x\ndeleted file mode 100644\ndiff --git a/y b/y\nGIT binary patch\n",
    [],
    ["undiffed_binary"],
  ],
  [
    "a line outside of hunks after a binary patch",
    "diff --git a/x b/x\nGIT binary patch\nz@z\ndiff --git a/y b/y\nz@z\n",
    [],
    ["undiffed_binary", "outside"],
  ],
])("scanning a diff finds added addresses or warns: %s", (_, text, expected, expectedSkipped) => {
  const skipped: string[] = [];
  const found = scanText(text, { diff: true, skipped }).map((location) =>
    location.replace(`${"1".repeat(40)}:`, "").replace("@example.org", ""),
  );
  expect([found, skipped]).toEqual([expected, expectedSkipped]);
});

it.each([1, 5])(
  "scanning a combined diff finds all added addresses although its header has the wrong count %i",
  (count) => {
    const hunk = `@@@ -1,${count} -1,${count} +1,${count} @@@\n++a@example.org\n  same\n +b@example.org\n`;
    const commit = (hash: string): string => `commit ${hash}\nAuthor: J <j@example.org>\n\n    text\n\n`;
    const text = `${commit("abc1")}diff --cc f\n--- a/f\n+++ b/f\n${hunk}${hunk}\n${commit("abc2")}`;
    const added = ["f:1:1 a@example.org", "f:3:1 b@example.org"];
    const skipped: string[] = [];
    const found = scanText(text, { diff: true, skipped }).map((location) => location.replace(/^\w+:/, ""));
    expect(found.filter((location) => location.startsWith("f:"))).toEqual([...added, ...added]);
    expect([found.length, skipped]).toEqual([6, []]);
  },
);

it("the error for a diff line without a sign names its place", () => {
  const text = "commit 1234567\n\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n+b\nbroken\n";
  expect(() => scanText(text, { diff: true })).toThrow('not a unified diff near line 1 of "1234567:f": give');
});
