// Tests a home's overrides file: an invalid line is an error that names it, and a change preserves the text that people
// wrote.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { nameFault } from "../../../src/base/user-input.ts";
import { changeOverrides } from "../../../src/home/change-overrides.ts";
import { reasonFault } from "../../../src/home/override-entry.ts";
import { type OverrideRecord, readOverrides } from "../../../src/home/overrides.ts";
import { anyText } from "../../helpers/any-text.ts";
import { lists } from "../../helpers/classify.ts";
import { scratch } from "../../helpers/run.ts";
import { sampleSize } from "../../helpers/sampling.ts";
import { isRoot } from "../../helpers/stranger.ts";

const files = scratch();
afterAll(files.remove);
const NOW = Date.parse("2026-11-22T12:00:00Z");
const HEADER = "entry\taction\texpires\tby\tcreated\treason\n";
let homes = 0;

function openHome(text?: string | Uint8Array): { folder: string; path: string } {
  homes += 1;
  const folder = join(files.path, `home${homes}`);
  const path = join(folder, "overrides.tsv");
  if (text !== undefined) {
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(path, text);
  }
  return { folder, path };
}

function record(entry: string, action: "allow" | "deny", more: Partial<OverrideRecord> = {}): OverrideRecord {
  return { entry, action, created_at: "2026-11-22T08:00:00.000Z", ...more };
}

function set(folder: string, ...records: OverrideRecord[]): Promise<unknown> {
  return changeOverrides(folder, () => new Map(records.map((each) => [each.entry, each])));
}

function remove(folder: string, ...entries: string[]): Promise<unknown> {
  return changeOverrides(folder, () => new Map(entries.map((entry) => [entry, undefined])));
}

/** Looks up whether an entry is denied. */
function lookUp(folder: string, entry: string, nowMs = NOW): boolean | undefined {
  const overrides = readOverrides(folder, nowMs);
  const found = overrides.get(entry);
  const domain = entry.slice(entry.lastIndexOf("@") + 1);
  if (entry.includes("@") && found !== undefined) expect(overrides.mayHaveMailboxOverrides(domain)).toBe(true);
  return found?.disposable;
}

function readError(text: string | Uint8Array): string {
  const { folder, path } = openHome(text);
  try {
    readOverrides(folder, NOW);
  } catch (error) {
    return (error as Error).message.replace(path, "FILE");
  }
  return "no error";
}

function isStorable(text: string): boolean {
  return (reasonFault(text) ?? nameFault(text)) === undefined && !text.includes("\ufffd");
}

it("readOverrides reads a hand-written file with comments, no header and missing cells", () => {
  const { folder } = openHome(
    "\ufeff# our decisions\r\n\r\nspam.example\tdeny\r\na.example\tallow\t2026-11-23\tkim\t2026-11-01\tticket 4711\r\n#b.example\tdeny\r\njane@c.example\tdeny",
  );
  expect(lookUp(folder, "spam.example")).toBe(true);
  expect(lookUp(folder, "a.example")).toBe(false);
  expect(lookUp(folder, "jane@c.example")).toBe(true);
  for (const none of ["b.example", "#b.example", "example", "entry", "", "c.example", "pam.example"])
    expect(lookUp(folder, none)).toBeUndefined();
  const all = readOverrides(folder, NOW);
  expect([all.size, all.mayHaveMailboxOverrides("a.example")]).toEqual([3, false]);
  expect(all.get("a.example")?.detail).toBe("allowed by kim on 2026-11-01, until 2026-11-23 00:00 UTC: ticket 4711");
  expect(all.get("spam.example")?.detail).toBe("denied");
});

it("readOverrides skips the header row", () => {
  expect(lookUp(openHome(HEADER).folder, "entry")).toBeUndefined();
});

it("lookups ignore expired overrides, but records() lists them", () => {
  const { folder } = openHome("a.example\tdeny\t2026-11-22T12:00:00Z\nb.example\tdeny\t2026-11-22T13:00:00+00:30\n");
  expect([lookUp(folder, "a.example", NOW - 1), lookUp(folder, "a.example")]).toEqual([true, undefined]);
  expect([lookUp(folder, "b.example"), lookUp(folder, "b.example", NOW + 1_800_000)]).toEqual([true, undefined]);
  const all = readOverrides(folder, NOW);
  expect([...all.records()].length).toBe(2);
  expect([...all.activeRecords()].map(({ entry }) => entry)).toEqual(["b.example"]);
});

