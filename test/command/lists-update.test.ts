// Tests `addrsift lists update`, `diff` and `status` against a mirror over real sockets.

import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { escapeInvisible, formatNumber } from "../../src/base/format-text.ts";
import { type SourceKey, UPDATABLE_KEYS } from "../../src/curation/sources.ts";
import { withLock } from "../../src/durable/lock.ts";
import { expectOneLine, expectRefused, linesOf, objectsOf } from "../helpers/run.ts";
import { isRoot } from "../helpers/stranger.ts";
import { UPDATES_LIMIT, UpdateFixture } from "../helpers/update-fixture.ts";

const NEW = "brand-new-throw-away.com";
const GONE = "10-minute-mail.com";
const PROBES = [NEW, GONE, "gmail.com", "uni-bonn.de", "10minutemail.com", "duck.com"];
const lists = new UpdateFixture([GONE, "10minutemail.com", "uni-bonn.de"]);

/** Returns the detections of the probes. */
async function verdicts(home: string): Promise<unknown[]> {
  return objectsOf((await lists.run(`detect --offline --home ${home} a@${PROBES.join(" a@")}`)).stdout);
}

/** Returns the statuses that the mirror sent since the last call. */
const takeStatuses = (): number[] => lists.mirror.responses.splice(0).map(({ status }) => status);

