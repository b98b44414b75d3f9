// Tests the page's texts: verdicts, CSV, curl commands, numbers.

import fc from "fast-check";
import { expect, it } from "vitest";
import { escapeInvisible, formatPercent } from "../../../src/base/format-text.ts";
import { splitAddressLines } from "../../../src/base/user-input.ts";
import type { Detection } from "../../../src/detection/detection.ts";
import { ADDED_COLUMNS } from "../../../src/detection/fields.ts";
import { countVerdicts, describeVerdict, formatCsv, listLabels } from "../../../src/page/check/verdict.ts";
import { pageBase } from "../../../src/page/common/api.ts";
import { chooseDates } from "../../../src/page/common/periods.ts";
import {
  createCurlCommand,
  describeListsAge,
  formatDuration,
  formatSize,
  quoteForShell,
} from "../../../src/page/common/text.ts";
import { runShell } from "../../helpers/run.ts";

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

const detection = (more: object): Detection => ({ ...VALID, ...more }) as Detection;
const explained = (more: object): object => ({ explain: { domain_unicode: "x.example", data_version: "1", ...more } });
const listed = (...matches: object[]): object => {
  return { disposable: true, ...explained({ matches: matches.map((match) => ({ flag: "disposable", ...match })) }) };
};

it.each([
  [{ syntax_validation: false, explain: { syntax_error: { message: "there is no @" } } }, "Invalid", "There is no @."],
  [listed({ sources: ["a", "b"] }), "Disposable", "2 lists say that x.example"],
  [listed({ sources: ["a"] }, { sources: ["b"], counted: false }), "Disposable", "1 list says"],
  [{ disposable: true, detection_source: "live_dns", ...explained({}) }, "Disposable", "Its mail server"],
  [{ disposable: true, detection_source: "override", ...explained({}) }, "Disposable", "An override of your team"],
  [explained({ dns: { status: "nxdomain" } }), "No mail", "the domain does not exist"],
  [{ relay_domain: true, relay_provider: "apple_hide_my_email" }, "Relay", "apple hide my email"],
  [{ role_address: true }, "Role", "role"],
  [explained({ dns: { status: "timeout" } }), "Unknown", "timed out"],
  [{ public_domain: true, ...explained({}) }, "Public", "x.example is a consumer mailbox provider"],
  [{}, "Valid", "Nothing is known against it."],
])('describeVerdict() describes %j as "%s"', (more, title, sentence) => {
  const [, shownTitle, shownSentence] = describeVerdict(detection(more));
  expect(shownTitle).toBe(title);
  expect(shownSentence).toContain(sentence);
});

it("listLabels() returns the labels of a detection, and countVerdicts() counts verdicts", () => {
  const tagged = detection({ subaddressing: true, ...explained({ mail_provider: "google_workspace" }) });
  expect(listLabels(tagged)).toEqual(["valid", "subaddressed", "mail at google workspace"]);
  const lookAlike = detection(explained({ dns: { status: "nxdomain" }, warnings: ["mixed_script_domain"] }));
  expect(listLabels(lookAlike)).toEqual(["valid", "suspicious: mixed script domain"]);
  const invalid = { email: "x", syntax_validation: false } as const;
  expect(listLabels(invalid)).toEqual([]);
  expect(countVerdicts([tagged, invalid, invalid]).map(({ name, count }) => [name, count])).toEqual([
    ["Valid", 1],
    ["Invalid", 2],
  ]);
});

it("formatCsv() writes the columns of the command line and the suggestion", () => {
  const typo = detection(explained({ suggestion: "joe@y.example" }));
  expect(formatCsv([typo, { email: "a,b", syntax_validation: false }])).toBe(
    `email,${ADDED_COLUMNS.join()},suggestion\n` +
      "joe@x.example,true,joe@x.example,false,false,false,false,,false,precomputed,joe@y.example\n" +
      '"a,b",false,,,,,,,,,\n',
  );
});

it("createCurlCommand() quotes the body for a shell, and takes the key from $API_KEY", async () => {
  const email = `it's "$(id)" \\ \`x\`@x.com\u0007`;
  const line = createCurlCommand(email, false, "http://localhost:8025/");
  expect(line).toContain('"Authorization: Bearer $API_KEY"');
  const { stdout } = await runShell(`curl() { printf '%s\\n' "$@"; }\n${line}`);
  expect(JSON.parse(stdout.toString().trimEnd().split("\n").at(-1) as string)).toEqual({
    emails: [email],
    explain: true,
  });
});

