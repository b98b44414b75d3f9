// Tests `addrsift lists rollback`, and updates after it. Damaged or foreign files are skipped or rejected without
// waiting.

import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { withLock } from "../../src/durable/lock.ts";
import { startReceiver } from "../helpers/receiver.ts";
import { expectOneLine, linesOf, type ProcessInput, type RunResult, run, runProgram } from "../helpers/run.ts";
import { isRoot, STRANGER } from "../helpers/stranger.ts";
import { UPDATES_LIMIT, UpdateFixture } from "../helpers/update-fixture.ts";

const lists = new UpdateFixture(["10-minute-mail.com"]);

/** Runs a command with a time limit, because it could block forever. */
const runWithTimeout = (args: string, input: ProcessInput = {}): Promise<RunResult> =>
  runProgram("timeout", ["60", process.execPath, lists.small.command, ...args.split(" ")], input);
const rollBack = (home: string): Promise<Readonly<Record<string, unknown>>> => lists.json("lists rollback", home);

/** Reports for each domain whether it is disposable by a home's lists. */
async function areDisposable(home: string, ...domains: string[]): Promise<unknown[]> {
  const results = await Promise.all(domains.map((name) => lists.run(`detect --offline --home ${home} a@${name}`)));
  return results.map(({ stdout }) => JSON.parse(stdout.toString()).disposable);
}

/** Returns the files in a home's folder of lists whose names match. */
const filesOf = (home: string, pattern: RegExp): string[] =>
  readdirSync(join(home, "lists"))
    .filter((name) => pattern.test(name))
    .map((name) => join(home, "lists", name));

/** Returns the paths of this process's open files. */
const openFiles = (): string[] =>
  readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return [];
    }
  });

/** Adds new names to a source. */
const add = (key: "D" | "F", name: string, count: number): void =>
  lists.add(key, ...Array.from({ length: count }, (_, i) => `${name}-${i}.com`));

