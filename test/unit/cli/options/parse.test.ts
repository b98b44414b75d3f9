// Tests the parser of command lines, and `detect` with only addresses, which does not need the parser.

import fc from "fast-check";
import { expect, it } from "vitest";
import { AddrsiftError } from "../../../../src/base/errors.ts";
import { COMMANDS } from "../../../../src/cli/options/commands.ts";
import { DETECT } from "../../../../src/cli/options/detect.ts";
import { parseCommandLine } from "../../../../src/cli/options/parse.ts";
import type { CommandSpec, OptionSpec } from "../../../../src/cli/options/table.ts";
import { type Arguments, checkArguments, GLOBAL_OPTIONS } from "../../../../src/cli/options/table.ts";
import { sampleSize } from "../../../helpers/sampling.ts";

type AnyArguments = Pick<Arguments, "command" | "positionals"> & { readonly options: object };

/** Returns everything that a command can read from its arguments. */
function valuesOf(args: AnyArguments): { readonly flags: readonly string[] } & Readonly<Record<string, unknown>> {
  const spec = COMMANDS.find(({ name }) => name === args.command) as CommandSpec;
  const table: readonly OptionSpec[] = [...spec.options, ...GLOBAL_OPTIONS];
  const values = args.options as Readonly<Record<string, unknown>>;
  return {
    command: args.command,
    positionals: [...args.positionals],
    flags: table.filter(({ name }) => values[name] === true).map(({ name }) => name),
    texts: Object.fromEntries(
      table.filter(({ value, list }) => value !== undefined && list !== true).map(({ name }) => [name, values[name]]),
    ),
    lists: Object.fromEntries(table.filter(({ list }) => list === true).map(({ name }) => [name, values[name]])),
  };
}

const parse = (argv: readonly string[]): Arguments => parseCommandLine(argv, { width: 80, write: () => {} });

interface Case {
  readonly argv: readonly string[];
  readonly positionals?: readonly string[];
  readonly flags?: readonly string[];
  readonly texts?: Readonly<Record<string, string | readonly string[]>>;
  readonly lists?: Readonly<Record<string, readonly string[]>>;
}

const DETECT_CALLS: readonly Case[] = [
  { argv: [] },
  { argv: ["ada@example.org"], positionals: ["ada@example.org"] },
  { argv: ["a@example.org", "b@example.org"], positionals: ["a@example.org", "b@example.org"] },
  { argv: [""], positionals: [""] },
  { argv: ["-"], positionals: ["-"] },
  { argv: [" a@example.org "], positionals: [" a@example.org "] },
  { argv: ["help"], positionals: ["help"] },
  { argv: ["detect", "lists"], positionals: ["detect", "lists"] },
  { argv: ["--", "--json"], positionals: ["--json"] },
  { argv: ["--", "-V", "--help", "--"], positionals: ["-V", "--help", "--"] },
  { argv: ["--json", "a", "--", "-b"], positionals: ["a", "-b"], flags: ["json"] },
  { argv: ["a", "--json", "b"], positionals: ["a", "b"], flags: ["json"] },
  { argv: ["--json", "--json"], flags: ["json"] },
  { argv: ["--input=in.txt"], texts: { input: ["in.txt"] } },
  { argv: ["--input="], texts: { input: [""] } },
  { argv: ["--input=--json"], texts: { input: ["--json"] } },
  { argv: ["--input=a=b"], texts: { input: ["a=b"] } },
  { argv: ["-i", "in.txt"], texts: { input: ["in.txt"] } },
  { argv: ["-iin.txt"], texts: { input: ["in.txt"] } },
  { argv: ["-i", "-"], texts: { input: ["-"] } },
  { argv: ["--input", "-"], texts: { input: ["-"] } },
  { argv: ["-f", "csv"], texts: { format: "csv" } },
  { argv: ["-fcsv"], texts: { format: "csv" } },
  { argv: ["--dns", "off", "--offline"], flags: ["offline"], texts: { dns: "off" } },
  { argv: ["--select", "relay,public"], lists: { select: ["relay", "public"] } },
  { argv: ["--select", "relay", "--select=public"], lists: { select: ["relay", "public"] } },
  { argv: ["--select", "relay, public "], lists: { select: ["relay", "public"] } },
  { argv: ["--no-color", "--quiet"], flags: ["quiet", "no-color"] },
  { argv: ["a", "--home", "/srv/addrsift"], positionals: ["a"], texts: { home: "/srv/addrsift" } },
];

it.each(DETECT_CALLS)("detect $argv is parsed as the option table declares", (expected) => {
  const values = valuesOf(parse(["detect", ...expected.argv]));
  expect(values).toMatchObject({
    command: "detect",
    positionals: expected.positionals ?? [],
    texts: { format: "auto", dns: "auto", "min-confidence": "single", ...expected.texts },
    lists: { select: [], reject: [], "fail-on": [], ...expected.lists },
  });
  expect(values.flags).toEqual(expected.flags ?? []);
});

