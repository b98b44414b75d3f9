// The journal of a large store: what was acknowledged is in it, what a crash cut off is nowhere, and damage is noticed. What a small
// store does is in store.test.ts.

import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Collection } from "../../../src/store/collection.ts";
import { journalLine, readLines } from "../../../src/store/journal.ts";
import { Store } from "../../../src/store/store.ts";
import { scratch } from "../../helpers/run.ts";
import { isRoot } from "../../helpers/stranger.ts";

interface Note {
  readonly text: string;
}
const isNote = (value: unknown): value is Note => typeof (value as Note | null)?.text === "string";
const NOTES: Collection<Note> = { name: "notes", isRecord: isNote, migrations: [] };
const OTHERS: Collection<Note> = { name: "others", isRecord: isNote, migrations: [] };

let files: ReturnType<typeof scratch>;
let home: string;
let path: string;
let warnings: string[];
beforeEach(() => {
  files = scratch();
  home = join(files.path, "home");
  path = join(home, "store.json");
  warnings = [];
});
afterEach(() => files.remove());

function open(collections: readonly Collection<unknown>[] = [NOTES], adopts?: string): Store {
  return new Store({ folder: home, file: "store.json", warn: (line) => warnings.push(line), adopts }, collections);
}

async function add(store: Store, id: string, text = id, collection = NOTES): Promise<void> {
  await store.change((draft) => draft.records(collection).set(id, { text }));
  // Work that comes after the acknowledgement.
  await store.idle();
}

const ids = (store: Store): string[] => [...store.records(NOTES).keys()].filter((id) => id !== "big");
const journal = (place = 1): string => `${path}.journal-${place}`;
const format = (): number => JSON.parse(readFileSync(path, "utf8")).format;

/** A store with a journal. */
async function large(store = open()): Promise<Store> {
  await add(store, "big", "x".repeat(70_000));
  expect(format()).toBe(2);
  return store;
}

/** Makes the journal so long that the file is replaced. */
async function renew(store: Store): Promise<void> {
  const before = statSync(path).ino;
  for (let i = 0; statSync(path).ino === before; i++) await add(store, "big", String(i % 10).repeat(70_000));
}

describe("a large store", () => {
  it("a large store takes a change as a line of its journal, and the file stays as it is", async () => {
    const store = await large();
    const before = readFileSync(path);
    const inode = statSync(journal()).ino;
    for (const id of ["one", "two", "three"]) await add(store, id);
    await store.change((draft) => draft.records(NOTES).delete("two"));
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(statSync(journal()).ino).toBe(inode);
    expect(statSync(journal()).mode & 0o777).toBe(0o600);
    expect(readFileSync(journal(), "utf8").split("\n")).toHaveLength(6);
    expect(ids(store)).toEqual(["one", "three"]);
    expect(ids(open())).toEqual(["one", "three"]);
    expect(warnings).toEqual([]);
  });

  it("a large store is followed by processes that have it open, also when the file is written again, with an index", async () => {
    const [store, reader, idle] = [await large(), open(), open()];
    const told: unknown[] = [];
    reader.observe(NOTES, {
      clear: () => told.push("clear"),
      replace: (_, after) => told.push(after?.text.slice(0, 9)),
    });
    ids(idle);
    for (let i = 0; i < 3; i++) {
      await add(store, `n${i}`);
      expect(ids(reader)).toContain(`n${i}`);
      await renew(store);
      expect(ids(reader)).toContain(`n${i}`);
    }
    // It was read as a whole once.
    expect(told.filter((one) => one === "clear")).toHaveLength(1);
    expect(told).toEqual(expect.arrayContaining(["n0", "n1", "n2"]));
    expect(ids(idle)).toEqual(["n0", "n1", "n2"]);
    expect(ids(open())).toEqual(["n0", "n1", "n2"]);
    expect(readdirSync(home).sort()).toEqual(
      ["", ".journal-1", ".journal-2", ".lock", ".previous"].map((end) => `store.json${end}`),
    );
  });

  it("a large store of two writers keeps what each did", async () => {
    const [one, other] = [await large(), open()];
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => add(i % 2 === 0 ? one : other, `n${i}`, "y".repeat(20_000))),
    );
    expect(ids(open()).sort()).toEqual(Array.from({ length: 40 }, (_, i) => `n${i}`).sort());
  });

  it("a large store that becomes small is complete again, without a journal", async () => {
    const store = await large();
    await renew(store);
    await store.change((draft) => draft.records(NOTES).delete("big"));
    for (let i = 0; format() === 2; i++) await add(store, "n", String(i).repeat(30_000));
    await add(store, "last");
    await add(store, "very last");
    expect(JSON.parse(readFileSync(path, "utf8")).collections.notes.records).toHaveProperty("last");
    expect(readdirSync(home).sort()).toEqual(["store.json", "store.json.lock", "store.json.previous"]);
    expect(ids(open())).toEqual(["n", "last", "very last"]);
  });

  it("a large store of a former schema is written in today's before it is changed", async () => {
    await add(await large(), "one");
    const migrations = [(note: unknown) => ({ text: `${(note as Note).text}!` })];
    const newer: Collection<Note> = { ...NOTES, migrations };
    const store = open([newer]);
    await store.change((draft) => draft.records(newer).set("two", { text: "two" }));
    const inode = statSync(path).ino;
    await store.change((draft) => draft.records(newer).set("three", { text: "three" }));
    expect(statSync(path).ino).toBe(inode);
    expect(open([newer]).records(newer).get("one")).toEqual({ text: "one!" });
    expect(open([newer]).records(newer).get("two")).toEqual({ text: "two" });
    expect(() => open().records(NOTES)).toThrow(/notes of schema 2, known is 1\): install that version again/);
    await expect(add(open(), "three")).rejects.toThrow(/later addrsift/);
  });

  it("a large store that has a collection of a later version is refused", async () => {
    const store = await large(open([NOTES, OTHERS]));
    const reader = open();
    expect(ids(reader)).toEqual([]);
    await add(store, "__proto__", "a", OTHERS);
    expect(() => ids(reader)).toThrow(/is from a later addrsift \(it has others, which this version does not know\)/);
    expect([...open([NOTES, OTHERS]).records(OTHERS)]).toEqual([["__proto__", { text: "a" }]]);
  });

  it("a journal of another time is damage, and its changes are not made", async () => {
    const store = await large();
    await add(store, "one");
    const other = readFileSync(journal());
    await renew(store);
    await add(store, "two");
    writeFileSync(journal(2), other);
    const reader = open();
    ids(reader);
    expect(warnings.join()).toMatch(/its journal \S+ is of another time/);
    await expect(add(reader, "three")).rejects.toThrow(/is of another time/);
  });
});

