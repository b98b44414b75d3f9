// Tests that an update never makes the lists worse: what counted before still counts, unless a source, guard or person
// removed it. Only age removes other names, measured in days on which Castle's list was fetched, never by the clock.

import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTableInput, mergeSources, readBuildInputs } from "../../../../src/curation/build-inputs.ts";
import { compileTable } from "../../../../src/curation/compile.ts";
import { mergeDisposable } from "../../../../src/curation/merge.ts";
import { type ListName, MAINTAINED_LISTS } from "../../../../src/curation/read-data.ts";
import {
  type DatedNames,
  digestNames,
  formatSnapshot,
  nextSnapshot,
  type Snapshot,
} from "../../../../src/curation/snapshot.ts";
import { SOURCE_KEYS, SOURCES, type SourceKey } from "../../../../src/curation/sources.ts";
import { countChanges, readDisposable } from "../../../../src/curation/update/changes.ts";
import { HomeLists, oldestCheck, rolledBackVersions } from "../../../../src/curation/update/home-lists.ts";
import { type UpdateReport, updateLists } from "../../../../src/curation/update/update.ts";
import { chooseLists } from "../../../../src/home/lists.ts";
import { CONFIDENCES, confidenceRank, countsByDefault, entryFlags } from "../../../../src/lists/confidence.ts";
import type { CompiledLists } from "../../../../src/lists/table.ts";
import { listsFromBytes } from "../../../../src/lists/table.ts";
import { scratch } from "../../../helpers/run.ts";
import { sampleSize } from "../../../helpers/sampling.ts";

