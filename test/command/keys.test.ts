// `addrsift keys`: only the key printed, and once; listings without it, errors in one line.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SCOPES } from "../../src/keys/scopes.ts";
import { linesOf, type RunResult, run, runProcess, runShell, scratch } from "../helpers/run.ts";

let files: ReturnType<typeof scratch>;
let home: string;
beforeEach(() => {
  files = scratch();
  home = join(files.path, "home");
});
afterEach(() => files.remove());

const keys = (...args: string[]): Promise<RunResult> => run(["keys", ...args], { env: { ADDRSIFT_HOME: home } });

interface Listed {
  readonly id: string;
  readonly revoked_at?: string;
}

async function created(...args: string[]): Promise<Listed & { readonly key: string }> {
  const { status, stdout, stderr } = await keys(
    "create",
    "--name",
    "ci",
    "--scopes",
    "emails:detect",
    "--json",
    ...args,
  );
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout.toString());
}

async function listed(...args: string[]): Promise<Listed[]> {
  const { status, stdout } = await keys("list", "--json", ...args);
  expect(status).toBe(0);
  return JSON.parse(stdout.toString());
}

describe("keys create", () => {
  it("keys create prints only the key, and keeps only its digest", async () => {
    const { status, stdout, stderr } = await keys(
      "create",
      "--name",
      "ci",
      "--scopes",
      "emails:detect,notifications:read",
    );
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
    expect(stdout.toString()).toMatch(/^adsf_[0-9A-Za-z]{49}\n$/);
    expect(readFileSync(join(home, "store.json"), "utf8")).not.toContain(stdout.toString().slice(5, 30));
    expect(statSync(join(home, "store.json")).mode & 0o777).toBe(0o600);
  });

  it("as JSON is the key and what is kept of it", async () => {
    const made = await created("--team", "ops", "--expires", "2100-01-01");
    expect(made).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Za-z]{16}$/),
      name: "ci",
      team: "ops",
      scopes: ["emails:detect"],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      expires_at: "2100-01-01T00:00:00.000Z",
      key: expect.stringMatching(/^adsf_/),
    });
    const { key: _, ...kept } = made;
    expect(await listed()).toEqual([kept]);
  });

  it("takes all for every scope, beside others too", async () => {
    const arguments_ = ["keys", "create", "--name", "a", "--json", "--scopes"];
    for (const scopes of ["all", "emails:detect,all"]) {
      const { status, stdout } = await run(["--home", home, ...arguments_, scopes]);
      expect([status, JSON.parse(stdout.toString()).scopes]).toEqual([0, SCOPES]);
    }
  });

  it("takes --scopes more than once", async () => {
    expect(await created("--scopes", "notifications:test,notifications:read")).toMatchObject({
      scopes: ["emails:detect", "notifications:read", "notifications:test"],
    });
  });

  it.each([
    [["--scopes", "emails:detect"], /^addrsift: --name is missing: /],
    [["--name", "", "--scopes", "emails:detect"], /^addrsift: --name is blank or too long: /],
    [["--name", "a"], /^addrsift: --scopes is missing: use emails:detect, /],
    [["--name", "a", "--scopes", "none"], /^addrsift: --scopes does not know "none": choose from .*, all/],
    [["--name", "a", "--scopes", "emails:detect", "--expires", "soon"], /^addrsift: --expires is not a time: /],
    [["--name", "a", "--scopes", "emails:detect", "--expires", "2020-01-01"], /^addrsift: --expires is in the past: /],
    [["--name", "a", "--scopes", "emails:detect", "--team", "a b"], /^addrsift: --team is not a team name: /],
    [["--name", "a", "--scopes", "emails:detect", "extra"], /^addrsift: too many arguments/],
  ])("keys create refuses %j", async (args, line) => {
    const { status, stdout, stderr } = await keys("create", ...args);
    expect({ status, stdout: stdout.toString() }).toEqual({ status: 2, stdout: "" });
    expect(stderr.toString()).toMatch(line);
    expect(linesOf(stderr)).toHaveLength(1);
  });
});

describe("keys list", () => {
  it("keys list is a table without colours, sequences or keys when standard output is not a terminal", async () => {
    const { key, id } = await created("--name", "ci \ufeff");
    const { stdout } = await keys("list");
    expect(linesOf(stdout)).toEqual([
      expect.stringMatching(/^ID +NAME +TEAM +SCOPES +STATE +CREATED +EXPIRES +LAST USED$/),
      expect.stringMatching(
        new RegExp(`^${id} +ci \\\\u\\{feff\\} +default +emails:detect +active +\\S+ \\S+ +never +never$`),
      ),
    ]);
    expect(stdout.toString()).not.toContain(key.slice(5, 30));
    expect((await keys("list", "--json")).stdout.toString()).toContain('"name":"ci \\ufeff"');
  });

  it("has a line for each scope", async () => {
    await created("--scopes", "notifications:read");
    const { stdout } = await keys("list");
    expect(stdout.toString()).toMatch(/ emails:detect +active .*\n +notifications:read\n$/);
  });

  it("keys list of a team shows only that team's", async () => {
    const { id } = await created("--team", "ops");
    await created();
    expect((await listed("--team", "ops")).map((key) => key.id)).toEqual([id]);
    expect(await listed("--team", "none")).toEqual([]);
  });

  it("without any says nothing and makes nothing", async () => {
    const { status, stdout, stderr } = await keys("list");
    expect({ status, stdout: stdout.toString(), stderr: stderr.toString() }).toEqual({
      status: 0,
      stdout: "",
      stderr: "",
    });
    expect(() => statSync(home)).toThrow(/ENOENT/);
    expect(await listed()).toEqual([]);
  });
});

