// Tests `addrsift keys`: a new key is printed once, lists don't contain it, and errors are one line.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SCOPES } from "../../src/keys/scopes.ts";
import { COMMAND, expectRefused, outputOf, run, runProcess, runProgram, scratch } from "../helpers/run.ts";

let files: ReturnType<typeof scratch>;
let home: string;
beforeEach(() => {
  files = scratch();
  home = join(files.path, "home");
});
afterEach(() => files.remove());

/** Runs `addrsift keys` successfully, and returns its output. */
const keys = (line: string): Promise<string> => outputOf(`keys ${line}`, { env: { ADDRSIFT_HOME: home } });
const expectKeysRefused = (line: string, message: string | RegExp): Promise<void> =>
  expectRefused(`keys ${line}`, message, { env: { ADDRSIFT_HOME: home } });

const CREATE = "create --name ci --scopes emails:detect";
const createKey = async (more = "", create = CREATE) => JSON.parse(await keys(`${create} --json${more}`));
const listKeys = async (more = "") => JSON.parse(await keys(`list --json${more}`));

it("keys create prints only the key, and stores only its digest", async () => {
  const key = await keys(`${CREATE},notifications:read`);
  expect(key).toMatch(/^adsf_[0-9A-Za-z]{49}\n$/);
  expect(readFileSync(join(home, "store.json"), "utf8")).not.toContain(key.slice(5, 30));
  expect(statSync(join(home, "store.json")).mode & 0o777).toBe(0o600);
});

it("keys create --json prints the key and its record", async () => {
  const created = await createKey(" --team ops --expires 2100-01-01");
  expect(created).toEqual({
    id: expect.stringMatching(/^key_[0-9A-Za-z]{16}$/),
    name: "ci",
    team: "ops",
    scopes: ["emails:detect"],
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    expires_at: "2100-01-01T00:00:00.000Z",
    key: expect.stringMatching(/^adsf_/),
  });
  const { key: _, ...record } = created;
  expect(await listKeys()).toEqual([record]);
});

it.each([
  ["all", SCOPES],
  ["emails:detect,all", SCOPES],
  ["emails:detect --scopes notifications:test", ["emails:detect", "notifications:test"]],
])("keys create accepts --scopes %s", async (list, scopes) => {
  expect(JSON.parse(await keys(`create --name a --json --scopes ${list}`))).toMatchObject({ scopes });
});