describe("lists update", UPDATES_LIMIT, () => {
  it("lists update reports added and removed domains, sends conditional requests, and does not reinstall rolled-back lists", async () => {
    const home = lists.newHome();
    expect(await lists.update(home)).toMatchObject({ status: 0, stderr: "", result: "unchanged" });
    expect(takeStatuses()).toEqual([200, 200, 200, 200, 200, 200]);
    lists.add("D", NEW);
    for (const key of ["D", "F", "T", "E"] as const) lists.remove(key, GONE);

    const diff = await lists.run(`lists diff --home ${home} ${lists.sources()}`);
    expect([diff.status, diff.stderr.toString(), linesOf(diff.stdout)]).toEqual([
      0,
      "",
      [
        expect.stringMatching(/^-\t10-minute-mail\.com\tconfirmed → none\tD\w* → none$/),
        `+\t${NEW}\tnone → confirmed\tnone → D`,
      ],
    ]);
    expect(existsSync(join(home, "lists.bin"))).toBe(false);

    const before = await verdicts(home);
    takeStatuses();
    const second = await lists.update(home);
    expect(second).toMatchObject({ status: 0, result: "updated", disposable_added: 1, disposable_removed: 1 });
    expect(lists.mirror.responses).toContainEqual({ key: "rootZone", status: 304 });
    const after = await verdicts(home);
    expect(after).toEqual([expect.anything(), expect.anything(), ...before.slice(2)]);
    expect(after).toMatchObject([{ disposable: true }, { disposable: false }, {}, {}, {}, {}]);

    takeStatuses();
    const { data_version } = second;
    expect(await lists.update(home)).toMatchObject({ result: "unchanged", data_version });
    expect(takeStatuses()).toEqual([304, 304, 304, 304, 304, 304]);
    // Another mirror may have the same ETag for another list, so the request has no ETag.
    expect(await lists.update(home, lists.sources("D").replace(/\.txt$/, ""))).toMatchObject({ result: "unchanged" });
    expect(takeStatuses()).toEqual([200]);
    const sources = expect.arrayContaining([
      expect.objectContaining({
        key: "D",
        digest: expect.stringMatching(/^sha256:/),
        url: expect.stringMatching(/^https:/),
        project: "https://github.com/disposable-email-domains/disposable-email-domains",
      }),
    ]);
    const status = { data_version, origin: "home", age_days: 0, sources };
    expect(await lists.json("lists status", home)).toMatchObject(status);

    const back = await lists.run(`lists rollback --home ${home}`);
    expect([back.status, back.stderr.toString()]).toEqual([0, ""]);
    expect(await verdicts(home)).toEqual(before);
    expectOneLine(await lists.run(`lists rollback --home ${home}`), /^addrsift: there is nothing to roll back/);
    // Updates do not install rolled-back lists again by themselves.
    expect(await lists.update(home)).toMatchObject({ result: "rolled_back" });
    expect(await verdicts(home)).toEqual(before);
    // Not even if another source has something new.
    lists.add("F", "another-throw-away.com");
    expect(await lists.update(home)).toMatchObject({ result: "updated", disposable_added: 1 });
    expect(await verdicts(home)).toEqual(before);
    expect(await lists.update(home, "--again")).toMatchObject({ result: "updated" });
    expect(await verdicts(home)).toEqual(after);
    // The community list no longer has it.
    lists.remove("D", NEW);
    lists.add("T", NEW);
    const change = await lists.run(`lists diff --home ${home} ${lists.sources()}`);
    expect(linesOf(change.stdout)).toEqual([`-\t${NEW}\tconfirmed → legacy\tD → T`]);
  });

  it("lists diff and a dry run count what each source adds and removes, and list top-level domains", async () => {
    const home = lists.newHome();
    lists.add("D", NEW);
    lists.remove("D", GONE);
    lists.add("rootZone", "brandnew");
    lists.remove("T", "10minutemail.com");
    lists.add("C", NEW);
    const daily = await lists.run(`lists update --dry-run --home ${home} ${lists.sources("C")}`);
    expect(linesOf(daily.stdout)[0]).toMatch(
      /^C \(castle\): 1 name added, 0 removed, \d+ kept, 0 no longer count \(dropped over 90 days ago\)$/,
    );
    const { sources } = await lists.json(`lists diff --json ${lists.sources("C", "D")}`, home);
    expect(sources).toMatchObject([{ key: "C", added: 1, aged: 0 }, { key: "D" }]);
    expect((sources as object[])[1]).not.toHaveProperty("aged");
    const call = `--home ${home} ${lists.sources("D", "T", "rootZone")}`;
    const sizeOf = (key: SourceKey): number => lists.small.snapshots[key].names.size;
    const counts = [
      { key: "D", result: "new", added: 1, removed: 1, kept: sizeOf("D") - 1, ignored: [], invalid_lines: 0 },
      { key: "T", result: "new", added: 0, removed: 1, kept: sizeOf("T") - 1, ignored: [], invalid_lines: 0 },
      { key: "rootZone", result: "new", added: 1, removed: 0, kept: sizeOf("rootZone"), ignored: [], invalid_lines: 0 },
    ];
    const after = { confidence: "confirmed", counted: true, sources: ["D"] };
    expect(await lists.json(`lists diff --json ${lists.sources("D", "T", "rootZone")}`, home)).toMatchObject({
      ...{ disposable_added: 1, disposable_removed: 1, tlds_added: ["brandnew"], tlds_removed: [], sources: counts },
      changes: expect.arrayContaining([{ domain: NEW, before: null, after }]),
    });
    const rows = linesOf((await lists.run(`lists diff ${call}`)).stdout);
    expect(rows).toEqual([
      `-\t${GONE}\tconfirmed → legacy\tDTE → TE`,
      "~\t10minutemail.com\tconfirmed\tDCTE → DCE",
      `+\t${NEW}\tnone → confirmed\tnone → D`,
      "+\tbrandnew\tnone → tld\tnone → rootZone",
    ]);
    const dryRun = linesOf((await lists.run(`lists update --dry-run ${call}`)).stdout);
    expect(dryRun.slice(0, -1)).toEqual([
      `D (disposable-email-domains): 1 name added, 1 removed, ${formatNumber(sizeOf("D") - 1)} kept`,
      `T (disposable-domains): 0 names added, 1 removed, ${formatNumber(sizeOf("T") - 1)} kept`,
      `rootZone (tlds): 1 name added, 0 removed, ${formatNumber(sizeOf("rootZone"))} kept`,
    ]);
    expect(dryRun.at(-1)).toMatch(/: 1 domain becomes disposable, 1 domain is no longer disposable$/);
  });

  it("lists update warns once about sources that were skipped for the same reason", async () => {
    lists.mirror.misbehaviors.set("D", (response) => response.writeHead(500).end());
    lists.mirror.misbehaviors.set("F", (response) => response.writeHead(500).end());
    const { stdout, stderr } = await lists.run(`lists update --dry-run --home ${lists.newHome()} ${lists.sources()}`);
    expect(stdout.toString()).toMatch(/^the lists \S+ are unchanged; not updated: D, F\n$/);
    const reason = "the server answered with status 500";
    expect(stderr.toString()).toBe(
      `addrsift: skipped D (disposable-email-domains), F (fakefilter); the previous entries are kept: ${reason}\n`,
    );
  });

  it("lists status says why, if every update has failed", async () => {
    const home = lists.newHome();
    for (const key of UPDATABLE_KEYS) lists.mirror.misbehaviors.set(key, (response) => response.writeHead(500).end());
    expect(await lists.update(home)).toMatchObject({ status: 2, result: "failed" });
    expect(linesOf((await lists.run(`lists status --home ${home}`)).stdout).slice(1, 3)).toEqual([
      "last update of all sources: not yet, every attempt failed",
      expect.stringMatching(
        /^unresolved failures \(the last at \d{4}-\d\d-\d\d \d\d:\d\d UTC\): D, F, C, T, E, rootZone: the server answered with status 500$/,
      ),
    ]);
  });

  it("lists update counts the names of each source as lists status does", async () => {
    const home = lists.newHome();
    lists.add("C", NEW);
    lists.remove("C", "10minutemail.com");
    lists.add("D", NEW);
    lists.remove("T", GONE);
    const { sources } = await lists.update(home);
    const { sources: shown } = await lists.json("lists status", home);
    const countOf = ({ key }: { readonly key: string }): unknown =>
      (shown as { key: string; count: number }[]).find((source) => source.key === key)?.count;
    const counts = sources as unknown as { key: string; added: number; removed: number; kept: number }[];
    expect(counts.map(({ added, kept }) => added + kept)).toEqual(counts.map(countOf));
    expect(counts.find(({ key }) => key === "C")).toMatchObject({ added: 1, removed: 0 });
    expect(counts.find(({ key }) => key === "T")).toMatchObject({ added: 0, removed: 1 });
  });

  it("lists update reads JSON from a --from folder, and gzip responses from a mirror", async () => {
    const home = lists.newHome();
    const from = join(lists.folder.path, "from");
    mkdirSync(from);
    writeFileSync(join(from, "D.txt"), JSON.stringify([...lists.small.snapshots.D.names.keys(), NEW]));
    utimesSync(join(from, "D.txt"), 0, 0);
    const expected = {
      stderr: expect.stringContaining("the file is from 1970-01-01, older than the previous list: fetch it again\n"),
      result: "updated",
      disposable_added: 1,
      disposable_removed: 0,
      sources: [
        { key: "D", result: "new" },
        ...["F", "C", "T", "E", "rootZone"].map((key) => ({ key, result: "missing" })),
      ],
    };
    expect(await lists.update(home, `--from ${from}`)).toMatchObject(expected);
    truncateSync(join(from, "D.txt"), 16_000_001);
    expect((await lists.update(home, `--from ${from}`)).stderr).toMatch(
      /D\.txt is larger than 16 MB\n.*\n.*: no source could be used$/m,
    );
    writeFileSync(join(from, "D.txt"), [...lists.small.snapshots.D.names.keys(), "gmail.com"].join("\n"));
    expect((await lists.update(home, `--from ${from}`)).stderr).toMatch(
      /it lists gmail\.com, .*\n.*\n.*: no source could be used$/m,
    );
    lists.mirror.misbehaviors.set("D", (response, text) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(text));
    });
    expect(await lists.update(home, lists.sources("D"))).toMatchObject({ result: "updated", disposable_removed: 1 });
  });

  it("lists lookup names the source of an updated entry, even after a rollback, and warns about missing snapshots", async () => {
    const home = lists.newHome();
    const lookup = `lists lookup ${NEW}`;
    const expected = { listed_by: [{ key: "D", entry: NEW }] };
    lists.add("D", NEW);
    await lists.update(home, lists.sources("D"));
    expect(await lists.json(lookup, home)).toMatchObject({ ...expected, stderr: "" });
    lists.add("D", "second-throw-away.com");
    await lists.update(home, lists.sources("D"));
    await lists.run(`lists rollback --home ${home}`);
    expect(await lists.json(lookup, home)).toMatchObject({ ...expected, stderr: "" });
    for (const name of readdirSync(join(home, "lists")).filter((file) => file.startsWith("D-")))
      rmSync(join(home, "lists", name));
    const note = /^addrsift: the dates in disposable-email-domains@\S+ are unknown[^\n]+\n$/;
    const lost = { ...expected, matches: [{ entry: NEW }], stderr: expect.stringMatching(note) };
    expect(await lists.json(lookup, home)).toMatchObject(lost);
  });

  it("lists update fails in one line while another process updates", async () => {
    const home = lists.newHome();
    mkdirSync(home, { mode: 0o700 });
    const call = `lists update --home ${home} ${lists.sources("F")}`;
    const line = "addrsift: another process updates these lists: try again when it has ended\n";
    expectOneLine(await withLock(join(home, "lists.lock"), () => lists.run(call)), line);
    expect((await lists.run(call)).status).toBe(0);
  });

  it("lists update reads a secret URL from a file and never prints it", async () => {
    const home = lists.newHome();
    lists.add("D", NEW);
    const url = new URL(lists.sources("D").replace("--source D=", ""));
    Object.assign(url, { username: "user", password: "word", search: "?token=tok-9f8e7d6c" });
    const file = join(lists.folder.path, "mirror-url");
    writeFileSync(file, `${url}\n`, { mode: 0o600 });
    for (const disposable_added of [1, 0])
      expect(await lists.update(home, `--source D=@${file}`)).toMatchObject({
        status: 0,
        stderr: "",
        disposable_added,
      });
    const all = readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
    expect(all.length).toBeGreaterThan(3);
    const status = JSON.stringify(await lists.json("lists status", home));
    for (const text of [status, ...all]) expect(text).not.toMatch(/tok-9f8e7d6c|user:word/);
  });

  it("lists update --dry-run writes nothing", async () => {
    const home = lists.newHome();
    lists.add("D", NEW);
    expect(await lists.update(home, "--dry-run")).toMatchObject({ status: 0, result: "updated", disposable_added: 1 });
    expect(existsSync(home)).toBe(false);
  });

  const SECRET =
    "--source D: the URL has credentials or a query, and other users can read a command's arguments: write it to a file and give --source D=@FILE";
  it.each([
    ["--source X=https://a.example/x", "--source must be KEY=URL with one of the keys D, F, C, T, E, rootZone"],
    ["--source D=https://user:word@a.example/x", SECRET],
    ["--source D=https://a.example/x?token=1", SECRET],
    ["--source D=@/nonexistent-url", "can't read /nonexistent-url for --source D: there is no"],
    ["--source D=@-", "give a file: --source D=@FILE"],
    ["--source D=http://a.example/x", "--source D: it must be an https URL"],
    ["--source D=https://a.example/x --source D=https://b.example/x", "--source D is given twice"],
    ["--from /tmp --source D=https://a.example/x", "--from and --source exclude each other"],
    ["--from /nonexistent", "can't use /nonexistent for --from: there is no such file or folder, check its name"],
    ["--from /etc/hosts", "can't use /etc/hosts for --from: it is not a folder"],
    ["--from /etc", /can't use \/etc for --from: it has none of D\.txt, .*: addrsift lists status --json has .* URLs/],
  ])("lists update rejects %s in one line, and creates no home", async (options, message) => {
    const home = lists.newHome();
    await expectRefused(`lists update --home ${home} ${options}`, message);
    expect(existsSync(home)).toBe(false);
  });
});

