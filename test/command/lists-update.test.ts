// `addrsift lists update`, `diff`, `rollback` and `status` against a mirror over real sockets.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { SourceKey } from "../../src/curation/sources.ts";
import { withLock } from "../../src/durable/lock.ts";
import { type Mirror, startMirror } from "../helpers/mirror.ts";
import { cleanEnvironment, linesOf, objectsOf, type RunResult, run as runAny, scratch } from "../helpers/run.ts";
import { type SmallPackage, smallPackage } from "../helpers/small-package.ts";

// Several updates in turn, each of which waits for the disk.
const LIMIT = { timeout: 120_000 };
const folder = scratch();
let small: SmallPackage;
let mirror: Mirror;
let homes = 0;
beforeAll(async () => {
  small = smallPackage(join(folder.path, "package"), [GONE, "10minutemail.com", "0-mail.com", "uni-bonn.de"]);
  mirror = await startMirror(small.snapshots);
});
afterEach(() => mirror.reset());
afterAll(async () => {
  await mirror.close();
  folder.remove();
});

const NEW = "brand-new-throw-away.com";
const GONE = "notmailinator.com";
const PROBES = [NEW, GONE, "gmail.com", "uni-bonn.de", "10minutemail.com", "duck.com"];

const run = (args: readonly string[]): Promise<RunResult> => runAny(args, { root: small.root });

function newHome(): string[] {
  homes += 1;
  return ["--home", join(folder.path, `home-${homes}`)];
}

async function verdicts(home: readonly string[]): Promise<unknown[]> {
  const { stdout } = await run(["detect", "--offline", ...home, ...PROBES.map((name) => `anna@${name}`)]);
  return objectsOf(stdout);
}

interface UpdateJson {
  readonly result: string;
  readonly data_version: string;
  readonly previous_data_version: string;
  readonly disposable_added: number;
  readonly disposable_removed: number;
  readonly sources: readonly { readonly key: string; readonly result: string; readonly stay_out: readonly string[] }[];
}

async function update(
  home: readonly string[],
  ...options: string[]
): Promise<{ status: number; stderr: string; json: UpdateJson }> {
  const { status, stdout, stderr } = await run(["lists", "update", "--json", ...home, ...options]);
  return { status, stderr: stderr.toString(), json: JSON.parse(stdout.toString()) as UpdateJson };
}

const change = (key: SourceKey, edit: (text: string) => string): unknown =>
  mirror.texts.set(key, edit(mirror.texts.get(key) as string));
const add = (name: string) => (text: string) => `${text}${name}\n`;
const remove = (name: string) => (text: string) =>
  text.replace(new RegExp(`^${name.replaceAll(".", "\\.")}\\n`, "m"), "");

