// Tests that no control sequence or bidirectional character of an address appears in a table, an error or JSON.

import { expect, it } from "vitest";
import { objectsOf, run } from "../helpers/run.ts";

// Characters that can move a cursor, ring a bell or reverse text, except the line feed that ends a row.
const DANGEROUS = /[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

const HOSTILE: Readonly<Record<string, string>> = {
  escape: "\x1b[31mred\x1b[0m",
  title: "\x1b]0;owned\x07",
  bell: "a\x07b",
  backspace: "a\b\b\bb",
  "carriage return": "a\rb",
  "C1 control": "a\u009b31mb",
  "bidirectional override": "a\u202eb",
  "bidirectional isolate": "a\u2066b\u2069",
  "right-to-left mark": "a\u200fb",
  "line separator": "a\u2028b",
  delete: "a\x7fb",
};
const NAMES = Object.keys(HOSTILE);
const EMBEDDINGS: readonly ((text: string) => string)[] = [
  (text) => `${text}@example.org`,
  (text) => `ada@${text}.org`,
  (text) => `"${text}"@example.org`,
  (text) => `ada+${text}@gmial.com`,
  (text) => text,
];
const ADDRESSES = NAMES.flatMap((name) => EMBEDDINGS.map((embed) => embed(HOSTILE[name] as string)));

function expectHarmless(bytes: Buffer): void {
  const text = bytes.toString();
  expect(text).not.toBe("");
  expect(DANGEROUS.exec(text)?.[0]).toBeUndefined();
}

it.each([
  ["ndjson", "--summary"],
  ["ndjson", "--explain"],
  ["json", "--explain"],
  ["table", "--summary"],
  ["table", "--explain"],
])("control and bidirectional characters in addresses are escaped: --format %s %s", async (format, option) => {
  const { stdout, stderr } = await run(["detect", "-f", format, option], { stdin: `${ADDRESSES.join("\n")}\n` });
  expectHarmless(stdout);
  expect(stderr.toString()).not.toMatch(DANGEROUS);
  expect(stderr.toString() !== "").toBe(option === "--summary");
});

it.each(["ndjson", "table"])("control characters in arguments are escaped with --format %s", async (format) => {
  const { stdout, stderr } = await run(["detect", "--format", format, ...ADDRESSES]);
  expectHarmless(stdout);
  expect(stderr.toString()).toBe("");
});

it("addresses with control and bidirectional characters are unchanged after parsing JSON", async () => {
  const { stdout } = await run(["detect", ...ADDRESSES]);
  expect(objectsOf(stdout).map(({ email }) => email)).toEqual(ADDRESSES);
});

// Every control and bidirectional character at once.
const ALL = Object.values(HOSTILE).join("");

it.each([
  ["an option", ["detect", `--${ALL}`]],
  ["an option's value", ["detect", "--format", ALL, "ada@example.org"]],
  ["a class", ["detect", "--select", ALL, "ada@example.org"]],
  ["a command", [ALL]],
  ["a command of a group", ["lists", ALL]],
  ["a file's name", ["detect", "--input", `/no/such/${ALL}`]],
  ["a summary's name", ["detect", "--summary-file", `/no/such/${ALL}`, "--reject", "valid", "ada@example.org"]],
  ["a domain", ["lists", "lookup", ALL]],
])("control and bidirectional characters in %s are escaped in the error message", async (_, args) => {
  const { status, stdout, stderr } = await run(args);
  expect({ status, out: stdout.length }).toEqual({ status: 2, out: 0 });
  expectHarmless(stderr);
  expect(stderr.toString()).toMatch(/^addrsift: [^\n]+\n$/);
});