const NOW = Date.parse("2026-11-22T23:00:00Z");

it.each([
  [escapeInvisible("a\u202eb\u0000c\u200d\ud800"), "a\\u{202e}b\\u{0}c\\u{200d}\\u{d800}"],
  [formatPercent(1, 5000), "<0.1 %"],
  [formatPercent(0, 5000), "0.0 %"],
  [quoteForShell("it's"), "'it'\\''s'"],
  [quoteForShell("--dns"), "--dns"],
  [formatSize(999), "999 bytes"],
  [formatSize(1_234_567), "1.2 MB"],
  [formatSize(123_456_789_012), "123 GB"],
  [formatDuration(1), "1 second"],
  [formatDuration(89 * 60), "89 minutes"],
  [formatDuration(40 * 86_400), "40 days"],
  [describeListsAge("2026-11-22-abc", NOW), "Its lists were built 0 days ago (2026-11-22)."],
  [
    describeListsAge("2026-11-01-abc", NOW),
    "Its lists were built 21 days ago (2026-11-01). Update them with addrsift lists update.",
  ],
  [describeListsAge("own", NOW), "Lists: own."],
  [pageBase({ origin: "https://x", pathname: "/base" }), "https://x/base/"],
  [pageBase({ origin: "https://x", pathname: "/" }), "https://x/"],
])("the page formats invisible characters, sizes, durations, ages and URLs: %j", (text, expected) => {
  expect(text).toBe(expected);
});

it("splitAddressLines() trims ASCII white space around addresses", () => {
  expect(splitAddressLines(" a@b.com\r\n\n\tc d@e.com \n\u00a0f@g.com")).toEqual([
    "a@b.com",
    "c d@e.com",
    "\u00a0f@g.com",
  ]);
});

it("splitAddressLines() takes linear time for a long run of spaces", () => {
  const line = `a@b.com${" ".repeat(1_000_000)}c`;
  expect(splitAddressLines(` ${line} `)).toEqual([line]);
});

it.each([
  ["a@gmail.com, b@mailinator.com; c@web.de", ["a@gmail.com", "b@mailinator.com", "c@web.de"]],
  ["Jane <a@b.com>; Joe <c@d.com>;", ["Jane <a@b.com>", "Joe <c@d.com>"]],
  ['"a@b.com, c@d.com"@e.com', ['"a@b.com, c@d.com"@e.com']],
  ["Doe, Jane <a@b.com>", ["Doe, Jane <a@b.com>"]],
  ["a@b.com,", ["a@b.com,"]],
])("splitAddressLines() splits a line with several addresses: %j", (line, lines) => {
  expect(splitAddressLines(line)).toEqual(lines);
});

it.each([
  ["2026-11-26", 3, "26 Nov, 27 Nov, 28 Nov"],
  ["2026-08-31", 89, "31 Aug, 14 Sep, 28 Sep, 12 Oct, 26 Oct, 09 Nov, 23 Nov"],
  ["2026-02-27", 8, "27 Feb, 28 Feb, 01 Mar, 02 Mar, 03 Mar, 04 Mar, 05 Mar, 06 Mar"],
  ["2025-11-15", 200, "24 Nov, 22 Dec, 19 Jan, 16 Feb, 16 Mar, 13 Apr, 11 May"],
  ["2023-03-02", 1200, "15 May 2023, 25 Dec 2023, 05 Aug 2024, 17 Mar 2025, 27 Oct 2025, 08 Jun 2026"],
  ["1969-12-31", 60, "05 Jan, 19 Jan, 02 Feb, 16 Feb"],
])("the chart's dates for %s and %d days are %s", (start, count, expected) => {
  const dates = chooseDates(Date.parse(start), count);
  expect(dates.map(({ label }) => label).join(", ")).toBe(expected);
});

it("the chart has two to eight dates within any range of days up to 2999", () => {
  const ranges = fc.tuple(fc.integer({ min: -25_567, max: 300_000 }), fc.integer({ min: 2, max: 70_000 }));
  fc.assert(
    fc.property(ranges, ([firstDay, count]) => {
      const days = chooseDates(firstDay * 86_400_000, count).map(({ day }) => day);
      expect(days.length).toBeGreaterThanOrEqual(2);
      expect(days.length).toBeLessThanOrEqual(8);
      expect(days.every((day, i) => day > (days[i - 1] ?? -1) && day < count)).toBe(true);
    }),
  );
});
