// Tests help and version: the help contains everything in the option table.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { COMMANDS, GROUPS } from "../../src/cli/options/commands.ts";
import type { OptionSpec } from "../../src/cli/options/table.ts";
import { BUILT_IN_OPTIONS, GLOBAL_OPTIONS } from "../../src/cli/options/table.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { compileOtherLists } from "../helpers/other-lists.ts";
import { copyPackage } from "../helpers/package-copy.mjs";
import { outputOf, run, scratch } from "../helpers/run.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

/** Joins wrapped lines, and restores the examples to single lines. */
function asOneLine(text: string): string {
  return text.replaceAll(" \\\n", " ").replace(/\s+/g, " ");
}

/** Returns the titles of the sections, in order. */
function titlesOf(text: string): string[] {
  return Array.from(text.matchAll(/^(\w+):$/gm), ([, title = ""]) => title);
}

/** Returns the section with a title; empty if there is none. */
function sectionOf(text: string, title: string): string {
  return text.split("\n\n").find((section) => section.startsWith(`${title}:\n`)) ?? "";
}

it.each(["--help", "-h", "help"])("%s shows every command and the global options", async (argument) => {
  const text = asOneLine(await outputOf(argument));
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

it.each(COMMANDS)("help of $name shows its options, their values and choices, and the examples", async (spec) => {
  const help = await outputOf(`${spec.name} --help`);
  const text = asOneLine(help);
  expect(text).toContain(`Usage: addrsift ${spec.name} `);
  expect(text).toContain(spec.summary.slice(1));
  const options: readonly OptionSpec[] = [...spec.options, ...GLOBAL_OPTIONS, ...BUILT_IN_OPTIONS];
  for (const { name, short, value, choices, help: meaning } of options) {
    const long = value === undefined ? `--${name} ` : `--${name} <${value}>`;
    expect(text).toContain(short === undefined ? long : `-${short}, ${long}`);
    expect(text).toContain(meaning.replace(/\s+/g, " "));
    for (const choice of choices ?? []) expect(text).toContain(choice);
  }
  for (const [line, what] of Object.entries(spec.examples)) expect(text).toContain(`$ ${line} ${what}`);
  expect(help).toMatch(/^(?:.{0,80}\n)+$/);
});

it.each([...Object.keys(GROUPS), ""])("help of '%s' fits in 80 columns", async (name) => {
  expect(await outputOf(`${name} --help`.trim())).toMatch(/^(?:.{0,80}\n)+$/);
});

it("help fits in a narrow terminal", async () => {
  const { stdout } = await runInProcess(["detect", "--help"], { columns: 60 });
  const lines = stdout.toString().split("\n");
  expect(lines.filter((line) => line.length > 60)).toEqual([]);
});

it("detect -h shows the most used options in one screen, and refers to --help", async () => {
  const text = await outputOf("detect -h");
  const lines = text.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  const fullHelp = await outputOf("detect --help");
  const flags = Array.from(text.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm), ([, flag = ""]) => flag);
  expect(flags).toHaveLength(15);
  for (const flag of flags) expect(fullHelp).toContain(`${flag} `);
  expect(lines.at(-1)).toBe("All options, and examples: addrsift detect --help");
  expect(asOneLine(fullHelp)).toContain("-h, --help print help; -h prints only the main options");
});

it("-h equals --help for a command with few options", async () => {
  const text = await outputOf("lists lookup -h");
  expect(text).toBe(await outputOf("lists lookup --help"));
  expect(text).toMatch(/^ {2}-h, --help +print help$/m);
});

it("detect --help shows options in groups, global options last", async () => {
  const text = await outputOf("detect --help");
  const groups = ["Input", "Output", "Filter", "DNS", "Lists", "Syntax", "Bulk", "Notify", "Global", "Examples"];
  expect(titlesOf(text)).toEqual(groups);
  expect(sectionOf(text, "Input")).toContain("--csv ");
  expect(sectionOf(text, "Syntax")).toContain("--ascii-only ");
});

it("detect --help lists the row classes once, in the group Filter", async () => {
  const text = await outputOf("detect --help");
  const list = "valid, invalid, blank, disposable";
  expect(text.split(list)).toHaveLength(2);
  expect(sectionOf(text, "Filter")).toContain(list);
});

it.each([
  ["", "--help"],
  ["--home /nowhere", "--help"],
  ["lists", "lists --help"],
  ["--home /nowhere lists", "help lists"],
  ["help detect", "detect --help"],
  ["lists help lookup", "lists lookup --help"],
  ["help lists lookup", "lists lookup --help"],
  ["detect --json -h", "detect -h"],
])('"%s" prints the same help as "%s"', async (call, other) => {
  expect(await outputOf(call.split(" ").filter(Boolean))).toBe(await outputOf(other));
});

describe.concurrent("version", () => {
  const folder = scratch();
  afterAll(folder.remove);
  const node = process.versions.node;

  it.each(["-V", "--version", "detect -V"])(
    "%s prints the versions of the package, its lists and Node",
    async (call) => {
      const { data_version, age_days } = JSON.parse(await outputOf("lists status --json"));
      const age = `${age_days.toLocaleString("en-US")} ${age_days === 1 ? "day" : "days"} ago`;
      expect(await outputOf(call)).toBe(`addrsift ${version}, lists ${data_version} (built ${age}), Node ${node}\n`);
    },
  );

  it("--version prints the version of the home's lists if they are in use", async () => {
    const home = join(folder.path, "home");
    mkdirSync(home);
    writeFileSync(join(home, "lists.bin"), compileOtherLists("2020-01-01-other", "other.example"));
    const line = /^addrsift \S+, lists 2020-01-01-other \(built [\d,]+ days? ago\), Node \S+\n$/;
    const env = { ADDRSIFT_HOME: home };
    expect((await run(["--version"], { env })).stdout.toString()).toMatch(line);
    for (const args of [
      ["--home", home, "--version"],
      ["--version", "--home", home],
    ]) {
      expect((await run(args, { env: { ADDRSIFT_HOME: folder.path } })).stdout.toString()).toMatch(line);
    }
    expect((await run(["--version"])).stdout.toString()).not.toMatch(line);
  });

  it("--version works if the lists can't be read", async () => {
    const root = join(folder.path, "copy");
    const command = copyPackage(root);
    rmSync(join(root, "dist/lists.bin"));
    const { status, stdout, stderr } = spawnSync(process.execPath, [command, "--version"], { encoding: "utf8" });
    expect([status, stdout, stderr]).toEqual([0, `addrsift ${version}, Node ${node}\n`, ""]);
  });
});