type Poison = readonly [name: string, apply: () => void, line: RegExp, status?: number];

const respondWith =
  (status: number, headers = {}, body: string | Buffer = "") =>
  (): unknown =>
    lists.mirror.misbehaviors.set("D", (response) => void response.writeHead(status, headers).end(body));
const BOMB = gzipSync(Buffer.alloc(200_000_000, "a"));

// Tests of source-validation.ts and outbound/client.ts have the other texts and responses that are rejected.
const POISONS: readonly Poison[] = [
  ["gmail.com added", () => lists.add("D", "gmail.com"), /skipped.*it lists gmail\.com, a well-known mail domain/],
  ["protected names", () => lists.add("D", "uni-bonn.de", "co.uk"), /2 protected names .*: co\.uk, uni-bonn\.de/, 0],
  ["an HTML page", respondWith(200, { "content-type": "text/html" }, "<html></html>"), /text\/html, not a list/],
  ["a gzip bomb", respondWith(200, { "content-encoding": "gzip" }, BOMB), /larger than 16 MB unpacked/],
  ["a redirect to this machine", respondWith(302, { location: "http://127.0.0.1:9/" }), /redirects \(302\)/],
  ["status 404", respondWith(404), /status 404 for http:\/\/127\.0\.0\.1:\d+\/D\.txt: check the URL$/],
  ["status 503", respondWith(503), /status 503$/],
  ["status 304 for an unconditional request", respondWith(304), /answered with status 304/],
  ["bytes that are not text", respondWith(200, {}, Buffer.from([0xff, 0xfe, 0x00])), /can't be unpacked or read/],
];

describe("a poisoned mirror", UPDATES_LIMIT, () => {
  it("lists update counts the lines that are not domain names", async () => {
    const home = lists.newHome();
    lists.change("D", (text) => `${text}<html>\nno domain\n${NEW}\n`);
    const { status, stdout, stderr } = await lists.run(`lists update --json --home ${home} ${lists.sources("D")}`);
    const [{ sources } = {}] = objectsOf(stdout) as unknown as { sources: unknown }[];
    expect([status, sources]).toEqual([0, [expect.objectContaining({ key: "D", added: 1, invalid_lines: 2 })]]);
    const note = 'skipped 2 lines that are not domain names, such as "<html>"';
    expect(linesOf(stderr)).toEqual([`addrsift: source D (disposable-email-domains): ${note}`]);
  });

  it("lists update accepts the media type binary/octet-stream", async () => {
    respondWith(200, { "content-type": "binary/octet-stream" }, `${lists.mirror.texts.get("D")}${NEW}\n`)();
    expect(await lists.update(lists.newHome(), lists.sources("D"))).toMatchObject({ status: 0, disposable_added: 1 });
  });

  const cases = POISONS.map(([name, apply, line, status = 2]) => [name, apply, line, status] as const);
  it.each(cases)("a poisoned mirror changes no verdict: %s", async (_, apply, line, expected) => {
    const home = lists.newHome();
    const before = await verdicts(home);
    apply();
    const { status, stdout, stderr } = await lists.run(`lists update --home ${home} ${lists.sources("D")}`);
    const errorLines = linesOf(stderr);
    expect(errorLines.filter((text) => line.test(text))).toHaveLength(1);
    expect(errorLines.filter((text) => !text.startsWith("addrsift: "))).toEqual([]);
    expect(status).toBe(expected);
    expect(await verdicts(home)).toEqual(before);
    const files = existsSync(home) ? readdirSync(home) : [];
    expect(files.filter((name) => name.endsWith(".new"))).toEqual([]);
    if (expected === 2) expect([stdout.toString(), files.includes("lists.bin")]).toEqual(["", false]);
  });

  it("if one source fails, lists update updates from the others and exits with 2", async () => {
    lists.add("D", NEW);
    lists.mirror.misbehaviors.set("T", (response) => void response.writeHead(200, { "content-type": "\x9b1m" }).end());
    const expected = { status: 2, result: "updated", disposable_added: 1 };
    const home = lists.newHome();
    expect(await lists.update(home)).toMatchObject(expected);
    const failure = "T: the server sent \x9b1m, not a list";
    const status = await lists.json("lists status", home);
    expect(status).toMatchObject({ failure, failed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) });
    expect(status).not.toHaveProperty("checked_at");
    const checks = Object.fromEntries(
      (status["sources"] as { key: string; checked_at?: string }[]).map(({ key, checked_at }) => [key, checked_at]),
    );
    expect(checks).toMatchObject({
      D: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      T: undefined,
      academic: undefined,
      public: undefined,
    });
    const table = (await lists.run(`lists status --home ${home}`)).stdout.toString();
    expect(table).toMatch(/^ *\d+ +T .* never$/m);
    expect(table).toMatch(/^ *\d+ +F .* (\d{4}-\d\d-\d\d) +\d{4}-\d\d-\d\d$/m);
    const readStatus = async (): Promise<string[]> =>
      linesOf((await lists.run(`lists status --home ${home}`)).stdout).slice(1, 3);
    expect(await readStatus()).toEqual([
      "last update of all sources: not yet, T never fetched",
      expect.stringContaining(` UTC): ${escapeInvisible(failure)}`),
    ]);
    const from = join(lists.folder.path, "incomplete");
    mkdirSync(from);
    writeFileSync(join(from, "D.txt"), lists.mirror.texts.get("D") as string);
    const incomplete = await lists.update(home, `--from ${from}`);
    expect(incomplete.stderr).toMatch(
      /^addrsift: the folder has no F\.txt, .*rootZone\.txt; previous entries are kept: /,
    );
    expect(await lists.json("lists status", home)).toMatchObject({ failure });
    expect((await readStatus())[0]).toBe("last update of all sources: not yet, T never fetched");
    await lists.update(home, lists.sources("D"));
    expect(await lists.json("lists status", home)).toMatchObject({ failure });
    expect((await readStatus())[0]).toBe("last update of all sources: not yet, T never fetched");
    lists.mirror.misbehaviors.clear();
    await lists.update(home, lists.sources("T"));
    expect(await readStatus()).toEqual([
      expect.stringMatching(/^last update of all sources: \d{4}-\d\d-\d\d \d\d:\d\d UTC$/),
      expect.stringMatching(/^overrides: 0 allow, 0 deny, in /),
    ]);
  });
});

