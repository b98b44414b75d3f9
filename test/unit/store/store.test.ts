// Tests the store: acknowledged changes are on disk, failed ones leave no trace, and damage is never overwritten.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  promises,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { choice, closedObject, listOf, optional, text } from "../../../src/base/shapes.ts";
import type { Collection } from "../../../src/store/collection.ts";
import { Store } from "../../../src/store/store.ts";
import { scratch } from "../../helpers/run.ts";
import { asStranger, isRoot } from "../../helpers/stranger.ts";

interface Note {
  readonly text: string;
}
const shape = closedObject({ text: text() });
const NOTES: Collection<Note> = { name: "notes", shape };
const OTHERS: Collection<Note> = { name: "others", shape };

let files: ReturnType<typeof scratch>;
let home: string;
let path: string;
let warnings: string[];
beforeEach(() => {
  files = scratch();
  home = join(files.path, "a/home");
  path = join(home, "store.json");
  warnings = [];
});
afterEach(() => files.remove());

function open(collections: readonly Collection<unknown>[] = [NOTES], recoveryWarning?: string): Store {
  return new Store(
    { folder: home, file: "store.json", warn: (line) => warnings.push(line), recoveryWarning },
    collections,
  );
}

/** Writes a file to the home without a store. */
function writeHomeFile(content: string | Uint8Array, file = path): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(file, content);
}

/** Opens the store like a command that a person runs, whose changes recover from damage. */
const openWithRecovery = (): Store => open([NOTES], "look at the notes");

function add(store: Store, id: string, text = id): Promise<unknown> {
  return store.change((transaction) => transaction.records(NOTES).set(id, { text }));
}

const ids = (store: Store): string[] => [...store.records(NOTES).keys()];
const mode = (file: string): number => statSync(file).mode & 0o777;

it("an acknowledged change of the store is on the disk, in a file with mode 0600", async () => {
  const store = open();
  expect(ids(store)).toEqual([]);
  expect(existsSync(home)).toBe(false);
  await add(store, "one");
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
    format: 1,
    collections: { notes: { schema: 1, records: { one: { text: "one" } } } },
  });
  expect([home, path, `${path}.lock`].map(mode)).toEqual([0o700, 0o600, 0o600]);
  await add(store, "two");
  expect(JSON.parse(readFileSync(`${path}.previous`, "utf8")).collections.notes.records).toEqual({
    one: { text: "one" },
  });
  expect(mode(`${path}.previous`)).toBe(0o600);
  expect(readdirSync(home).sort()).toEqual(["store.json", "store.json.lock", "store.json.previous"]);
});

it("a change of the store returns its result and sees earlier changes", async () => {
  const store = open();
  const counts = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      store.change((transaction) => {
        const notes = transaction.records(NOTES);
        notes.set(`n${i}`, { text: "" });
        return notes.size;
      }),
    ),
  );
  expect(counts).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
});

it("a change that throws has no effect on the store; other changes in the same write succeed", async () => {
  const store = open();
  const [bad, good] = await Promise.allSettled([
    store.change((transaction) => {
      transaction.records(NOTES).set("bad", { text: "" });
      throw new RangeError("no");
    }),
    add(store, "good"),
  ]);
  expect(bad).toMatchObject({ status: "rejected", reason: new RangeError("no") });
  expect(good.status).toBe("fulfilled");
  expect(ids(store)).toEqual(["good"]);
  expect(ids(open())).toEqual(["good"]);
});

it("a change that throws does not undo the change before it in the same write", async () => {
  const store = open();
  await add(store, "one", "first");
  const [good, bad, last] = await Promise.allSettled([
    add(store, "one", "second"),
    store.change((transaction) => {
      const notes = transaction.records(NOTES);
      notes.set("one", { text: "third" });
      notes.delete("one");
      throw new RangeError("no");
    }),
    store.change((transaction) => transaction.records(NOTES).get("one")?.text),
  ]);
  expect([good.status, bad.status, last]).toEqual(["fulfilled", "rejected", { status: "fulfilled", value: "second" }]);
  expect([...open().records(NOTES)]).toEqual([["one", { text: "second" }]]);
});

it("the store's map of records is immutable, and stays the same object until a change", async () => {
  const store = open();
  await add(store, "one");
  const before = store.records(NOTES);
  expect(open().records(NOTES)).not.toBe(before);
  expect(store.records(NOTES)).toBe(before);
  await add(store, "two");
  expect([[...before.keys()], ids(store)]).toEqual([["one"], ["one", "two"]]);
});

