// Tests the formats lint, github and sarif, which print each finding with its location, and the hooks for pre-commit.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../helpers/documents.ts";
import { expectRefused, fileScratch, linesOf, type RunResult, run, runIn } from "../../helpers/run.ts";

const files = fileScratch();
const detect = (...args: string[]): Promise<RunResult> => runIn(files.path, ["detect", ...args]);

files.file("seed.txt", "ada@example.org\n  joe@@x.org\n\njoe@mailinator.com\n");
files.file("two.txt", "jane@gmial.con\n");
files.file("c.csv", 'name,"e-mail\naddress"\n"a\nb",joe@mailinator.com\nAda,"joe@@x.org"\ngrün,x@\n');

it("--format lint prints FILE:LINE:COL for each row of the --fail-on classes", async () => {
  const call = "--lines seed.txt two.txt -f lint --fail-on invalid,blank";
  const { status, stdout, stderr } = await detect(...call.split(" "));
  expect(linesOf(stdout)).toEqual([
    "seed.txt:2:7: joe@@x.org is invalid: there is more than one @ (did you mean joe@x.org?)",
    "seed.txt:3:1: the row is blank",
    expect.stringMatching(/^two\.txt:1:\d+: jane@gmial\.con is invalid: .* \(did you mean jane@gmail\.com\?\)$/),
  ]);
  expect(status).toBe(1);
  expect(stderr.toString()).toBe(
    "addrsift: 3 rows of 5 are invalid or blank (rows seed.txt:2, seed.txt:3, two.txt:1)\n",
  );
});

it("--format lint prints invalid and disposable rows by default, or those of --select", async () => {
  const { status, stdout } = await detect("-i", "seed.txt", "-f", "lint");
  expect(linesOf(stdout)).toEqual([
    "seed.txt:2:7: joe@@x.org is invalid: there is more than one @ (did you mean joe@x.org?)",
    "seed.txt:4:1: joe@mailinator.com is disposable (mailinator.com)",
  ]);
  expect(status).toBe(0);
  const roles = await run(["detect", "-f", "lint", "--select", "role,public"], {
    stdin: "x@x.org\ninfo@gmail.com\n",
  });
  expect(roles.stdout.toString()).toBe("-:2:1: info@gmail.com is public, role\n");
});

it("--format lint names the --fail-on class rather than the --select class", async () => {
  const args = ["--select", "valid,invalid", "--fail-on", "disposable", "--quiet"];
  for (const [format, location] of [
    ["lint", "seed.txt:4:1: "],
    ["github", "::error file=seed.txt,line=4,col=1,title=addrsift::seed.txt:4:1: "],
  ] as const) {
    const { stdout } = await detect("-i", "seed.txt", "-f", format, ...args);
    expect(linesOf(stdout)).toContain(`${location}joe@mailinator.com is disposable (mailinator.com)`);
  }
});

it("--format lint: Excel's sep= line counts in line numbers but not in row numbers", async () => {
  files.file("sep.csv", "sep=;\nid;email\n1;ada@example.org\n2;x@@y.org\n");
  const { stdout, stderr } = await detect("--csv", "sep.csv", "-f", "lint", "--fail-on", "invalid");
  expect(stdout.toString()).toBe(
    "sep.csv:4:5: x@@y.org is invalid: there is more than one @ (did you mean x@y.org?)\n",
  );
  expect(stderr.toString()).toContain("addrsift: 1 row of 2 is invalid (row 3, counting the header)\n");
  const { stderr: both } = await detect("--csv", "sep.csv", "sep.csv", "-f", "lint", "--fail-on", "invalid");
  expect(both.toString()).toContain("2 rows of 4 are invalid (rows sep.csv:3, sep.csv:3, counting the header)\n");
});

it("--format lint counts line breaks inside CSV records", async () => {
  const { stdout } = await detect("--csv", "c.csv", "-f", "lint", "--quiet");
  expect(linesOf(stdout)).toEqual([
    "c.csv:4:4: joe@mailinator.com is disposable (mailinator.com)",
    "c.csv:5:10: joe@@x.org is invalid: there is more than one @ (did you mean joe@x.org?)",
    expect.stringMatching(/^c\.csv:6:\d+: x@ is invalid: /),
  ]);
});