describe("lists update", LIMIT, () => {
  it("finds what is new and what is gone, says exactly which, asks once, and rolls back", async () => {
    const home = newHome();
    const first = await update(home, ...mirror.options());
    expect(first).toMatchObject({ status: 0, stderr: "", json: { result: "unchanged" } });
    expect(mirror.sent.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    mirror.sent.length = 0;
    change("D", add(NEW));
    for (const key of ["D", "F", "T", "E"] as const) change(key, remove(GONE));

    const diff = await run(["lists", "diff", ...home, ...mirror.options()]);
    expect([diff.status, diff.stderr.toString()]).toEqual([0, ""]);
    expect(linesOf(diff.stdout)).toEqual([
      `+\t${NEW}\tconfirmed\tD`,
      expect.stringMatching(/^-\tnotmailinator\.com\tconfirmed\tD/),
    ]);
    expect(existsSync(join(home[1] as string, "lists.bin"))).toBe(false);

    const before = await verdicts(home);
    mirror.sent.length = 0;
    const second = await update(home, ...mirror.options());
    expect(second).toMatchObject({
      status: 0,
      json: { result: "updated", disposable_added: 1, disposable_removed: 1 },
    });
    const after = await verdicts(home);
    expect(after.slice(0, 2)).toMatchObject([{ disposable: true }, { disposable: false }]);
    expect(after.slice(2)).toEqual(before.slice(2));
    expect(mirror.sent.filter(({ key }) => key === "rootZone")).toEqual([{ key: "rootZone", status: 304 }]);

    mirror.sent.length = 0;
    const third = await update(home, ...mirror.options());
    expect(third.json).toMatchObject({ result: "unchanged", data_version: second.json.data_version });
    expect(mirror.sent.map(({ status }) => status)).toEqual([304, 304, 304, 304, 304, 304]);

    const status = JSON.parse((await run(["lists", "status", "--json", ...home])).stdout.toString()) as object;
    expect(status).toMatchObject({ data_version: second.json.data_version, origin: "home", age_days: 0 });
    expect(status).toMatchObject({
      sources: expect.arrayContaining([
        expect.objectContaining({ key: "D", digest: expect.stringMatching(/^sha256:/) }),
      ]),
    });

    const back = await run(["lists", "rollback", ...home]);
    expect([back.status, back.stderr.toString()]).toEqual([0, ""]);
    expect(await verdicts(home)).toEqual(before);
    expect((await run(["lists", "rollback", ...home])).stderr.toString()).toMatch(
      /^addrsift: there is nothing to roll back.*\n$/,
    );
    // Lists that a person rolled back do not come again by themselves.
    expect((await update(home, ...mirror.options())).json.result).toBe("rolled_back");
    expect(await verdicts(home)).toEqual(before);
    // Nor with another source that has something new.
    change("F", add("another-throw-away.com"));
    expect((await update(home, ...mirror.options())).json).toMatchObject({ result: "updated", disposable_added: 1 });
    expect(await verdicts(home)).toEqual(before);
    expect((await update(home, "--again", ...mirror.options())).json.result).toBe("updated");
    expect(await verdicts(home)).toEqual(after);
  });

  it("keeps three versions, and goes back through them to the built-in lists", async () => {
    const home = newHome();
    const versions: string[] = [];
    for (const name of ["one", "two", "three", "four"]) {
      change("D", add(`throw-away-${name}.com`));
      const { json } = await update(home, ...mirror.options(["D"]));
      versions.push(json.data_version);
    }
    expect(readdirSync(join(home[1] as string, "lists")).filter((name) => name.endsWith(".bin"))).toHaveLength(3);
    for (const version of [versions[2], versions[1]]) {
      await run(["lists", "rollback", ...home]);
      const { stdout } = await run(["lists", "status", "--json", ...home]);
      expect(JSON.parse(stdout.toString())).toMatchObject({ data_version: version, origin: "home" });
    }
    await run(["lists", "rollback", ...home]);
    expect(JSON.parse((await run(["lists", "status", "--json", ...home])).stdout.toString())).toMatchObject({
      origin: "built-in",
    });
  });

  it("takes a folder, JSON and gzip as well, and leaves other sources as they are", async () => {
    const home = newHome();
    const from = join(folder.path, "from");
    mkdirSync(from);
    const names = small.snapshots.D.names.keys();
    writeFileSync(join(from, "D.txt"), JSON.stringify([...names, NEW]));
    const { json } = await update(home, "--from", from);
    expect(json).toMatchObject({
      result: "updated",
      disposable_added: 1,
      disposable_removed: 0,
      sources: [{ key: "D", result: "new" }],
    });
    mirror.instead.set("D", (response, text) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(text));
    });
    expect((await update(home, ...mirror.options(["D"]))).json).toMatchObject({
      result: "updated",
      disposable_removed: 1,
    });
  });

  it("no longer counts what the community list takes off while lists without proof hold it", async () => {
    const home = newHome();
    change("D", remove("0-mail.com"));
    change("F", remove("0-mail.com"));
    const { json } = await update(home, ...mirror.options());
    expect(json).toMatchObject({ result: "updated", disposable_removed: 1 });
    const lookup = await run(["lists", "lookup", ...home, "0-mail.com"]);
    expect(lookup.stdout.toString()).toContain("legacy, not counted");
    const removals = join(home[1] as string, `lists/removals-${json.data_version}.txt`);
    expect(readFileSync(removals, "utf8")).toContain("\n0-mail.com\t");
  });

  it("shows by lookup what the new sources say, and after going back what the old ones said", async () => {
    const home = newHome();
    change("D", add(NEW));
    await update(home, ...mirror.options(["D"]));
    const looked = await run(["lists", "lookup", "--json", ...home, NEW]);
    expect(JSON.parse(looked.stdout.toString())).toMatchObject({ listed_by: [{ key: "D", entry: NEW }] });
    expect(looked.stderr.toString()).toBe("");
    change("D", add("second-throw-away.com"));
    await update(home, ...mirror.options(["D"]));
    await run(["lists", "rollback", ...home]);
    const back = await run(["lists", "lookup", "--json", ...home, NEW]);
    expect(back.stderr.toString()).toBe("");
    expect(JSON.parse(back.stdout.toString())).toMatchObject({ listed_by: [{ key: "D", entry: NEW }] });
    for (const name of readdirSync(join(home[1] as string, "lists")).filter((one) => one.startsWith("D-")))
      rmSync(join(home[1] as string, "lists", name));
    const lost = await run(["lists", "lookup", "--json", ...home, NEW]);
    expect(JSON.parse(lost.stdout.toString())).toMatchObject({
      matches: [{ entry: NEW }],
      listed_by: [{ key: "D", entry: NEW }],
    });
    expect(lost.stderr.toString()).toMatch(
      /^addrsift: the days of disposable-email-domains@\S+ are not known[^\n]+\n$/,
    );
  });

  it("lists update is refused in one line while another process updates", async () => {
    const home = newHome();
    mkdirSync(home[1] as string, { mode: 0o700 });
    const both = await withLock(join(home[1] as string, "lists.lock"), () =>
      run(["lists", "update", ...home, ...mirror.options(["F"])]),
    );
    expect([both.status, both.stderr.toString()]).toEqual([
      2,
      "addrsift: another process updates the lists of this home: try again when it has ended\n",
    ]);
    expect((await update(home, ...mirror.options(["F"]))).status).toBe(0);
  });

  it("reads a URL with a secret from a file, and writes the secret nowhere", async () => {
    const home = newHome();
    change("D", add(NEW));
    const url = new URL((mirror.options(["D"])[1] as string).slice(2));
    url.username = "user";
    url.password = "word";
    url.search = "?token=tok-9f8e7d6c";
    const file = join(folder.path, "mirror-url");
    writeFileSync(file, `${url}\n`, { mode: 0o600 });
    for (const added of [1, 0]) {
      const { status, json, stderr } = await update(home, "--source", `D=@${file}`);
      expect([status, stderr, json.disposable_added]).toEqual([0, "", added]);
    }
    const { stdout } = await run(["lists", "status", "--json", ...home]);
    const all = readdirSync(home[1] as string, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
    expect(all.length).toBeGreaterThan(3);
    for (const text of [stdout.toString(), ...all]) expect(text).not.toMatch(/tok-9f8e7d6c|user:word/);
  });

  it("writes nothing with --dry-run", async () => {
    const home = newHome();
    change("D", add(NEW));
    const { status, json } = await update(home, "--dry-run", ...mirror.options());
    expect([status, json.result, json.disposable_added]).toEqual([0, "updated", 1]);
    expect(existsSync(home[1] as string)).toBe(false);
  });

  it.each([
    [
      "an unknown key",
      ["--source", "X=https://a.example/x"],
      "--source must be KEY=URL with one of the keys D, F, C, T, E, rootZone",
    ],
    [
      "credentials among the arguments",
      ["--source", "D=https://user:word@a.example/x"],
      "--source D: the URL has credentials or a query, and other users can read a command's arguments: write it to a file and give --source D=@FILE",
    ],
    ["a query among the arguments", ["--source", "D=https://a.example/x?token=1"], "credentials or a query"],
    [
      "a file that is not there",
      ["--source", "D=@/nonexistent-url"],
      "can't read /nonexistent-url for --source D: there is no",
    ],
    ["standard input", ["--source", "D=@-"], "give a file: --source D=@FILE"],
    ["plain http", ["--source", "D=http://a.example/x"], "--source D: it must be an https URL"],
    [
      "a key twice",
      ["--source", "D=https://a.example/x", "--source", "D=https://b.example/x"],
      "--source D is given twice",
    ],
    ["both origins", ["--from", "/tmp", "--source", "D=https://a.example/x"], "--from and --source exclude each other"],
    ["a folder without lists", ["--from", "/nonexistent"], "the folder has none of D.txt"],
    ["no time", ["--timeout", "0"], '--timeout can\'t be "0": give a time from 1s to 3600s'],
  ])("refuses %s in one line", async (_, options, message) => {
    const { status, stderr } = await run(["lists", "update", ...newHome(), ...options]);
    expect([status, stderr.toString()]).toEqual([2, expect.stringMatching(/^addrsift: [^\n]+\n$/)]);
    expect(stderr.toString()).toContain(message);
  });
});