it("a change without effect does not write the store", async () => {
  const store = open();
  await add(store, "one");
  const before = statSync(path, { bigint: true });
  await store.change((transaction) => transaction.records(NOTES).delete("two"));
  await store.change((transaction) => transaction.records(NOTES).get("one"));
  await store.change((transaction) => {
    const notes = transaction.records(NOTES);
    const one = notes.get("one") as Note;
    notes.set("one", { text: "other" });
    notes.set("one", one);
  });
  const after = statSync(path, { bigint: true });
  expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
});

it("another open store sees a change immediately, even if the file's size and millisecond stay the same", async () => {
  const [one, other] = [open(), open()];
  for (let i = 100; i < 200; i++) {
    await add(one, "n", String(i));
    expect(other.records(NOTES).get("n")?.text).toBe(String(i));
  }
});

it("concurrent changes of two open stores are all applied", async () => {
  const [one, other] = [open(), open()];
  await Promise.all(Array.from({ length: 40 }, (_, i) => add(i % 2 === 0 ? one : other, `n${i}`)));
  expect(ids(open()).sort()).toEqual(Array.from({ length: 40 }, (_, i) => `n${i}`).sort());
});

it("the store keeps unusual ids and texts unchanged", async () => {
  const store = open();
  const odd = ["__proto__", "constructor", "", "\u2028", '"', "\ud800"];
  for (const id of odd) await add(store, id);
  expect(new Map(open().records(NOTES))).toEqual(new Map(odd.map((id) => [id, { text: id }])));
});

it("the store rejects an unregistered collection", async () => {
  const store = open();
  expect(() => store.records(OTHERS)).toThrow(/others is not registered/);
  await expect(store.change((transaction) => transaction.records(OTHERS))).rejects.toThrow(/others is not registered/);
});

it.each([
  ["a collection's schema", { format: 1, collections: { notes: { schema: 2, records: {} } } }, /schema 2, supported/],
  ["a collection", { format: 1, collections: { others: { schema: 1, records: {} } } }, /it has others, which this/],
  ["the format", { format: 2, everything: "else" }, /format 2, supported is 1/],
  ["a key", { format: 1, collections: {}, future: 1 }, /it has a key that this version does not know/],
  [
    "a key of a collection",
    { format: 1, collections: { notes: { schema: 1, records: {}, future: [] } } },
    /it has a key/,
  ],
])("a store of a later version, which changed %s, is rejected and left unchanged", async (_, content, message) => {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const written = JSON.stringify(content);
  writeFileSync(path, written);
  const store = open();
  expect(() => store.records(NOTES)).toThrow(message);
  await expect(add(store, "one")).rejects.toThrow(/later addrsift .*: install that version again/);
  expect(readFileSync(path, "utf8")).toBe(written);
  expect(existsSync(`${path}.previous`)).toBe(false);
});

const colors = ["red", "blue"] as const;
const fruit: Collection<unknown> = {
  name: "fruit",
  shape: closedObject({
    color: choice(colors),
    parts: listOf(closedObject({ size: choice(["big"]) })),
    note: optional(text()),
  }),
  isConsistent: () => true,
};
const apple = { color: "red", parts: [{ size: "big" }] };
const write = (file: string, record: unknown): void =>
  writeHomeFile(JSON.stringify({ format: 1, collections: { fruit: { schema: 1, records: { a: record } } } }), file);

it.each([
  ["word", { ...apple, color: "ultraviolet" }],
  ["word in a list", { ...apple, parts: [{ size: "big" }, { size: "SECRET" }] }],
  ["field", { ...apple, SECRET: 1 }],
  ["nested field", { ...apple, parts: [{ size: "big", SECRET: "x" }] }],
  ["word and a field", { ...apple, color: "SECRET", SECRET: null }],
])(
  "a record with an unknown %s is rejected in one line, not treated as damage, and not replaced by a backup",
  async (_, record) => {
    write(`${path}.previous`, apple);
    write(path, record);
    const before = readFileSync(path);
    const store = open([fruit], "look at the fruit");
    const message = `${path} is from a later addrsift (a record of fruit has a word or a field that this version does not know): install that version again`;
    expect(() => store.records(fruit)).toThrow(expect.objectContaining({ code: "STORE", message }));
    expect(() => store.isDamaged()).toThrow(message);
    await expect(store.change((transaction) => transaction.records(fruit).clear())).rejects.toThrow(message);
    expect(warnings).toEqual([]);
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(home).sort()).toEqual(["store.json", "store.json.lock", "store.json.previous"]);
  },
);