it("the formats lint, github and sarif locate a row of a JSON array or of multi-line JSON by its number", async () => {
  files.file("lines.jsonl", '\n{"email":"x@@y.org"}\n');
  files.file("array.json", '[\n  {"email": "ada@example.org"},\n  {"email": "x@@y.org"}\n]\n');
  files.file("nested.json", '{"users":[{"email":"ada@example.org"},\n{"email":"x@@y.org"}]}\n');
  files.file("objects.json", '{\n"email": "ada@example.org"\n}\n{\n"email": "x@@y.org"\n}\n');
  const locations = async (...names: string[]): Promise<string[]> =>
    linesOf((await detect("--jsonl", "-f", "lint", ...names)).stdout).map((line) => line.split(" x@@")[0] as string);
  expect(await locations("lines.jsonl", "array.json", "objects.json", "lines.jsonl")).toEqual([
    ...["lines.jsonl:2:13:", "array.json: row 2:", "objects.json: row 2:", "lines.jsonl:2:13:"],
  ]);
  expect(await locations("nested.json")).toEqual(["nested.json: row 2:"]);
  const github = await detect("--jsonl", "array.json", "-f", "github", "--select", "invalid");
  expect(github.stdout.toString()).toMatch(/^::warning file=array\.json,line=1,col=1,.*::array\.json: row 2: x@@/);
  const sarif = await detect("--jsonl", "array.json", "-f", "sarif", "--select", "invalid");
  expect(parseResults(sarif.stdout)).toEqual(["array.json:1:1- warning invalid"]);
  expect(sarif.stdout.toString()).toContain('"Row 2: The address is invalid: ');
});

it.each([
  ["ada@example.org", "--format lint reports file locations: name files with --input, --lines, --csv or --scan"],
  ["--explain", "--explain and --format lint exclude each other"],
  ["--part", "--part and --format lint exclude each other"],
])("--format lint rejects %s", async (more, message) => expectRefused(`detect -f lint ${more}`, message));

it("--format github prints errors for --fail-on classes, warnings for other rows, and the location in the message", async () => {
  const args = ["-i", "seed.txt", "-f", "github", "--fail-on", "disposable", "--select", "invalid,disposable"];
  const { stdout } = await detect(...args, "--quiet");
  expect(linesOf(stdout)).toEqual([
    "::warning file=seed.txt,line=2,col=7,title=addrsift::seed.txt:2:7: joe@@x.org is invalid: there is more than one @ (did you mean joe@x.org?)",
    "::error file=seed.txt,line=4,col=1,title=addrsift::seed.txt:4:1: joe@mailinator.com is disposable (mailinator.com)",
  ]);
});

it("--format github escapes file names and addresses", async () => {
  const name = "a,b:c%\r\u001b[2J.txt";
  files.file(name, "x%0A::error::y@@x.org\n\u2028\u001b]0;@x\n");
  const { stdout } = await detect("-i", name, "-f", "github");
  const [first, second] = linesOf(stdout);
  expect(first).toMatch(
    /^::warning file=a%2Cb%3Ac%25%0D\\u\{1b\}\[2J\.txt,line=1,col=\d+,title=addrsift::a,b:c%25\\r\\u\{1b\}\[2J\.txt:1:\d+: x%250A::error::y@@x\.org is invalid: /,
  );
  expect(second).toContain(".txt:2:1: \\u{2028}\\u{1b}]0;@x is invalid");
  expect(linesOf(stdout)).toHaveLength(2);
});

const text = readFileSync(join(ROOT, ".pre-commit-hooks.yaml"), "utf8");
const config = readFileSync(join(ROOT, "man/examples/pre-commit-config.yaml"), "utf8");

it("only the pre-commit hook addrsift-commit-msg runs at commit-msg, so no address is reported twice", () => {
  const stages = Array.from(`${text}${config}`.matchAll(/^ *- id: (.*)|^ *stages: (.*)/gm), ([, id, at]) => id ?? at);
  const files = "[pre-commit, pre-push, manual]";
  const hooks = ["addrsift-scan", files, "addrsift-commit-msg", "[commit-msg]", "addrsift", files];
  expect(stages).toEqual([...hooks, "addrsift-scan", files, "addrsift-staged", "[pre-commit]"]);
});

it("the example pre-commit configuration has the same --scan command as the hooks file", () => {
  const entry = /^ *entry: .*--scan.*$/m.exec(text)?.[0].trim();
  expect(config).toContain(entry);
});

it.skipIf(spawnSync("pre-commit", ["--version"]).status !== 0)("pre-commit accepts the hooks file", () => {
  const { status, stdout } = spawnSync("pre-commit", ["validate-manifest", join(ROOT, ".pre-commit-hooks.yaml")]);
  expect([status, stdout.toString()]).toEqual([0, ""]);
});

interface SarifResult {
  readonly message: { readonly text: string };
  readonly locations: readonly [{ readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } } }];
  readonly partialFingerprints: Readonly<Record<string, string>>;
}