describe("lines of a journal", () => {
  const [one, two] = [journalLine({ n: 1 }, ""), journalLine({ n: 2 }, journalLine({ n: 1 }, "").digest)];
  const rest = (text: string): string => readLines(Buffer.from(text), "").rest;

  it("lines of a journal that were cut off are torn at the end only, and damage before it", () => {
    const cut = `${two.text.slice(0, -5)}\n`;
    expect(rest(one.text + two.text)).toBe("none");
    expect(rest(one.text + two.text.slice(0, -5))).toBe("unfinished");
    expect(rest(one.text + cut)).toBe("torn");
    expect(rest(one.text + cut + two.text)).toBe("damaged");
    expect(rest(two.text)).toBe("damaged");
  });
});

describe("a journal that ends in a piece of a line", () => {
  it.each([
    ["a cut line", '0123456789abcdef0123456789abcdef {"at":1,"colle', 0],
    ["zeros", "\0".repeat(300), 0],
    ["a line without its middle", `${"0".repeat(32)} {"at":1,"collec\0\0\0\0:{}}\n`, 1],
  ])("a journal that ends in a piece of a line (%s) has it cut off, and goes on", async (_, rest, said) => {
    await add(await large(), "one");
    appendFileSync(journal(), rest);
    const store = open();
    expect(ids(store)).toEqual(["one"]);
    await add(store, "two");
    await add(store, "three");
    expect(ids(open())).toEqual(["one", "two", "three"]);
    expect(warnings).toHaveLength(said);
    for (const line of warnings) expect(line).toMatch(/ends in a change that is cut off and was not acknowledged/);
  });

  it("a journal that ends in a piece of a line is read on when the rest of the line comes", async () => {
    const store = await large();
    const reader = open();
    ids(reader);
    await add(store, "one");
    const whole = readFileSync(journal());
    writeFileSync(journal(), whole.subarray(0, whole.length - 9));
    expect(ids(reader)).toEqual([]);
    appendFileSync(journal(), whole.subarray(whole.length - 9));
    expect(ids(reader)).toEqual(["one"]);
    expect(warnings).toEqual([]);
  });
});

/** Damage of a journal whose file is good; it has "one", "two" and "three". */
const DAMAGE: readonly (readonly [what: string, damage: () => void, said: RegExp, left: readonly string[]])[] = [
  ["a changed line", () => swap("two", "owt"), /journal-1 is damaged in line 3/, ["one"]],
  ["a missing line", () => editLines((lines) => lines.toSpliced(2, 1)), /journal-1 is damaged in line 3/, ["one"]],
  ["a changed last line", () => swap("three", "eerht"), /journal-1 is damaged in line 4/, ["one", "two"]],
  [
    "a line of another journal after the last",
    () => appendFileSync(journal(), journalLine({ at: 1, collections: {} }, "").text),
    /journal-1 is damaged in line 5/,
    ["one", "two", "three"],
  ],
  ["no file", () => rmSync(journal()), /journal-1 is gone/, []],
  ["no text", () => writeFileSync(journal(), ""), /journal-1 has no beginning/, []],
];

function swap(before: string, after: string): void {
  editLines((lines) => lines.map((line) => line.replaceAll(`"${before}"`, `"${after}"`)));
}

function editLines(edit: (lines: string[]) => string[]): void {
  writeFileSync(journal(), edit(readFileSync(journal(), "utf8").split("\n")).join("\n"));
}

