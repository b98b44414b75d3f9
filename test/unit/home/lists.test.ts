// Tests a home that a process follows: changes are loaded, and after damage the previous lists stay in use.

import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ReloadingHome, type ReloadingHomeDeps } from "../../../src/home/lists.ts";
import { LISTS_PATH, lists } from "../../helpers/classify.ts";
import { scratch } from "../../helpers/run.ts";
import { compileSmallTable } from "../../helpers/small-table.ts";

const files = scratch();
afterAll(files.remove);
const NOW = Date.parse("2026-11-22T12:00:00Z");
const EXPIRY = "2026-11-22T12:30:00Z";
let homes = 0;

interface Followed {
  readonly followed: ReloadingHome;
  readonly warnings: readonly string[];
  readonly path: (name: string) => string;
  readonly at: (nowMs: number) => void;
}

/** Follows a new home with these files. */
function follow(given: Readonly<Record<string, string>>, more: Partial<ReloadingHomeDeps> = {}): Followed {
  homes += 1;
  const folder = join(files.path, `home${homes}`);
  mkdirSync(folder, { mode: 0o700 });
  for (const [name, text] of Object.entries(given)) writeFileSync(join(folder, name), text);
  let nowMs = NOW;
  const warnings: string[] = [];
  const warn = (line: string): unknown => warnings.push(line);
  const ports = { builtIn: () => lists, now: () => nowMs, warn, ...more };
  return {
    followed: new ReloadingHome({ folder, isExplicit: true }, ports),
    warnings,
    path: (name) => join(folder, name),
    at: (time) => {
      nowMs = time;
    },
  };
}

const NOTHING = { lists: false, overrides: false };
const OVERRIDES = { lists: false, overrides: true };
const LISTS = { lists: true, overrides: false };

describe("reloaded overrides", () => {
  it("reloads overrides and drops expired ones", () => {
    const { followed, warnings, path, at } = follow({});
    expect([followed.refresh(), followed.overrides.size]).toEqual([NOTHING, 0]);
    writeFileSync(path("overrides.tsv"), `a.example\tdeny\t${EXPIRY}\nb.example\tdeny\n`);
    expect([followed.refresh(), followed.refresh()]).toEqual([OVERRIDES, NOTHING]);
    expect(followed.overrides.get("a.example")?.disposable).toBe(true);
    at(Date.parse(EXPIRY));
    expect([followed.refresh(), followed.refresh()]).toEqual([OVERRIDES, NOTHING]);
    const entries = ["a.example", "b.example"].map((entry) => followed.overrides.get(entry)?.disposable);
    expect(entries).toEqual([undefined, true]);
    rmSync(path("overrides.tsv"));
    expect([followed.refresh(), followed.overrides.size, warnings]).toEqual([OVERRIDES, 0, []]);
  });

  it("keeps the previous overrides while the file is damaged, and still expires them", () => {
    const { followed, warnings, path, at } = follow({
      "overrides.tsv": `a.example\tdeny\t${EXPIRY}\nb.example\tdeny\n`,
    });
    writeFileSync(path("overrides.tsv"), "a.example\tdeny\nb.example\n");
    expect([followed.refresh(), followed.refresh(), followed.areOverridesDamaged]).toEqual([NOTHING, NOTHING, true]);
    expect(warnings).toEqual([
      expect.stringMatching(/^the overrides read before stay in force: .*overrides\.tsv:2: there is no tab/),
    ]);
    expect(followed.overrides.get("a.example")?.disposable).toBe(true);
    at(NOW + 3_600_000);
    expect([followed.refresh(), followed.overrides.get("a.example"), followed.refresh()]).toEqual([
      OVERRIDES,
      undefined,
      NOTHING,
    ]);
    writeFileSync(path("overrides.tsv"), "c.example\tdeny\n");
    expect([followed.refresh(), followed.areOverridesDamaged, followed.overrides.size]).toEqual([OVERRIDES, false, 1]);
    expect(warnings).toHaveLength(1);
  });

  it("rejects a damaged overrides file at start", () => {
    expect(() => follow({ "overrides.tsv": "a.example\n" })).toThrow(/overrides\.tsv:1: /);
  });
});

describe("reloaded lists", () => {
  const version = ({ followed }: Followed): string => followed.lists.meta.dataVersion;
  const other = files.file("other.bin", compileSmallTable({ dataVersion: "2030-01-01-test" }));

  it("reloads the home's lists when they appear or vanish, and keeps them while the file is damaged", () => {
    const home = follow({});
    const { followed, warnings, path } = home;
    expect([followed.refresh(), version(home)]).toEqual([NOTHING, lists.meta.dataVersion]);
    copyFileSync(other, path("lists.bin"));
    expect([followed.refresh(), followed.refresh(), version(home)]).toEqual([LISTS, NOTHING, "2030-01-01-test"]);
    writeFileSync(path("lists.bin"), "damaged");
    expect([followed.refresh(), followed.refresh(), version(home)]).toEqual([NOTHING, NOTHING, "2030-01-01-test"]);
    expect(warnings).toEqual([expect.stringMatching(/lists\.bin can't be used, so the previous lists stay in use: /)]);
    rmSync(path("lists.bin"));
    expect([followed.refresh(), version(home), warnings.length]).toEqual([LISTS, lists.meta.dataVersion, 1]);
  });

  it("starts with the built-in lists if the home's are damaged", () => {
    const home = follow({ "lists.bin": "damaged" });
    expect(version(home)).toBe(lists.meta.dataVersion);
    expect(home.warnings).toEqual([expect.stringMatching(/so the built-in lists are used: /)]);
  });

  it("reloads lists that are replaced by a copy", () => {
    const home = follow({});
    copyFileSync(LISTS_PATH, home.path("lists.bin"));
    home.followed.refresh();
    copyFileSync(LISTS_PATH, home.path("lists.new"));
    renameSync(home.path("lists.new"), home.path("lists.bin"));
    expect(home.followed.refresh()).toEqual(LISTS);
  });

  it("keeps the lists in use if new ones are not accepted, or if none can be read", () => {
    const refused = follow({}, { accepts: () => false });
    copyFileSync(other, refused.path("lists.bin"));
    expect([refused.followed.refresh(), version(refused)]).toEqual([NOTHING, lists.meta.dataVersion]);
    let gone = false;
    const builtIn = (): typeof lists => {
      if (gone) throw new Error("no package");
      return lists;
    };
    const home = follow({}, { builtIn });
    gone = true;
    writeFileSync(home.path("lists.bin"), "damaged");
    expect([home.followed.refresh(), version(home)]).toEqual([NOTHING, lists.meta.dataVersion]);
    expect(home.warnings).toEqual(["can't read any lists, so the previous lists stay in use: no package"]);
  });
});