const parseResults = (stdout: Uint8Array): string[] => {
  const { version, runs } = JSON.parse(Buffer.from(stdout).toString());
  expect(version).toBe("2.1.0");
  const [{ tool, results }] = runs;
  const parsed: string[] = [];
  for (const { ruleId, level, locations } of results) {
    expect(tool.driver.rules).toContainEqual(expect.objectContaining({ id: ruleId }));
    const { artifactLocation, region } = locations[0].physicalLocation;
    const columns = `${region.startColumn}-${region.endColumn ?? ""}`;
    parsed.push(`${artifactLocation.uri}:${region.startLine}:${columns} ${level} ${ruleId}`);
  }
  return parsed;
};

it("--format sarif prints a result for each row and class of --fail-on, without addresses", async () => {
  const { status, stdout } = await detect(..."--lines seed.txt two.txt -f sarif --fail-on invalid,blank".split(" "));
  expect(parseResults(stdout)).toEqual([
    "seed.txt:2:7-13 error invalid",
    "seed.txt:3:1- error blank",
    expect.stringMatching(/^two\.txt:1:\d+-15 error invalid$/),
  ]);
  expect([status, stdout.toString()]).toEqual([1, expect.not.stringMatching(/joe|jane|\w@/)]);
});

it("--format sarif prints the locations of --scan, with paths as URIs", async () => {
  mkdirSync(join(files.path, "dir"));
  files.file("dir/c\\d.ts", "ann@realco.com\n");
  files.file("dir/a b#1.ts", 'const who = ["jane@realco.com"]; // grün: joe@realco.com\n');
  const { stdout } = await detect("--scan", "-f", "sarif", "--fail-on", "unreserved", "dir");
  expect(parseResults(stdout)).toEqual([
    "dir/a%20b%231.ts:1:15-30 error unreserved",
    "dir/a%20b%231.ts:1:43-57 error unreserved",
    "dir/c%5Cd.ts:1:1-15 error unreserved",
  ]);
  const [{ tool, results }] = JSON.parse(stdout.toString()).runs;
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const text = expect.any(String);
  const texts = { shortDescription: { text }, fullDescription: { text }, help: { text } };
  const rule = { id: "unreserved", ...texts, properties: { tags: ["email"] } };
  expect(tool.driver).toMatchObject({ version, rules: [rule] });
  expect(results[0].message.text).toBe(
    "The address may be a real person's: use a domain such as example.com, or allow it.",
  );
  expect(stdout.toString()).not.toContain("@");
});

