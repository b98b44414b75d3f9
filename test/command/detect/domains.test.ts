// Tests --domains: a domain, bare or in an address, has the verdict of an address at the domain, without its local part.

import { expect, it } from "vitest";
import { ADDED, cellsOf, domainFieldsOf } from "../../helpers/detections.ts";
import { expectOneLine, linesOf, objectsOf, outputOf, run, runIn, scratch } from "../../helpers/run.ts";

const DOMAINS = "mailinator.com gmail.com GoogleMail.com duck.com example.org bücher.de joe.fastmail.com".split(" ");
const BROKEN = ["co.uk", "localhost", "a..b", "-a.com", "x@", "@gmail.com", "a b.com", "192.0.2.1", "caf\u00e9"];
const LOCAL = ["subaddressing", "role_address"];
const rows = async (stdin: string, ...args: string[]): Promise<Record<string, unknown>[]> => {
  const { stdout } = await run(["detect", "--quiet", "--domains", ...args], { stdin });
  return objectsOf<Record<string, unknown>>(stdout);
};

it("--domains returns the same verdict as for an address at the domain", async () => {
  const { stdout } = await run(["detect", "--quiet"], { stdin: DOMAINS.map((domain) => `x@${domain}\n`).join("") });
  const addressRows = objectsOf<Record<string, unknown>>(stdout);
  const bare = await rows(`${DOMAINS.join("\n")}\n`);
  const inAddresses = await rows(DOMAINS.map((domain) => `info+x@${domain}`).join("\n"));
  for (const [i, domain] of DOMAINS.entries()) {
    const { email: _, normalized, ...found } = addressRows[i] as Record<string, unknown>;
    for (const name of LOCAL) delete found[name];
    const expected = { ...found, normalized: String(normalized).replace(/^.*@/, "") };
    expect(bare[i]).toEqual({ domain, ...expected });
    expect(inAddresses[i]).toEqual({ domain: `info+x@${domain}`, ...expected });
  }
});

it("--domains returns an invalid row with a fault for text that is not a domain", async () => {
  const found = await rows(`${BROKEN.join("\n")}\n\n`, "--fields", "syntax_validation,fault");
  expect(found.map(({ domain }) => domain)).toEqual([...BROKEN, ""]);
  for (const row of found) expect(row).toMatchObject({ syntax_validation: false, fault: expect.any(String) });
});

it("--domains: an argument is a domain even if a file has that name, unless it has a data file extension", async () => {
  const files = scratch();
  for (const name of ["mailinator.com", "list.jsonl"]) files.file(name, "");
  const { stdout } = await runIn(files.path, "detect --domains mailinator.com");
  expect(JSON.parse(stdout.toString())).toMatchObject({ domain: "mailinator.com", disposable: true });
  expectOneLine(
    await runIn(files.path, "detect --domains list.jsonl"),
    "addrsift: list.jsonl is a file: to read it, run addrsift detect --domains --jsonl list.jsonl\n",
  );
  files.remove();
});

it("--domains --explain returns evidence and suggestion", async () => {
  const [mistyped, invalid] = await rows("gmial.com\ngmail,com\n", "--explain");
  expect(mistyped?.["explain"]).toMatchObject({ suggestion: "gmail.com", domain: "gmial.com", public_suffix: "com" });
  expect(Object.keys(mistyped?.["explain"] as object)).not.toContain("local_part");
  expect(invalid?.["explain"]).toMatchObject({ suggestion: "gmail.com", syntax_error: { code: "domain_character" } });
});

it("--domains reads CSV, TSV and JSON Lines, and leaves fields about local parts empty", async () => {
  const found = cellsOf(domainFieldsOf("mailinator.com", { disposable: true }));
  for (const [options, stdin, expected] of [
    ["--csv --column d", "d\nmailinator.com\n", `d,${ADDED}\nmailinator.com,${found}\n`],
    ["--tsv --part --column 1 --fields disposable", "mailinator.com\n\\N\n", "mailinator.com\ttrue\n\\N\t\\N\n"],
    [
      "--jsonl --column d --into k --fields domain",
      '{"d":"x@duck.com"}\n',
      '{"d":"x@duck.com","k":{"domain":"duck.com"}}\n',
    ],
    ["-f csv --fields disposable", "mailinator.com\n", "domain,disposable\nmailinator.com,true\n"],
  ] as const)
    expect(await outputOf(`detect --quiet --domains ${options}`, { stdin })).toBe(expected);
});

it("--domains: no row has the class role or subaddressed", async () => {
  expect(await rows("info+x@gmail.com\n", "--select", "role,subaddressed")).toEqual([]);
  expect(await rows("info+x@gmail.com\n", "--select", "public")).toHaveLength(1);
});

it("--domains --format table prints each domain with its verdict", async () => {
  const [, ...rows] = linesOf((await run("detect --domains -f table mailinator.com gmail.com")).stdout);
  expect(rows).toEqual([
    expect.stringMatching(/^mailinator\.com {2,}disposable {2}/),
    expect.stringMatching(/^gmail\.com {2,}public {2}/),
  ]);
});
