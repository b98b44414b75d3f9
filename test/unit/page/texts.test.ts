// Tests the page's texts: verdicts, CSV, shell arguments, numbers.

import fc from "fast-check";
import { expect, it } from "vitest";
import { escapeInvisible, formatNumber, formatPercent, quoteForShell } from "../../../src/base/format-text.ts";
import type { SummaryReport } from "../../../src/bulk/summary.ts";
import {
  classBits,
  isSelected,
  ROW_CLASS,
  type RowClass,
  rowsByClass,
  UNUSABLE_CLASSES,
} from "../../../src/detection/classes.ts";
import { ADDED_COLUMNS } from "../../../src/detection/fields.ts";
import {
  type CheckResult,
  describeGroup,
  describeVerdict,
  formatCsv,
  groupByVerdict,
  listLabels,
  markDuplicates,
} from "../../../src/page/check/verdict.ts";
import { pageBase } from "../../../src/page/common/api.ts";
import { chooseDates, groupByPeriod } from "../../../src/page/common/periods.ts";
import { describeListsAge, formatDuration, formatSize } from "../../../src/page/common/text.ts";
import { describeRows } from "../../../src/page/report-verdict.ts";

const VALID = {
  email: "joe@x.example",
  syntax_validation: true,
  normalized: "joe@x.example",
  subaddressing: false,
  role_address: false,
  public_domain: false,
  relay_domain: false,
  disposable: false,
  detection_source: "precomputed",
} as const;

const result = (classes: string, more: object): CheckResult =>
  ({ ...VALID, classes: ["valid", ...classes.split(" ")], ...more }) as CheckResult;
const invalid = (more: object): CheckResult =>
  ({ email: "a,b", syntax_validation: false, classes: ["invalid", "mistyped"], ...more }) as CheckResult;
const explained = (more: object): object => ({ explain: { domain_unicode: "x.example", data_version: "1", ...more } });
const listed = (...matches: object[]): object =>
  explained({ matches: matches.map((match) => ({ flag: "disposable", entry: "x.example", ...match })) });
const misspelling = explained({ matches: [{ flag: "mistyped", detail: "y.example" }] });