// For more cases, set CASES=1000.
const RUNS = Number(process.env["CASES"] ?? sampleSize(30));
const DAY_MS = 86_400_000;
const RELEASE_DAY = "2026-08-22";
const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
const numberedNames = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${letter}${String(i).padStart(2, "0")}.com`);
// Castle's names: from earlier days of the package, from its newest day, and from updates only.
const OLD = numberedNames("old", 10);
const DAILY = numberedNames("daily", 20);
const LATER = numberedNames("later", 10);
// Names from the time of D's imports without a proof.
const IMPORTED = numberedNames("imported", 4);
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  D: [...numberedNames("d", 10), ...IMPORTED],
  F: [...numberedNames("f", 5), ...IMPORTED.slice(0, 2)],
  T: [...numberedNames("t", 5), ...numberedNames("d", 3)],
  E: numberedNames("e", 5),
};

/** The data of a package, and its lists. */
interface TestPackage {
  readonly root: string;
  readonly builtIn: CompiledLists;
}

const folder = scratch();
let homes = 0;
let released: TestPackage;

// Keep only the suffixes below uk in the Public Suffix List, because each update compiles all of it.
const trie = createRequire(import.meta.url)("tldts/dist/cjs/src/data/trie.js");
const { edgeStart, edgeLength, labelText, rulesRoot } = trie;
beforeAll(() => {
  const labels: string[] = [];
  let end = 0;
  for (const length of edgeLength as Uint8Array) {
    labels.push(labelText.slice(end, end + length));
    end += length;
  }
  const edge = labels.indexOf("uk", edgeStart[rulesRoot]);
  Object.assign(trie, { edgeStart: [...edgeStart, edge, edge + 1], rulesRoot: edgeStart.length });
  released = writePackage("package", snapshotC([RELEASE_DAY]));
});
afterAll(() => {
  Object.assign(trie, { edgeStart, rulesRoot });
  folder.remove();
});

const ROWS: Readonly<Record<ListName, string>> = {
  additions: "own.com\ta test",
  relays: "duck.com\tduckduckgo\texact\ta test",
  public: "gmail.com\tgoogle\tUS\ta test",
  protected: "bank.com\tbank\ta test",
  removals: "removed.com\tremoval\ta test",
  formerProviders: "once-mail.com\ta test",
  freeHosts: "free.com\ta test",
  soldSuffixes: "uk.com\ta test",
  replyHosts: "reply.com\ta test",
  restrictedSuffixes: "gov.uk\tgovernment\ta test",
  providers: "google\tgmail\ta test",
  roles: "info\tprefix\trole\ta test",
  specialUse: "test\tRFC 6761",
  mailSuffixes: "gov.bm\ta test",
  typos: "gmial.com\tgmail.com\ta test",
  typoTlds: "con\tcom\ta test",
  exchanges: "mx.throw-away.com\texact\tdisposable\tthrow_away\ta test",
};

/** Writes the data of a minimal package, and compiles it. */
function writePackage(name: string, castle: Snapshot): TestPackage {
  const root = join(folder.path, name);
  mkdirSync(join(root, "data/sources"), { recursive: true });
  for (const [name, row] of Object.entries(ROWS))
    writeFileSync(join(root, "data", MAINTAINED_LISTS[name as ListName].file), `${row}\n`);
  writeFileSync(join(root, "data/canaries.txt"), "gmail.com\n");
  writeFileSync(join(root, "data/community-removals.txt"), "# none\n");
  for (const key of SOURCE_KEYS) {
    const names = key === "academic" ? ["uni-bonn.de"] : (OTHERS[key] ?? ["com", "de", "uk"]);
    const daysOf = (name: string): string[] =>
      key in OTHERS ? [key === "D" && IMPORTED.includes(name) ? "2016-05-10" : "2026-05-01"] : [];
    const dated = new Map([...names].sort().map((name) => [name, daysOf(name)]));
    const source = key === "C" ? castle : snapshot(key, dated, RELEASE_DAY);
    writeFileSync(join(root, `data/sources/${key}.txt`), formatSnapshot(source));
  }
  const inputs = readBuildInputs(root);
  const table = compileTable(createTableInput(inputs, mergeSources(inputs).disposable));
  return { root, builtIn: listsFromBytes("the lists", table) };
}

function snapshot(key: SourceKey, names: DatedNames, day: string): Snapshot {
  return { key, origin: "a test", version: day, date: day, names, digest: digestNames(names) };
}

function nextOn(before: Snapshot, names: readonly string[], day: string): Snapshot {
  return nextSnapshot(before, names, { origin: before.origin, version: day, date: day });
}

/** Returns the package's snapshot of Castle's list: OLD, last seen 20 days earlier, and DAILY, seen on these days. */
function snapshotC(days: readonly string[]): Snapshot {
  const before = dayAfter(RELEASE_DAY, -20);
  const first = snapshot("C", new Map(OLD.map((name) => [name, [before, before]])), before);
  return days.reduce((known, day) => nextOn(known, DAILY, day), first);
}

/** Text of each source, as lines. */
type Texts = Partial<Record<SourceKey, string[]>>;

/** A home whose updates take texts from a folder. */
class UpdatedHome {
  readonly home: string;
  day = RELEASE_DAY;
  package = released;
  private updates = 0;
  readonly lists: HomeLists;

  constructor() {
    homes += 1;
    this.home = join(folder.path, `home-${homes}`);
    this.lists = new HomeLists(this.home);
  }

  get current(): CompiledLists {
    return chooseLists({ folder: this.home, isExplicit: true }, () => this.package.builtIn, "in-memory").lists;
  }

  /** Returns the domains that count as disposable. */
  countedDomains(): Set<string> {
    const counted = [...readDisposable(this.current)].filter(([, entryFlags]) => countsByDefault(entryFlags));
    return new Set(counted.map(([name]) => name));
  }

  async update(
    days: number,
    texts: Readonly<Partial<Record<SourceKey, readonly string[]>>>,
    installRolledBack = false,
  ): Promise<UpdateReport> {
    this.day = dayAfter(this.day, days);
    const from = join(`${this.home}-texts`, `${++this.updates}`);
    mkdirSync(from, { recursive: true });
    for (const [key, names] of Object.entries(texts)) writeFileSync(join(from, `${key}.txt`), names.join("\n"));
    const request = { origin: { folder: from }, timeoutMs: 1000, dryRun: false, installRolledBack };
    return updateLists(request, {
      root: this.package.root,
      home: this.lists,
      openCurrent: async () => this.current,
      client: () => {
        throw new Error("nothing is fetched");
      },
      now: () => Date.parse(this.day) + 3_600_000,
      progress: () => {},
    });
  }

  async rollBack(): Promise<void> {
    await this.lists.withLock(() => this.lists.rollBack(this.current.meta, () => this.package.builtIn.meta));
  }
}

const difference = (names: ReadonlySet<string>, others: Iterable<string>): string[] => {
  const excluded = new Set(others);
  return [...names].filter((name) => !excluded.has(name)).sort();
};
const GROWN = [...(OTHERS["D"] as string[]), "new.com"];
/** Returns Castle's text of a day: most of its names, and a new one. */
const castle = (day: number): string[] => [...DAILY.slice(0, 17), LATER[day % LATER.length] as string];

describe("an update removes only what a source removed", () => {
  it("updating some sources keeps the entries of the other sources", async () => {
    const home = new UpdatedHome();
    await home.update(30, { C: castle(0) });
    const before = home.countedDomains();
    expect(await home.update(30, { D: OTHERS["D"] as string[] })).toMatchObject({ result: "unchanged" });
    await home.update(30, { C: castle(1) });
    expect(difference(before, home.countedDomains())).toEqual([]);
  });

  it("names that a source lost for a day return with the confidence that they had", async () => {
    const home = new UpdatedHome();
    const before = home.countedDomains();
    const all = OTHERS["D"] as string[];
    const lost = "imported03.com";
    await home.update(1, { D: all.filter((name) => name !== lost) });
    expect(readDisposable(home.current).has(lost)).toBe(false);
    await home.update(1, { D: all });
    expect(readDisposable(home.current).get(lost)).toBe(readDisposable(released.builtIn).get(lost));
    expect(home.countedDomains()).toEqual(before);
  });

  it("an entry below a domain that was disposable does not count as newly disposable", async () => {
    const home = new UpdatedHome();
    const { D = [], T = [] } = OTHERS;
    await home.update(1, { D: [...D, "parent.com"], T: [...T, "mail.parent.com"] });
    const { changes } = await home.update(1, { D });
    expect(changes.map(({ domain }) => domain)).toEqual(["mail.parent.com", "parent.com"]);
    expect(countChanges(changes)).toMatchObject({ added: 0, removed: 1 });
  });

  it("an update keeps the day of hand-maintained lists", async () => {
    const home = new UpdatedHome();
    const labelOf = ({ meta }: CompiledLists): string | undefined =>
      meta.sources.find(({ key }) => key === "relays")?.label;
    await home.update(30, { D: GROWN });
    expect(home.current.meta.date).toBe(home.day);
    expect([labelOf(released.builtIn), labelOf(home.current)]).toEqual(
      Array(2).fill(`addrsift relays.tsv ${RELEASE_DAY}`),
    );
  });

  it("an update is complete as of the oldest check of a source", async () => {
    const home = new UpdatedHome();
    await home.update(30, { C: castle(0) });
    const checkedAt = `${home.day}T01:00:00.000Z`;
    expect(await home.update(30, { C: ["not a name"], D: GROWN })).toMatchObject({ result: "updated" });
    const state = home.lists.readState();
    expect(state.sourcesCheckedAt).toEqual({ C: checkedAt, D: `${home.day}T01:00:00.000Z` });
    expect(
      [
        ["C", "D"],
        ["C", "D", "T"],
      ].map((keys) => oldestCheck(state, keys)),
    ).toEqual([checkedAt, undefined]);
  });

  it("an update fails if a snapshot is lost, unless a source that is not a daily list replaces it", async () => {
    const home = new UpdatedHome();
    await home.update(30, { C: castle(0), D: GROWN });
    const lists = join(home.home, "lists");
    const deleteSnapshot = (key: SourceKey): void => {
      for (const name of readdirSync(lists)) if (name.startsWith(`${key}-`)) rmSync(join(lists, name));
    };
    const failed = (remedy: string): object => ({ result: "failed", reason: expect.stringContaining(remedy) });
    deleteSnapshot("D");
    expect(await home.update(1, { C: castle(1) })).toMatchObject(failed("of D from which"));
    expect(await home.update(1, { D: OTHERS["D"] as string[] })).toMatchObject({ result: "updated" });
    deleteSnapshot("C");
    expect(await home.update(1, { C: castle(1) })).toMatchObject(failed("run addrsift lists rollback"));
  });

  it("a rollback removes only the update's names", async () => {
    const home = new UpdatedHome();
    await home.update(40, { C: castle(0) });
    const before = home.countedDomains();
    await home.update(40, { C: [...DAILY, "bad.com"] });
    await home.rollBack();
    expect(home.countedDomains()).toEqual(before);
    // The rolled-back source's earlier names may come again.
    for (const texts of [{ D: GROWN }, { D: OTHERS["D"] as string[] }, { C: castle(2) }])
      expect(await home.update(40, texts)).toMatchObject({ result: "updated" });
    expect(difference(before, home.countedDomains())).toEqual([]);
    expect(home.countedDomains().has("bad.com")).toBe(false);
  });

  it("a rolled-back text is not installed again on a later day, until installRolledBack includes its source", async () => {
    const home = new UpdatedHome();
    const texts = { C: [...DAILY, "bad.com"], D: GROWN };
    await home.update(40, texts);
    await home.rollBack();
    for (const days of [0, 1]) expect(await home.update(days, texts)).toMatchObject({ result: "rolled_back" });
    expect(home.lists.readState().heldBack).toEqual(["D", "C"]);
    expect(await home.update(1, { D: GROWN }, true)).toMatchObject({ result: "updated" });
    expect(await home.update(1, texts)).toMatchObject({ result: "rolled_back" });
    expect(home.lists.readState().heldBack).toEqual(["C"]);
    expect(rolledBackVersions(home.lists.readState())).toHaveLength(1);
    expect(await home.update(1, texts, true)).toMatchObject({ result: "updated" });
    expect(rolledBackVersions(home.lists.readState())).toEqual([]);
    expect(await home.update(1, texts)).toMatchObject({ result: "updated" });
    expect(home.lists.readState().heldBack).toEqual([]);
  });

  it("names that only the home's snapshots have still count after a newer package is installed", async () => {
    const home = new UpdatedHome();
    await home.update(1, { C: castle(0) });
    const before = home.countedDomains();
    home.package = writePackage(
      "newer",
      nextOn(snapshotC([RELEASE_DAY]), [...DAILY, "newer.com"], dayAfter(RELEASE_DAY, 60)),
    );
    for (const [days, texts] of [
      [-50, { D: GROWN }],
      [50, { C: castle(1) }],
      [50, { C: castle(2) }],
    ] as const) {
      expect(await home.update(days, texts)).toMatchObject({ result: "updated" });
      expect(difference(before.add("new.com").add("newer.com"), home.countedDomains())).toEqual([]);
    }
  });
});

const mostOf = (names: readonly string[]): fc.Arbitrary<string[]> =>
  fc.subarray([...names], { minLength: Math.ceil(0.85 * names.length) });
const anyTexts: fc.Arbitrary<Texts> = fc
  .record(
    {
      C: fc.oneof(
        { weight: 5, arbitrary: mostOf([...DAILY, ...LATER]).map((names) => names.slice(0, 29)) },
        { weight: 1, arbitrary: fc.constantFrom<string[]>([], ["not a name"], ["gmail.com"]) },
      ),
      D: mostOf([...(OTHERS["D"] as string[]), "x.com", "y.com"]),
      F: mostOf([...(OTHERS["F"] as string[]), "x.com"]),
      T: mostOf([...(OTHERS["T"] as string[]), "y.com"]),
    },
    { requiredKeys: [] },
  )
  .filter((texts) => Object.keys(texts).length > 0);
const anyStep = fc.record({
  days: fc.constantFrom(0, 1, 1, 7, 93, 1461, -30, -399),
  texts: anyTexts,
  rollBack: fc.boolean(),
});

describe("a sequence of updates", () => {
  it("random updates, failures and rollbacks never lose counted entries, whatever the clock", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 5 }), async (steps) => {
        const home = new UpdatedHome();
        let before = home.countedDomains();
        for (const { days, texts, rollBack } of steps) {
          const { result, sources } = await home.update(days, texts);
          const updatedKeys = sources.filter(({ result }) => result === "new").map(({ key }) => key);
          const dropped = updatedKeys
            .filter((key) => SOURCES[key].daily !== true)
            .flatMap((key) => [...before].filter((name) => !(texts[key] as string[]).includes(name)));
          const after = home.countedDomains();
          expect(home.current.meta.disposableCounted).toBe(after.size);
          expect(difference(new Set(difference(before, dropped)), after)).toEqual([]);
          const isBack = rollBack && result === "updated";
          if (isBack) await home.rollBack();
          before = isBack ? home.countedDomains() : after;
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("a name counts while at most 90 editions of its daily list lack it, however much time passes", () => {
    const rules = {
      isInRootZone: () => true,
      isFreeHost: (name: string) => !name.includes("."),
      isProtected: () => false,
      isRemovedByCommunity: () => false,
    };
    const pool = numberedNames("n", 6);
    const step = fc.tuple(fc.constantFrom(0, 1, 1, 1, 7, 93), fc.subarray(pool), fc.integer({ min: 1, max: 40 }));
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        let day = RELEASE_DAY;
        let known = snapshot("C", new Map(), day);
        const age = new Map<string, number>();
        for (const [gap, names, times] of steps) {
          for (let i = 0; i < times; i += 1) {
            const next = dayAfter(day, gap);
            const text = i === 0 ? [...names, `first-of-${next}.com`] : [`of-${next}.com`];
            if (next !== day || known.names.size === 0)
              for (const name of age.keys()) age.set(name, (age.get(name) as number) + 1);
            for (const name of text) age.set(name, 0);
            day = next;
            known = nextOn(known, text, day);
          }
        }
        const { disposable } = mergeDisposable([{ ...known, key: "C" }], [], rules, []);
        for (const [name, days] of age)
          expect([name, CONFIDENCES[confidenceRank(entryFlags(disposable.get(name) as number))]]).toEqual([
            name,
            days <= 3 ? "confirmed" : days <= 90 ? "single" : "legacy",
          ]);
      }),
      { numRuns: sampleSize(100) },
    );
  });
});

it("an update shares a new folder of lists with the group of the home, but not with others", async () => {
  const createIn = async (mode: number): Promise<number> => {
    const home = join(folder.path, `home-${mode.toString(8)}`);
    mkdirSync(home);
    chmodSync(home, mode);
    await new HomeLists(home).withLock(async () => undefined);
    return statSync(join(home, "lists")).mode & 0o7777;
  };
  expect(await createIn(0o700)).toBe(0o700);
  expect(await createIn(0o2770)).toBe(0o2770);
  expect(await createIn(0o2775)).toBe(0o2770);
});
