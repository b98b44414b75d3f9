// Tests days in the forms that people and programs write, and counts by day.

import fc from "fast-check";
import { expect, it } from "vitest";
import {
  CountsBy,
  type CountsByReport,
  formatCountsByHeading,
  selectDays,
  topValues,
} from "../../../src/bulk/counts-by.ts";
import { inferDateOrder, isTimeName, parseDay, toIsoDay } from "../../../src/bulk/days.ts";
import { Row } from "../../../src/bulk/rows/row.ts";
import { createCountsBy } from "../../../src/bulk/run/columns.ts";
import type { Classifier } from "../../../src/detection/classifier.ts";
import { lists } from "../../helpers/classify.ts";
import { sampleSize } from "../../helpers/sampling.ts";

/** Counts these values, one row each, in a column of this name. */
function reportOf(values: readonly string[], column = "day"): CountsByReport {
  const texts = values.values();
  const by = new CountsBy(column, () => texts.next().value as string);
  for (const _ of values) by.add(new Row(), 1, {} as Classifier);
  return by.report();
}

const formatCounts = ({ values }: Pick<CountsByReport, "values">): string[] =>
  values.map(({ value, rows }) => `${value} ${rows}`);

/** Returns how these values were read, and each counted value with its number of rows. */
function countValues(values: readonly string[]): unknown[] {
  const report = reportOf(values);
  return [report.read_as, ...formatCounts(report)];
}

it.each([
  ["2026-11-20", "2026-11-20"],
  ["2026/11/2 10:00", "2026-11-02"],
  ["2026.11.02", "2026-11-02"],
  ["2026-11-20T23:59:59Z", "2026-11-20"],
  ["20.11.2026", "2026-11-20"],
  ["2.1.2026, 10:00", "2026-01-02"],
  ["20.11.26", "2026-11-20"],
  ["20.11.70", "1970-11-20"],
  ["20/11/2026 10:00", "20/11/2026"],
  ["3/4/26", "03/04/2026"],
  ["3-4-2026", "03/04/2026"],
  ["Nov. 20, 2026", "2026-11-20"],
  ["November 2nd 2026", "2026-11-02"],
  ["Fri 20 Nov 2026", "2026-11-20"],
  ["20-Nov-2026", "2026-11-20"],
  ["Fri, 20 Nov 2026 10:00:00 +0000", "2026-11-20"],
])("parseDay parses %s as %s", (text, day) => {
  expect(parseDay(text)).toBe(day);
});

it.each([
  ["20261103", "2026-11-03"],
  ["20261103 10:00", "2026-11-03"],
  ["20261103T101500Z", "2026-11-03"],
  ["20261103101500", "2026-11-03"],
  ["3.11.26", "2026-11-03"],
  ["3.1.99, 10:00", "1999-01-03"],
])("parseDay parses %s as %s, but only in a column named for a time", (text, day) => {
  expect(parseDay(text, true)).toBe(day);
  expect(parseDay(text)).toBe(text);
});

it.each("20261341 99991231 18991231 202611030 2026110 31.2.26 1.2.3 10.11.12.13 1.2.345".split(" "))(
  "parseDay returns %j unchanged in a column named for a time, because it is not a day",
  (text) => expect(parseDay(text, true)).toBe(text),
);

it.each([
  "",
  "spring sale 3/4",
  ..."31.02.2026 2026-11/20 13/13/2026 1.2.34 10.11.12.13 2026 4915112345678 12-11-26 May 1763596800 0 00/00/0000 31/02/2026 0001-01-01".split(
    " ",
  ),
])("parseDay returns %j unchanged, because it is not a day", (text) => {
  expect(parseDay(text)).toBe(text);
});

it.each(["00.00.0000 12:01", "0000-00-00T00:00:00Z", "31/02/2026 9:15 PM"])(
  "parseDay omits the time of %j, an invalid day",
  (text) => {
    expect(parseDay(text)).toBe(text.slice(0, 10));
  },
);

it("--by infers the order of day and month from all values, and reports it if it is a guess", () => {
  expect(countValues(["10/30/2026", "11/03/2026", "11/01/2026", "11/3/2026"])).toEqual([
    undefined,
    "2026-10-30 1",
    "2026-11-01 1",
    "2026-11-03 2",
  ]);
  expect(countValues(["30/10/2026", "03/11/2026", ""])).toEqual([undefined, "2026-10-30 1", "2026-11-03 1", " 1"]);
  expect(countValues(["11/03/2026", "11/01/2026"])).toEqual(["M/D/Y", "2026-11-01 1", "2026-11-03 1"]);
  expect(countValues(["03/11/2026", "01/11/2026"])).toEqual(["D/M/Y", "2026-11-01 1", "2026-11-03 1"]);
  expect(countValues(["03/04/2026"])).toEqual(["D/M/Y", "2026-04-03 1"]);
  expect(countValues(["13/12/2026", "12/13/2026"])).toEqual([undefined, "12/13/2026 1", "13/12/2026 1"]);
  expect(countValues(["13/12/2026", "14/12/2026", "03/12/2026", "12/13/2026"])).toEqual([
    "D/M/Y",
    "2026-12-03 1",
    "2026-12-13 1",
    "2026-12-14 1",
    "12/13/2026 1",
  ]);
  expect(countValues(["11/30/2026", "2026-11-30", "30.11.2026", "30.11.2026"])).toEqual([undefined, "2026-11-30 4"]);
});