it.each([
  [invalid({ explain: { syntax_error: { message: "there is no @" } } }), "bad | invalid, mistyped | There is no @."],
  [
    invalid({ email: "a@x.con", explain: { syntax_error: { message: "the top-level domain is not in", offset: 4 } } }),
    "bad | invalid, mistyped | The top-level domain con is not in.",
  ],
  [
    invalid({
      email: "a@localhost",
      explain: { syntax_error: { message: "the top-level domain is reserved", offset: 2 } },
    }),
    "bad | invalid, mistyped | The top-level domain localhost is reserved.",
  ],
  [
    result("disposable", listed({ sources: ["a", "b"] })),
    "bad | disposable | 2 lists say that x.example offers disposable addresses.",
  ],
  [
    result("disposable", listed({ sources: ["a"] }, { sources: ["b"], counted: false })),
    "bad | disposable | 1 list says that x.example offers disposable addresses.",
  ],
  [
    result("disposable", { detection_source: "live_dns", ...explained({}) }),
    "bad | disposable | Its mail server belongs to a disposable service.",
  ],
  [
    result("disposable", { detection_source: "override", ...explained({}) }),
    "bad | disposable | An override of your team says so.",
  ],
  [
    result("suspicious no_mail", explained({ dns: { status: "nxdomain" } })),
    "bad | suspicious, no mail | DNS: the domain does not exist.",
  ],
  [
    result("relay", { relay_provider: "apple_hide_my_email" }),
    "good | relay | Forwards to a hidden mailbox, by apple hide my email.",
  ],
  [result("role mistyped", misspelling), "bad | mistyped, role | x.example is a known mistake for y.example."],
  [result("unknown", explained({ dns: { status: "timeout" } })), "warn | unknown | In no list; DNS: timed out."],
  [
    result("hidden subaddressed", {}),
    "warn | hidden, subaddressed | Stands in for a person's own address, such as GitHub's noreply, or is a machine's. Has a tag, as in jane+news@gmail.com.",
  ],
  [result("public", {}), "good | public | The domain is a consumer mailbox provider."],
  [
    result("role no_reply duplicate", { duplicate_of: "A@x.example\n" }),
    "bad | no reply, duplicate | Same mailbox as A@x.example\\n.",
  ],
  [
    result("suspicious", explained({ warnings: ["mixed_script_local_part"] })),
    "warn | suspicious | The part before the @ mixes scripts, such as Latin and Cyrillic.",
  ],
  [
    result("public", { word_before: "carlos" }),
    "warn | perhaps incomplete, public | The word “carlos” before the address may be part of it. The domain is a consumer mailbox provider.",
  ],
  [
    result("work", { word_before: "carlos" }),
    "warn | perhaps incomplete | The word “carlos” before the address may be part of it.",
  ],
  [
    result("mistyped", { word_before: "carlos" }),
    "bad | perhaps incomplete, mistyped | The word “carlos” before the address may be part of it. The domain is probably misspelled.",
  ],
  [
    result("suspicious", explained({ warnings: ["typographic_local_part"] })),
    "warn | suspicious | The part before the @ has typographic punctuation, such as ’ instead of '.",
  ],
  [result("work", {}), "good | ok | Nothing is known against the domain."],
  [
    result("role", explained({ matches: [{ flag: "role_address", entry: "info" }], dns: { status: "skipped" } })),
    "plain | ok (DNS not asked), role | Nothing is known against the domain, but DNS was not asked whether it exists. Shared inbox such as info@.",
  ],
  [
    result("work", explained({ matches: [], dns: { status: "skipped" } })),
    "plain | ok (DNS not asked) | Nothing is known against the domain, but DNS was not asked whether it exists.",
  ],
  [
    result("work", listed({ sources: ["a"], counted: false })),
    "good | ok | x.example is only in lists below the minimum confidence.",
  ],
  [
    result("work", explained({ matches: [{ flag: "protected" }], dns: { status: "skipped" } })),
    "plain | ok (DNS not asked) | Nothing is known against the domain, but DNS was not asked whether it exists.",
  ],
  [
    result("academic", explained({ matches: [{ flag: "protected", detail: "academic" }], dns: { status: "skipped" } })),
    "good | ok, academic | Nothing is known against the domain. At a university or college.",
  ],
])('describeVerdict() names the classes that the command line\'s table names: %j is "%s"', (detection, expected) => {
  expect(describeVerdict(detection).join(" | ")).toBe(expected);
});

it("listLabels() returns the labels of a result that its verdict does not name, and groupByVerdict() has the order of the summary", () => {
  const tagged = result(
    "subaddressed unreserved work",
    explained({ mail_provider: "google_workspace", domain_kind: "isp" }),
  );
  expect(listLabels(tagged)).toEqual(["work", "isp", "mail at google workspace"]);
  const results = [tagged, invalid({}), result("disposable", {}), invalid({})];
  expect([...groupByVerdict(results)]).toEqual([
    ["all", results],
    ["clean", [tagged]],
    ["not_clean", results.slice(1)],
    ["valid", [tagged, results[2]]],
    ["invalid", [results[1], results[3]]],
    ["disposable", [results[2]]],
    ["mistyped", [results[1], results[3]]],
    ["subaddressed", [tagged]],
    ["work", [tagged]],
  ]);
});

it("groupByVerdict() has each result in one of the groups clean, doubtful and not clean", () => {
  const results = [result("role no_reply", {}), result("role", {}), result("reserved", {}), result("disposable", {})];
  const groups = groupByVerdict(results);
  expect(groups.get("clean")).toEqual([results[1]]);
  expect(groups.get("doubtful")).toEqual([results[0], results[2]]);
  expect(groups.get("not_clean")).toEqual([results[3]]);
  expect(describeGroup("clean")).toMatch(/^Each mailbox once, .* without mail \(if DNS was asked\)\.$/);
  expect(describeGroup("role")).toBe("Shared inbox such as info@.");
});

