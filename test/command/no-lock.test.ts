// Tests a package without the native locks: flock locks instead, and without flock nothing is written.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { withLock } from "../../src/durable/lock.ts";
import { copyPackage } from "../helpers/package-copy.mjs";
import { fileScratch, type RunResult, run, runShell } from "../helpers/run.ts";

const files = fileScratch();
const home = join(files.path, "home");
beforeAll(() => {
  copyPackage(files.path);
  rmSync(join(files.path, "dist/lock"), { recursive: true });
});

const runWithoutNativeLocks = (command: string, path = process.env["PATH"]): Promise<RunResult> =>
  runShell(`'${process.execPath}' bin/addrsift.cjs ${command} --home '${home}'`, {
    cwd: files.path,
    env: { PATH: path ?? "" },
  });

// A path with a shell and nothing else.
const shellOnly = join(files.path, "shell");
mkdirSync(shellOnly);
symlinkSync("/bin/sh", join(shellOnly, "sh"));

const hasFlock = spawnSync("flock", ["--version"]).status === 0;

it("without native locks and flock, keys can be listed, and changes to keys and channels fail with a one-line error", async () => {
  const created = await run(["keys", "create", "--name", "a", "--scopes", "emails:detect", "--json", "--home", home]);
  const { id } = JSON.parse(created.stdout.toString()) as { id: string };
  const before = readFileSync(join(home, "store.json"));
  const list = await runWithoutNativeLocks("keys list --json", shellOnly);
  expect(JSON.parse(list.stdout.toString())).toMatchObject([{ id }]);
  for (const command of [`keys revoke ${id}`, "channels create --name a --type email"]) {
    const { status, stdout, stderr } = await runWithoutNativeLocks(command, shellOnly);
    expect({ status, stdout: stdout.toString() }).toEqual({ status: 2, stdout: "" });
    expect(stderr.toString()).toMatch(
      /^addrsift: this system \([^)]+\) has no file lock [^\n]+: install the command flock [^\n]+\n$/,
    );
  }
  expect(readFileSync(join(home, "store.json")).equals(before)).toBe(true);
  expect(existsSync(join(home, "store.json.new"))).toBe(false);
});

it.skipIf(!hasFlock)(
  "processes with and without native locks share a store without lost updates (needs flock)",
  async () => {
    const create = (name: string): string => `keys create --name ${name} --scopes emails:detect`;
    expect((await runWithoutNativeLocks(create("first"))).status).toBe(0);
    expect(readFileSync(join(home, "store.json.lock"), "utf8")).toBe("flock\n");
    const names = Array.from({ length: 6 }, (_, i) => `k${i}`);
    const results = await Promise.all(
      names.map((name, i) =>
        i % 2 === 0 ? runWithoutNativeLocks(create(name)) : run([...create(name).split(" "), "--home", home]),
      ),
    );
    for (const { status, stderr } of results)
      expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
    const { stdout } = await run(["keys", "list", "--json", "--home", home]);
    const storedNames = (JSON.parse(stdout.toString()) as { name: string }[]).map(({ name }) => name);
    expect(storedNames).toEqual(expect.arrayContaining(["first", ...names]));
    expect(readFileSync(join(home, "store.json.lock"), "utf8")).toBe("flock\n");
  },
);

it.skipIf(!hasFlock)(
  "without native locks, a process waits until another releases the lock (needs flock)",
  async () => {
    const path = join(files.path, "held.lock");
    writeFileSync(path, "flock\n");
    const holder = spawn("sh", ["-c", `exec 3>>'${path}'; flock -x 3; echo held; exec sleep 60`]);
    await once(holder.stdout, "data");
    await expect(withLock(path, async () => {}, 300)).rejects.toThrow(
      /^another process has held \S+held\.lock for 0\.3 seconds/,
    );
    const result = withLock(path, async () => "locked");
    holder.kill("SIGKILL");
    expect(await result).toBe("locked");
  },
);