it.each([
  ["a field of another type", { ...apple, color: 5 }],
  ["a missing field", { parts: [] }],
  ["an unknown field in place of a known one", { ...apple, color: undefined, colour: "red" }],
])("a store with a record that has %s is reported as damaged", (_, record) => {
  write(path, record);
  expect(() => open([fruit]).records(fruit)).toThrow(/is damaged \(a record of fruit is not valid\)/);
});

/** File contents that no version writes, and the message about each. */
const DAMAGE: readonly (readonly [description: string, content: string | Uint8Array, message: RegExp])[] = [
  ["empty", "", /it is empty/],
  ["truncated", '{"format":1,"collections":{"notes":{"schema":1,"rec', /truncated or not JSON/],
  ["no JSON", "hello", /truncated or not JSON/],
  ["not UTF-8", Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d), /truncated or not JSON/],
  ["of a non-numeric format", '{"format":"1","collections":{}}', /its format has no number/],
  ["zeros", new Uint8Array(300), /truncated or not JSON/],
  ["a list", "[]", /the file is not an object/],
  ["null", "null", /the file is not an object/],
  ["of another program", '{"a":1}', /format/],
  ["without collections", '{"format":1}', /collections is not an object/],
  ["with an invalid collection", '{"format":1,"collections":{"notes":[]}}', /notes is not an object/],
  ["without schema", '{"format":1,"collections":{"notes":{"records":{}}}}', /notes has no schema/],
  ["with a bad record", '{"format":1,"collections":{"notes":{"schema":1,"records":{"a":{}}}}}', /record of notes/],
];

it.each(DAMAGE)(
  "a damaged store (%s) is kept under another name, and a manual change continues from the backup",
  async (_, content, message) => {
    await add(open(), "one");
    await add(open(), "two");
    writeFileSync(path, content);
    const store = openWithRecovery();
    expect(ids(store)).toEqual(["one"]);
    expect(ids(store)).toEqual(["one"]);
    expect(warnings).toEqual([expect.stringMatching(message)]);
    expect(warnings[0]).toMatch(/: its previous copy of \d{4}-\S+Z is used, without later changes: /);
    // Reading leaves the file as it is.
    expect(readFileSync(path)).toEqual(Buffer.from(content));
    await add(store, "three");
    expect(ids(open())).toEqual(["one", "three"]);
    const damagedFiles = readdirSync(home).filter((name) => name.includes(".damaged-"));
    expect(damagedFiles).toHaveLength(1);
    expect(readFileSync(join(home, damagedFiles[0] as string))).toEqual(Buffer.from(content));
    // The backup was not replaced by the damaged file.
    expect(JSON.parse(readFileSync(`${path}.previous`, "utf8")).collections.notes.records).toEqual({
      one: { text: "one" },
    });
    expect(warnings).toHaveLength(2);
    expect(warnings[1]).toMatch(
      /store\.json, which is kept as \S+\.damaged-\S+, is replaced: .* previous copy of \S+Z: look at the notes$/,
    );
  },
);

it.each(DAMAGE)("an automatic change does not replace a damaged store (%s)", async (_, content) => {
  await add(open(), "one");
  await add(open(), "two");
  const store = open();
  expect(store.isDamaged()).toBe(false);
  writeFileSync(path, content);
  await expect(add(store, "three")).rejects.toMatchObject({ code: "STORE", message: expect.stringMatching(/damaged/) });
  await expect(add(open(), "three")).rejects.toMatchObject({ code: "STORE" });
  expect(() => store.assertUndamaged()).toThrow(/so nothing is changed or sent: restore a backup/);
  expect(store.isDamaged()).toBe(true);
  expect(ids(store)).toEqual(["one"]);
  expect(readFileSync(path)).toEqual(Buffer.from(content));
  expect(readdirSync(home).sort()).toEqual(["store.json", "store.json.lock", "store.json.previous"]);
  // A change without effect is not rejected.
  await store.change((transaction) => transaction.records(NOTES).delete("none"));
  renameSync(`${path}.previous`, path);
  expect(store.isDamaged()).toBe(false);
  await add(store, "three");
  expect(ids(open())).toEqual(["one", "three"]);
});