it.each([
  ..."date created createdAt CREATED_AT last_seen timestamp ts created_ms day sent_on Erstelldatum".split(" "),
  "Created (UTC)",
  "date added",
  "erstellt am",
  "meta.createdAt",
])("--by reads numbers in the column %j as times", (name) => {
  expect(isTimeName(name)).toBe(true);
  const units = ["1763596800", "1763596801123"].map((text) => reportOf([text], name));
  expect(units.map((report) => [formatCountsByHeading(report), ...formatCounts(report)])).toEqual([
    [`${name} (seconds since 1970)`, "2025-11-20 1"],
    [`${name} (milliseconds since 1970)`, "2025-11-20 1"],
  ]);
});

it.each(["2", "", "phone", "campaign", "candidate", "created_by", "date_id", "mandate", "update", "format", "data"])(
  "--by does not read numbers in the column %j as times",
  (name) => {
    const values = ["2125550100", "1503829123", "1763596800123", "45981.5"];
    expect(reportOf(values, name)).toMatchObject({ values: values.sort().map((value) => ({ value, rows: 1 })) });
    expect(formatCountsByHeading(reportOf(values, name))).toBe(name);
  },
);

it("--by never reads numbers as times in a column whose name does not mention a time", () => {
  const number = fc.oneof(
    fc.integer({ min: 900_000_000, max: 2_300_000_000 }),
    fc.integer({ min: 900_000_000_000, max: 2_300_000_000_000 }),
    fc.integer({ min: 0, max: 9_999_999_999 }),
  );
  const name = fc.constantFrom("phone", "id", "customer_id", "campaign", "created_by", "2", "Telefon", "orders");
  fc.assert(
    fc.property(fc.array(number.map(String), { minLength: 1, maxLength: 30 }), name, (numbers, column) => {
      const { values, read_as } = reportOf(numbers, column);
      expect(read_as).toBeUndefined();
      expect(values.flatMap(({ value, rows }) => Array<string>(rows).fill(value)).sort()).toEqual(numbers.sort());
      expect(new Set(values.map(({ value }) => value)).size).toBe(values.length);
    }),
    { numRuns: sampleSize(20_000) },
  );
});

it("values that are not dates do not change how --by reads the dates", () => {
  const date = fc.date({ min: new Date("2001-01-01"), max: new Date("2038-12-31"), noInvalidDate: true });
  const notations: readonly ((date: Date) => string)[] = [
    (each) => each.toISOString(),
    (each) => each.toISOString().slice(0, 10).split("-").reverse().join("/"),
    (each) => `${each.getUTCMonth() + 1}/${each.getUTCDate()}/${each.getUTCFullYear()}`,
    (each) => String(Math.floor(each.getTime() / 1000)),
    (each) => String(each.getTime()),
  ];
  const notADate = fc.oneof(
    fc.constantFrom("0", "00/00/0000", "0000-00-00", "31/02/2026", "2026-02-31", "01/01/0001", "n/a", "", "-1"),
    // Days such as 20261103 are dates.
    fc
      .integer({ min: 0, max: 899_999_999 })
      .filter((number) => number < 19e6 || number >= 21e6)
      .map(String),
    fc.integer({ min: 2_200_000_000, max: 9_999_999_999 }).map(String),
    fc.tuple(fc.integer({ min: 32, max: 99 }), fc.integer({ min: 13, max: 99 })).map(([a, b]) => `${a}/${b}/2026`),
  );
  const texts = fc.array(date, { minLength: 1, maxLength: 20 });
  const insertions = fc.array(fc.tuple(notADate, fc.nat()), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(texts, fc.constantFrom(...notations), insertions, (dates, write, others) => {
      const days = dates.map(write);
      const mixed = [...days];
      for (const [value, at] of others) mixed.splice(at % (mixed.length + 1), 0, value);
      const [alone, together] = [reportOf(days), reportOf(mixed)];
      expect(together.values.slice(0, alone.values.length)).toEqual(alone.values);
      expect(together.read_as).toBe(alone.read_as);
      const rest = together.values.slice(alone.values.length).map(({ value }) => value);
      expect(rest.sort()).toEqual([...new Set(others.map(([value]) => value))].sort());
    }),
    { numRuns: sampleSize(20_000) },
  );
});

