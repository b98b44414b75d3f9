// Tests `addrsift engines`: it prints the files of src/engines, which request the fields that this version has. `npm
// run test:engines` tests the files in the engines.

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { VALID_DETECTION } from "../../src/detection/detection.ts";
import { FIELDS } from "../../src/detection/fields.ts";
import { ENGINE_NAMES, RECIPES } from "../../src/engines/recipes.ts";
import { isInstalled, prepareExamples, readProjectFile } from "../helpers/documents.ts";
import { expectRefused, fileScratch, outputOf, runProgram, runShell } from "../helpers/run.ts";

const NAMES = `syntax_validation normalized subaddressing role_address public_domain relay_domain relay_provider
  disposable detection_source`.split(/\s+/);
const folder = fileScratch();
const options = prepareExamples(folder);

const source = (name: keyof typeof RECIPES): string => readProjectFile(join("src/engines", RECIPES[name].file));

it.each(ENGINE_NAMES)("engines show %s prints the file for that engine", async (name) => {
  expect(await outputOf(["engines", "show", name])).toBe(source(name));
});

it("engines lists all engines with their descriptions", async () => {
  const text = await outputOf("engines");
  for (const name of ENGINE_NAMES) expect(text).toContain(`engines show ${name} > ${RECIPES[name].file}\n`);
  for (const { description } of Object.values(RECIPES)) expect(text).toContain(description);
});

it("engines show rejects an unknown name", async () => {
  const line = "addrsift: unknown engine 'hive': use python, spark-sql, clickhouse, postgresql or parallel\n";
  await expectRefused("engines show hive", line);
});

it.each(ENGINE_NAMES)("the engine file for %s begins with usage instructions", (name) => {
  expect(source(name).slice(0, 600)).toContain("Use: ");
});

it("addrsift.py reads boolean fields as booleans", () => {
  const flags = Object.entries(VALID_DETECTION.properties).filter(([, { type }]) => type === "boolean");
  const [, booleans = ""] = /^_BOOLEANS = \{([^}]*)\}/m.exec(source("python")) ?? [];
  expect(booleans.match(/\w+/g)).toEqual(flags.map(([name]) => name));
});

// Each file requests exactly the fields whose columns it declares, so a copy still works if a later version has more.
it.each([
  ["python", /^FIELDS = \(([^)]*)\)/gm, 1],
  ["spark-sql", /\bAS \(([^)]*)\)|--fields ([\w,]+)/g, 2],
  ["clickhouse", /'id UInt64([^']*)'|<return_type>Tuple(.*)<\/return_type>|--fields ([\w,]+)/g, 4],
  ["postgresql", /CREATE TABLE checked \(([^)]*)\)|--fields ([\w,]+)/g, 3],
] as const)("the engine file for %s requests the fields that it declares, in order", (name, pattern, count) => {
  const fieldLists = Array.from(source(name).matchAll(pattern), ([, ...groups]) => groups.join(""));
  expect(fieldLists).toHaveLength(count);
  for (const text of fieldLists) {
    const words = Array.from(text.matchAll(/\w+/g), ([word]) => word);
    expect(words.filter((word) => (FIELDS as readonly string[]).includes(word))).toEqual(NAMES);
  }
});

const lines = ENGINE_NAMES.filter((name) => name !== "python").flatMap((name) =>
  Array.from(
    source(name).matchAll(/addrsift (detect --quiet [^'<>\n\\]*?)(?= *(?:'|<|>|\\?\n| --input))/g),
    ([, line = ""]) => [name, line] as const,
  ),
);

it("every engine file except addrsift.py contains an addrsift detect command", () => {
  expect(new Set(lines.map(([name]) => name)).size).toBe(ENGINE_NAMES.length - 1);
});

it.each(lines)('engine file for %s: "addrsift %s" prints nothing for empty input', async (_, line) => {
  expect(await outputOf(line)).toBe("");
});

it.skipIf(!isInstalled("python3"))("addrsift.py compiles", async () => {
  const code = "import ast, sys; ast.parse(sys.stdin.read())";
  const { status, stderr } = await runProgram("python3", ["-c", code], { stdin: source("python") });
  expect([status, stderr.toString()]).toEqual([0, ""]);
});

it("postgresql.sql renames the output file only after COPY", () => {
  const programs = Array.from(source("postgresql").matchAll(/TO PROGRAM '([^']+)'/g), ([, program = ""]) => program);
  expect(programs).toEqual([
    expect.stringMatching(/^addrsift detect .* > \/srv\/checked\.tsv\.part$/),
    "cat > /dev/null; mv /srv/checked.tsv.part /srv/checked.tsv",
  ]);
  expect(source("postgresql")).toContain("\\set ON_ERROR_STOP on\n");
});

it("parallel.sh rejects a parallel command other than GNU parallel", async () => {
  // Prints the same error as the parallel of moreutils.
  folder.file("bin/parallel", "#!/bin/sh\necho \"parallel: invalid option -- '-'\" >&2\nexit 1\n");
  chmodSync(join(folder.path, "bin/parallel"), 0o755);
  const { status, stderr } = await runProgram("sh", [folder.file("parallel.sh", source("parallel"))], options);
  rmSync(join(folder.path, "bin/parallel"));
  expect([status, stderr.toString()]).toEqual([2, expect.stringMatching(/^parallel\.sh: parallel must be GNU .*\n$/)]);
  expect(existsSync(join(folder.path, "results.ndjson.part"))).toBe(false);
});

const hasGnuParallel = spawnSync("parallel", ["--version"], { encoding: "utf8" }).stdout?.startsWith("GNU parallel ");

// `npm run test:engines` also kills its processes, and runs it over several hosts.
it.skipIf(!hasGnuParallel).each(["C", "xx_XX.UTF-8"])(
  "under LC_ALL=%s, parallel.sh writes the same rows as a single detect process (needs GNU parallel)",
  async (locale) => {
    const results = join(folder.path, "results.ndjson");
    const { status } = await runShell(source("parallel"), { ...options, env: { ...options.env, LC_ALL: locale } });
    expect(status).toBe(0);
    const direct = await runShell("addrsift detect < addresses.txt", options);
    expect(readFileSync(results, "utf8")).toBe(direct.stdout.toString());
    expect(existsSync(`${results}.part`)).toBe(false);
  },
);
