// The two argument parsers: Node's own for a plain `detect`, commander for everything. One table runs through both, and they agree.

import * as util from "node:util";
import * as commander from "commander";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AddrsiftError } from "../../../../src/base/errors.ts";
import { type Arguments, quickArguments } from "../../../../src/cli/options/arguments.ts";
import { type Printer, programArguments } from "../../../../src/cli/options/commander.ts";
import { COMMANDS } from "../../../../src/cli/options/commands.ts";

import { GLOBAL_OPTIONS } from "../../../../src/cli/options/shared.ts";
import type { CommandSpec, OptionSpec } from "../../../../src/cli/options/types.ts";

type AnyArguments = Pick<Arguments, "command" | "positionals"> & { readonly options: object };

/** Everything that a command can ask of its arguments. */
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

const PRINTER: Printer = { width: 80, write: () => {}, version: () => "1.2.3" };
const loadUtil = (): typeof util => util;
const byProgram = (argv: readonly string[]): Arguments => programArguments(argv, commander, PRINTER);

interface Case {
  readonly argv: readonly string[];
  readonly positionals?: readonly string[];
  readonly flags?: readonly string[];
  readonly texts?: Readonly<Record<string, string | readonly string[]>>;
  readonly lists?: Readonly<Record<string, readonly string[]>>;
}

const READ_BY_BOTH: readonly Case[] = [
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
  { argv: ["--input", "in.txt"], texts: { input: ["in.txt"] } },
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
  { argv: ["--format", "csv", "--format", "tsv"], texts: { format: "tsv" } },
  { argv: ["-f", "csv", "--format=json"], texts: { format: "json" } },
  { argv: ["--format", "xml", "--format", "csv"], texts: { format: "csv" } },
  { argv: ["--dns", "off", "--offline"], flags: ["offline"], texts: { dns: "off" } },
  { argv: ["--min-confidence", "single"], texts: { "min-confidence": "single" } },
  { argv: ["--select", "relay"], lists: { select: ["relay"] } },
  { argv: ["--select", "relay,public"], lists: { select: ["relay", "public"] } },
  { argv: ["--select", "relay", "--select=public"], lists: { select: ["relay", "public"] } },
  { argv: ["--select", "relay, public "], lists: { select: ["relay", "public"] } },
  {
    argv: ["--reject", "blank", "--fail-on", "invalid,unknown"],
    lists: { reject: ["blank"], "fail-on": ["invalid", "unknown"] },
  },
  { argv: ["--no-quoted-local"], flags: ["no-quoted-local"] },
  { argv: ["--no-color", "--quiet"], flags: ["quiet", "no-color"] },
  { argv: ["a", "--home", "/srv/addrsift"], positionals: ["a"], texts: { home: "/srv/addrsift" } },
  { argv: ["--summary", "--summary-file", "s.json"], flags: ["summary"], texts: { "summary-file": "s.json" } },
];

describe("a plain detect", () => {
  it.each(READ_BY_BOTH)("$argv is read by both parsers alike", (expected) => {
    const argv = ["detect", ...expected.argv];
    const quick = quickArguments(argv, loadUtil);
    expect(quick).toBeDefined();
    const values = valuesOf(quick as Arguments);
    expect(values).toMatchObject({
      command: "detect",
      positionals: expected.positionals ?? [],
      texts: { format: "auto", dns: "auto", "min-confidence": "single", ...expected.texts },
      lists: { select: [], reject: [], "fail-on": [], ...expected.lists },
    });
    expect(values.flags).toEqual(expected.flags ?? []);
    expect(valuesOf(byProgram(argv))).toEqual(values);
  });

  it.each(COMMANDS.find(({ name }) => name === "detect")?.options ?? [])("--$name means the same to both", (option) => {
    const value = option.value === undefined ? [] : [option.choices?.[0] ?? "something"];
    const argv = ["detect", `--${option.name}`, ...value, "ada@example.org"];
    const quick = quickArguments(argv, loadUtil);
    expect(quick).toBeDefined();
    expect(valuesOf(byProgram(argv))).toEqual(valuesOf(quick as Arguments));
    const names = JSON.stringify(valuesOf(quick as Arguments));
    expect(names).toContain(`"${option.name}"`);
  });
});