it("markDuplicates() names the earlier address of each valid result with the same mailbox, and groupByVerdict() groups them", () => {
  const results = [result("public", {}), invalid({}), result("public", {}), invalid({})];
  const marked = markDuplicates(results).filter((result) => result !== undefined);
  expect(marked.map(({ classes }) => classes.includes("duplicate"))).toEqual([false, false, true, false]);
  expect(groupByVerdict(marked).get("duplicate")).toEqual([marked[2]]);
  expect(groupByVerdict(marked).get("clean")).toEqual([marked[0]]);
  expect(marked[2]?.duplicate_of).toBe(VALID.email);
  expect(markDuplicates(marked.slice(0, 2))).toEqual(results.slice(0, 2));
});

it("markDuplicates() joins results whose addresses a correction made the same, and no others", () => {
  const first = result("public", {});
  const corrected = result("public", { corrected_from: "joe@x,example" });
  expect(markDuplicates([corrected, { ...corrected }])).toEqual([corrected, undefined]);
  expect(markDuplicates([corrected, first])).toEqual([corrected, undefined]);
  expect(markDuplicates([first, corrected])).toEqual([first, undefined]);
  const other = { ...corrected, email: "JOE@x.example" };
  expect(markDuplicates([first, other])[1]).toMatchObject({ duplicate_of: VALID.email });
});

it("formatCsv() writes list, verdict and reason, then columns of the command line and corrections, and escapes formulas", () => {
  const typo = result("role mistyped unreserved", explained({ suggestion: "joe@y.example" }));
  const faulty = invalid({
    explain: { syntax_error: { code: "missing_at", message: "malformed, or with a domain that can't exist" } },
  });
  const corrected = result("public", { email: "=1+1", corrected_from: "=2+2" });
  expect(formatCsv([typo, faulty, corrected])).toBe(
    `email,list,verdict,reason,${ADDED_COLUMNS.join()},fault,suggestion,corrected_from,duplicate_of,classes\n` +
      'joe@x.example,not clean,"mistyped, role",The domain is probably misspelled.,true,joe@x.example,false,false,false,false,,false,precomputed,,joe@y.example,,,valid; role; mistyped\n' +
      `"a,b",not clean,"invalid, mistyped","Malformed, or with a domain that can't exist.",false,,,,,,,,,missing_at,,,,invalid; mistyped\n` +
      "'=1+1,clean,public,The domain is a consumer mailbox provider.,true,joe@x.example,false,false,false,false,,false,precomputed,,,'=2+2,,valid; public\n",
  );
});

const NOW = Date.parse("2026-11-22T23:00:00Z");

it.each([
  [escapeInvisible("a\u202eb\u0000c\u200d\ud800"), "a\\u{202e}b\\u{0}c\\u{200d}\\u{d800}"],
  [formatPercent(1, 5000), "<0.1 %"],
  [formatPercent(0, 5000), "0.0 %"],
  [formatPercent(5000, 5001), ">99.9 %"],
  [formatPercent(5000, 5000), "100.0 %"],
  [quoteForShell("it's"), "'it'\\''s'"],
  [quoteForShell("--dns"), "--dns"],
  [quoteForShell("a\n'\u202e"), "$'a\\012\\047\\342\\200\\256'"],
  [formatSize(999), "999 bytes"],
  [formatSize(1_234_567), "1.2 MB"],
  [formatSize(123_456_789_012), "123 GB"],
  [formatDuration(1), "1 second"],
  [formatDuration(89 * 60), "89 minutes"],
  [formatDuration(40 * 86_400), "40 days"],
  [describeListsAge("2026-11-22-abc", NOW), "The daemon's lists were built 0 days ago (2026-11-22)."],
  [
    describeListsAge("2026-11-01-abc", NOW),
    "The daemon's lists were built 21 days ago (2026-11-01). Update them with addrsift lists update.",
  ],
  [describeListsAge("own", NOW), "The daemon's lists: own."],
  [pageBase({ origin: "https://x", pathname: "/base" }), "https://x/base/"],
  [pageBase({ origin: "https://x", pathname: "/" }), "https://x/"],
])("the page formats invisible characters, sizes, durations, ages and URLs: %j", (text, expected) => {
  expect(text).toBe(expected);
});