it("readOverrides returns no overrides if the file or the home is missing", () => {
  expect(readOverrides(openHome().folder, NOW).size).toBe(0);
  expect(readOverrides(openHome("").folder, NOW).size).toBe(0);
  expect(readOverrides("/dev/null/home", NOW).size).toBe(0);
});

it.each<[string | Uint8Array, string]>([
  ["a.example    deny\n", "FILE:1: there is no tab in the line: put tabs between entry, action, "],
  [`${HEADER}# x\na.example\tblock\n`, 'FILE:3: action must be allow or deny, not "block": correct the line'],
  ["A.example\tdeny\n", "FILE:1: entry must be a domain in lower-case A-labels, or an address "],
  ["b\u00fccher.de\tdeny\n", "FILE:1: entry must be a domain in lower-case A-labels, or an address "],
  ["A.example\tdeny\n", ', not "A.example": write a.example'],
  ["\tdeny\n", "FILE:1: entry must be "],
  ["# x\n@foo.example\tdeny\n", "FILE:2: entry must be a domain in lower-case A-labels, or an address with "],
  ["@foo.example\tdeny\n", ', not "@foo.example": write foo.example'],
  ["*@foo.example\tdeny\n", ', not "*@foo.example": write foo.example'],
  ["*.foo.example\tdeny\n", ', not "*.foo.example": write foo.example'],
  [".foo.example\tdeny\n", ', not ".foo.example": write foo.example'],
  ["foo.example.\tdeny\n", ', not "foo.example.": write foo.example'],
  ["jane@foo.example.\tdeny\n", ', not "jane@foo.example.": write jane@foo.example'],
  ["b\u00fccher.example\tdeny\n", ": write xn--bcher-kva.example"],
  ["foo..example\tdeny\n", ', not "foo..example": correct the line'],
  ["foo_bar.example\tdeny\n", ', not "foo_bar.example": correct the line'],
  ["-foo.example\tdeny\n", ', not "-foo.example": correct the line'],
  [`${"a".repeat(64)}.example\tdeny\n`, "FILE:1: entry must be a domain"],
  [`${"a.".repeat(124)}example\tdeny\n`, "FILE:1: entry must be a domain"],
  ["xn--zzzz.example\tdeny\n", 'not "xn--zzzz.example": correct the line'],
  ["192.0.2.1\tdeny\n", 'not "192.0.2.1": correct the line'],
  ["foo.123\tdeny\n", 'not "foo.123": correct the line'],
  ["[192.0.2.1]\tdeny\n", 'not "[192.0.2.1]": correct the line'],
  ["a.example\tdeny\tsoon\n", 'FILE:1: expires must be a time such as 2030-01-31 or 2030-01-31T12:00:00Z, not "soon"'],
  ["a.example\tdeny\t2027-02-30\n", "FILE:1: 2027-02-30 is not a day of the calendar: correct the line"],
  ["a.example\tdeny\t2027-04-31T12:00Z\n", "FILE:1: 2027-04-31 is not a day of the calendar"],
  ["a.example\tdeny\t\t\t2027-02-29\n", "FILE:1: 2027-02-29 is not a day of the calendar"],
  ["a.example\tdeny\t2030-13-01\n", "FILE:1: expires must be a time"],
  ["a.example\tdeny\t\t\tyesterday\n", "FILE:1: created must be a time"],
  ["a.example\tdeny\t\t\t\ttwo\twords\n", "FILE:1: there are 7 columns: use entry, action, "],
  ["entry\taction\n", "FILE:1: the header is incomplete: write entry, action, expires, by, created, reason"],
  ["a.example\tdeny\t\t\t\tx\0y\n", "FILE:1: reason must be text without control characters"],
  ["a.example\tdeny\rb.example\tdeny\r", "FILE:1: action must be allow or deny"],
  ["<<<<<<< HEAD\na.example\tdeny\n", "FILE:1: there is no tab in the line"],
  [Buffer.from("# ok\na.example\tdeny\t\tJos\xe9\n", "latin1"), "FILE:2: is not UTF-8: save the file as UTF-8"],
  [Buffer.from("\ufeffa.example\tdeny\n", "utf16le"), "FILE:1: is not UTF-8: save the file as UTF-8"],
])("readOverrides rejects %j with its line number", (text, message) => {
  expect(readError(text)).toContain(message);
});

