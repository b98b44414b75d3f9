// Tests that a home's changed files are reloaded, and that after damage the previous lists stay in use.

import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ReloadingHome, type ReloadingHomeDeps } from "../../../src/home/lists.ts";
import { LISTS_PATH, lists } from "../../helpers/classify.ts";
import { scratch } from "../../helpers/run.ts";
import { compileSmallTable } from "../../helpers/small-table.ts";
import { asStranger } from "../../helpers/stranger.ts";

const files = scratch();
afterAll(files.remove);
const NOW = Date.parse("2026-11-22T12:00:00Z");
const EXPIRY = "2026-11-22T12:30:00Z";
let homes = 0;

interface TestHome {
  readonly home: ReloadingHome;
  readonly warnings: readonly string[];
  readonly path: (name: string) => string;
  readonly setTime: (nowMs: number) => void;
}

/** Creates and opens a home with these files. */
function openHome(contents: Readonly<Record<string, string>>, more: Partial<ReloadingHomeDeps> = {}): TestHome {
  homes += 1;
  const folder = join(files.path, `home${homes}`);
  mkdirSync(folder, { mode: 0o700 });
  for (const [name, text] of Object.entries(contents)) writeFileSync(join(folder, name), text);
  let nowMs = NOW;
  const warnings: string[] = [];
  const warn = (line: string): unknown => warnings.push(line);
  const deps = { openBuiltIn: () => lists, now: () => nowMs, warn, ...more };
  return {
    home: new ReloadingHome({ folder, isExplicit: true }, deps),
    warnings,
    path: (name) => join(folder, name),
    setTime: (time) => {
      nowMs = time;
    },
  };
}

const NOTHING = { lists: false, overrides: false };
const OVERRIDES = { lists: false, overrides: true };
const LISTS = { lists: true, overrides: false };

it("refresh() reloads overrides and drops expired ones", () => {
  const { home, warnings, path, setTime } = openHome({});
  expect([home.refresh(), home.overrides.size]).toEqual([NOTHING, 0]);
  writeFileSync(path("overrides.tsv"), `a.example\tdeny\t${EXPIRY}\nb.example\tdeny\n`);
  expect([home.refresh(), home.refresh()]).toEqual([OVERRIDES, NOTHING]);
  expect(home.overrides.get("a.example")?.disposable).toBe(true);
  setTime(Date.parse(EXPIRY));
  expect([home.refresh(), home.refresh()]).toEqual([OVERRIDES, NOTHING]);
  const entries = ["a.example", "b.example"].map((entry) => home.overrides.get(entry)?.disposable);
  expect(entries).toEqual([undefined, true]);
  rmSync(path("overrides.tsv"));
  expect([home.refresh(), home.overrides.size, warnings]).toEqual([OVERRIDES, 0, []]);
});

it("refresh() keeps the previous overrides while the file is damaged, and still expires them", () => {
  const { home, warnings, path, setTime } = openHome({
    "overrides.tsv": `a.example\tdeny\t${EXPIRY}\nb.example\tdeny\n`,
  });
  writeFileSync(path("overrides.tsv"), "a.example\tdeny\nb.example\n");
  expect([home.refresh(), home.refresh(), home.damaged["overrides.tsv"]]).toEqual([NOTHING, NOTHING, true]);
  expect(warnings).toEqual([
    expect.stringMatching(/^the overrides read before stay in force: .*overrides\.tsv:2: there is no tab/),
  ]);
  expect(home.overrides.get("a.example")?.disposable).toBe(true);
  setTime(NOW + 3_600_000);
  expect([home.refresh(), home.overrides.get("a.example"), home.refresh()]).toEqual([OVERRIDES, undefined, NOTHING]);
  writeFileSync(path("overrides.tsv"), "c.example\tdeny\n");
  expect([home.refresh(), home.damaged["overrides.tsv"], home.overrides.size]).toEqual([OVERRIDES, false, 1]);
  expect(warnings).toHaveLength(1);
});

it("refresh() reads an unreadable overrides file again after its permissions are corrected", async () => {
  const { home, path } = openHome({});
  for (const folder of [files.path, path("")]) chmodSync(folder, 0o755);
  const refreshed = (): Promise<unknown[]> => asStranger(async () => [home.refresh(), home.damaged["overrides.tsv"]]);
  writeFileSync(path("overrides.tsv"), "a.example\tdeny\n", { mode: 0 });
  expect(await refreshed()).toEqual([NOTHING, true]);
  chmodSync(path("overrides.tsv"), 0o644);
  expect(await refreshed()).toEqual([OVERRIDES, false]);
});

