// Tests that each input row has one output row, even if it is blank, malformed, huge or unterminated.

import fc from "fast-check";
import { expect, it } from "vitest";
import { expectRefused, objectsOf, run } from "../../helpers/run.ts";
import { sampleSize } from "../../helpers/sampling.ts";

const LF = 0x0a;

/** Splits an input into lines. After a last line break, there is no empty line. */
function linesIn(input: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let lf = input.indexOf(LF); lf >= 0; lf = input.indexOf(LF, start)) {
    lines.push(input.subarray(start, lf));
    start = lf + 1;
  }
  return start < input.length ? [...lines, input.subarray(start)] : lines;
}

/**
 * Returns a line as the field `email` has it: its first 64 KiB, trimmed of ASCII white space, with U+FFFD for invalid
 * bytes, at most 1,024 characters.
 */
function emailField(line: Buffer): string {
  const trimmed = line
    .subarray(0, 65_536)
    .toString("latin1")
    .replace(/^[\t-\r ]+|[\t-\r ]+$/g, "");
  const characters = Array.from(new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.from(trimmed, "latin1")));
  return characters.length > 1024 ? `${characters.slice(0, 1024).join("")}…` : characters.join("");
}

const SHORT: readonly (string | Buffer)[] = [
  ...["ada@example.org", "ada@mailinator.com", "", " ", "\t", "\r", "\0", "@", '"', ",", "é", "漢", "😀", "\u202e"],
  ...[Buffer.from([0xff]), Buffer.from([0xc3]), Buffer.from([0xf0, 0x9f]), "x".repeat(1024)],
];
const LONG: readonly string[] = [
  ...["a".repeat(70_000), " ".repeat(70_000), "漢".repeat(1030), `${"b".repeat(65_529)}@c.org`],
];

const snippet = fc
  .oneof({ weight: 19, arbitrary: fc.constantFrom(...SHORT) }, { weight: 1, arbitrary: fc.constantFrom(...LONG) })
  .map((piece) => Buffer.from(piece));
const line = fc.array(snippet, { maxLength: 3 }).map((pieces) => Buffer.concat(pieces));
const ending = fc.constantFrom("\n", "\n", "\r\n", "\r\r\n").map((text) => Buffer.from(text));
const input = fc
  .tuple(fc.array(fc.tuple(line, ending).map(Buffer.concat), { minLength: 20, maxLength: 80, size: "max" }), line)
  .map(([lines, last]) => Buffer.concat([...lines, last]))
  // Excludes inputs that start like UTF-16 or UTF-32, or with a byte-order mark: these are converted or rejected.
  .filter((bytes) => ![0xff, 0xfe, 0xef].includes(bytes[0] ?? 0) && !bytes.subarray(0, 8).includes(0));

it("detect prints one output row for each of many random input lines", async () => {
  await fc.assert(
    fc.asyncProperty(input, async (bytes) => {
      const [objects, plain] = await Promise.all([
        run(["detect"], { stdin: bytes }),
        run(["detect", "--format", "plain"], { stdin: bytes }),
      ]);
      expect([objects.status, plain.status]).toEqual([0, 0]);
      expect(objectsOf(objects.stdout).map(({ email }) => email)).toEqual(linesIn(bytes).map(emailField));
      const expected = bytes.length === 0 || bytes.at(-1) === LF ? bytes : Buffer.concat([bytes, Buffer.from("\n")]);
      expect(plain.stdout.equals(expected)).toBe(true);
    }),
    { numRuns: sampleSize(25) },
  );
});

it("lines that end in CR only are read as one invalid row, with a note", async () => {
  for (const count of [2, 10_000]) {
    const { status, stdout, stderr } = await run("detect", { stdin: "ada@example.org\r".repeat(count) });
    expect([status, objectsOf(stdout)]).toMatchObject([0, [{ syntax_validation: false }]]);
    expect(stderr.toString()).toContain(
      "1 row with CR inside, treated as invalid: if lines end in CR only, convert the input with tr '\\r' '\\n' (row 1)",
    );
  }
  expect((await run("detect", { stdin: "ada@example.org\r\n\r\n" })).stderr.toString()).toBe("");
});

it("lines of white space are blank", async () => {
  const stdin = "\n \n\t\n\r\n\v\f \n";
  const { stdout } = await run(["detect", "--reject", "blank"], { stdin });
  expect(stdout.toString()).toBe("");
});

it.each([
  ["lines", [], "ada@duck.com\n", "ada@duck.com"],
  ["with a format", ["--format", "plain"], "ada@duck.com\n", "ada@duck.com"],
  ["CSV", ["--csv"], "email\nada@duck.com\n", "ada@duck.com,true"],
] as const)("- as an argument reads standard input: %s", async (_, options, stdin, wanted) => {
  const [dash, none] = await Promise.all([
    run(["detect", ...options, "-"], { stdin }),
    run(["detect", ...options], { stdin }),
  ]);
  expect(dash).toEqual(none);
  expect(dash.status).toBe(0);
  expect(dash.stdout.toString()).toContain(wanted);
});

it.each(["- ada@duck.com", "- -", "- --input x"])("- must be the only input: detect %s", async (args) =>
  expectRefused(`detect ${args}`, /^addrsift: - means standard input: /, { stdin: "ada@duck.com\n" }),
);