describe("after a rollback", UPDATES_LIMIT, () => {
  it("after a rollback, lists update of unchanged sources keeps the restored lists", async () => {
    const home = lists.newHome();
    add("D", "good", 50);
    const good = await lists.update(home);
    add("D", "bad", 1);
    const bad = await lists.update(home);
    expect(bad).toMatchObject({ result: "updated", disposable_added: 1 });
    const back = await lists.run(`lists rollback --home ${home}`);
    expect(back.stdout.toString()).toBe(
      `the lists ${good.data_version} (home) are in use again: 0 domains become disposable, 1 domain is no longer disposable; updates skip ${bad.data_version} and the latest texts of D until a source changes; lists allow or lists deny corrects a domain for good\n`,
    );
    expect(await lists.update(home)).toMatchObject({
      result: "rolled_back",
      disposable_added: 0,
      disposable_removed: 0,
    });
    const text = await lists.run(`lists update --home ${home} ${lists.sources()}`);
    expect(text.stdout.toString()).toMatch(/^D \(disposable-email-domains\): held back, because this text was rolled/m);
    expect(await areDisposable(home, "good-7.com", "bad-0.com")).toEqual([true, false]);
    const textDiff = await lists.run(`lists diff --home ${home} ${lists.sources()}`);
    expect(textDiff.stderr.toString()).toMatch(/^addrsift: D \(disposable-email-domains\): held back, .*\n.*--again/m);
    // The sources' entries are reported too.
    const listed_by = [{ key: "D", entry: "good-7.com" }];
    expect(await lists.json("lists lookup good-7.com", home)).toMatchObject({ stderr: "", listed_by });
    expect(await lists.json("lists status", home)).toMatchObject({ rolled_back: [bad.data_version], held_back: ["D"] });
    const diff = (options: string): Promise<object> => lists.json(`lists diff ${lists.sources()}${options}`, home);
    expect([await diff(""), await diff(" --again")]).toMatchObject([{ disposable_added: 0 }, { disposable_added: 1 }]);
    expect(await lists.update(home, "--again")).toMatchObject({ result: "updated", disposable_added: 1 });
  });

  it("a rollback after an update that was killed before it installed its version restores an earlier one", async () => {
    const home = lists.newHome();
    add("D", "killed", 50);
    await lists.update(home);
    const [stored] = filesOf(home, /\.bin$/) as [string];
    add("D", "later", 1);
    await lists.update(home);
    cpSync(stored, join(home, "lists.bin"));
    expect(await rollBack(home)).toMatchObject({ origin: "built-in", disposable_added: 0, disposable_removed: 50 });
    expect(filesOf(home, /\.bin$/)).toEqual([]);
  });

  it("lists diff --last shows what the last update changed, and --json what failed", async () => {
    const home = lists.newHome();
    const failed = { result: "failed", reason: expect.stringMatching(/built-in lists are in use: run/) };
    expect(await lists.json("lists diff --last", home)).toMatchObject({ ...failed, changes: [] });
    expect(await lists.json("lists rollback", home)).toMatchObject(failed);
    add("D", "one", 1);
    const first = await lists.update(home);
    const diff = async (): Promise<unknown> => linesOf((await lists.run(`lists diff --last --home ${home}`)).stdout);
    expect(await diff()).toEqual(["+\tone-0.com\tnone → confirmed\tnone → D"]);
    // A domain below a disposable one is disposable already.
    lists.add("D", "two.one-0.com", "three.com");
    const second = await lists.update(home);
    expect(await diff()).toEqual(["+\tthree.com\tnone → confirmed\tnone → D"]);
    const counts = { data_version: second.data_version, previous_data_version: first.data_version };
    const report = await lists.json("lists diff --last", home);
    expect(report).toMatchObject({
      result: "updated",
      ...counts,
      disposable_added: 1,
      changes: [{ domain: "three.com" }],
    });
    expect(await lists.update(home)).toMatchObject({ result: "unchanged" });
    expect(await lists.json("lists diff --last", home)).toEqual(report);
    expect(await rollBack(home)).toMatchObject({ result: "restored", disposable_removed: 1 });
    expect(await diff()).toEqual(["+\tone-0.com\tnone → confirmed\tnone → D"]);
  });

  it("lists update says when a source that was held back has changed, and is used again", async () => {
    const home = lists.newHome();
    add("D", "bad", 1);
    await lists.update(home);
    await rollBack(home);
    add("D", "worse", 1);
    const stderr =
      "addrsift: source D (disposable-email-domains) has changed since it was rolled back, and is no longer held back\n";
    expect(await lists.update(home)).toMatchObject({ result: "updated", disposable_added: 2, stderr });
    expect(await lists.json("lists status", home)).toMatchObject({ held_back: [] });
  });

  it.skipIf(!existsSync("/proc/self/fd"))("a rollback that waits for an update removes its version", async () => {
    const [home, updated] = [lists.newHome(), lists.newHome()];
    add("D", "one", 1);
    const one = await lists.update(home);
    cpSync(home, updated, { recursive: true });
    add("D", "two", 1);
    await lists.update(updated);
    const lock = join(home, "lists.lock");
    const isWaiting = (): boolean => openFiles().filter((path) => path === lock).length > 1;
    const rolledBack = await withLock(lock, async () => {
      const rollback = rollBack(home);
      while (!isWaiting()) await setImmediate();
      for (const name of ["lists", "lists.bin"]) cpSync(join(updated, name), join(home, name), { recursive: true });
      return { rollback };
    });
    expect(await rolledBack.rollback).toMatchObject({ data_version: one.data_version });
    expect(await areDisposable(home, "one-0.com", "two-0.com")).toEqual([true, false]);
  });

  it("an update and a rollback send the event lists.updated, and record it for an unverified channel", async () => {
    const home = lists.newHome();
    const receiver = await startReceiver();
    const call = (line: string): Promise<RunResult> =>
      run(`${line} --home ${home}`, { root: lists.small.root, env: { ADDRSIFT_ALLOW_PRIVATE: "127.0.0.0/8" } });
    const created = await call(`channels create --name a --type webhook --config url=${receiver.url} --json`);
    await call(`channels test ${JSON.parse(created.stdout.toString()).id}`);
    const unverified = await call("channels create --name b --type webhook --json");
    add("D", "new", 1);
    await call(`lists update --quiet ${lists.sources()}`);
    const { stderr } = await call("lists rollback");
    const events = receiver.received.map(({ body }) => JSON.parse(body));
    await receiver.close();
    expect(stderr.toString()).toContain("is not notified yet (the channel is not verified");
    const deliveries = await call(`channels deliveries ${JSON.parse(unverified.stdout.toString()).id} --json`);
    expect(JSON.parse(deliveries.stdout.toString())).toMatchObject(
      Array(2).fill({ event: "lists.updated", status: "pending" }),
    );
    expect(events).toMatchObject([
      { type: "channel.test" },
      { type: "lists.updated", data: { disposable_added: 1, disposable_removed: 0 } },
      { type: "lists.updated", data: { disposable_added: 0, disposable_removed: 1 } },
    ]);
  });

  it("lists update keeps the marks of a rollback during its notifications", async () => {
    const home = lists.newHome();
    const call = (line: string): Promise<RunResult> =>
      run(`${line} --home ${home}`, { root: lists.small.root, env: { ADDRSIFT_ALLOW_PRIVATE: "127.0.0.0/8" } });
    const receiver = await startReceiver(async (response, request) => {
      if (request.body.includes("lists.updated")) await call("lists rollback --quiet");
      response.writeHead(204).end();
    });
    const created = await call(`channels create --name a --type webhook --config url=${receiver.url} --json`);
    await call(`channels test ${JSON.parse(created.stdout.toString()).id}`);
    add("D", "new", 1);
    lists.mirror.misbehaviors.set("F", (response) => void response.writeHead(503).end());
    await call(`lists update --quiet ${lists.sources()}`);
    await receiver.close();
    expect(await lists.json("lists status", home)).toMatchObject({
      held_back: ["D"],
      failure: expect.stringContaining("503"),
    });
  });

  it("a rollback restores the community removals of the restored version", async () => {
    const home = lists.newHome();
    for (const key of ["D", "F"] as const) lists.remove(key, "10-minute-mail.com");
    const removed = await lists.update(home);
    expect(removed).toMatchObject({ result: "updated", disposable_removed: 1 });
    expect(await areDisposable(home, "10-minute-mail.com")).toEqual([false]);
    // Lists without proof still have it.
    const lookup = await lists.run(`lists lookup --home ${home} 10-minute-mail.com`);
    expect(lookup.stdout.toString()).toContain("legacy, not counted");
    const removals = join(home, `lists/removals-${removed.data_version}.txt`);
    expect(readFileSync(removals, "utf8")).toContain("\n10-minute-mail.com\t");
    add("D", "bad", 1);
    await lists.update(home);
    await rollBack(home);
    expect(await lists.update(home)).toMatchObject({ result: "rolled_back", data_version: removed.data_version });
    add("F", "fresh", 1);
    await lists.update(home);
    expect(await areDisposable(home, "10-minute-mail.com")).toEqual([false]);
    // In an earlier version the domain was not removed, and later removals do not apply.
    for (let steps = 0; steps < 2; steps += 1) await rollBack(home);
    lists.mirror.reset();
    add("F", "other", 1);
    await lists.update(home);
    expect(await areDisposable(home, "10-minute-mail.com")).toEqual([true]);
  });

  it("a rolled-back version is not installed again after a package update", async () => {
    const home = lists.newHome();
    const path = join(lists.small.root, "data/disposable-additions.tsv");
    const text = readFileSync(path, "utf8");
    add("F", "fresh", 1);
    const good = await lists.update(home);
    try {
      writeFileSync(path, `${text}zzzz-throw-away.com\ta test\n`);
      expect(await lists.update(home)).toMatchObject({ result: "updated", disposable_added: 1 });
      await rollBack(home);
      const { data_version } = good;
      expect(await lists.update(home)).toMatchObject({ result: "rolled_back", data_version, disposable_added: 0 });
      expect(await lists.update(home, "--again")).toMatchObject({ result: "updated", disposable_added: 1 });
    } finally {
      writeFileSync(path, text);
    }
  });

  it("updates keep three versions; the last possible rollback restores the built-in lists", async () => {
    const home = lists.newHome();
    const versions: string[] = [];
    for (let step = 0; step < 5; step += 1) {
      add("D", `step-${step}`, 3);
      versions.push((await lists.update(home)).data_version);
    }
    writeFileSync(join(home, "lists/notes-2026.txt"), "of the user");
    const patterns = [/\.bin$/, /^D-/, /^removals-/, /^notes-/];
    const countFiles = (): number[] => patterns.map((pattern) => filesOf(home, pattern).length);
    expect(countFiles()).toEqual([3, 3, 3, 1]);
    for (const data_version of [versions[3], versions[2]]) {
      await rollBack(home);
      expect(await lists.json("lists status", home)).toMatchObject({ data_version, origin: "home" });
    }
    await rollBack(home);
    const rolled_back = versions.slice(2).reverse();
    expect(await lists.json("lists status", home)).toMatchObject({ origin: "built-in", rolled_back });
    expect((await lists.run(`lists status --home ${home}`)).stdout.toString()).toContain(rolled_back.join(", "));
    expect(countFiles()).toEqual([0, 0, 0, 1]);
  });
});