it("refresh() keeps the previous overrides while their file is a dangling link", () => {
  const { home, warnings, path } = openHome({ "overrides.tsv": "a.example\tdeny\n" });
  rmSync(path("overrides.tsv"));
  symlinkSync("gone.tsv", path("overrides.tsv"));
  expect([home.refresh(), home.refresh(), home.overrides.size]).toEqual([NOTHING, NOTHING, 1]);
  expect(warnings).toEqual([expect.stringMatching(/stay in force: .*overrides\.tsv is a dangling symbolic link/)]);
  unlinkSync(path("overrides.tsv"));
  expect([home.refresh(), home.overrides.size]).toEqual([OVERRIDES, 0]);
});

it("ReloadingHome warns about a dangling link in place of lists.bin", () => {
  const folder = join(files.path, "dangling");
  mkdirSync(folder);
  symlinkSync("gone.bin", join(folder, "lists.bin"));
  const warnings: string[] = [];
  const deps = { openBuiltIn: () => lists, now: () => NOW, warn: (line: string) => warnings.push(line) };
  new ReloadingHome({ folder, isExplicit: false }, deps);
  expect(warnings).toEqual([expect.stringMatching(/^can't read .*lists\.bin, so the built-in lists are used: /)]);
});

it("ReloadingHome ignores public suffixes among the overrides, and warns once", () => {
  const { home, warnings, path, setTime } = openHome({ "overrides.tsv": `com\tdeny\na.example\tdeny\t${EXPIRY}\n` });
  const warning = (line: number) => expect.stringContaining(`overrides.tsv:${line}: "com" is a public suffix`);
  expect([home.overrides.size, warnings]).toEqual([1, [warning(1)]]);
  setTime(Date.parse(EXPIRY));
  expect([home.refresh(), home.overrides.get("com")]).toEqual([OVERRIDES, undefined]);
  writeFileSync(path("overrides.tsv"), "# ours\ncom\tdeny\n");
  expect([home.refresh(), home.overrides.size, warnings]).toEqual([OVERRIDES, 0, [warning(1), warning(2)]]);
});

it("ReloadingHome rejects a damaged overrides file at start", () => {
  expect(() => openHome({ "overrides.tsv": "a.example\n" })).toThrow(/overrides\.tsv:1: /);
});

const version = ({ home }: TestHome): string => home.lists.meta.dataVersion;
const otherLists = files.file("other.bin", compileSmallTable({ dataVersion: "2030-01-01-test" }));

it("refresh() reloads the home's lists when they appear or vanish, and keeps them while the file is damaged", () => {
  const opened = openHome({});
  const { home, warnings, path } = opened;
  expect([home.refresh(), version(opened)]).toEqual([NOTHING, lists.meta.dataVersion]);
  copyFileSync(otherLists, path("lists.bin"));
  expect([home.refresh(), home.refresh(), version(opened)]).toEqual([LISTS, NOTHING, "2030-01-01-test"]);
  writeFileSync(path("lists.bin"), "damaged");
  expect([home.refresh(), home.refresh(), version(opened)]).toEqual([NOTHING, NOTHING, "2030-01-01-test"]);
  expect(warnings).toEqual([
    expect.stringMatching(/lists\.bin can't be used \([^)]+\), so the previous lists stay in use: /),
  ]);
  rmSync(path("lists.bin"));
  expect([home.refresh(), version(opened), warnings.length]).toEqual([LISTS, lists.meta.dataVersion, 1]);
});

it("ReloadingHome starts with the built-in lists if the home's are damaged", () => {
  const opened = openHome({ "lists.bin": "damaged" });
  expect(version(opened)).toBe(lists.meta.dataVersion);
  expect(opened.warnings).toEqual([expect.stringMatching(/so the built-in lists are used: /)]);
});

it("refresh() reloads the lists if an identical file replaces them", () => {
  const opened = openHome({});
  copyFileSync(LISTS_PATH, opened.path("lists.bin"));
  opened.home.refresh();
  copyFileSync(LISTS_PATH, opened.path("lists.new"));
  renameSync(opened.path("lists.new"), opened.path("lists.bin"));
  expect(opened.home.refresh()).toEqual(LISTS);
});

it("refresh() keeps the lists in use if new ones are not accepted, or if none can be read", () => {
  const rejecting = openHome({}, { accepts: () => false });
  copyFileSync(otherLists, rejecting.path("lists.bin"));
  expect([rejecting.home.refresh(), version(rejecting)]).toEqual([NOTHING, lists.meta.dataVersion]);
  let isMissing = false;
  const openBuiltIn = (): typeof lists => {
    if (isMissing) throw new Error("no package");
    return lists;
  };
  const opened = openHome({}, { openBuiltIn });
  isMissing = true;
  writeFileSync(opened.path("lists.bin"), "damaged");
  expect([opened.home.refresh(), version(opened)]).toEqual([NOTHING, lists.meta.dataVersion]);
  expect(opened.warnings).toEqual(["can't read any lists, so the previous lists stay in use: no package"]);
});
