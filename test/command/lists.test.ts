// Tests `addrsift lists`: export, lookup and status of the lists.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { lazy, memoize } from "../../src/base/memoize.ts";
import { DISPOSABLE_KEYS, SOURCES } from "../../src/curation/sources.ts";
import { expectRefused, linesOf, outputOf, run, scratch } from "../helpers/run.ts";

const status = lazy(async () => JSON.parse(await outputOf("lists status --json")));
const exported = memoize(10, async (name: string) =>
  linesOf(await outputOf(`lists export --class ${name} --min-confidence legacy`)),
);

/** Returns the rows of a file in data/, without comments. */
function rowsIn(file: string): string[][] {
  const text = readFileSync(new URL(`../../data/${file}`, import.meta.url), "utf8");
  const rows = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return rows.map((row) => row.split("\t"));
}
const namesIn = (file: string): string[] => rowsIn(file).map(([name = ""]) => name);

const CLASSES: readonly (readonly [name: string, format: RegExp, examples: readonly string[]])[] = [
  ["disposable", /^[a-z0-9-]+(\.[a-z0-9-]+)+$/, ["mailinator.com", "yopmail.com"]],
  ["public", /^[a-z0-9-]+(\.[a-z0-9-]+)+$/, ["gmail.com", "gmx.de", "yahoo.co.jp"]],
  ["relay", /^[a-z0-9-]+(\.[a-z0-9-]+)+\t[a-z0-9_]+$/, ["duck.com\tduckduckgo", "mozmail.com\tfirefox_relay"]],
  ["role", /^[^\s@A-Z]+$/, ["info", "postmaster", "abuse"]],
  ["tld", /^[a-z0-9-]+$/, ["com", "museum", "xn--p1ai"]],
];

it.each(CLASSES)("lists export --class %s is complete, unique, sorted by bytes", async (name, format, examples) => {
  const [lines, { counts }] = await Promise.all([exported(name), status()]);
  const bytes = lines.map((line) => Buffer.from(line));
  const isUnsorted = (one: Buffer, i: number): boolean => i > 0 && one.compare(bytes[i - 1] as Buffer) <= 0;
  expect(bytes.filter(isUnsorted).map(String)).toEqual([]);
  expect(lines.filter((line) => !format.test(line))).toEqual([]);
  expect(examples.filter((line) => !lines.includes(line))).toEqual([]);
  if (name !== "tld") expect(lines).toHaveLength(counts[name]);
});

it("lists export --class disposable omits entries below the default confidence", async () => {
  const counted = linesOf((await run(["lists", "export", "--class", "disposable"])).stdout);
  const all = await exported("disposable");
  const legacy = rowsIn("disposable.txt").filter((row) => row.includes("legacy"));
  expect(counted).toHaveLength(all.length - legacy.length);
  const allLines = new Set(all);
  expect(counted.filter((line) => !allLines.has(line))).toEqual([]);
});

it("lists export --class tld omits reserved labels", async () => {
  const reserved = namesIn("special-use.tsv");
  const expected = namesIn("sources/rootZone.txt").filter((name) => !reserved.includes(name));
  expect(await exported("tld")).toEqual(expected.sort());
});