it.each(DAMAGE)(
  "a damaged store (%s) without a backup fails every call and stays unchanged",
  async (_, content, message) => {
    writeHomeFile(content);
    for (const backup of [undefined, "also damaged"]) {
      if (backup !== undefined) writeFileSync(`${path}.previous`, backup);
      const store = open();
      expect(() => store.records(NOTES)).toThrow(message);
      await expect(add(store, "one")).rejects.toThrow(`${path} is damaged`);
      expect(readFileSync(path)).toEqual(Buffer.from(content));
      expect(warnings).toEqual([]);
    }
  },
);

it("an open store detects damage, and a restored backup repairs it", async () => {
  const store = open();
  await add(store, "one");
  rmSync(`${path}.previous`, { force: true });
  copyFileSync(path, join(files.path, "backup"));
  writeFileSync(path, "damage");
  expect(() => store.records(NOTES)).toThrow(/damaged/);
  expect(() => store.records(NOTES)).toThrow(/damaged/);
  copyFileSync(join(files.path, "backup"), path);
  expect(ids(store)).toEqual(["one"]);
});

it.each([
  ["damaged text", '{"format":1,', /is damaged/],
  ["a backup", '{"format":1,"collections":{}}', /was replaced by another program just now: try again$/],
])("a change does not overwrite %s that another program writes meanwhile", async (_, content, message) => {
  const store = open();
  await add(store, "one");
  const changing = store.change((transaction) => {
    transaction.records(NOTES).set("two", { text: "two" });
    writeFileSync(path, content);
  });
  await expect(changing).rejects.toThrow(message);
  expect(readFileSync(path, "utf8")).toBe(content);
});

it("a missing store is recovered from the backup", async () => {
  await add(open(), "one");
  await add(open(), "two");
  rmSync(path);
  const store = openWithRecovery();
  expect(ids(store)).toEqual(["one"]);
  expect(warnings).toEqual([expect.stringContaining("is gone")]);
  await expect(add(open(), "three")).rejects.toThrow(/is gone, so nothing is changed or sent/);
  expect(existsSync(path)).toBe(false);
  await add(store, "three");
  expect(ids(open())).toEqual(["one", "three"]);
});

it("the store logs once that a missing file is back", async () => {
  const store = open();
  await add(store, "one");
  await add(store, "two");
  renameSync(path, `${path}.away`);
  expect(ids(store)).toEqual(["one"]);
  renameSync(`${path}.away`, path);
  for (let i = 0; i < 2; i++) expect(ids(store)).toEqual(["one", "two"]);
  expect(warnings).toEqual([expect.stringContaining("is gone"), `${path} is usable again`]);
});

it("a missing store without a backup is damage only if the process has read it before", async () => {
  const [store, reader] = [openWithRecovery(), open()];
  await add(store, "one");
  expect(ids(reader)).toEqual(["one"]);
  const movedPath = join(files.path, "moved");
  renameSync(path, movedPath);
  for (const opened of [store, reader]) {
    expect(() => ids(opened)).toThrow(/store\.json is gone, and there is no good previous copy: restore a backup/);
    expect(() => opened.isDamaged()).toThrow(/is gone/);
    await expect(add(opened, "two")).rejects.toMatchObject({ code: "STORE" });
  }
  await new Promise((resolve) => setTimeout(resolve, 250));
  // Repeated reads never return the previous records.
  for (let i = 0; i < 3; i++) expect(() => reader.records(NOTES)).toThrow(/is gone/);
  expect(existsSync(path)).toBe(false);
  expect(ids(open())).toEqual([]);
  renameSync(movedPath, path);
  await add(store, "two");
  expect(ids(reader)).toEqual(["one", "two"]);
});

it("no empty store is created if only a damaged backup exists", async () => {
  writeHomeFile("damage", `${path}.previous`);
  await expect(add(openWithRecovery(), "one")).rejects.toThrow(/is gone, and there is no good previous copy/);
  expect(readdirSync(home).sort()).toEqual(["store.json.lock", "store.json.previous"]);
});

it("messages about a damaged store quote no record", () => {
  writeHomeFile('{"format":1,"collections":{"notes":{"schema":1,"records":{"SECRET":{"SECRET":1}}}},SECRET');
  expect(() => open().records(NOTES)).toThrow(/^(?!.*SECRET)/s);
  writeFileSync(path, '{"format":1,"collections":{"notes":{"schema":1,"records":{"SECRET":{"SECRET":1}}}}}');
  expect(() => open().records(NOTES)).toThrow(/^(?!.*SECRET)/s);
});