it.skipIf(!isRoot)("an update on a full disk leaves the lists and no files (needs root to mount)", async (context) => {
  const home = lists.newHome();
  mkdirSync(home, { mode: 0o700 });
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", home]);
  if (status !== 0) context.skip("mounting is not allowed here");
  try {
    const { data_version } = await lists.update(home);
    lists.add("D", NEW);
    await lists.update(home, lists.sources("D"));
    const installed = await lists.json("lists status", home);
    lists.add("D", "second-throw-away.com");
    const namesIn = (): string[] => readdirSync(home, { recursive: true, encoding: "utf8" }).sort();
    const before = namesIn();
    const filler = join(home, "filler");
    // The disk gets full at each file of an update in turn.
    let room = 0;
    let result = "failed";
    const reasons = new Set<string>();
    for (; result === "failed"; room += 65_536) {
      expect(() => writeFileSync(filler, Buffer.alloc(4 << 20))).toThrow(/ENOSPC/);
      truncateSync(filler, statSync(filler).size - room);
      const report = await lists.update(home, lists.sources("D"));
      ({ result } = report);
      rmSync(filler);
      if (result !== "failed") break;
      expect(report).toMatchObject({ status: 2, data_version: installed["data_version"] });
      expect(report.stderr).toMatch(
        /the lists were not updated, those in use are kept: can't write \S+: the disk is full/,
      );
      reasons.add(/can't write \S+\/(\w)[^/]*:/.exec(report.stderr)?.[1] as string);
      expect(namesIn()).toEqual(before);
      expect((await lists.json("lists status", home))["data_version"]).toBe(installed["data_version"]);
    }
    expect([result, [...reasons]]).toEqual(["updated", ["D", "0", "l"]]);
    await lists.run(`lists rollback --home ${home}`);
    await lists.run(`lists rollback --home ${home}`);
    expect((await lists.json("lists status", home))["data_version"]).toBe(data_version);
  } finally {
    spawnSync("umount", [home]);
  }
});

it.skipIf(!isRoot)("an update keeps the lists that it installed if state.json can't be written", async (context) => {
  const home = lists.newHome();
  mkdirSync(home, { mode: 0o700 });
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "nr_inodes=60,mode=700", "tmpfs", home]);
  if (status !== 0) context.skip("mounting is not allowed here");
  let reader: number | undefined;
  try {
    lists.add("D", NEW);
    await lists.update(home);
    lists.add("D", "second-throw-away.com");
    // A reader of the replaced lists keeps their inode in use.
    reader = openSync(join(home, "lists.bin"), "r");
    const fillers = Array.from({ length: 60 }, (_, i) => join(home, `filler-${i}`));
    expect(() => fillers.forEach((path) => void writeFileSync(path, ""))).toThrow(/ENOSPC/);
    const created = fillers.filter(existsSync);
    const readVersion = async (): Promise<unknown> => (await lists.json("lists status", home))["data_version"];
    const before = await readVersion();
    let stderr = "";
    // Each time, the update can write one file more.
    while ((await readVersion()) === before) {
      rmSync(created.pop() as string);
      ({ stderr } = await lists.update(home, lists.sources("D")));
    }
    expect(stderr).toMatch(/^addrsift: can't write \S+state\.json: the disk is full, make room\n$/);
    const installed = await readVersion();
    const stored = readdirSync(join(home, "lists")).filter((name) => name.endsWith(`-${installed}.bin`));
    expect(stored).toHaveLength(1);
  } finally {
    if (reader !== undefined) closeSync(reader);
    spawnSync("umount", [home]);
  }
});

it("lists update deletes the unfinished files of a killed update", async () => {
  const home = lists.newHome();
  await lists.update(home);
  const folder = join(home, "lists");
  for (const name of readdirSync(folder)) writeFileSync(join(folder, `${name}.new`), "unfinished");
  lists.add("D", "throw-away-last.com");
  expect(await lists.update(home)).toMatchObject({ result: "updated" });
  expect(readdirSync(folder).filter((name) => name.endsWith(".new"))).toEqual([]);
});