it.each([
  ["day", "2026-11-26", 3, "26 Nov, 27 Nov, 28 Nov"],
  ["day", "2026-08-31", 89, "31 Aug, 14 Sep, 28 Sep, 12 Oct, 26 Oct, 09 Nov, 23 Nov"],
  ["day", "2026-02-27", 8, "27 Feb, 28 Feb, 01 Mar, 02 Mar, 03 Mar, 04 Mar, 05 Mar, 06 Mar"],
  ["week", "2025-11-15", 200, "24 Nov, 22 Dec, 19 Jan, 16 Feb, 16 Mar, 13 Apr, 11 May"],
  ["month", "2023-03-01", 1219, "Jul 2023, Jan 2024, Jul 2024, Jan 2025, Jul 2025, Jan 2026"],
  ["month", "1969-12-01", 3653, "1970, 1972, 1974, 1976, 1978"],
  ["day", "1969-12-31", 60, "05 Jan, 19 Jan, 02 Feb, 16 Feb"],
] as const)("the dates of a chart by %s from %s with %d days are %s", (unit, start, count, expected) => {
  const dates = chooseDates(unit, Date.parse(start), Date.parse(start) + count * 86_400_000);
  expect(dates.map(({ label }) => label).join(", ")).toBe(expected);
});

it("a chart has two to eight dates, each on one of its days, within any range of days up to 2999", () => {
  const ranges = fc.tuple(fc.integer({ min: -25_567, max: 300_000 }), fc.integer({ min: 2, max: 70_000 }));
  fc.assert(
    fc.property(ranges, ([firstDay, count]) => {
      const toDay = (day: number) => ({
        value: new Date((firstDay + day) * 86_400_000).toISOString().slice(0, 10),
        rows: 1,
        unusable: 0,
      });
      const { unit, periods } = groupByPeriod([toDay(0), toDay(count - 1)]);
      const [start, end] = [periods[0]?.start ?? 0, periods.at(-1)?.end ?? 0];
      const times = chooseDates(unit, start, end).map(({ ms }) => ms);
      expect(times.length).toBeGreaterThanOrEqual(2);
      expect(times.length).toBeLessThanOrEqual(8);
      expect(times.every((ms, i) => ms > (times[i - 1] ?? start) && ms < end)).toBe(true);
    }),
  );
});

type Counts = readonly (readonly [classes: number, rows: number])[];
type Values = readonly (readonly [value: string, counts: Counts])[];

const sumUnusable = (counts: Counts): number =>
  counts.reduce((sum, [bits, rows]) => sum + ((bits & classBits(UNUSABLE_CLASSES)) === 0 ? 0 : rows), 0);

/** Describes a file with these rows. The column "campaign" has these values. */
function describeFile(values: Values, inputs = ["a.csv"]) {
  const counts = values.flatMap(([, counts]) => counts);
  const countAll = (counts: Counts) => ({
    rows: counts.reduce((sum, [, rows]) => sum + rows, 0),
    classes: rowsByClass(counts),
    unusable: sumUnusable(counts),
  });
  const by = { column: "campaign", values: values.map(([value, counts]) => ({ value, ...countAll(counts) })) };
  const summary = { ...countAll(counts), faults: {}, by } as unknown as SummaryReport;
  const options = { readOptions: ["--csv"], duplicateOptions: [], prefix: "" };
  const facts = { summary, rowsByClassBits: counts, inputs, names: [], ...options };
  return { counts, by, ...describeRows(facts) };
}

const numbersIn = (text: string): number[] => (text.match(/\d[\d,]*/g) ?? []).map((n) => Number(n.replaceAll(",", "")));