it("the store restricts file modes that allow access to others", async () => {
  await add(open(), "one");
  for (const [file, loose] of [
    [home, 0o755],
    [path, 0o644],
  ] as const)
    chmodSync(file, loose);
  expect(ids(open())).toEqual(["one"]);
  expect(mode(path)).toBe(0o600);
  chmodSync(path, 0o666);
  await add(open(), "two");
  expect([mode(home), mode(path), mode(`${path}.previous`)]).toEqual([0o700, 0o600, 0o600]);
});

it("the store restricts the mode of an empty folder, and rejects a folder with other files", async () => {
  mkdirSync(home, { recursive: true, mode: 0o755 });
  await add(open(), "one");
  expect(mode(home)).toBe(0o700);
  home = join(files.path, "shared");
  path = join(home, "store.json");
  mkdirSync(home, { mode: 0o755 });
  chmodSync(home, 0o755);
  writeFileSync(join(home, "letter.txt"), "dear");
  await expect(add(open(), "one")).rejects.toThrow(/has other files in it: use a new folder, or chmod 700 it$/);
  expect(mode(home)).toBe(0o755);
  expect(readdirSync(home)).toEqual(["letter.txt"]);
  chmodSync(home, 0o700);
  await add(open(), "one");
  expect(readdirSync(home)).toContain("store.json");
});

it("the store follows a symbolic link to its folder", async () => {
  mkdirSync(join(files.path, "real"), { mode: 0o700 });
  mkdirSync(join(files.path, "a"));
  symlinkSync(join(files.path, "real"), home);
  await add(open(), "one");
  expect(ids(open())).toEqual(["one"]);
  expect(readdirSync(join(files.path, "real"))).toContain("store.json");
});

it("a new store is not writable in a folder with other files that is open to other users", () => {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "other"), "");
  chmodSync(home, 0o755);
  expect(open().checkWritable()).toMatchObject({
    code: "OPERATION",
    message: expect.stringContaining("is open to other users"),
  });
});