describe("a damaged journal", () => {
  beforeEach(async () => {
    const store = await large();
    for (const id of ["one", "two", "three"]) await add(store, id);
  });

  it.each(DAMAGE)(
    "(%s) is noticed, and left as it is by a change that no person started",
    async (_, damage, said, left) => {
      const [store, before] = [open(), open()];
      ids(store);
      damage();
      const octets = existsSync(journal()) ? readFileSync(journal()) : undefined;
      for (const one of [store, before]) {
        expect(ids(one)).toEqual(left);
        expect(one.damaged()).toBe(true);
        await expect(add(one, "four")).rejects.toMatchObject({ code: "STORE", message: expect.stringMatching(said) });
      }
      expect(warnings[0]).toMatch(
        /what is good of it of \d{4}-\S+Z is used, without what was changed after that: put a backup/,
      );
      expect(existsSync(journal()) ? readFileSync(journal()) : undefined).toEqual(octets);
    },
  );

  it.each(DAMAGE)(
    "(%s) is kept aside by a change by hand, which goes on from what is good",
    async (_, damage, _said, left) => {
      damage();
      const octets = existsSync(journal()) ? readFileSync(journal()) : undefined;
      const store = open([NOTES], "look at the notes");
      await add(store, "four");
      expect(ids(open())).toEqual([...left, "four"]);
      expect(warnings.at(-1)).toMatch(
        /is replaced: this change continued from what is good of it of \S+Z: look at the notes$/,
      );
      const aside = readdirSync(home).filter((name) => name.includes(".damaged-"));
      expect(aside.map((name) => readFileSync(join(home, name)))).toEqual(octets === undefined ? [] : [octets]);
      await add(open(), "five");
      expect(open().damaged()).toBe(false);
    },
  );

  it("a damaged journal is read as far as it is good without a previous copy too", () => {
    swap("two", "owt");
    rmSync(`${path}.previous`);
    expect(ids(open())).toEqual(["one"]);
  });

  it("a journal of a later format needs that version, and is not taken for damage", () => {
    writeFileSync(journal(), journalLine({ journal: 2, id: "a" }, "").text);
    expect(() => ids(open())).toThrow(/is from a later addrsift \(a journal of format 2, known is 1\): install that/);
  });

  it("a damaged journal is repaired by a backup of both files", async () => {
    for (const file of [path, journal()]) copyFileSync(file, `${files.path}/${file === path ? "file" : "journal"}`);
    const store = open();
    await renew(store);
    await renew(store);
    copyFileSync(join(files.path, "file"), path);
    expect(() => ids(store)).not.toThrow();
    copyFileSync(join(files.path, "journal"), journal());
    expect(ids(store)).toEqual(["one", "two", "three"]);
    await add(store, "four");
    expect(ids(open())).toEqual(["one", "two", "three", "four"]);
  });
});

describe("a damaged file with a journal", () => {
  it.each([0, 1, 2])(
    "with a journal loses nothing when it was replaced %i times: the previous copy and the journals have it all",
    async (times) => {
      const store = await large();
      await add(store, "one");
      for (let i = 0; i < times; i++) await renew(store);
      await add(store, "two");
      writeFileSync(path, "damage");
      expect(ids(open())).toEqual(["one", "two"]);
      expect(warnings[0]).toMatch(/is damaged \(it is cut off or not JSON\): its previous copy of \S+Z is used/);
      await expect(add(open(), "three")).rejects.toMatchObject({ code: "STORE" });
      const byHand = open([NOTES], "look");
      await add(byHand, "three");
      await add(byHand, "four");
      expect(ids(open())).toEqual(["one", "two", "three", "four"]);
    },
  );
});

it("says a format that earlier versions refuse", async () => {
  await large();
  expect(readFileSync(path, "utf8")).toMatch(/^\{"format":2,/);
});

it.skipIf(!isRoot)(
  "a full disk takes lines as long as they fit, and loses none (needs root, to mount a small disk)",
  async (context) => {
    spawnSync("mkdir", ["-m", "700", home]);
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=512k,mode=700", "tmpfs", home]).status !== 0)
      context.skip("mounting is not allowed here");
    try {
      writeFileSync(join(home, "filler"), "x".repeat(8192));
      const store = await large();
      const done: string[] = [];
      let failures = 0;
      for (let i = 0; failures < 3; i++) {
        const id = `n${i}`;
        await add(store, id, "y".repeat(5000)).then(
          () => done.push(id),
          (error: Error) => {
            failures += 1;
            expect(error.message).toMatch(/^can't write .*: the disk is full, make room$/);
          },
        );
      }
      expect(done.length).toBeGreaterThan(20);
      // Less than a record still fits, as the end of a key would.
      await store.change((draft) => draft.records(NOTES).delete("n0"));
      await store.idle();
      expect(ids(store)).toEqual(done.slice(1));
      expect(ids(open())).toEqual(done.slice(1));
      expect(warnings).toEqual([]);
    } finally {
      spawnSync("umount", [home]);
    }
  },
);