/** Names to look up, and the line that is printed about each. */
const LOOKUPS: readonly (readonly [domain: string, line: RegExp])[] = [
  [
    "mailinator.com",
    /: disposable by mailinator\.com \(exact, confidence confirmed, since 2014-09-02, last seen \d.*\) from \S/,
  ],
  [
    "a.b.mailinator.com",
    /^a\.b\.mailinator\.com: disposable by mailinator\.com \(parent, confidence confirmed, since 2014-/,
  ],
  ["duck.com", /: relay_domain duckduckgo by duck\.com \(exact\) from \S/],
  ["x.mozmail.com", /: relay_domain firefox_relay by mozmail\.com \(parent\) from \S/],
  ["gmail.com", /: public_domain \S+ by gmail\.com \(exact\) from \S/],
  ["ada.fastmail.com", /: public_domain \S+ by fastmail\.com \(family\) from \S/],
  ["sub.gmail.com", /^sub\.gmail\.com: (?!public_domain)/],
  ["www.gmail.com", /^www\.gmail\.com: mistyped gmail\.com by gmail\.com \(parent\) from \S/],
  ["google.com", /: protected \S+ by google\.com \(exact\) from \S/],
  ["GOOGLE.com", /^google\.com: protected /],
  ["https://user@Duck.com:443/x?a=b@gmail.com", /^duck\.com: relay_domain /],
  ["mail.wallywatts.com", /^mail\.wallywatts\.com: mail exchanger of \S+ \(disposable\) by wallywatts\.com from \S/],
  ["nobody-lists-this-name.github.io", /: free_subdomain by github\.io$/],
  ["x.from-mexico.com", /: former_provider by from-mexico\.com from addrsift former-providers\.tsv \S+: \S/],
  ["p-1.iam.gserviceaccount.com", /: protected machine by gserviceaccount\.com \(parent\) from \S/],
  ["office-q7.ac.uk", /: academic by ac\.uk from addrsift restricted-suffixes\.tsv \S+: \S/],
  ["nobody-lists-this-name.de", /^nobody-lists-this-name\.de: in no list$/],
  ["bücherwürmer-ohne-liste.de", /^xn--\S+\.de: in no list$/],
];
/** The match of some names in JSON. */
const MATCHES: Readonly<Record<string, object>> = {
  "a.b.mailinator.com": { flag: "disposable", entry: "mailinator.com", kind: "parent", confidence: "confirmed" },
  "x.mozmail.com": { flag: "relay_domain", entry: "mozmail.com", kind: "parent", detail: "firefox_relay" },
  "google.com": { flag: "protected", entry: "google.com" },
};

it.each(LOOKUPS)("lists lookup %s prints a line that matches %s", async (domain, line) => {
  expect(linesOf(await outputOf(`lists lookup ${domain}`))).toEqual([expect.stringMatching(line)]);
});

it.each(Object.entries(MATCHES))("lists lookup %s --json prints the matching entry", async (domain, match) => {
  const lookup = JSON.parse(await outputOf(`lists lookup ${domain} --json`));
  expect(Object.keys(lookup)).toEqual(["input", "domain", "matches", "listed_by", "data_version"]);
  expect(lookup).toMatchObject({ domain, matches: [match] });
});

it.each([
  ["", "the domain is empty"],
  ["two words", "white space is not allowed here"],
  ["foo..com", "a dot begins or ends the domain, or follows another dot"],
  ["co.uk", "the domain is itself a public suffix"],
  ["[192.0.2.7]", "address literals are not allowed by default"],
])("lists lookup rejects %j, because %s", async (domain, reason) =>
  expectRefused(["lists", "lookup", domain], `, because ${reason}: give a domain `),
);

it.each([
  ["jane@@x.org", /is not an address, because there is more than one @: give one such as /],
  ["jane@@x", /is not an address, because there is more than one @: give one such as /],
  ["<jane@foo.com>", /is not an address, .*: give jane@foo\.com$/m],
])("lists lookup rejects %s, like lists deny", async (text, message) => {
  await expectRefused(["lists", "lookup", text], message);
  await expectRefused(["lists", "deny", text], message);
});

it("lists lookup --json prints the domain kind of an unlisted domain", async () => {
  const lookup = JSON.parse(await outputOf("lists lookup from-mexico.com --json"));
  expect(lookup).toMatchObject({ matches: [], domain_kind: "former_provider" });
});

it("lists lookup and detect --explain show the last day on which a daily list had the domain", async () => {
  const text = readFileSync(new URL("../../data/sources/C.txt", import.meta.url), "utf8");
  const [name = "", since, last_seen] = /^rohoza\.com\t.*$/m.exec(text)?.[0].split("\t") ?? [];
  const lookup = JSON.parse(await outputOf(`lists lookup --json ${name}`));
  expect(lookup.matches).toMatchObject([{ entry: name, last_seen }]);
  expect(lookup.listed_by).toContainEqual(expect.objectContaining({ key: "C", entry: name, since, last_seen }));
  const { explain } = JSON.parse(await outputOf(`detect --offline --explain --json a@${name}`));
  expect(explain.matches).toMatchObject([{ entry: name, confidence: expect.any(String), last_seen }]);
});

/** Returns the domain and the reason of each row of a hand-maintained list whose domain a source lists too. */
function listedRows(file: string, source: string): (readonly [domain: string, reason: string])[] {
  const names = new Set(namesIn(`sources/${source}.txt`));
  return rowsIn(file)
    .filter(([domain = ""]) => names.has(domain))
    .map((row) => [row[0] as string, row.at(-1) as string]);
}

async function lookUp(stdin: string, ...options: string[]) {
  const { stdout } = await run(["lists", "lookup", "--json", ...options], { stdin });
  return linesOf(stdout).map((line) => JSON.parse(line));
}

it("lists lookup reports the number of each invalid input line and exits with 2", async () => {
  const stdin = "\uFEFFduck.com\r\n\r\n# remark\nexa_mple.org\nada#1@Mailinator.com  # why\n@gmail.com";
  const { status, stdout, stderr } = await run(["lists", "lookup", "--json"], { stdin });
  const inputs = linesOf(stdout)
    .map((line) => JSON.parse(line))
    .map(({ input, domain = "" }) => [input, domain]);
  expect([status, ...inputs]).toEqual([
    2,
    ["duck.com", "duck.com"],
    ["exa_mple.org", ""],
    ["ada#1@Mailinator.com", "mailinator.com"],
    ["@gmail.com", "gmail.com"],
  ]);
  expect(stderr.toString()).toBe(
    'addrsift: line 4: "exa_mple.org" is not a mail domain, because an underscore is not allowed in a mail domain: give a domain such as example.org, an address or a URL\n',
  );
});

it("lists lookup of *.example.org suggests the name without the asterisk", async () => {
  const { status, stderr } = await run("lists lookup *.example.org");
  expect([status, stderr.toString()]).toEqual([
    2,
    'addrsift: "*.example.org" needs no asterisk, because a domain includes those below it: give example.org\n',
  ]);
});

it("lists lookup looks up the other arguments after an invalid one", async () => {
  const { status, stdout, stderr } = await run("lists lookup a_b.org x.duck.com \u001b[2J\u202e duck.com");
  expect(status).toBe(2);
  expect(linesOf(stdout).map((line) => line.split(":")[0])).toEqual(["x.duck.com", "duck.com"]);
  expect(linesOf(stderr)).toHaveLength(2);
  expect(stderr.toString()).not.toMatch(/[\u001b\u202e]/);
});

it("lists lookup shows an override of a reserved name", async () => {
  const { path: home, remove } = scratch();
  await outputOf(`lists allow customer.example --quiet --home ${home}`);
  expect(await outputOf(`lists lookup customer.example --home ${home}`)).toMatch(
    /^customer\.example: not disposable, by override of customer\.example: allowed by \S/,
  );
  remove();
});

it("lists lookup prints nothing for empty input", async () => {
  expect(await outputOf("lists lookup", { stdin: "\n\n" })).toBe("");
});

it.each([
  ["protected.tsv", "protected"],
  ["removals.tsv", "protected"],
  ["relays.tsv", "relay_domain"],
  ["public.tsv", "public_domain"],
])("lists lookup of domains in %s explains the %s match and names the listing source", async (file, flag) => {
  // A protected domain that is also a relay or public domain is reported as that.
  const others = new Set(flag === "protected" ? ["relays.tsv", "public.tsv"].flatMap(namesIn) : []);
  const rows = listedRows(file, "T").filter(([domain]) => !others.has(domain));
  expect(rows.length).toBeGreaterThan(3);
  const lookup = await lookUp(rows.map(([domain]) => `${domain}\n`).join(""));
  const match = (reason: string) => expect.objectContaining({ flag, reason });
  const listing = (entry: string) => expect.objectContaining({ key: "T", entry });
  const expected = ([domain, reason]: (typeof rows)[number]): object => ({
    domain,
    matches: expect.arrayContaining([match(reason)]),
    listed_by: expect.arrayContaining([listing(domain)]),
  });
  expect(lookup).toMatchObject(rows.map(expected));
});

it("lists lookup prints why a domain is protected, and that a source's disposable entry does not count", async () => {
  const [[domain, reason]] = listedRows("protected.tsv", "T") as [readonly [string, string]];
  const { stdout } = await run(["lists", "lookup", domain]);
  const [first, second] = linesOf(stdout) as [string, string];
  expect(first.startsWith(`${domain}: protected `) && first.endsWith(`: ${reason}`)).toBe(true);
  expect(second.startsWith(`${domain}: called disposable by `)).toBe(true);
  expect(second).toMatch(/ disposable-domains@\S+ \(.*; this does not count$/);
});

it("lists lookup shows that the community list removed a domain", async () => {
  const domain = namesIn("community-removals.txt")[0] as string;
  const [lookup] = await lookUp(domain);
  const left_out = expect.stringContaining(`${domain} was taken off`);
  expect(lookup.listed_by).toContainEqual(expect.objectContaining({ key: expect.stringMatching(/^[TE]$/), left_out }));
  expect(lookup.matches).not.toContainEqual(expect.objectContaining({ flag: "protected" }));
});

it("lists lookup names the sources that do not count beside those that do", async () => {
  const names = new Set(await exported("disposable"));
  const domain = namesIn("community-removals.txt").find((name) => names.has(name)) as string;
  const [first, second] = linesOf((await run(["lists", "lookup", domain])).stdout) as [string, string];
  expect(first.startsWith(`${domain}: disposable by ${domain} `)).toBe(true);
  expect(second).toMatch(/: called disposable by [^;]+; this does not count, because \S+ was taken off /);
});

it("lists lookup explains why a free-subdomain host is not listed", async () => {
  const [lookup] = await lookUp("anybody.eu.org");
  expect(lookup).toMatchObject({
    matches: [],
    listed_by: [{ entry: "eu.org", left_out: expect.stringContaining("eu.org") }],
  });
});

it("lists lookup names exactly the sources that list an entry", async () => {
  const names = (await exported("disposable")).filter((_, i) => i % 997 === 0);
  for (const { domain, matches, listed_by } of await lookUp(names.join("\n"))) {
    const sources = listed_by.flatMap(({ entry, source }: Record<string, string>) => (entry === domain ? source : []));
    expect([domain, matches]).toEqual([domain, expect.arrayContaining([expect.objectContaining({ sources })])]);
  }
});

it("lists lookup says when only one of several sources counts", async () => {
  const names = (await exported("disposable")).filter((_, i) => i % 7 === 0).join("\n");
  const [lookups, { stdout }] = await Promise.all([lookUp(names), run("lists lookup", { stdin: names })]);
  const isNoted = ({ matches: [{ confidence, sources }] }: (typeof lookups)[number]): boolean =>
    confidence === "single" && sources.length > 1;
  const noted = lookups.filter(isNoted).map(({ domain }) => domain);
  expect(noted).not.toEqual([]);
  const lines = linesOf(stdout).filter((line) =>
    line.includes(", confidence single because all sources but one are outdated"),
  );
  expect(lines.map((line) => line.split(":")[0])).toEqual(noted);
});

it("lists lookup shows author, time and reason of an override", async () => {
  const folder = scratch();
  const home = ["--home", folder.path];
  const authorship = ["--reason", "ticket 4711", "--by", "jane"];
  await run(["lists", "allow", ...home, ...authorship, "mailinator.com"]);
  await run(["lists", "deny", ...home, ...authorship, "Ada+x@gmail.com"]);
  const today = new Date().toISOString().slice(0, 10);
  const lookup = await lookUp("x.mailinator.com\na.d.a@gmail.com\ngmail.com", ...home);
  expect(lookup.map(({ matches }) => matches[0])).toMatchObject([
    { kind: "override", entry: "mailinator.com", detail: `allowed by jane on ${today}: ticket 4711` },
    { kind: "override", entry: "ada@gmail.com", detail: `denied by jane on ${today}: ticket 4711` },
    { kind: "exact", flag: "public_domain" },
  ]);
  const lines = (await outputOf(`lists lookup --home ${folder.path} mailinator.com`)).split("\n");
  expect(lines).toEqual([
    `mailinator.com: not disposable, by override of mailinator.com: allowed by jane on ${today}: ticket 4711`,
    expect.stringMatching(/^mailinator\.com: without the override, disposable by mailinator\.com /),
    "",
  ]);
  // An override of one address leaves the verdict of its domain.
  await run(["lists", "allow", ...home, ...authorship, "joe@yopmail.com"]);
  expect(linesOf(await outputOf(`lists lookup --home ${folder.path} joe@yopmail.com`))).toEqual([
    `joe@yopmail.com: not disposable, by override of joe@yopmail.com: allowed by jane on ${today}: ticket 4711`,
    expect.stringMatching(/^yopmail\.com: disposable by yopmail\.com /),
  ]);
  folder.remove();
});

it("lists status prints version, age, counts and sources, as JSON and text", async () => {
  const [report, text] = await Promise.all([status(), run(["lists", "status"])]);
  expect(report.data_version.startsWith(report.date)).toBe(true);
  expect(report.age_days).toBeGreaterThanOrEqual(0);
  expect(report.counts).toMatchObject({ disposable: expect.any(Number), relay: expect.any(Number) });
  expect(report.sources.length).toBeGreaterThan(5);
  const lines = text.stdout.toString();
  const days = report.sources
    .map(({ taken }: { readonly taken?: string }) => taken)
    .filter(Boolean)
    .sort();
  const age = `built ${report.age_days} ${report.age_days === 1 ? "day" : "days"} ago`;
  const origin = `${age} from public lists taken ${days[0]} to ${days.at(-1)}`;
  expect(lines.split("\n", 1)).toEqual([`lists ${report.data_version} (built-in), ${origin}`]);
  expect(lines).toContain("KEY is their name in lists update and lists diff");
  for (const { key, label, count, license } of report.sources) {
    const labelText = label.replace(/^addrsift /, "");
    expect(lines.replace(/ +/g, " ")).toMatch(
      new RegExp(`^ *${count} ${key} ${labelText}( \\d{4}-\\d\\d-\\d\\d)?( never)?$`, "m"),
    );
    expect(license).toMatch(/./);
  }
  expect(lines).toContain(`, of which ${report.disposable_counted} count by default\n`);
  for (const [name, count] of Object.entries(report.counts)) {
    expect(lines).toMatch(
      new RegExp(
        `^ +${name} +${count}(, of which \\d+ count by default|, for lookups in live DNS; not in lists export)?$`,
        "m",
      ),
    );
  }
});

it("lists status prints one line per source at 80 columns", async () => {
  const lines = linesOf((await run(["lists", "status"], { columns: 80 })).stdout);
  const { counts, sources } = await status();
  const end = lines.findIndex((line) => line.startsWith("projects"));
  expect(end).toBe(8 + Object.keys(counts).length + sources.length);
});

it("lists status shows how many disposable entries lists export prints by default", async () => {
  const [{ stdout }, names] = await Promise.all([run("lists status"), outputOf("lists export --class disposable")]);
  expect(stdout.toString()).toMatch(
    new RegExp(`^ +disposable +\\d+, of which ${linesOf(names).length} count by default$`, "m"),
  );
});

it("lists status shows the role and the project of each public list of disposable domains", async () => {
  const text = (await run("lists status")).stdout.toString();
  for (const key of DISPOSABLE_KEYS)
    expect(text).toMatch(new RegExp(`^  ${key}  https://github\\.com/[^/ ]+/[^/ ]+  ${SOURCES[key].role}$`, "m"));
});