type Poison = readonly [name: string, act: (mirror: Mirror) => void, line: RegExp, status: number];

const edited = (edit: (text: string) => string) => (): unknown => change("D", edit);
const answered = (answer: Parameters<Mirror["instead"]["set"]>[1]) => (): unknown => mirror.instead.set("D", answer);
const BOMB = gzipSync(Buffer.alloc(200_000_000, "a"));

const POISONS: readonly Poison[] = [
  ["gmail.com added", edited(add("gmail.com")), /left out.*it lists gmail\.com, a well-known mail domain/, 2],
  [
    "a university added",
    edited(add("uni-bonn.de")),
    /1 new name that must not be disposable and stay out: uni-bonn\.de/,
    0,
  ],
  ["a public suffix added", edited(add("co.uk")), /1 new name that must not be disposable and stay out: co\.uk/, 0],
  [
    "90 % removed",
    edited((text) => `${text.split("\n").slice(0, 20).join("\n")}\n`),
    /it shrank from \d+ to 20 names/,
    2,
  ],
  [
    "ten times the size",
    edited((text) => text + Array.from({ length: 2000 }, (_, i) => `throw-away-${i}.com\n`).join("")),
    /it grew from \d+ to 2\d+ names/,
    2,
  ],
  [
    "a page",
    answered((r) => void r.writeHead(200, { "content-type": "text/html" }).end("<html></html>")),
    /text\/html, not a list/,
    2,
  ],
  [
    "a page as text",
    answered((r) => void r.end("<!doctype html>\n<html>\n</html>\n")),
    /3 of its 3 lines are not domain names/,
    2,
  ],
  [
    "another type",
    answered((r) => void r.writeHead(200, { "content-type": "image/png" }).end("x")),
    /image\/png, not a list/,
    2,
  ],
  [
    "a gzip bomb",
    answered((r) => void r.writeHead(200, { "content-encoding": "gzip" }).end(BOMB)),
    /larger than 16 MB unpacked/,
    2,
  ],
  ["one line of 50 MB", answered((r) => void r.end("x".repeat(50_000_000))), /more than 16000000 bytes/, 2],
  [
    "an endless body",
    answered((r) => {
      const more = (): void => {
        while (!r.destroyed && r.write("throw-away.com\n".repeat(1000)));
      };
      r.on("drain", more);
      more();
    }),
    /more than 16000000 bytes/,
    2,
  ],
  [
    "cut off in the middle",
    answered((r, text) => {
      r.writeHead(200, { "content-length": text.length });
      r.write(text.slice(0, text.length - 1000), () => r.destroy());
    }),
    /closed the connection|gave no answer/,
    2,
  ],
  [
    "cut off without a length",
    answered((r, text) => {
      r.shouldKeepAlive = false;
      r.useChunkedEncodingByDefault = false;
      r.removeHeader("transfer-encoding");
      r.end(text.slice(0, text.length - 5));
    }),
    /cut off|not domain names|closed/,
    2,
  ],
  [
    "a redirect to this machine",
    answered((r) => void r.writeHead(302, { location: "http://127.0.0.1:9/" }).end()),
    /redirects \(302\)/,
    2,
  ],
  ["an error", answered((r) => void r.writeHead(503).end()), /status 503/, 2],
  [
    "a slow drip",
    answered((r) => {
      const timer = setInterval(() => r.write("a"), 100);
      r.on("close", () => clearInterval(timer));
    }),
    /did not answer within 1 s/,
    2,
  ],
  ["damaged JSON", answered((r) => void r.end('["a.com", "b.c')), /damaged JSON/, 2],
  [
    "bytes that are not text",
    answered((r) => void r.end(Buffer.from([0xff, 0xfe, 0x00, 0xc3]))),
    /can't be unpacked or read/,
    2,
  ],
];