it("readOverrides shortens a long invalid entry in its message", () => {
  expect(readError(`${"a.".repeat(5000)}com\tdeny\n`).length).toBeLessThan(500);
});

it("readOverrides rejects a duplicate entry, and names both lines", () => {
  const { folder, path } = openHome("# ours\na.example\tdeny\nb.example\tdeny\na.example\tallow\n");
  const message = `${path}:4: duplicate entry "a.example": remove it here or in ${path}:2`;
  expect(() => readOverrides(folder, NOW)).toThrow(message);
});

it("readOverrides locates many entries, in any order", () => {
  const { folder, path } = openHome(`# ours\n${"#\n".repeat(3)}a.example\tdeny\n\nb.example\tdeny\nc.example\tdeny\n`);
  const overrides = readOverrides(folder, NOW);
  const lines = ["b", "c", "a", "c", "c"].map((name) => overrides.locate(`${name}.example`));
  expect(lines).toEqual([7, 8, 5, 8, 8].map((line) => `${path}:${line}`));
});

it("readOverrides rejects a folder or FIFO without blocking", () => {
  const folder = openHome().folder;
  mkdirSync(join(folder, "overrides.tsv"), { recursive: true });
  expect(() => readOverrides(folder, NOW)).toThrow(/can't read .*overrides\.tsv: it is a folder, move it/);
  const pipe = openHome("").path;
  rmSync(pipe);
  execFileSync("mkfifo", [pipe]);
  expect(() => readOverrides(join(pipe, ".."), NOW)).toThrow(/overrides\.tsv: it is not a regular file/);
});

it("changeOverrides creates the home and a sorted file, and keeps the previous file", async () => {
  const { folder, path } = openHome();
  await set(folder, record("b.example", "deny", { by: "kim", reason: "a wave" }));
  await set(folder, record("a.example", "allow", { expires_at: "2027-01-31T00:00:00.000Z" }));
  const rows = [
    "a.example\tallow\t2027-01-31T00:00:00Z\t\t2026-11-22T08:00:00Z",
    "b.example\tdeny\t\tkim\t2026-11-22T08:00:00Z\ta wave",
  ];
  expect(readFileSync(path, "utf8")).toBe(`${HEADER}${rows.join("\n")}\n`);
  expect(readFileSync(`${path}.previous`, "utf8")).toBe(`${HEADER}${rows[1]}\n`);
  expect([statSync(folder).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
});

it("changeOverrides keeps comments and unchanged rows byte for byte", async () => {
  const { folder, path } = openHome("# ours\n\nc.example\tdeny\t\t\t\t\n# a customer\na.example\tallow\n# the end\n");
  await set(folder, record("b.example", "deny"));
  const newRow = "b.example\tdeny\t\t\t2026-11-22T08:00:00Z\n";
  const [head, rest] = ["# ours\n\n", "c.example\tdeny\t\t\t\t\n# the end\n"];
  expect(readFileSync(path, "utf8")).toBe(`${head}${HEADER}# a customer\na.example\tallow\n${newRow}${rest}`);
  await remove(folder, "a.example");
  expect(readFileSync(path, "utf8")).toBe(`${head}${HEADER}# a customer\n${newRow}${rest}`);
  await remove(folder, "b.example", "c.example");
  expect(readFileSync(path, "utf8")).toBe(`${head}${HEADER}# a customer\n# the end\n`);
});

it("changeOverrides keeps the comment of the first row above it in a file without a header", async () => {
  const { folder, path } = openHome("# marketing\nm.example\tallow\n");
  await set(folder, record("b.example", "deny"));
  const newRow = "b.example\tdeny\t\t\t2026-11-22T08:00:00Z\n";
  expect(readFileSync(path, "utf8")).toBe(`${HEADER}${newRow}# marketing\nm.example\tallow\n`);
  const { folder: empty, path: emptyPath } = openHome("# ours\n\n# more\n");
  await set(empty, record("b.example", "deny"));
  expect(readFileSync(emptyPath, "utf8")).toBe(`# ours\n\n# more\n${HEADER}${newRow}`);
});

it("changeOverrides sorts rows and keeps one header after a manual merge", async () => {
  const { folder, path } = openHome(`b.example\tdeny\n${HEADER}# kept\nc.example\tdeny\na.example\tdeny\n`);
  await remove(folder, "c.example");
  expect(readFileSync(path, "utf8")).toBe(`${HEADER}a.example\tdeny\nb.example\tdeny\n# kept\n`);
});

it("changeOverrides does not write to a damaged file", async () => {
  const { folder, path } = openHome("a.example\n");
  await expect(set(folder, record("b.example", "deny"))).rejects.toThrow(`${path}:1: there is no tab`);
  expect(readFileSync(path, "utf8")).toBe("a.example\n");
});

it("concurrent changes of the overrides are all kept", async () => {
  const { folder } = openHome();
  const names = Array.from({ length: 24 }, (_, i) => `d${i}.example`);
  await Promise.all(names.map((name) => set(folder, record(name, "deny"))));
  expect([...readOverrides(folder, NOW).records()].map(({ entry }) => entry)).toEqual(names.sort());
});

it("changeOverrides writes through a symbolic link, and rejects a dangling one", async () => {
  const { folder, path } = openHome("");
  const target = openHome("a.example\tdeny\n").path;
  rmSync(path);
  symlinkSync(target, path);
  await set(folder, record("b.example", "deny"));
  expect(readFileSync(target, "utf8")).toContain("\nb.example\tdeny");
  expect(lookUp(folder, "a.example")).toBe(true);
  rmSync(target);
  await expect(set(folder, record("c.example", "deny"))).rejects.toThrow(/dangling symbolic link/);
  expect(existsSync(target)).toBe(false);
});

it("changeOverrides keeps the mode and group of a shared folder and file, and creates files for the group", async () => {
  const { folder, path } = openHome("a.example\tdeny\n");
  chmodSync(folder, 0o2775);
  chmodSync(path, 0o664);
  if (isRoot) chownSync(path, 0, 65_534);
  const access = (name: string): number[] => {
    const { mode, gid } = statSync(join(folder, name));
    return isRoot ? [mode & 0o7777, gid] : [mode & 0o7777];
  };
  const [folderAccess, fileAccess] = [access(""), access("overrides.tsv")];
  await set(folder, record("b.example", "deny"));
  expect([access(""), access("overrides.tsv"), access("overrides.tsv.previous")]).toEqual([
    folderAccess,
    fileAccess,
    fileAccess,
  ]);
  expect(access("overrides.tsv.lock")[0]).toBe(0o660);
  rmSync(path);
  await set(folder, record("b.example", "deny"));
  expect(access("overrides.tsv")[0]).toBe(0o660);
});

it("any overrides are read back as they were written", async () => {
  const { folder } = openHome();
  const text = anyText({ minLength: 1 }).filter((value) => isStorable(value));
  const entry = fc.oneof(
    fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,9}[a-z0-9])?(\.[a-z0-9]{1,9}){0,2}\.[a-z]{1,9}$/),
    fc.stringMatching(/^[#!a-z0-9\u00e9]{1,9}@[a-z0-9]{1,9}\.example$/),
  );
  const action = fc.constantFrom("allow" as const, "deny" as const);
  const time = fc
    .date({ min: new Date(0), max: new Date("2099-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString());
  const anyRecord = fc.record(
    { entry, action, reason: text, by: text, created_at: time, expires_at: time },
    { requiredKeys: ["entry", "action"] },
  );
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(anyRecord, { selector: ({ entry }) => entry, maxLength: 8 }), async (records) => {
      await changeOverrides(folder, (before) => {
        const removed = Array.from(before.records(), ({ entry }) => [entry, undefined] as const);
        return new Map([...removed, ...records.map((each) => [each.entry, each] as const)]);
      });
      const read = [...readOverrides(folder, NOW).records()];
      expect(read).toEqual(records.sort((one, other) => (one.entry < other.entry ? -1 : 1)));
      for (const { entry } of records) lookUp(folder, entry);
    }),
    { numRuns: sampleSize(60) },
  );
});

it("a public suffix that receives mail, or a special-use top-level domain, may have an override", () => {
  const { folder } = openHome("gov.bm\tdeny\ntest\tdeny\ncom\tdeny\ngov.uk\tdeny\n");
  const overrides = readOverrides(folder, NOW);
  const warnings: string[] = [];
  overrides.ignoreInvalidEntries(lists, (message) => warnings.push(message));
  expect(Array.from(overrides.activeRecords(), ({ entry }) => entry)).toEqual(["gov.bm", "test"]);
  expect(warnings).toEqual([
    expect.stringContaining('"com" is a public suffix'),
    expect.stringContaining('"gov.uk" is a public suffix'),
  ]);
});
