// Tests escaped addresses in text: cases from repositories, and generated ones.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { sampleSize } from "../../../helpers/sampling.ts";
import { scanText } from "../../../helpers/scan-text.ts";

const findAddresses = (text: string): string[] => scanText(text).map((location) => location.replace(/^\S+ /, ""));
const LINES = readFileSync(join(import.meta.dirname, "escaped-lines.txt"), "utf8")
  .split("\n")
  .filter((line) => / →/.test(line) && !line.startsWith("# "))
  .map((line) => line.split(/ → ?/) as [string, string]);

it.each(LINES)("the addresses that --scan finds in %s are: %s", (line, expected) => {
  expect(findAddresses(line).join(" ")).toBe(expected);
});

it("--scan reports an escaped address at the location of its escaped text", () => {
  expect(scanText("ä jane%40example.org\n<p>o&#39;dowd&#64;example.org</p>\n\n'o''neil@example.org'")).toEqual([
    "1:3 jane@example.org",
    "2:4 o'dowd@example.org",
    "4:2 o'neil@example.org",
  ]);
});

it("entries of --allow-file match the decoded form of escaped addresses", () => {
  const skipped: string[] = [];
  const allowed = ["o'dowd@example.org", "@team.example"];
  const text = "o&#39;dowd@example.org dowd@example.org jane%40team%2Eexample jane%40ateam.example\n";
  expect(scanText(text, { allowed, skipped })).toEqual(["1:24 dowd@example.org", "1:63 jane@ateam.example"]);
  expect(skipped).toEqual(["allow_file", "allow_file"]);
});

it("--scan skips and counts an address with a soft line break of quoted-printable mail inside", () => {
  const start = `${"x".repeat(60)} `;
  const skipped: string[] = [];
  const find = (text: string): string[] => scanText(text, { skipped }).map((location) => location.replace(/^\S+ /, ""));
  expect(find(`${start}jane@amd.exam=\nple.com\n`)).toEqual([]);
  expect(find(`${start}jane=40amd.exam=\nple.com\n`)).toEqual([]);
  expect(find(`${start}ja=\nne@example.com joe@example.com\n`)).toEqual(["joe@example.com"]);
  expect(find(`${start}ja=\r\nne@example.com\r\n`)).toEqual([]);
  expect(skipped).toEqual(["split", "split", "split", "split"]);
});

it.each([
  `${"=".repeat(70)}\n`,
  `${"x".repeat(64)} =\n`,
  `${"QUJD".repeat(18)}QQ==\n`,
  `${"x".repeat(100)}=\n`,
  "key=\n",
])("--scan finds an address after a line that ends in = without a soft line break: %j", (line) =>
  expect(findAddresses(`${line}jane@example.org=\n`)).toEqual(["jane@example.org"]),
);

const hex = (char: string, digits: number): string => char.charCodeAt(0).toString(16).padStart(digits, "0");
const percent = (char: string): string => `%${hex(char, 2)}`;
const octet = (char: string): string => `=${hex(char, 2).toUpperCase()}`;
const names: Readonly<Record<string, string>> = { "@": "&commat;", ".": "&period;", _: "&lowbar;", "'": "&apos;" };
/** For each context: functions that escape a character, and pairs of text before and after an address. */
const CONTEXTS = {
  url: [
    [percent, (char: string) => percent(char).toUpperCase()],
    ["?to= &x", "%3C %3E", "mailto: ?subject=x", "%22 %22", "/ /", "%20 %0D%0A", "a%3D %26", "%3A %2C"],
  ],
  html: [
    [
      (char: string) => `&#${char.charCodeAt(0)};`,
      (char: string) => `&#0${char.charCodeAt(0)};`,
      (char: string) => `&#x${hex(char, 2)};`,
      (char: string) => names[char] ?? char,
    ],
    ["<td> </td>", "&lt; &gt;", "&nbsp; &nbsp;", '" "', "&quot; &quot;", "mailto: ?", "; ;", "&#40; &#41;"],
  ],
  string: [
    [
      (char: string) => `\\u${hex(char, 4)}`,
      (char: string) => `\\x${hex(char, 2)}`,
      (char: string) => `\\u{${hex(char, 2)}}`,
      (char: string) => `\\\\u${hex(char, 4)}`,
    ],
    ['" "', "' '", "\\u003c \\u003e", "\\n \\n", "\\x22 \\x22", '\\" \\"', "\\t \\r\\n"],
  ],
  mail: [[octet], ["ENCODING=QUOTED-PRINTABLE: ;", "=?utf-8?Q?=3C =3E?=", "QUOTED-PRINTABLE:=20 =20"]],
  sql: [[(char: string) => (char === "'" ? "''" : char)], ["VALUES(1,' ',2)", "=' '", "(' ')"]],
  quotes: [[(char: string) => (char === "'" ? "\\'" : char)], ["[' ']", '" "', "=> ' ',"]],
} as const;
const word = fc.stringMatching(/^[a-z][a-z\d]{0,7}$/);
const local = fc.tuple(word, fc.constantFrom("", ".", "_", "+", "-", "'"), word).map(([first, sign, last]) =>
  // An apostrophe belongs to a name only between letters.
  sign === "'" ? `${first}x'y${last}` : `${first}${sign}${last}`,
);
const address = fc
  .tuple(local, fc.array(word, { minLength: 1, maxLength: 3 }))
  .map(([name, labels]) => `${name}@${labels.map((label) => `d${label}`).join(".")}.example`);

it.each(Object.entries(CONTEXTS))("--scan finds any escaped address in full, in %s", (_, [escapes, around]) => {
  fc.assert(
    fc.property(
      address,
      fc.constantFrom(...around),
      fc.infiniteStream(fc.tuple(fc.boolean(), fc.constantFrom<(char: string) => string>(...escapes))),
      fc.integer({ min: 1, max: 40 }),
      (original, pair, choices, size) => {
        const written = Array.from(original, (char) => {
          const [isEscaped, escapeChar] = choices.next().value as [boolean, (char: string) => string];
          // An unescaped apostrophe may end the string.
          return isEscaped || char === "'" ? escapeChar(char) : char;
        }).join("");
        const [before, after] = pair.split(" ");
        const text = `${before}${written}${after}\n`;
        expect(scanText(text)).toEqual([`1:${1 + (before as string).length} ${original}`]);
        expect(scanText(text, { chunks: [size] })).toEqual(scanText(text));
      },
    ),
    { numRuns: sampleSize(20_000) },
  );
});
