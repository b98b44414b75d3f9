// `addrsift lists rollback`, and updates after it. Damaged or foreign files are skipped or refused, never waited for.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Mirror, startMirror } from "../helpers/mirror.ts";
import { startReceiver } from "../helpers/receiver.ts";
import { type ProcessInput, type RunResult, run as runAny, runProgram, scratch } from "../helpers/run.ts";
import { type SmallPackage, smallPackage } from "../helpers/small-package.ts";
import { isRoot, STRANGER } from "../helpers/stranger.ts";

// Several updates in turn, each of which waits for the disk.
const LIMIT = { timeout: 120_000 };
const folder = scratch();
let small: SmallPackage;
let mirror: Mirror;
let homes = 0;
beforeAll(async () => {
  small = smallPackage(join(folder.path, "package"), ["0-mail.com"]);
  mirror = await startMirror(small.snapshots);
});
afterEach(() => mirror.reset());
afterAll(async () => {
  await mirror.close();
  folder.remove();
});

const run = (args: readonly string[]): Promise<RunResult> => runAny(args, { root: small.root });
/** In a process that ends after a while, for what could wait without end. */
const runLimited = (args: readonly string[], input: ProcessInput = {}): Promise<RunResult> =>
  runProgram("timeout", ["60", process.execPath, small.command, ...args], input);

function newHome(): string {
  homes += 1;
  return join(folder.path, `home-${homes}`);
}

interface UpdateJson {
  readonly result: string;
  readonly data_version: string;
  readonly disposable_added: number;
  readonly disposable_removed: number;
  readonly sources: readonly { readonly key: string; readonly result: string; readonly reason?: string }[];
}

async function update(home: string, ...options: string[]): Promise<UpdateJson> {
  const all = options.includes("--source") ? options : [...options, ...mirror.options()];
  const { stdout, stderr } = await run(["lists", "update", "--json", "--home", home, ...all]);
  if (stdout.length === 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString()) as UpdateJson;
}

async function rollBack(home: string): Promise<{ data_version: string; origin: string; stderr: string }> {
  const { stdout, stderr } = await run(["lists", "rollback", "--json", "--home", home]);
  return { ...(JSON.parse(stdout.toString()) as { data_version: string; origin: string }), stderr: stderr.toString() };
}

async function isDisposable(home: string, domain: string): Promise<boolean> {
  const { stdout } = await run(["detect", "--offline", "--home", home, `a@${domain}`]);
  return (JSON.parse(stdout.toString()) as { disposable: boolean }).disposable;
}

/** Adds names to a source that its list does not have. */
function add(key: "D" | "F", name: string, count: number): void {
  const names = Array.from({ length: count }, (_, i) => `${name}-${i}.com\n`).join("");
  mirror.texts.set(key, `${mirror.texts.get(key)}${names}`);
}