it.each([
  ["create --scopes emails:detect", /^addrsift: --name is missing: /],
  ["create --name a", /^addrsift: --scopes is missing: add --scopes LIST, from emails:detect, /],
  [`${CREATE} --expires 2020-01-01`, /^addrsift: --expires is in the past: /],
  [`${CREATE} --team a/b`, /^addrsift: --team is not a team name: /],
  [`${CREATE} extra`, /^addrsift: keys create takes no arguments, not 1: /],
  ["revoke key_00000000", /^addrsift: there is no key key_00000000: see addrsift keys list\n$/],
  ["revoke \u001b[31m", /^addrsift: there is no key \\u\{1b\}\[31m: /],
  ["revoke", /^addrsift: ID is missing: /],
])("keys rejects the arguments %j", expectKeysRefused);

it("keys list prints a table without colors or keys if standard output is not a terminal", async () => {
  const { key, id } = await createKey("", CREATE.replace("ci", "ci\ufeff"));
  const text = await keys("list");
  const row = `${id} +ci\\\\u\\{feff\\} +default +emails:detect +active +\\S+ \\S+ +never +never`;
  const table = new RegExp(
    `^ID +NAME +TEAM +SCOPES +STATE +CREATED \\(UTC\\) +EXPIRES \\(UTC\\) +LAST USED \\(UTC\\)\n${row}\n$`,
  );
  expect(text).toMatch(table);
  expect(text).not.toContain(key.slice(5, 30));
  expect(await keys("list --json")).toContain('"name":"ci\\ufeff"');
});

it("keys list has a line for each scope", async () => {
  await createKey(" --scopes notifications:read");
  expect(await keys("list")).toMatch(/ emails:detect +active .*\n +notifications:read\n$/);
});

it("keys list --team shows only that team's keys", async () => {
  const { id } = await createKey(" --team ops");
  await createKey();
  expect(await listKeys(" --team ops")).toMatchObject([{ id }]);
  expect(await listKeys(" --team none")).toEqual([]);
});

it("keys list without keys prints nothing and creates no home", async () => {
  expect(await keys("list")).toBe("");
  expect(() => statSync(home)).toThrow(/ENOENT/);
  expect(await listKeys()).toEqual([]);
});

it("the error of keys revoke with a key's name instead of its id has the id", async () => {
  const { id } = await createKey("", CREATE.replace("ci", "web3"));
  const message = `addrsift: there is no key web3: the key of that name is ${id}\n`;
  await expectKeysRefused("revoke web3", new RegExp(`^${message}$`));
});

it("keys revoke confirms that a key is revoked, and prints it with --json", async () => {
  const { id } = await createKey();
  expect(await keys(`revoke ${id}`)).toBe(`${id} (ci) is revoked\n`);
  const [key] = await listKeys();
  expect(JSON.parse(await keys(`revoke ${id} --json`))).toMatchObject({ id, revoked_at: key.revoked_at });
  expect(await keys("list")).toMatch(/ revoked /);
});

it("keys revoke accepts the key itself, and never prints it", async () => {
  const { key, id } = await createKey();
  const revoked = await keys(`revoke ${key} --json`);
  expect(JSON.parse(revoked)).toMatchObject({ id, revoked_at: expect.any(String) });
  expect(revoked).not.toContain(key);
  for (const mistake of [`${key}x`, `Bearer:${key}`])
    await expectKeysRefused(`revoke ${mistake}`, /^addrsift: there is no such key: see addrsift keys list\n$/);
});

const hasStore = (folder: string): boolean => existsSync(join(files.path, folder, "store.json"));
const SHARE = "user/.local/share/addrsift";
it.each<[string, string, Record<string, string>, string]>([
  ["--home", " --home flag", { ADDRSIFT_HOME: "/nowhere", XDG_DATA_HOME: "/nowhere" }, "flag"],
  ["ADDRSIFT_HOME", "", { ADDRSIFT_HOME: "own", XDG_DATA_HOME: "/nowhere" }, "own"],
  ["XDG_DATA_HOME", "", { ADDRSIFT_HOME: "", XDG_DATA_HOME: "$PWD/xdg" }, "xdg/addrsift"],
  ["HOME if XDG_DATA_HOME is relative", "", { XDG_DATA_HOME: "xdg", HOME: "$PWD/user" }, SHARE],
  ["HOME", "", { HOME: "$PWD/user" }, SHARE],
])("the home is set by %s", async (_, option, settings, folder) => {
  const values = Object.entries(settings).map(([name, value]) => [name, value.replace("$PWD", files.path)]);
  const input = { cwd: files.path, env: Object.fromEntries(values) };
  const { status, stderr } = await runProcess(`keys ${CREATE}${option}`, input);
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
  expect(hasStore(folder)).toBe(true);
});

it("an empty or unusable --home fails with a one-line error", async () => {
  await expectRefused("keys list --home ", /^addrsift: --home is empty: give a folder\n$/);
  const path = files.file("plain", "x");
  await expectRefused(`keys list --home ${path}`, /can't read [^\n]+: a part of its path is not a folder, /);
  await expectRefused(`keys ${CREATE} --home ${path}/home`, "a part of its path is not a folder, use another home");
});

// Node's own recursive mkdir never returns there.
it.skipIf(spawnSync("unshare", ["-rm", "true"]).status !== 0)(
  "root is told that another home than that of addrsift.service is used",
  async () => {
    const command = `mount -t tmpfs none /var/lib && mkdir /var/lib/addrsift && "$0" "$1" keys list`;
    const env = { HOME: files.path };
    const { status, stderr } = await runProgram("unshare", ["-rm", "sh", "-c", command, process.execPath, COMMAND], {
      env,
    });
    expect([status, stderr.toString()]).toEqual([
      0,
      expect.stringMatching(
        /^addrsift: this uses the home .*; for the daemon with the home \/var\/lib\/addrsift, run addrsift-service /,
      ),
    ]);
  },
);

it.skipIf(!existsSync("/proc/self"))("keys create rejects a home under /proc in one line", () =>
  expectRefused(`keys ${CREATE} --home /proc/none/home`, /^addrsift: can't use \/proc\/none\/home: /),
);

it("keys create creates the home and missing parent folders", async () => {
  await outputOf(`keys ${CREATE} --home ${files.path}/a/b/c`);
  expect(hasStore("a/b/c")).toBe(true);
});

it("keys list warns about a damaged store if there is a backup, and otherwise fails with a one-line error", async () => {
  await createKey();
  await createKey();
  files.file("home/store.json", "{");
  const result = await run(`keys list --json --home ${home}`);
  expect(JSON.parse(result.stdout.toString())).toHaveLength(1);
  expect(result.stderr.toString()).toMatch(/^addrsift: \S+store\.json is damaged [^\n]+\n$/);
  files.file("home/store.json.previous", "{");
  const line = /^addrsift: \S+store\.json is damaged \([^\n]+\), and there is no good previous copy: /;
  await expectKeysRefused("list", line);
});
