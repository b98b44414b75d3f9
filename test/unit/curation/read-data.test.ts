// Tests hand-maintained rows: every error names its file, line and problem.

import { expect, it } from "vitest";
import { formatDisposableLine, MAINTAINED_LISTS, parseRows, type RowShape } from "../../../src/curation/read-data.ts";
import { CurationError } from "../../../src/curation/sources.ts";
import { packEntry, SOURCE_BIT } from "../../../src/lists/confidence.ts";

const SHAPE: RowShape = {
  file: "things.tsv",
  columns: ["domain", "kind", "source"],
  check: (name) => (name.startsWith("bad") ? `${name} is bad` : undefined),
};

it("parseRows returns the rows of a list by their first column, without comments and blank lines", () => {
  const rows = parseRows("# title\na.com\tx\ts one\n\n# more\nb.com\ty\ts two\n", SHAPE);
  expect([...rows]).toEqual([
    ["a.com", ["a.com", "x", "s one"]],
    ["b.com", ["b.com", "y", "s two"]],
  ]);
});

it.each([
  ["too few columns", "# t\na.com\tx\n", "data/things.tsv:2: 2 columns, not domain, kind, source"],
  ["too many columns", "a.com\tx\ts\tmore", "data/things.tsv:1: 4 columns, not domain, kind, source"],
  ["spaces instead of tabs", "a.com x s", "data/things.tsv:1: 1 columns, not domain, kind, source"],
  ["no source", "a.com\tx\t", "data/things.tsv:1: column source is empty or has white space around it"],
  ["a blank source", "a.com\tx\t \n", "data/things.tsv:1: column source is empty or has white space around it"],
  ["a carriage return", "a.com\tx\ts\r\n", "data/things.tsv:1: column source is empty or has white space around it"],
  ["a space before the name", " a.com\tx\ts", "data/things.tsv:1: column domain is empty or has white space around it"],
  ["rows out of order", "b.com\tx\ts\na.com\tx\ts", "data/things.tsv:2: a.com is out of order or doubled"],
  ["a duplicate", "a.com\tx\ts\n\n#\na.com\ty\ts", "data/things.tsv:4: a.com is out of order or doubled"],
  ["a row that fails the list's own check", "a.com\tx\ts\nbad.com\tx\ts", "data/things.tsv:2: bad.com is bad"],
  ["no rows", "# only a title\n", "data/things.tsv is empty"],
])("parseRows rejects a list with %s", (_, text, message) => {
  expect(() => parseRows(text, SHAPE)).toThrow(new CurationError(message));
});

it.each([
  ["relays", "Duck.com\tduckduckgo\texact\ts", "Duck.com is not a host name in lower-case A-labels"],
  ["relays", "duck.com\tduckduckgo\tsome\ts", "some is unknown: use exact, subdomains"],
  ["relays", "co.uk\tp\texact\ts", "co.uk is a public suffix, so it would match strangers"],
  ["public", "bücher.com\tp\tde\ts", "bücher.com is not a host name in lower-case A-labels"],
  ["public", "gmail\tgoogle\tzz\ts", "gmail is not a host name in lower-case A-labels"],
  ["public", "co.uk\tp\tgb\ts", "co.uk is a public suffix: put it into restricted-suffixes.tsv"],
  ["protected", "gov.uk\tgovernment\tr", "gov.uk is a public suffix: put it into restricted-suffixes.tsv"],
  [
    "protected",
    "a.com\tshop\tr",
    "shop is unknown: use academic, bank, company, education, former_provider, free_subdomain, government, health, hidden, isp, machine,",
  ],
  ["restrictedSuffixes", "gov.uk\tstate\tr", "state is unknown: use academic, bank,"],
  ["removals", "a.com\tother\ts", "other is unknown: use removal"],
  ["restrictedSuffixes", "example.com\tacademic\tr", "example.com is not a public suffix: put it into protected.tsv"],
  ["roles", "Info\tprefix\trole\ts", "Info is not a plain lower-case local part"],
  ["roles", "in fo\tprefix\trole\ts", "in fo is not a plain lower-case local part"],
  ["roles", "i\texact\trole\ts", "i is a single letter"],
  ["roles", "info\tsuffix\trole\ts", "suffix is unknown: use exact, prefix"],
  ["roles", "info\tprefix\tno-reply\ts", "no-reply is unknown: use role, no_reply"],
  ["mailSuffixes", "example.com\te", "example.com is not a public suffix of two labels or more"],
  ["mailSuffixes", "uk\te", "uk is not a public suffix of two labels or more"],
  ["typos", "gmial.com\tgmail\tr", "gmail is not a host name (of gmial.com)"],
  ["exchanges", "mx.a.com\texact\tspam\tp\ts", "spam is unknown: use disposable, relay, shared, parked"],
  ["exchanges", "co.uk\tsuffix\tparked\tp\ts", "co.uk is a public suffix, so it would match strangers"],
  ["additions", "github.io\ts", "github.io is a public suffix, so it would match strangers"],
] as const)("the hand-maintained list %s rejects %j", (list, text, reason) => {
  expect(() => parseRows(text, MAINTAINED_LISTS[list])).toThrow(`data/${MAINTAINED_LISTS[list].file}:1: ${reason}`);
});

const { C, D, E, T } = SOURCE_BIT;
it.each<[string, number]>([
  ["a.com\tD\tconfirmed", packEntry(D, 3)],
  ["a.com\tTE\tlegacy\t2026-05-11", packEntry(T | E, 0, "2026-05-11")],
  ["a.com\tC\tsingle\t2026-05-11\t2026-08-22", packEntry(C, 1, "2026-05-11", "2026-08-22")],
  ["a.com\tCE\tsingle\t\t2026-08-22", packEntry(C | E, 1, undefined, "2026-08-22")],
])("formatDisposableLine formats a packed entry as %j", (line, entry) => {
  expect(formatDisposableLine("a.com", entry)).toBe(`${line}\n`);
});