const REFUSED: readonly (readonly [string[], RegExp])[] = [
  [["--nosuch"], /unknown option '--nosuch'/],
  [["-x"], /unknown option '-x'/],
  [["-a@example.org"], /unknown option/],
  [["--jso"], /unknown option '--jso'.*--json/],
  [["--quoted-local"], /unknown option '--quoted-local'/],
  [["--color"], /unknown option '--color'/],
  [["--json=1"], /--json/],
  [["--input"], /--input <FILE>.*missing/],
  [["a", "-f"], /--format <FORMAT>.*missing/],
  [["--format", "xml"], /--format does not know "xml".*ndjson/],
  [["--format="], /--format does not know ""/],
  [["-f=json"], /--format does not know "=json"/],
  [["--format", "CSV"], /--format does not know "CSV"/],
  [["--select", "relay,nosuch"], /--select does not know "nosuch".*subaddressed/],
  [["--select", "relay,"], /--select does not know ""/],
  [["--reject="], /--reject does not know ""/],
  [["--fail-on", "valid", "--fail-on", "worse"], /--fail-on does not know "worse"/],
  [["--dns", "maybe"], /--dns does not know "maybe"/],
  [["--min-confidence", "sure"], /--min-confidence does not know "sure"/],
];

describe("a wrong detect", () => {
  it.each(REFUSED)("%j is left to commander, which says why", (rest, message) => {
    const argv = ["detect", ...rest];
    expect(quickArguments(argv, loadUtil)).toBeUndefined();
    expect(() => byProgram(argv)).toThrow(AddrsiftError);
    expect(() => byProgram(argv)).toThrow(message);
  });
});

const TOKENS = [
  ...["a@example.org", "-", "--", "", "json", "relay", "csv", "help", "--json", "--quiet", "--no-color", "--home"],
  ...["-i", "-iq", "--input", "--input=x", "-f", "-fcsv", "--format", "--format=json", "--select", "--select=relay"],
  ...["--reject", "--fail-on=invalid", "--no-quoted-local", "--summary", "--summary-file", "--dns=off", "-z", "--no-x"],
];

describe("any detect", () => {
  it("any detect is read alike by both parsers, or only by commander", () => {
    let readByBoth = 0;
    const tokens = fc.array(fc.constantFrom(...TOKENS), { maxLength: 6 });
    fc.assert(
      fc.property(tokens, (rest) => {
        const argv = ["detect", ...rest];
        const quick = quickArguments(argv, loadUtil);
        if (quick === undefined) return;
        readByBoth += 1;
        expect(valuesOf(byProgram(argv))).toEqual(valuesOf(quick));
      }),
      { numRuns: 150 },
    );
    expect(readByBoth).toBeGreaterThan(20);
  });
});

describe("other commands", () => {
  it.each([
    [["lists", "export", "--class", "tld"], "lists export", [], { class: "tld" }],
    [["lists", "lookup", "duck.com"], "lists lookup", ["duck.com"], {}],
    [["lists", "lookup", "a", "b"], "lists lookup", ["a", "b"], {}],
    [["lists", "lookup", "--", "-duck.com"], "lists lookup", ["-duck.com"], {}],
    [["--home", "/x", "lists", "status"], "lists status", [], { home: "/x" }],
    [["lists", "--home=/x", "status"], "lists status", [], { home: "/x" }],
    [["--quiet", "detect", "a"], "detect", ["a"], {}],
  ])("other commands %j is commander's", (argv, command, positionals, texts) => {
    expect(quickArguments(argv, loadUtil)).toBeUndefined();
    expect(valuesOf(byProgram(argv))).toMatchObject({ command, positionals, texts });
  });

  it.each([
    [["nosuch"], /unknown command 'nosuch'/],
    [["lists", "nosuch"], /unknown command 'nosuch'/],
    [["lists", "export", "a"], /too many arguments/],
    [["lists", "export", "x"], /too many arguments/],
    [["lists", "status", "x"], /too many arguments/],
    [["lists", "export", "--class"], /--class <CLASS>.*missing/],
    [["lists", "export", "--class", "spam"], /--class does not know "spam".*disposable/],
    [["lists", "status", "--format", "csv"], /unknown option '--format'/],
  ])("other commands %j is refused", (argv, message) => {
    expect(() => byProgram(argv)).toThrow(AddrsiftError);
    expect(() => byProgram(argv)).toThrow(message);
  });
});