describe("keys revoke", () => {
  it("ends a key, and says so as JSON", async () => {
    const { id } = await created();
    const quiet = await keys("revoke", id);
    expect({ ...quiet, stdout: quiet.stdout.toString(), stderr: quiet.stderr.toString() }).toEqual({
      status: 0,
      stdout: "",
      stderr: "",
    });
    const again = await keys("revoke", id, "--json");
    expect(JSON.parse(again.stdout.toString())).toMatchObject({ id, revoked_at: (await listed())[0]?.revoked_at });
    expect((await keys("list")).stdout.toString()).toMatch(/ revoked /);
  });

  it.each([
    [
      ["key_0000000000000000"],
      /^addrsift: there is no key key_0000000000000000: take an id from addrsift keys list\n$/,
    ],
    [["\u001b[31m"], /^addrsift: there is no key \\u\{1b\}\[31m: /],
    [[], /^addrsift: missing required argument/],
  ])("refuses %j in one line", async (args, line) => {
    const { status, stderr } = await keys("revoke", ...args);
    expect(status).toBe(2);
    expect(stderr.toString()).toMatch(line);
  });
});

describe("the home", () => {
  const made = (folder: string): boolean => {
    try {
      return statSync(join(files.path, folder, "store.json")).isFile();
    } catch {
      return false;
    }
  };
  it.each<[string, string[], Record<string, string>, string]>([
    ["--home", ["--home", "flag"], { ADDRSIFT_HOME: "/nowhere", XDG_DATA_HOME: "/nowhere" }, "flag"],
    ["ADDRSIFT_HOME", [], { ADDRSIFT_HOME: "own", XDG_DATA_HOME: "/nowhere" }, "own"],
    ["XDG_DATA_HOME", [], { ADDRSIFT_HOME: "", XDG_DATA_HOME: "$PWD/xdg" }, "xdg/addrsift"],
    [
      "a relative XDG_DATA_HOME, which does not count",
      [],
      { XDG_DATA_HOME: "xdg", HOME: "$PWD/user" },
      "user/.local/share/addrsift",
    ],
    ["HOME", [], { HOME: "$PWD/user" }, "user/.local/share/addrsift"],
  ])("the home is that of %s", async (_, args, settings, folder) => {
    const env = Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [name, value.replace("$PWD", files.path)]),
    );
    const call = ["keys", "create", "--name", "a", "--scopes", "emails:detect", ...args];
    const { status, stderr } = await runProcess(call, { cwd: files.path, env });
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
    expect(made(folder)).toBe(true);
  });

  it("may be before the command", async () => {
    await run(["--home", home, "keys", "create", "--name", "a", "--scopes", "emails:detect"]);
    expect(made("home")).toBe(true);
  });

  it("empty or unusable is one line", async () => {
    const empty = await run(["keys", "list", "--home", ""]);
    expect(empty.stderr.toString()).toBe("addrsift: --home is empty: give a folder\n");
    const odd = await run(["keys", "list", "--home", files.file("plain", "x")]);
    expect(odd.status).toBe(2);
    expect(odd.stderr.toString()).toMatch(
      /^addrsift: can't read [^\n]+: a part of its path is not a folder, [^\n]+\n$/,
    );
  });
});

describe("a damaged store", () => {
  it("a damaged store is a warning when there is a previous copy, and one line with 2 when there is none", async () => {
    await created();
    await created();
    files.file("home/store.json", "{");
    const warned = await keys("list", "--json");
    expect(JSON.parse(warned.stdout.toString())).toHaveLength(1);
    expect(warned.stderr.toString()).toMatch(/^addrsift: \S+store\.json is damaged [^\n]+\n$/);
    files.file("home/store.json.previous", "{");
    const broken = await keys("list");
    expect({ status: broken.status, stdout: broken.stdout.length }).toEqual({ status: 2, stdout: 0 });
    expect(broken.stderr.toString()).toMatch(
      /^addrsift: \S+store\.json is damaged \([^\n]+\), and there is no good previous copy: [^\n]+\n$/,
    );
  });
});

describe("a reader that closes", () => {
  it("a reader that closes is not a failure", async () => {
    for (let i = 0; i < 3; i++) await created();
    const { stdout, stderr } = await runShell("(addrsift keys list; echo $? >&2) | true", {
      env: { ADDRSIFT_HOME: home },
    });
    expect({ stdout: stdout.toString(), stderr: stderr.toString() }).toEqual({ stdout: "", stderr: "0\n" });
  });
});
