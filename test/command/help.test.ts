// Help and version: whatever the option table has is in the help.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { COMMANDS, GROUPS } from "../../src/cli/options/commands.ts";
import { GLOBAL_OPTIONS } from "../../src/cli/options/shared.ts";
import { run } from "../helpers/run.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

async function helpOf(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await run(args);
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
  // As one line: help breaks lines where it likes.
  return stdout.toString().replace(/\s+/g, " ");
}

describe.concurrent("help", () => {
  it.each(["--help", "-h", "help"])("%s shows every command and the global options", async (argument) => {
    const text = await helpOf(argument);
    expect(text).toMatch(/^Usage: addrsift /);
    for (const name of [...COMMANDS.map((command) => command.name.split(" ")[0]), ...Object.keys(GROUPS)]) {
      expect(text).toMatch(new RegExp(` ${name} `));
    }
    for (const { name, help } of GLOBAL_OPTIONS) {
      expect(text).toContain(`--${name}`);
      expect(text).toContain(help);
    }
    expect(text).toContain("-h, --help");
    expect(text).toContain("-V, --version");
  });

  it.each(COMMANDS)("of $name shows its options, their values and choices, and the examples", async (spec) => {
    const text = await helpOf(...spec.name.split(" "), "--help");
    expect(text).toContain(`Usage: addrsift ${spec.name} `);
    expect(text).toContain(spec.summary);
    for (const { name, short, value, choices, help } of spec.options) {
      const long = value === undefined ? `--${name} ` : `--${name} <${value}>`;
      expect(text).toContain(short === undefined ? long : `-${short}, ${long}`);
      expect(text).toContain(help.replace(/\s+/g, " "));
      for (const choice of choices ?? []) expect(text).toContain(choice);
    }
    for (const [line, what] of spec.examples) expect(text).toContain(`$ ${line} ${what}`);
  });

  it.each([
    [["help", "detect"], "Usage: addrsift detect "],
    [["help", "lists"], "Usage: addrsift lists "],
    [["lists", "--help"], "Usage: addrsift lists "],
    [["lists", "help", "lookup"], "Usage: addrsift lists lookup "],
    [["help", "lists", "lookup"], "Usage: addrsift lists lookup "],
    [["detect", "--json", "-h"], "Usage: addrsift detect "],
  ])("%j is help too", async (args, usage) => {
    expect(await helpOf(...args)).toContain(usage);
  });
});

describe.concurrent("help of a command that does not exist", () => {
  it.each([
    [["help", "detct"], /^addrsift: unknown command 'detct' \(Did you mean detect\?\): run "addrsift --help"/],
    [
      ["help", "lists", "lokup"],
      /^addrsift: unknown command 'lokup' \(Did you mean lookup\?\): run "addrsift lists --help"/,
    ],
  ])("%j suggests the nearest", async (args, line) => {
    const { status, stdout, stderr } = await run(args);
    expect({ status, stdout: stdout.toString() }).toEqual({ status: 2, stdout: "" });
    expect(stderr.toString()).toMatch(line);
  });
});

describe.concurrent("version", () => {
  it.each([[["-V"]], [["--version"]], [["detect", "-V"]]])("%j is the package's", async (args) => {
    const { status, stdout, stderr } = await run(args);
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
    expect(stdout.toString()).toBe(`${version}\n`);
  });
});