describe("after a rollback", LIMIT, () => {
  it("an update of the same sources keeps what the earlier updates took", async () => {
    const home = newHome();
    add("D", "good", 50);
    const good = await update(home);
    add("D", "bad", 1);
    expect(await update(home)).toMatchObject({ result: "updated", disposable_added: 1 });
    expect(await rollBack(home)).toMatchObject({ data_version: good.data_version, origin: "home", stderr: "" });
    expect(await update(home)).toMatchObject({ result: "rolled_back", disposable_added: 0, disposable_removed: 0 });
    expect([await isDisposable(home, "good-7.com"), await isDisposable(home, "bad-0.com")]).toEqual([true, false]);
    // The sources' entries are reported too.
    const looked = await run(["lists", "lookup", "--json", "--home", home, "good-7.com"]);
    expect([looked.stderr.toString(), JSON.parse(looked.stdout.toString())]).toMatchObject([
      "",
      { listed_by: [{ key: "D", entry: "good-7.com" }] },
    ]);
    expect(await update(home, "--again")).toMatchObject({ result: "updated", disposable_added: 1 });
  });

  it("sends channels the event of an update", async () => {
    const home = newHome();
    const receiver = await startReceiver();
    const call = (...args: string[]): Promise<RunResult> =>
      runAny([...args, "--home", home], { root: small.root, env: { ADDRSIFT_ALLOW_PRIVATE: "127.0.0.0/8" } });
    const url = `url=${receiver.url}`;
    const made = await call("channels", "create", "--name", "a", "--type", "webhook", "--config", url, "--json");
    await call("channels", "test", (JSON.parse(made.stdout.toString()) as { id: string }).id);
    add("D", "told", 1);
    await call("lists", "update", "--quiet", ...mirror.options());
    await call("lists", "rollback");
    const events = receiver.received.map(({ body }) => JSON.parse(body) as { type: string; data: object });
    await receiver.close();
    expect(events).toMatchObject([
      { type: "channel.test" },
      { type: "lists.updated", data: { disposable_added: 1, disposable_removed: 0 } },
      { type: "lists.updated", data: { disposable_added: 0, disposable_removed: 1 } },
    ]);
  });

  it("a source that is not available keeps its entries, beside one that is new", async () => {
    const home = newHome();
    add("D", "good", 50);
    await update(home);
    add("D", "bad", 1);
    await update(home);
    await rollBack(home);
    mirror.instead.set("D", (response) => void response.writeHead(503).end());
    add("F", "fresh", 1);
    expect(await update(home)).toMatchObject({ result: "updated", disposable_added: 1, disposable_removed: 0 });
    expect([await isDisposable(home, "good-7.com"), await isDisposable(home, "bad-0.com")]).toEqual([true, false]);
  });

  it("a source that grows is measured by what is in use", async () => {
    const home = newHome();
    for (const [index, count] of [90, 130, 190].entries()) {
      add("D", `step-${index}`, count);
      expect(await update(home)).toMatchObject({ result: "updated", disposable_added: count });
    }
    await rollBack(home);
    // Not the text that was rolled back, and over half more than the package has.
    add("D", "later", 1);
    expect(await update(home)).toMatchObject({ result: "updated", disposable_added: 191, disposable_removed: 0 });
  });

  it("what the community list took off counts as the version says", async () => {
    const home = newHome();
    for (const key of ["D", "F"] as const)
      mirror.texts.set(key, (mirror.texts.get(key) as string).replace(/^0-mail\.com\n/m, ""));
    const removed = await update(home);
    expect(await isDisposable(home, "0-mail.com")).toBe(false);
    add("D", "bad", 1);
    await update(home);
    await rollBack(home);
    expect(await update(home)).toMatchObject({ result: "rolled_back", data_version: removed.data_version });
    add("F", "fresh", 1);
    await update(home);
    expect(await isDisposable(home, "0-mail.com")).toBe(false);
    // In a version before it was not taken off, and nothing of that comes from a later one.
    for (let steps = 0; steps < 2; steps += 1) await rollBack(home);
    mirror.reset();
    add("F", "other", 1);
    await update(home);
    expect(await isDisposable(home, "0-mail.com")).toBe(true);
  });

  it("the version itself does not come again when only the package's own lists had changed", async () => {
    const home = newHome();
    const path = join(small.root, "data/disposable-additions.tsv");
    const text = readFileSync(path, "utf8");
    add("F", "fresh", 1);
    const good = await update(home);
    try {
      writeFileSync(path, `${text}zzzz-throw-away.com\ta test\n`);
      expect(await update(home)).toMatchObject({ result: "updated", disposable_added: 1 });
      await rollBack(home);
      const { data_version } = good;
      expect(await update(home)).toMatchObject({ result: "rolled_back", data_version, disposable_added: 0 });
      expect(await update(home, "--again")).toMatchObject({ result: "updated", disposable_added: 1 });
    } finally {
      writeFileSync(path, text);
    }
  });

  it("files of versions that are gone are removed", async () => {
    const home = newHome();
    for (let step = 0; step < 5; step += 1) {
      add("D", `step-${step}`, 3);
      await update(home);
    }
    const left = (): string[] => readdirSync(join(home, "lists"));
    const count = (pattern: RegExp): number => left().filter((name) => pattern.test(name)).length;
    expect([count(/\.bin$/), count(/^D-/), count(/^removals-/)]).toEqual([3, 3, 3]);
    for (let step = 0; step < 3; step += 1) await rollBack(home);
    expect([count(/\.bin$/), count(/^D-/), count(/^removals-/)]).toEqual([0, 0, 0]);
  });
});

describe("sizes of a source", LIMIT, () => {
  it("sizes of a source are measured by the package too, so that it can't shrink step by step", async () => {
    const home = newHome();
    const names = [...small.snapshots.D.names.keys()];
    const cut = (share: number): unknown =>
      mirror.texts.set("D", `${names.slice(0, Math.ceil(share * names.length)).join("\n")}\n`);
    cut(0.85);
    expect(await update(home)).toMatchObject({ result: "updated" });
    cut(0.7);
    expect((await update(home)).sources).toContainEqual(
      expect.objectContaining({
        key: "D",
        result: "left_out",
        reason: expect.stringMatching(/^it has \d+ names, .*package/),
      }),
    );
  });
});

describe("an answer 304", LIMIT, () => {
  it("an answer 304 that was not asked for is a failure", async () => {
    const home = newHome();
    mirror.instead.set("D", (response) => void response.writeHead(304).end());
    const { status, stderr } = await run(["lists", "update", "--home", home, ...mirror.options(["D"])]);
    expect([status, stderr.toString()]).toEqual([2, expect.stringContaining("answered with status 304")]);
    expect(readdirSync(home)).not.toContain("lists.bin");
  });
});