const anyClasses = fc.subarray(Object.keys(ROW_CLASS).filter((name) => name !== "valid") as RowClass[]).map(classBits);
const cleanOrAny = fc.oneof(fc.constantFrom(ROW_CLASS.valid, ROW_CLASS.disposable, ROW_CLASS.invalid), anyClasses);
const anyCounts = fc.array(fc.tuple(cleanOrAny, fc.integer({ min: 1, max: 200_000 })), { maxLength: 6 });
const anyValues = (value: fc.Arbitrary<string>) =>
  fc.uniqueArray(fc.tuple(value, anyCounts), { selector: ([value]) => value, maxLength: 8 });
const day = fc.integer({ min: 1, max: 28 }).map((number) => `2026-02-${String(number).padStart(2, "0")}`);
const days = anyValues(day).map((values) => values.toSorted(([a], [b]) => (a < b ? -1 : 1)));

it("the verdict of a report has the numbers of the rows that its command removes and keeps, for any counts", () => {
  fc.assert(
    fc.property(fc.oneof(anyValues(fc.constantFrom("", "a", "b", "c")), days), (values) => {
      const { counts, groups, headline, details, cleanRows, cleanCommand, mistypedCommand } = describeFile(values);
      const rows = counts.reduce((sum, [, rows]) => sum + rows, 0);
      const rowsOf = (command: string): number => {
        const [select, reject] = ["select", "reject"].map((option) => {
          const [, names = ""] = new RegExp(`--${option} (\\S+)`).exec(command) ?? [];
          return classBits(names === "" ? [] : (names.split(",") as RowClass[]));
        }) as [number, number];
        return counts.reduce((sum, [bits, n]) => sum + (isSelected({ select, reject }, bits) ? n : 0), 0);
      };
      expect(groups.reduce((sum, group) => sum + group.rows, 0)).toBe(rows);
      if (cleanCommand === undefined) expect([0, rows]).toContain(cleanRows);
      else expect(cleanRows).toBe(rowsOf(cleanCommand));
      const mistypedRows = groups.find(({ name }) => name === "mistyped")?.rows ?? 0;
      expect(mistypedRows).toBe(mistypedCommand === undefined ? 0 : rowsOf(mistypedCommand));
      const keptNames = ["clean", "doubtful"];
      const problems = groups.filter(({ name }) => !keptNames.includes(name)).map(({ rows }) => rows);
      const removedRows = rows - cleanRows;
      const shown = numbersIn(headline.replace(/ \([<>]?[\d.]+ %\)/, ""));
      const all = rows > 1 ? [rows] : [];
      const some = removedRows === rows ? all : [removedRows, rows];
      const parts = problems.length > 1 ? problems : [];
      expect(shown).toEqual(headline.startsWith("None") ? [rows] : removedRows === 0 ? [] : [...some, ...parts]);
      const doubtful = groups.find(({ name }) => name === "doubtful")?.rows;
      expect(numbersIn(/\S+ rows? (?:is|are) doubtful/.exec(details)?.[0] ?? "")).toEqual(doubtful ? [doubtful] : []);
    }),
  );
});