it("--by parses any day in each unambiguous notation", () => {
  const day = fc.date({ min: new Date("2001-01-01"), max: new Date("2038-12-31"), noInvalidDate: true });
  const parts = (date: Date): string[] => date.toISOString().slice(0, 10).split("-");
  const notations: readonly ((date: Date) => string)[] = [
    (date) => date.toISOString(),
    (date) => parts(date).reverse().join("."),
    (date) => parts(date).join("/"),
    (date) => String(Math.floor(date.getTime() / 1000)),
    (date) => String(date.getTime()),
    (date) => date.toUTCString(),
    (date) => date.toLocaleDateString("en-US", { timeZone: "UTC", dateStyle: "long" }),
    (date) => date.toLocaleDateString("en-GB", { timeZone: "UTC", dateStyle: "medium" }).replace("Sept", "Sep"),
  ];
  fc.assert(
    fc.property(fc.array(day, { minLength: 1, maxLength: 20 }), fc.constantFrom(...notations), (days, write) => {
      const expected = [...new Set(days.map((date) => date.toISOString().slice(0, 10)))].sort();
      expect(
        countValues(days.map(write))
          .slice(1)
          .map((line) => String(line).split(" ")[0]),
      ).toEqual(expected);
    }),
    { numRuns: sampleSize(1000) },
  );
});

it("inferDateOrder returns the right order of day and month, unless it reports a guess", () => {
  const day = fc.tuple(fc.integer({ min: 1, max: 28 }), fc.integer({ min: 1, max: 12 }));
  fc.assert(
    fc.property(fc.array(day, { minLength: 1 }), fc.boolean(), (days, dayFirst) => {
      const texts = days.map(([d, m]) => parseDay(dayFirst ? `${d}/${m}/2026` : `${m}/${d}/2026`));
      const inferred = inferDateOrder(texts);
      if (inferred === undefined || inferred.isGuess) return;
      const iso = days.map(([d, m]) => `2026-${String(m).padStart(2, "0")}-${String(d).padStart(2, "0")}`);
      expect(texts.map((text) => toIsoDay(text, inferred.order))).toEqual(iso);
    }),
    { numRuns: sampleSize(1000) },
  );
});

it("topValues returns the last 31 days and the 31 most frequent other values, and counts the rest together", () => {
  const shown = (values: readonly string[]): unknown[] => {
    const { omittedCount, ...shownValues } = topValues(reportOf(values));
    const lines = formatCounts(shownValues);
    return [lines[0], lines.at(-1), lines.length, omittedCount];
  };
  const days = Array.from({ length: 40 }, (_, i) => new Date(Date.UTC(2026, 0, 40 - i)).toISOString());
  expect(shown([...days, ""])).toEqual(["2026-01-10 1", "(empty) 1", 32, 9]);
  const values = days.flatMap((_, i) => Array<string>(i + 1).fill(i === 39 ? "" : `c${i + 1}`));
  expect(shown(values)).toEqual(["(empty) 40", "c10 10", 31, 9]);
  expect(shown(Array.from({ length: 10_100 }, (_, i) => `c${i}`))).toEqual(["c0 1", "(other) 100", 32, 9969]);
  expect(shown(["(empty)", "(empty)", ""])).toEqual(['"(empty)" 2', "(empty) 1", 2, 0]);
});

it("selectDays returns days only if at least half of the rows with a value have a day", () => {
  const row = (value: string, rows: number) => ({ value, rows });
  const days = [row("2026-11-03", 2), row("2026-11-01", 1)];
  expect(selectDays([...days, row("0", 3), row("", 9)])).toEqual([days[1], days[0]]);
  expect(selectDays([...days, row("spring", 4)])).toEqual([]);
});

it("--by counts values with the same first 2,000 bytes as one value", () => {
  const layout = { kind: "csv", delimiter: 0x2c, column: 0, width: 2 } as const;
  const by = createCountsBy("2", { layout, names: undefined }, { lists }, false);
  for (const rest of ["y", "z"]) {
    const bytes = Buffer.from(`a@b.org,${"x".repeat(2000)}${rest}`);
    const row = new Row();
    row.setLine(bytes, 0, bytes.length);
    by.add(row, 1, {} as Classifier);
  }
  expect(formatCounts(by.report())).toEqual([`${"x".repeat(2000)}… 2`]);
});

it("--by does not cache long fields", () => {
  const by = new CountsBy(
    "note",
    () => "",
    1,
    () => "long",
  );
  const field = new Uint8Array(65_536);
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 512; i += 1) by.addField(field.fill(i, 0, i), 0, field.length, 1);
  expect(by.report().values).toMatchObject([{ value: "long", rows: 512 }]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4_000_000);
});
