// Tests the counts over all rows of a run.

import { expect, it } from "vitest";
import { encodeUtf8 } from "../../../src/base/bytes/bytes.ts";
import { ReportCounts } from "../../../src/bulk/report-counts.ts";
import { Row } from "../../../src/bulk/rows/row.ts";
import { Summary } from "../../../src/bulk/summary.ts";
import { classBits, classNames, ROW_CLASS } from "../../../src/detection/classes.ts";
import { Classifier } from "../../../src/detection/classifier.ts";
import { classesOf } from "../../../src/detection/field-reader.ts";
import { indexOverrides } from "../../../src/lists/overrides.ts";
import { lists } from "../../helpers/classify.ts";

const classifier = new Classifier({ lists });

function add(summary: Summary, address: string, by = classifier): void {
  const bytes = encodeUtf8(address);
  by.classify(bytes, 0, bytes.length);
  const classes = classesOf(by, address === "");
  summary.addRow(classes);
  summary.addAddress(classes, by, { bytes, end: bytes.length });
}

it.each([
  ["anna@gmial.com", "valid unreserved mistyped"],
  ["anna@gmail.con", "invalid mistyped"],
  ["anna@gmail", "invalid mistyped"],
  ["anna@gmail,com", "invalid mistyped"],
  ["anna@gmail..com", "invalid mistyped"],
  ["anna@gmail.comm", "invalid mistyped"],
  ["anna@gmial.com (Jane Roe)", "invalid mistyped"],
  ["anna@bosch.de (Jane Roe)", "invalid"],
  ["anna@GMX.net>", "invalid"],
  ["anna@gmx.net.", "invalid"],
  ["anna@gmail.qqzz", "invalid"],
  ["a b@gmail.con", "invalid"],
  ["1+anna@users.noreply.github.com", "valid hidden subaddressed"],
  ["1-anna@USERS.noreply.gitlab.quiet-harbour-tools.com", "valid hidden"],
  ["anna@noreply.codeberg.org", "valid hidden"],
  ["anna@quiet-harbour-tools.com", "valid unreserved work"],
  ["info@siemens.com", "valid unreserved role work"],
  ["No-Reply-2@siemens.com", "valid unreserved role no_reply work"],
  ["noreply.anna@gmail.com", "valid unreserved public"],
  ["keine-antwort@gmail.com", "valid unreserved public role no_reply"],
  ["anna@acme-q7.uk.com", "valid unreserved work"],
  ["anna@gmail.com", "valid unreserved public"],
  ["anna@duck.com", "valid unreserved relay"],
  ["anna@mailinator.com", "valid unreserved disposable"],
  ["anna@cs.stanford.edu", "valid unreserved academic"],
  ["anna@no-such-name-q7.duckdns.org", "valid unreserved"],
  ["anna@no-such-name-q7.us.to", "valid unreserved"],
  ["anna@example.com", "valid reserved"],
])("a reused classifier gives %s the classes: %s", (address, expected) => {
  for (const text of ["anna@gmial.com", address]) {
    const bytes = encodeUtf8(text);
    classifier.classify(bytes, 0, bytes.length);
  }
  expect(classNames(classesOf(classifier, false)).toSorted()).toEqual(expected.split(" ").toSorted());
});

it("Summary counts all spellings of a domain together, with and without a classifier cache", () => {
  const names = ["mailinator.com", "MAILINATOR.com", "yopmail.com", "gmail.com", `${"x.".repeat(23)}mailinator.com`];
  for (const cacheEntries of [0, 2, 64]) {
    const [summary, report] = [new Summary(true), new ReportCounts(false)];
    const newClassifier = new Classifier({ lists, cacheEntries });
    for (const name of [...names, ...names, "bücher.de"]) {
      const bytes = encodeUtf8(`a@${name}`);
      newClassifier.classify(bytes, 0, bytes.length);
      const classes = classesOf(newClassifier, false);
      const row = new Row();
      row.setAddress(bytes, 0, bytes.length);
      summary.addAddress(classes, newClassifier, row);
      report.add(classes, newClassifier, row, 1);
    }
    const rows = Object.fromEntries(report.domains.top(9).map((each) => [each.name, each.rows]));
    const long = names[4] as string;
    expect(rows).toEqual({ "mailinator.com": 4, "yopmail.com": 2, "gmail.com": 2, [long]: 2, "bücher.de": 1 });
    const { top_disposable_domains } = summary.report(0, "");
    expect(top_disposable_domains.map((each) => each.rows)).toEqual([4, 2, 2]);
  }
});

it("Summary counts the domains of a provider separately if an override denies the mailbox", () => {
  const summary = new Summary(true);
  const overrides = indexOverrides(new Map([["bob@gmail.com", true]]));
  const newClassifier = new Classifier({ lists, overrides });
  for (const domain of ["gmail.com", "GOOGLEMAIL.com", "googlemail.com"]) add(summary, `bob@${domain}`, newClassifier);
  expect(summary.report(0, "").top_disposable_domains).toEqual([
    { name: "googlemail.com", rows: 2 },
    { name: "gmail.com", rows: 1 },
  ]);
});

it("each row class has its own bit", () => {
  const names = Object.keys(ROW_CLASS) as (keyof typeof ROW_CLASS)[];
  expect(classBits(names)).toBe(2 ** names.length - 1);
  expect(classBits(["relay", "relay"])).toBe(ROW_CLASS.relay);
  expect(classBits([])).toBe(0);
});