it("a report names values or days with at least ten unusable rows, and twice the share of the other rows", () => {
  const pattern = /(?:with the campaign “(.)”|(?:on|from) (\S+?)(?: to (\S+))?), (\S+) of (\S+)(?: rows?)? \((.*? %)/gi;
  const sum = (values: readonly { rows: number; unusable: number }[]) => ({
    rows: values.reduce((total, { rows }) => total + rows, 0),
    unusable: values.reduce((total, { unusable }) => total + unusable, 0),
  });
  fc.assert(
    fc.property(fc.oneof(anyValues(fc.constantFrom("", "a", "b", "c")), days), (values) => {
      const { by, details } = describeFile(values);
      const spans = [...details.matchAll(pattern)];
      expect(spans.length > 0).toBe(details.includes("no usable address"));
      let others = by.values;
      const shares: (readonly [unusable: number, rows: number])[] = [];
      for (const [, value, first = "", last = first, ...shown] of spans) {
        const isThere = (text: string): boolean =>
          value === undefined ? text >= first && text <= last : text === value;
        const there = others.filter((each) => isThere(each.value));
        others = others.filter((each) => !isThere(each.value));
        const { rows, unusable } = sum(there);
        expect(shown).toEqual([formatNumber(unusable), formatNumber(rows), formatPercent(unusable, rows)]);
        for (const { unusable } of there) expect(unusable).toBeGreaterThanOrEqual(10);
        // Each day of a span has rows.
        if (value === undefined) expect(there).toHaveLength(1 + Number(last.slice(-2)) - Number(first.slice(-2)));
        shares.push(...there.map(({ rows, unusable }) => [unusable, rows] as const));
      }
      const elsewhere = sum(others);
      if (spans.length === 0 || /more stands? out/.test(details)) return;
      for (const [unusable, rows] of shares)
        expect(unusable * elsewhere.rows).toBeGreaterThanOrEqual(2 * elsewhere.unusable * rows);
      const share = formatPercent(elsewhere.unusable, elsewhere.rows);
      expect(details).toMatch(
        new RegExp(`In the other ${formatNumber(elsewhere.rows)} rows?, the share is ${share}\\.`),
      );
    }),
  );
});

it("a report names two bursts without the days between them, in a file of any size", () => {
  for (const scale of [1, 2, 5, 20]) {
    const values = Array.from({ length: 90 }, (_, i): Values[number] => {
      const counts: Counts = [
        [ROW_CLASS.valid, 20 * scale],
        [ROW_CLASS.valid | ROW_CLASS.disposable, i === 30 || i === 60 ? 50 : scale - 1],
      ];
      return [new Date(Date.UTC(2026, 7, 31 + i)).toISOString().slice(0, 10), counts];
    });
    expect(describeFile(values).details).toMatch(/^On 2026-09-30, 50 of .*; on 2026-10-30, 50 of .* In the other /);
  }
});

it("a report names each burst with its own days, without days just above the average", () => {
  const burst = [57, 58, 59, 200, 201];
  const values = Array.from({ length: 300 }, (_, i): Values[number] => {
    const bad = burst.includes(i) ? 60 : i >= 50 && i < 57 ? 5 : 3;
    const counts: Counts = [
      [ROW_CLASS.valid | ROW_CLASS.disposable, bad],
      [ROW_CLASS.valid, 100 - bad],
    ];
    return [new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10), counts];
  });
  expect(describeFile(values).details).toBe(
    "From 2026-02-27 to 2026-03-01, 180 of 300 rows (60.0 %, all disposable) have no usable address; " +
      "from 2026-07-20 to 2026-07-21, 120 of 200 (60.0 %, all disposable). In the other 29,500 rows, the share is 3.0 %.",
  );
});

it("a report names the worst of five bursts first, then the two largest, and the class of most rows in each", () => {
  const bursts: Readonly<Record<number, readonly [disposable: number, invalid: number, valid: number]>> = {
    10: [328, 0, 338],
    20: [262, 0, 658],
    30: [0, 324, 1008],
    40: [67, 2, 3],
    50: [50, 50, 158],
  };
  const values = Array.from({ length: 60 }, (_, i): Values[number] => {
    const [disposable, invalid, valid] = bursts[i] ?? [4, 2, 194];
    const counts: Counts = [
      [ROW_CLASS.valid | ROW_CLASS.disposable, disposable],
      [ROW_CLASS.invalid, invalid],
      [ROW_CLASS.valid, valid],
    ];
    return [new Date(Date.UTC(2026, 8, 1 + i)).toISOString().slice(0, 10), counts];
  });
  expect(describeFile(values).details).toBe(
    "On 2026-10-11, 69 of 72 rows (95.8 %, mostly disposable) have no usable address; " +
      "on 2026-09-11, 328 of 666 (49.2 %, all disposable); on 2026-10-01, 324 of 1,332 (24.3 %, all invalid). " +
      "2 more stand out. In the other 11,000 rows, the share is 3.0 %.",
  );
  const mixed = describeFile([...values.slice(0, 10), ...values.slice(50)]);
  expect(mixed.details).toMatch(/^On 2026-10-21, 100 of 258 rows \(38\.8 %\) have no usable address\. In the other /);
});