/** Mounts a small disk at the home. Returns false if mounting is not allowed. */
function mountSmall(kib: number): boolean {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${kib}k,mode=700`, "tmpfs", home]);
  return status === 0;
}
// The lock is released a moment after the change.
const unmount = (): Promise<void> => expect.poll(() => spawnSync("umount", [home]).status).toBe(0);

it.skipIf(!isRoot)("a change that fails on a full disk has no effect (needs root to mount)", async (context) => {
  if (!mountSmall(256)) context.skip("mounting is not allowed here");
  try {
    const store = open();
    expect(store.checkWritable()).toBeUndefined();
    await add(store, "one", "x".repeat(60_000));
    const before = readFileSync(path);
    await expect(add(store, "two", "y".repeat(150_000))).rejects.toThrow(
      /^can't write .*: the disk is full, make room$/,
    );
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(ids(store)).toEqual(["one"]);
    expect(ids(open())).toEqual(["one"]);
    // A write of that size still fails.
    expect(store.checkWritable()).toMatchObject({ code: "FULL" });
    expect(readdirSync(home).filter((name) => /new|try/.test(name))).toEqual([]);
    await add(store, "three");
    expect(ids(store)).toEqual(["one", "three"]);
    // A smaller write does not prove that one of that size would succeed.
    expect(store.checkWritable()).toMatchObject({ code: "FULL" });
    spawnSync("mount", ["-o", "remount,size=1024k", home]);
    expect(store.checkWritable()).toBeUndefined();
  } finally {
    await unmount();
  }
});

it.skipIf(!isRoot)(
  "a change needs disk space for the whole file, except one that may replace the backup",
  async (context) => {
    if (!mountSmall(600)) context.skip("mounting is not allowed here");
    try {
      const store = open();
      await add(store, "one", "x".repeat(200_000));
      await add(store, "two");
      const { bavail, bsize } = statfsSync(home);
      writeFileSync(join(home, "filler"), Buffer.alloc(bavail * bsize - 100_000));
      expect(store.checkWritable()).toMatchObject({ code: "FULL" });
      await expect(add(store, "three")).rejects.toMatchObject({ code: "FULL" });
      await store.changeEvenIfFull((transaction) => transaction.records(NOTES).delete("two"));
      expect(ids(open())).toEqual(["one"]);
      expect(readdirSync(home)).toContain("store.json.previous");
      expect(store.checkWritable()).toMatchObject({ code: "FULL" });
    } finally {
      await unmount();
    }
  },
);

const { rename, open: openFile } = promises;
const lost = Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
it.each<[string, boolean, Partial<typeof promises>]>([
  ["the rename's response is lost", true, { rename: (from, to) => rename(from, to).then(() => Promise.reject(lost)) }],
  ["the rename fails", false, { rename: () => Promise.reject(lost) }],
  [
    "syncing the folder fails",
    true,
    {
      open: async (file, ...options) => {
        const opened = await openFile(file, ...options);
        return Object.assign(opened, file === home ? { sync: () => Promise.reject(lost) } : {});
      },
    },
  ],
])("a failed change reports that it may have been made if %s", async (_, isMade, faults) => {
  const store = open();
  await add(store, "one");
  const real = { rename, open: openFile };
  Object.assign(promises, {
    rename: (from: string, to: string) => (to === path ? (faults.rename ?? rename) : rename)(from, to),
  });
  Object.assign(promises, { open: faults.open ?? openFile });
  syncBuiltinESMExports();
  try {
    await expect(add(store, "two")).rejects.toMatchObject({
      code: "UNCERTAIN",
      message: `${path} may have been changed (EIO: i/o error): check before retrying`,
    });
  } finally {
    Object.assign(promises, real);
    syncBuiltinESMExports();
  }
  const expected = isMade ? ["one", "two"] : ["one"];
  expect([ids(store), ids(open())]).toEqual([expected, expected]);
  expect(readdirSync(home).sort()).toEqual(["store.json", "store.json.lock", "store.json.previous"]);
  await add(store, "three");
  expect(ids(open())).toEqual([...expected, "three"]);
});

it("an inaccessible folder of the store is reported in one line", async () => {
  mkdirSync(home, { recursive: true });
  chmodSync(home, 0o500);
  for (const parent of [files.path, join(files.path, "a")]) chmodSync(parent, 0o755);
  await asStranger(() => expect(add(open(), "one")).rejects.toThrow(/^can't lock .*: permission denied/));
});

it("a file in place of the store's folder is reported in one line", async () => {
  mkdirSync(join(files.path, "a"));
  writeFileSync(home, "");
  await expect(add(open(), "one")).rejects.toThrow(/^can't use [^\n]+: [^\n]+$/);
  expect(() => open().records(NOTES)).toThrow(/^can't read [^\n]+: [^\n]+$/);
});

it.each(["store.json", "store.json.previous", "store.json.lock"])(
  "a FIFO as %s is rejected immediately",
  async (name) => {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    expect(spawnSync("mkfifo", [join(home, name)]).status).toBe(0);
    await expect(add(open(), "one")).rejects.toThrow(
      /^can't (?:read|lock) [^\n]+: it is not a regular file, move it away$/,
    );
  },
);

it("a folder in place of the store's file is reported in one line", async () => {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(home, 0o700);
  expect(() => open().records(NOTES)).toThrow(/^can't read [^\n]+: it is a folder, move it away$/);
});

it.skipIf(!isRoot).each([
  [12345, "run as that user (sudo -u '#12345' addrsift ...)"],
  // A user that systemd chose for DynamicUser=yes.
  [61234, "run addrsift-service in place of addrsift (UNDER SYSTEMD in addrsift-serve(1))"],
])("the folder of the user %i is rejected, even for root (needs root)", async (uid, fix) => {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  chownSync(home, uid, uid);
  const problem = `${home} belongs to the user ${uid}, but addrsift runs as 0`;
  await expect(add(open(), "one")).rejects.toThrow(`${problem}: ${fix}, or use another home`);
  expect(readdirSync(home)).toEqual([]);
});

it("the store ignores and removes unfinished files of a killed process", async () => {
  await add(open(), "one");
  writeFileSync(`${path}.new`, '{"format":');
  writeFileSync(`${path}.previous.new`, "x");
  await add(open(), "two");
  expect(ids(open())).toEqual(["one", "two"]);
  expect(readdirSync(home).sort()).toEqual(["store.json", "store.json.lock", "store.json.previous"]);
});

it("another open store sees a change even if the clock was set back", async () => {
  const [one, other] = [open(), open()];
  await add(one, "a");
  const future = Date.now() / 1000 + 3600;
  utimesSync(path, future, future);
  expect(ids(other)).toEqual(["a"]);
  await add(one, "b");
  await add(one, "c");
  expect(ids(other)).toEqual(["a", "b", "c"]);
  expect(statSync(path).mtimeMs).toBeGreaterThan(future * 1000);
});