describe("files in the home's lists", UPDATES_LIMIT, () => {
  /** Creates a home with two versions. */
  async function createUpdatedHome(): Promise<string> {
    const home = lists.newHome();
    for (const name of ["one", "two"]) {
      add("D", name, 1);
      await lists.update(home);
    }
    return home;
  }

  it("FIFOs in the home's lists are reported without blocking", async () => {
    const home = await createUpdatedHome();
    const state = join(home, "lists/state.json");
    rmSync(state);
    execFileSync("mkfifo", [state]);
    const update = await runWithTimeout(`lists update --home ${home} ${lists.sources("F")}`);
    expect([update.status, update.stderr.toString()]).toEqual([2, expect.stringContaining("not a regular file")]);
    rmSync(join(home, "lists.bin"));
    execFileSync("mkfifo", [join(home, "lists.bin")]);
    const { status, stderr } = await runWithTimeout(`detect --offline --home ${home}`, { stdin: "a@gmail.com\n" });
    const note =
      /^addrsift: can't read [^\n]*, so the built-in lists are used: it is not a regular file, move it away\n$/;
    expect([status, stderr.toString()]).toEqual([0, expect.stringMatching(note)]);
  });

  it("an invalid state.json is reported in one line", async () => {
    const home = await createUpdatedHome();
    const shapes = ['{"rolledBack":5}', "null", '{"failedAt":{}}', '{"failures":[]}', "{", '{"rolledBack":[null]}'];
    for (const text of shapes) {
      writeFileSync(join(home, "lists/state.json"), text);
      for (const command of [`update ${lists.sources("F")}`, "rollback"])
        expectOneLine(await lists.run(`lists ${command} --home ${home}`), /state\.json is damaged: /);
    }
    const problem = expect.stringMatching(/state\.json is damaged: remove it, and the next update also takes/);
    writeFileSync(join(home, "overrides.tsv"), "a b\n");
    const all = expect.stringMatching(/state\.json is damaged: .*overrides\.tsv:1: there is no tab/s);
    expect(await lists.json("lists status", home)).toMatchObject({ problem: all, stderr: all });
    rmSync(join(home, "overrides.tsv"));
    expect(await lists.update(home)).toMatchObject({ status: 2, result: "failed", reason: problem });
    expect(readFileSync(join(home, "lists/state.json"), "utf8")).toBe(shapes.at(-1));
    expect(await areDisposable(home, "two-0.com")).toEqual([true]);
  });

  it("a rollback skips a damaged version", async () => {
    const home = await createUpdatedHome();
    add("D", "three", 1);
    await lists.update(home);
    const [first = "", second = ""] = filesOf(home, /\.bin$/);
    writeFileSync(second, "nothing");
    const { origin, stderr } = await rollBack(home);
    expect([origin, stderr]).toEqual(["home", expect.stringMatching(/^addrsift: [^\n]*can't be used[^\n]*\n$/)]);
    expect(await areDisposable(home, "one-0.com", "two-0.com")).toEqual([true, false]);
    expect(filesOf(home, /\.bin$/)).toEqual([first]);
  });

  const RESTORED = "addrsift: PATH was damaged or missing: restored lists VERSION (home)\n";
  it.each([
    ["damaged", "rollback", { origin: "home" }, ""],
    ["damaged", "update", { result: "unchanged" }, RESTORED],
    ["missing", "rollback", { origin: "home" }, ""],
    ["missing", "update", { result: "unchanged" }, RESTORED],
  ])("if lists.bin is %s, lists %s restores its stored version", async (state, command, expected, line) => {
    const home = await createUpdatedHome();
    const path = join(home, "lists.bin");
    const { data_version } = await lists.json("lists status", home);
    if (state === "missing") rmSync(path);
    else writeFileSync(path, "nothing");
    const detection = await lists.run(`detect --offline --home ${home} a@two-0.com`);
    expect(detection.stderr.toString()).toMatch(/^addrsift: [^\n]*: run addrsift lists rollback\n$/);
    const call = command === "update" ? `lists update ${lists.sources()}` : "lists rollback";
    const stderr = line.replace("PATH", path).replace("VERSION", String(data_version));
    expect(await lists.json(call, home)).toMatchObject({ ...expected, data_version, stderr });
    expect(await areDisposable(home, "two-0.com")).toEqual([true]);
    expect(await lists.json("lists status", home)).toMatchObject({ data_version, origin: "home", rolled_back: [] });
  });

  it("if lists.bin and all its versions are damaged, lists rollback restores the built-in lists", async () => {
    const home = await createUpdatedHome();
    for (const path of [join(home, "lists.bin"), ...filesOf(home, /\.bin$/)]) writeFileSync(path, "nothing");
    expect(await rollBack(home)).toMatchObject({ origin: "built-in", stderr: "" });
    expect(await lists.json("lists status", home)).toMatchObject({ origin: "built-in", stderr: "" });
  });

  it("a rollback restores the built-in lists if all versions are damaged", async () => {
    const home = await createUpdatedHome();
    const [first = ""] = filesOf(home, /\.bin$/);
    execFileSync("truncate", ["-s", "1000", first]);
    expect(await rollBack(home)).toMatchObject({ origin: "built-in" });
    expect(await areDisposable(home, "one-0.com")).toEqual([false]);
  });

  it("lists update reports a file in place of the folder lists/, and detect uses the built-in lists", async () => {
    const home = lists.newHome();
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, "lists"), "");
    expect(await areDisposable(home, "10-minute-mail.com")).toEqual([true]);
    expectOneLine(await lists.run(`lists update --home ${home} ${lists.sources("F")}`), /^addrsift: can't use /);
  });
});

describe.runIf(process.platform === "linux")("with a umask that removes all permissions", UPDATES_LIMIT, () => {
  it("lists update creates files that only their owner can access, even if the umask removes all permissions", async () => {
    const parent = lists.newHome();
    mkdirSync(parent, { mode: 0o777 });
    const home = join(parent, "new/home");
    const command = `umask 777; exec "$0" "$@"`;
    const update = ["lists", "update", "--home", home, ...lists.mirror.options(["F"])];
    const args = [process.execPath, lists.small.command, ...update];
    execFileSync("chmod", ["777", parent, lists.folder.path]);
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