describe("files in the home's lists", LIMIT, () => {
  /** A home with two versions. */
  async function updatedHome(): Promise<string> {
    const home = newHome();
    for (const name of ["one", "two"]) {
      add("D", name, 1);
      await update(home);
    }
    return home;
  }
  const filesOf = (home: string, pattern: RegExp): string[] =>
    readdirSync(join(home, "lists"))
      .filter((name) => pattern.test(name))
      .map((name) => join(home, "lists", name));

  it("files in the home's lists that are FIFOs are reported, and never waited for", async () => {
    const home = await updatedHome();
    const fifos = [join(home, "lists/state.json"), ...filesOf(home, /^D-/)];
    for (const path of fifos) {
      const kept = readFileSync(path);
      rmSync(path);
      execFileSync("mkfifo", [path]);
      const { status, stderr } = await runLimited(["lists", "update", "--home", home, ...mirror.options(["F"])]);
      if (path === fifos[0])
        expect([status, stderr.toString()]).toEqual([2, expect.stringContaining("not a regular file")]);
      // A snapshot that is not in use is not read.
      else expect([0, 2]).toContain(status);
      rmSync(path);
      writeFileSync(path, kept);
    }
    rmSync(join(home, "lists.bin"));
    execFileSync("mkfifo", [join(home, "lists.bin")]);
    const detected = await runLimited(["detect", "--offline", "--home", home], { stdin: "a@gmail.com\n" });
    expect([detected.status, detected.stderr.toString()]).toEqual([
      0,
      expect.stringMatching(
        /^addrsift: can't read [^\n]*, so the built-in lists are used: it is not a regular file, move it away\n$/,
      ),
    ]);
  });

  it("with a state of another shape are refused in one line", async () => {
    const home = await updatedHome();
    for (const text of [
      '{"rolledBack":5}',
      "[1]",
      "null",
      '{"checkedAt":{}}',
      '{"failure":7}',
      "{",
      '{"rolledBack":[null]}',
    ]) {
      writeFileSync(join(home, "lists/state.json"), text);
      for (const command of [["update", ...mirror.options(["F"])], ["rollback"]]) {
        const { status, stderr } = await run(["lists", ...command, "--home", home]);
        expect([status, stderr.toString()]).toEqual([
          2,
          expect.stringMatching(/^addrsift: [^\n]*state\.json is damaged: [^\n]*\n$/),
        ]);
      }
    }
    expect(await isDisposable(home, "two-0.com")).toBe(true);
  });

  it("files in the home's lists of a damaged version are passed over by a rollback, which then takes the one before", async () => {
    const home = await updatedHome();
    add("D", "three", 1);
    await update(home);
    const [first = "", second = ""] = filesOf(home, /\.bin$/);
    writeFileSync(second, "nothing");
    const { origin, stderr } = await rollBack(home);
    expect([origin, stderr]).toEqual(["home", expect.stringMatching(/^addrsift: [^\n]*can't be used[^\n]*\n$/)]);
    expect([await isDisposable(home, "one-0.com"), await isDisposable(home, "two-0.com")]).toEqual([true, false]);
    expect(filesOf(home, /\.bin$/)).toEqual([first]);
  });

  it("files in the home's lists that are all damaged leave the built-in lists to a rollback", async () => {
    const home = await updatedHome();
    const [first = ""] = filesOf(home, /\.bin$/);
    execFileSync("truncate", ["-s", "1000", first]);
    expect(await rollBack(home)).toMatchObject({ origin: "built-in" });
    expect(await isDisposable(home, "one-0.com")).toBe(false);
  });

  it("without the snapshot that made them are not merged without it", async () => {
    const home = await updatedHome();
    for (const path of filesOf(home, /^D-/)) rmSync(path);
    add("F", "fresh", 1);
    const { status, stderr } = await run(["lists", "update", "--home", home, ...mirror.options(["F"])]);
    expect([status, stderr.toString()]).toEqual([2, expect.stringMatching(/^addrsift: [^\n]*snapshot of D[^\n]*\n$/)]);
    expect(await update(home)).toMatchObject({ result: "updated", disposable_added: 1, disposable_removed: 0 });
  });

  it("in a place that is not a folder are refused in one line", async () => {
    const home = newHome();
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, "lists"), "");
    const { status, stderr } = await run(["lists", "update", "--home", home, ...mirror.options(["F"])]);
    expect([status, stderr.toString()]).toEqual([2, expect.stringMatching(/^addrsift: can't use [^\n]*\n$/)]);
  });
});

describe.runIf(process.platform === "linux")("with a umask that takes all rights", LIMIT, () => {
  it("the home and its files have their modes", async () => {
    const above = newHome();
    mkdirSync(above, { mode: 0o777 });
    const home = join(above, "made/home");
    const command = `umask 777; exec "$0" "$@"`;
    const args = [process.execPath, small.command, "lists", "update", "--home", home, ...mirror.options(["F"])];
    execFileSync("chmod", ["777", above, folder.path]);
    add("F", "fresh", 1);
    const user = isRoot ? STRANGER : {};
    const { status, stderr } = await runProgram("sh", ["-c", command, ...args], user);
    expect([status, stderr.toString()]).toEqual([0, ""]);
    const modes = ["", "lists", "lists.bin", "lists.lock", "lists/state.json"].map(
      (name) => statSync(join(home, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o600, 0o600, 0o600]);
  });
});