it("--redact and sarif leave addresses out of messages, and suggest the domain of a mistyped one", async () => {
  const stdin = "ann@gmial.com joe@realco.com info@realco.com joe@mailinator.com\n";
  const texts = [
    "the address is mistyped and may be a real person's (did you mean gmail.com?)",
    "the address may be a real person's",
    "the address may receive mail",
    "the address is disposable and may be a real person's",
  ];
  const messagesOf = async (options: string): Promise<string> =>
    (await run(`detect --scan --select unreserved,mistyped,disposable ${options}`, { stdin })).stdout.toString();
  expect(linesOf(await messagesOf("-f lint --redact"))).toEqual(
    texts.map((text, i) => `-:1:${[1, 15, 30, 46][i]}: ${text}`),
  );
  expect(await messagesOf("-f github --redact")).not.toContain("@");
  const malformed = await run("detect -f lint --redact", { stdin: "jane@jane-doe,org\n" });
  expect(malformed.stdout.toString()).not.toContain("jane");
  const [{ results }] = JSON.parse(await messagesOf("-f sarif")).runs;
  const sarifTexts = results.map(({ message }: { message: { text: string } }) => message.text);
  expect(new Set(sarifTexts)).toEqual(new Set(texts.map((text) => `T${text.slice(1)}.`)));
  await expectRefused("detect --scan --redact", "--redact is for messages: add --format lint or github", { stdin });
});

it("--redact and sarif hide local parts in file names, but not what precedes a version or a pixel density", async () => {
  const names = ["ann@corp.org.csv", "a b/(joe@corp.org)/@x.y@corp.org/x", "react@18.2.0/icon@2x.svg", "@types/n.ts"];
  const shown = ["*@corp.org.csv", "a b/(*@corp.org)/*@corp.org/x", "react@18.2.0/icon@2x.svg", "@types/n.ts"];
  const diff = (name: string): string => `--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+u@gmail.com\n`;
  const stdin = names.map(diff).join("");
  const find = (options: string): Promise<RunResult> =>
    run(`detect --scan --diff --select unreserved ${options}`, { stdin });
  const { stdout } = await find("-f lint --redact");
  expect(linesOf(stdout).map((line) => line.split(":")[0])).toEqual(shown);
  const [{ results }] = JSON.parse((await find("-f sarif")).stdout.toString()).runs;
  expect(results.map((result: SarifResult) => result.locations[0].physicalLocation.artifactLocation.uri)).toEqual(
    shown.map((name) => encodeURI(name)),
  );
  files.file("zoe@corp.org.bin", "\0");
  const { stderr } = await detect("--scan", "zoe@corp.org.bin", "-f", "sarif");
  expect(stderr.toString()).toBe("addrsift: 1 binary file (*@corp.org.bin) skipped\n");
});

it("--format sarif tells the addresses of commits apart", async () => {
  const text = "Author: Eve <eve@gmail.com>\n\n    a@gmail.com b@gmail.com\n";
  const log = ["1234567", "89abcde"].map((id) => `commit ${id}\n${text}`).join("\n");
  const options = "--scan --diff -f sarif --select unreserved".split(" ");
  const { stdout } = await detect(...options, files.file("log.txt", log));
  const [{ results }] = JSON.parse(stdout.toString()).runs;
  const shown = results.map(({ message, partialFingerprints }: SarifResult) => [
    message.text.split(":")[0],
    partialFingerprints["commitLocation/v1"],
  ]);
  const locations = ["(author):1:14", "(message):1:1", "(message):1:13"];
  expect(shown).toEqual(
    ["1234567", "89abcde"].flatMap((id) =>
      locations.map((location) => [`Commit ${id}`, `unreserved:${id}:${location}`]),
    ),
  );
});

it("--format sarif has no results if no row fails, and no result for a row that --reject drops", async () => {
  expect(parseResults((await detect("-i", "seed.txt", "-f", "sarif", "--fail-on", "role")).stdout)).toEqual([]);
  files.file("pairs.csv", "a,b\nx@@y.org,ada@example.org\njoe@mailinator.com,x@@y.org\nada@example.org,x@@y.org\n");
  const columns = "--csv pairs.csv --column a --column b -f sarif --select invalid --reject disposable";
  const { stdout } = await detect(...columns.split(" "));
  expect(parseResults(stdout).map((line) => line.split(" ").at(-1))).toEqual(["invalid", "invalid"]);
});