it.each<OptionSpec>(DETECT.options)("detect reports the option $name as explicit", (option) => {
  const { name, value, choices, range, time, needs } = option;
  const text = choices?.[0] ?? String(range?.[1] ?? time?.max ?? "something");
  const words = [`--${name}`, ...(value === undefined ? [] : [text])];
  const neededOptions = needs === undefined ? [] : [`--${needs[0]}=${needs[1]}`];
  const { options, explicitOptions, positionals } = parse(["detect", ...words, ...neededOptions, "ada@example.org"]);
  expect([positionals, [...explicitOptions].sort()]).toEqual([
    ["ada@example.org"],
    [name, ...(needs ?? []).slice(0, 1)].sort(),
  ]);
  const parsed = (options as unknown as Readonly<Record<string, unknown>>)[name];
  expect([parsed].flat()).toEqual([value === undefined ? true : time ? 600_000 : (range?.[1] ?? text)]);
});

it("the fast path and the parser agree on a detect call with only addresses", () => {
  const words = fc.array(
    fc.string().filter((text) => !text.startsWith("-")),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(words, (addresses) => {
      expect(parse(["detect", ...addresses])).toEqual(checkArguments(DETECT, addresses, new Map()));
    }),
    { numRuns: sampleSize(300) },
  );
});

const REJECTED: readonly (readonly [string[], RegExp | string])[] = [
  [["-x"], /unknown option '-x'/],
  [["a", "-f"], "--format needs a value: write --format FORMAT"],
  [["--home"], "--home needs a value: write --home DIR"],
  [["--format="], /--format does not know ""/],
  [["-f=json"], /--format does not know "=json"/],
  [["--format", "CSV"], /--format does not know "CSV"/],
  [["--select", "relay,"], /--select does not know ""/],
  [["--fail-on", "valid", "--fail-on", "worse"], /--fail-on does not know "worse"/],
  [["--min-confidence", "sure"], /--min-confidence does not know "sure"/],
];

it.each(REJECTED)("detect %j is rejected with a reason", (rest, message) => {
  expect(() => parse(["detect", ...rest])).toThrow(AddrsiftError);
  expect(() => parse(["detect", ...rest])).toThrow(message);
});

const TOKENS = [
  ...["a@example.org", "-", "--", "", "json", "relay", "csv", "help", "--json", "--quiet", "--no-color", "--home"],
  ...["-i", "-iq", "--input", "--input=x", "-f", "-fcsv", "--format", "--format=json", "--select", "--select=relay"],
  ...["--reject", "--fail-on=invalid", "--no-quoted-local", "--summary", "--summary-file", "--dns=off", "-z", "--no-x"],
];

it("any command line is parsed or rejected with a usage error", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...TOKENS), { maxLength: 6 }), (rest) => {
      try {
        expect(parse(["detect", ...rest]).command).toBe("detect");
      } catch (error) {
        expect(error).toMatchObject({ code: "USAGE", message: expect.stringMatching(/^[^\n]+: [^\n]+$/) });
      }
    }),
    { numRuns: sampleSize(300) },
  );
});

it.each([
  [["lists", "export", "--class", "tld"], "lists export", [], { class: "tld" }],
  [["lists", "lookup", "duck.com"], "lists lookup", ["duck.com"], {}],
  [["lists", "lookup", "a", "b"], "lists lookup", ["a", "b"], {}],
  [["lists", "lookup", "--", "-duck.com"], "lists lookup", ["-duck.com"], {}],
  [["--home", "/x", "lists", "status"], "lists status", [], { home: "/x" }],
  [["lists", "--home=/x", "status"], "lists status", [], { home: "/x" }],
  [["--quiet", "detect", "a"], "detect", ["a"], {}],
])("the command line %j is parsed", (argv, command, positionals, texts) => {
  expect(valuesOf(parse(argv))).toMatchObject({ command, positionals, texts });
});

const timeout = (text: string): unknown =>
  (parse(["detect", `--dns-timeout=${text}`]).options as Readonly<Record<string, unknown>>)["dns-timeout"];

it.each([
  ["2000", 2000],
  ["2s", 2000],
  ["500ms", 500],
  ["1m", 60_000],
  ["10m", 600_000],
])("--dns-timeout %s is parsed as a time", (text, ms) => {
  expect(timeout(text)).toBe(ms);
  expect(parse(["lists", "diff", "--timeout", "90"]).options).toMatchObject({ timeout: 90_000 });
});

it.each(["", "0", "0s", "11m", "600001", "2h", "1.5s", "-1", "s", "2 s", "12345678"])(
  "--dns-timeout rejects %j as a time",
  (text) => {
    expect(() => timeout(text)).toThrow(
      `--dns-timeout can't be "${text}": give a time from 1ms to 10m, such as 500ms or 2s`,
    );
  },
);