describe("a poisoned mirror", LIMIT, () => {
  it.each(POISONS)("with %s changes no verdict", async (name, act, line, expected) => {
    const home = newHome();
    const before = await verdicts(home);
    act(mirror);
    const { status, stdout, stderr } = await run([
      "lists",
      "update",
      ...home,
      "--timeout",
      name === "a slow drip" ? "1" : "30",
      ...mirror.options(["D"]),
    ]);
    const lines = stderr.toString().trim().split("\n");
    expect(lines.filter((text) => line.test(text))).toHaveLength(1);
    expect(lines.every((text) => text.startsWith("addrsift: "))).toBe(true);
    expect(status).toBe(expected);
    if (expected === 2) expect(stdout.toString()).toBe("");
    expect(await verdicts(home)).toEqual(before);
    const left = existsSync(home[1] as string) ? readdirSync(home[1] as string) : [];
    expect(left.filter((name) => name.endsWith(".new"))).toEqual([]);
    if (expected === 2) expect(left).not.toContain("lists.bin");
  });

  it("a poisoned mirror of one source leaves the others to be taken, with status 2", async () => {
    const home = newHome();
    change("D", add(NEW));
    mirror.instead.set("T", (response) => void response.writeHead(503).end());
    const { status, json } = await update(home, ...mirror.options());
    expect([status, json.result, json.disposable_added]).toEqual([2, "updated", 1]);
  });
});

describe("an update that is killed", LIMIT, () => {
  it("leaves working lists, the old or the new", async () => {
    const home = newHome();
    await update(home, ...mirror.options());
    const seen = new Set<string>();
    for (let round = 0; round < 4; round += 1) {
      change("D", add(`throw-away-${round}.com`));
      const child = spawn(process.execPath, [small.command, "lists", "update", ...home, ...mirror.options()], {
        env: cleanEnvironment({}),
        stdio: "ignore",
      });
      const ended = new Promise((resolve) => child.once("close", resolve));
      setTimeout(() => child.kill("SIGKILL"), 200 + 300 * round);
      await ended;
      const { status, stdout, stderr } = await run(["lists", "status", "--json", ...home]);
      expect([status, stderr.toString()]).toEqual([0, ""]);
      seen.add((JSON.parse(stdout.toString()) as { data_version: string }).data_version);
    }
    const { status, json } = await update(home, ...mirror.options());
    expect([status, ["updated", "unchanged"].includes(json.result)]).toEqual([0, true]);
    expect((await update(home, ...mirror.options())).json.result).toBe("unchanged");
  });
});
