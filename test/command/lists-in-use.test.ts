// Tests that lists in the home replace the built-in ones for every command, and damaged ones do not.

import { chmodSync, copyFileSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { LISTS_PATH } from "../helpers/classify.ts";
import { compileOtherLists } from "../helpers/other-lists.ts";
import { expectOneLine, fileScratch, objectsOf, outputOf, run, runProcess, start } from "../helpers/run.ts";
import { canStrangerRun, isRoot, STRANGER } from "../helpers/stranger.ts";

const NEW = "new-throw-away.example.org";
const ADDRESS = `joe@${NEW}`;
const folder = fileScratch();
const intact = join(folder.path, "intact");
const truncated = join(folder.path, "truncated");
const corrupted = join(folder.path, "corrupted");
const foreign = join(folder.path, "foreign");

beforeAll(() => {
  const table = compileOtherLists("2030-01-01-test", NEW);
  // The header is intact, so only a lookup, or reading the whole file, detects the corruption.
  const corruptedTable = Uint8Array.from(table, (byte, i) => (i > 4096 ? byte ^ 1 : byte));
  const contents: [string, Uint8Array][] = [
    [intact, table],
    [truncated, table.subarray(0, table.length >> 1)],
    [corrupted, corruptedTable],
    [foreign, new TextEncoder().encode("gmail.com\n")],
  ];
  for (const [home, bytes] of contents) {
    mkdirSync(home);
    writeFileSync(join(home, "lists.bin"), bytes);
  }
});

it.each(["detect --offline a@gmail.com", "detect --offline --lines", "lists lookup gmail.com", "channels list --json"])(
  "addrsift %s warns if the folder of --home does not exist, but not if that of ADDRSIFT_HOME does not",
  async (call) => {
    const missing = join(folder.path, "missing");
    const warning = `addrsift: there is no folder ${missing}, so the home is empty: check --home\n`;
    const errors = async (more: string, env = {}): Promise<string> =>
      (await run(`${call}${more}`, { env, stdin: "a@gmail.com\n" })).stderr.toString();
    expect(await errors(` --home ${missing}`)).toBe(warning);
    expect(await errors(` --home ${missing} --quiet`)).toBe("");
    expect(await errors("", { ADDRSIFT_HOME: missing })).toBe("");
  },
);

it("detect, lists lookup, lists export and lists status use the lists in the home", async () => {
  const outputWithLists = (call: string, stdin = ""): Promise<string> =>
    outputOf(call, { stdin, env: { ADDRSIFT_HOME: intact } });
  const rows = (text: string): object[] => objectsOf(text);
  const data_version = "2030-01-01-test";
  expect(rows(await outputWithLists(`detect --offline ${ADDRESS}`))).toMatchObject([{ disposable: true }]);
  expect(rows(await outputOf(`detect --offline --home ${intact} ${ADDRESS}`))).toMatchObject([{ disposable: true }]);
  expect(rows(await outputWithLists("detect", `${ADDRESS}\n`))).toMatchObject([{ disposable: true }]);
  expect(rows(await outputWithLists(`detect --offline --explain ${ADDRESS}`))).toMatchObject([
    { explain: { data_version } },
  ]);
  expect((await run(`lists lookup --home ${intact} ${NEW}`)).stdout.toString()).toContain("disposable");
  expect((await outputWithLists("lists export --class disposable")).split("\n")).toContain(NEW);
  expect(JSON.parse(await outputWithLists("lists status --json"))).toMatchObject({ data_version, origin: "home" });
});

it("replacing the lists in the home does not affect a running detect or its summary", async () => {
  const home = join(folder.path, "replaced");
  const summary = join(folder.path, "replaced.json");
  mkdirSync(home);
  copyFileSync(join(intact, "lists.bin"), join(home, "lists.bin"));
  const child = start(["detect", "--home", home, "--summary-file", summary]);
  const output: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
  const ended = new Promise((resolve) => child.once("close", resolve));
  // After its first answer, the process has opened the lists.
  child.stdin?.write(`${ADDRESS}\n`);
  await expect.poll(() => output.length).toBeGreaterThan(0);
  copyFileSync(LISTS_PATH, join(home, "lists.new"));
  renameSync(join(home, "lists.new"), join(home, "lists.bin"));
  child.stdin?.end(`${ADDRESS}\n`.repeat(999));
  await ended;
  const counted = { data_version: "2030-01-01-test", rows: 1000, classes: { disposable: 1000 } };
  expect(JSON.parse(readFileSync(summary, "utf8"))).toMatchObject(counted);
  expect(objectsOf(Buffer.concat(output)).filter(({ disposable }) => disposable !== true)).toEqual([]);
});

it.each([
  ["truncated", truncated],
  ["corrupted", corrupted],
  ["another file", foreign],
])("if lists.bin in the home is %s, the built-in lists are used, with a warning", async (_, home) => {
  const result = await run(`detect --offline --home ${home} joe@mailinator.com ${ADDRESS}`);
  expect(result.status).toBe(0);
  expect(objectsOf(result.stdout).map(({ disposable }) => disposable)).toEqual([true, false]);
  expect(result.stderr.toString()).toMatch(/^addrsift: the lists in .*lists\.bin can't be used.*: .*\n$/);
  const bulk = await run(`detect --home ${home}`, { stdin: `${ADDRESS}\n` });
  expect(objectsOf(bulk.stdout)).toMatchObject([{ disposable: false }]);
  expect(bulk.stderr.toString()).toContain("can't be used");
  await outputOf(`detect --offline --quiet --home ${home} ${ADDRESS}`);
  const status = await run(`lists status --json --home ${home}`);
  const problem = expect.stringContaining("can't be used");
  expect(JSON.parse(status.stdout.toString())).toMatchObject({ origin: "built-in", problem });
  expect([status.status, status.stderr.toString()]).toEqual([2, expect.stringContaining("can't be used")]);
});

const STORE_CALLS = ["keys list", "serve --port 0"];
const DETECT = "detect --offline joe@mailinator.com";
const LISTS_CALLS = [DETECT, "detect --input -", "lists lookup mailinator.com"];

async function expectBuiltInLists(
  calls: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  warning: RegExp,
): Promise<void> {
  for (const call of calls) {
    const { status, stdout, stderr } = await runProcess(call, { stdin: "joe@mailinator.com\n", env, ...STRANGER });
    expect([call, status, stderr.toString()]).toEqual([call, 0, expect.stringMatching(warning)]);
    expect(stdout.toString()).toMatch(/"disposable":true|: disposable by /);
  }
}

describe.skipIf(!canStrangerRun)("an unreadable home", () => {
  const locked = join(folder.path, "locked");
  const file = join(folder.path, "file");
  const loop = join(folder.path, "circle");
  const long = join(folder.path, "x".repeat(300));
  beforeAll(() => {
    mkdirSync(locked, { mode: 0 });
    writeFileSync(file, "");
    symlinkSync(loop, loop);
    chmodSync(folder.path, 0o755);
  });

  it("if the home is unreadable, its overrides may be too, so commands that need them fail", async () => {
    const calls = [...LISTS_CALLS, `${DETECT} --quiet`, "lists overrides", "lists status --quiet"];
    for (const [home, why] of [
      [locked, "permission denied for it or a folder above it, "],
      [loop, "its symbolic links form a loop, "],
    ] as const)
      for (const env of [{ ADDRSIFT_HOME: home }, { XDG_DATA_HOME: undefined, HOME: home }]) {
        const results = await Promise.all(
          calls.map((call) => runProcess(call, { stdin: "joe@mailinator.com\n", env, ...STRANGER })),
        );
        const line = expect.stringMatching(new RegExp(`^addrsift: can't read \\S+overrides\\.tsv: ${why}.*\n$`, "m"));
        expect(results.map(({ status, stderr }) => [status, stderr.toString()])).toEqual(calls.map(() => [2, line]));
      }
  });

  it.each([
    ["is a file", file, "a part of its path is not a folder"],
    ["has too long a name", long, "its name is too long"],
  ])("if the home is unreadable, the warning gives the reason: it %s", async (_, home, why) => {
    const line = new RegExp(`^addrsift: can't read .*lists\\.bin, so the built-in lists are used: ${why}, .*\n$`);
    await expectBuiltInLists([DETECT], { ADDRSIFT_HOME: home }, line);
  });

  it("a default home that can't exist causes no warning", async () => {
    const absent = join(folder.path, "absent");
    for (const home of [file, long, absent]) await expectBuiltInLists([DETECT], { HOME: home }, /^$/);
    await expectBuiltInLists([DETECT], { ADDRSIFT_HOME: absent }, /^$/);
  });

  it.each([
    ["keys list", locked],
    ["keys list", file],
    ["serve --port 0", locked],
  ])("if the home is unreadable, %s fails with a one-line error", async (call, home) =>
    expectOneLine(await runProcess(`${call} --home ${home}`, STRANGER), /^addrsift: can't /),
  );

  // Only root can run a process as a user that does not exist.
  it.skipIf(!isRoot)("with no home folder, detect uses built-in lists, and keys list fails (needs root)", async () => {
    const unknown = { uid: 54_321, gid: 54_321, env: { HOME: undefined } };
    for (const call of LISTS_CALLS) {
      const { status, stderr } = await runProcess(call, { ...unknown, stdin: "joe@mailinator.com\n" });
      expect([call, status, stderr.toString()]).toEqual([call, 0, ""]);
    }
    const line = "addrsift: this user has no home folder: use --home DIR, or set ADDRSIFT_HOME or HOME\n";
    for (const call of STORE_CALLS) expectOneLine(await runProcess(call, unknown), line);
  });
});