const clean: Counts = [[ROW_CLASS.valid, 980]];
const bad: Counts = [[ROW_CLASS.valid | ROW_CLASS.disposable, 20]];

it.each([
  [[], "bad", "There are no rows.", ""],
  [[["", [[ROW_CLASS.valid, 1]]]], "good", "No row is disposable or invalid.", ""],
  [[["", clean]], "good", "No row is disposable or invalid.", ""],
  [[["", [[ROW_CLASS.invalid, 1]]]], "bad", "The only row is invalid.", ""],
  [[["", [...bad, [ROW_CLASS.valid, 20]]]], "bad", "20 of 40 rows (50.0 %) are disposable.", ""],
  [[["", bad]], "bad", "All 20 rows are disposable.", ""],
  [
    [
      [
        "",
        [
          [ROW_CLASS.duplicate, 1],
          [ROW_CLASS.valid, 1],
        ],
      ],
    ],
    "bad",
    "1 of 2 rows (50.0 %) is a duplicate.",
    "",
  ],
  [
    [["", [[ROW_CLASS.invalid | ROW_CLASS.mistyped, 2], [ROW_CLASS.invalid, 1], ...clean]]],
    "warn",
    "3 of 983 rows (0.3 %) should be corrected or removed: 2 mistyped and 1 invalid.",
    "",
  ],
  [[["", [[ROW_CLASS.valid | ROW_CLASS.mistyped, 2]]]], "bad", "All 2 rows are mistyped.", ""],
  [
    [["", [...bad, [ROW_CLASS.valid | ROW_CLASS.no_mail, 5]]]],
    "bad",
    "All 25 rows should be removed: 20 disposable and 5 at domains without mail.",
    "",
  ],
  [
    [
      ["a", clean],
      ["b", bad],
      ["", [[ROW_CLASS.valid | ROW_CLASS.reserved | ROW_CLASS.mistyped, 1]]],
    ],
    "warn",
    "21 of 1,001 rows (2.1 %) should be corrected or removed: 1 mistyped and 20 disposable.",
    "With the campaign “b”, 20 of 20 rows (100.0 %, all disposable) have no usable address. In the other 981 rows, the share is 0.1 %.",
  ],
  [
    [
      ["2026-05-11", clean],
      ["2026-05-12", [...bad, ...clean]],
      ["2026-05-13", [[ROW_CLASS.blank, 1], ...bad]],
    ],
    "warn",
    "41 of 2,001 rows (2.0 %) should be removed: 40 disposable and 1 blank.",
    "From 2026-05-12 to 2026-05-13, 41 of 1,021 rows (4.0 %, mostly disposable) have no usable address. In the other 980 rows, the share is 0.0 %.",
  ],
] as const)("the verdict of the rows %j is %s: %s %s", (values, ...expected) => {
  const { tone, headline, details } = describeFile(values as Values);
  expect([tone, headline, details]).toEqual(expected);
});

it("a report says how many rows a class has with those in an earlier group, as in the chart of classes", () => {
  const { groups } = describeFile([
    ["", [...bad, [ROW_CLASS.invalid | ROW_CLASS.mistyped, 2], [ROW_CLASS.invalid, 1]]],
  ]);
  expect(groups.map(({ name, rows, meaning }) => `${rows} ${name}: ${meaning}`)).toEqual([
    "2 mistyped: domain is a known misspelling, such as gmial.com",
    "20 disposable: at a service for throwaway addresses",
    "1 invalid: malformed, or with a domain that can't exist; 3 with those in earlier groups",
  ]);
});

it.each([
  [["a.csv"], "clean.csv"],
  [["-", "lists/Clean.csv"], "new-clean.csv"],
  [["clean.csv", "new-clean.csv"], "new-new-clean.csv"],
])("the command of a report on %j writes the clean list to %s, which is none of its inputs", (inputs, output) => {
  expect(describeFile([["", [...bad, ...clean]]], inputs).cleanCommand).toMatch(new RegExp(` > ${output}$`));
});
