// Tests `addrsift lists allow`, `deny` and `overrides`, and their effect on every interface of `detect`.

import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import {
  expectOneLine,
  expectRefused,
  fileScratch,
  linesOf,
  objectsOf,
  outputOf,
  run,
  runProcess,
} from "../helpers/run.ts";
import { canStrangerRun, isRoot, STRANGER } from "../helpers/stranger.ts";

const folder = fileScratch();
const home = join(folder.path, "home");

const runInHome = (line: string, stdin = ""): Promise<string> => outputOf(`${line} --home ${home}`, { stdin });

/** Address, disposable, detection_source. */
const VERDICTS: readonly (readonly [string, boolean, string])[] = [
  ["a@mailinator.com", false, "override"],
  ["a@x.mailinator.com", false, "override"],
  ["a@bad.mailinator.com", true, "override"],
  ["Jane+x@yopmail.com", false, "override"],
  ["joe@yopmail.com", true, "precomputed"],
  ["a@duck.com", true, "override"],
  ["a@gmail.com", false, "precomputed"],
];
const ADDRESSES = VERDICTS.map(([address]) => address).join(" ");
const ROWS = `${ADDRESSES.replaceAll(" ", "\n")}\n`;

beforeAll(async () => {
  await runInHome("lists allow mailinator.com jane@yopmail.com --reason ours --by kim --quiet");
  await runInHome("lists deny bad.mailinator.com duck.com --expires 90d --by kim --quiet");
});

function verdictsOf(stdout: Buffer): unknown[] {
  return (objectsOf(stdout) as unknown as Readonly<Record<string, unknown>>[]).map((detection) => [
    detection["email"],
    detection["disposable"],
    detection["detection_source"],
  ]);
}

it("overrides apply to one address, many addresses, bulk input and --explain", async () => {
  for (const [call, stdin] of [
    [`detect --offline ${ADDRESSES}`, ""],
    [`detect --offline --explain ${ADDRESSES}`, ""],
    ["detect", ROWS],
    ["detect --explain", ROWS],
  ] as const)
    expect(verdictsOf(Buffer.from(await runInHome(call, stdin)))).toEqual(VERDICTS);
  const many = await runInHome(`detect --offline${` ${ADDRESSES}`.repeat(10)}`);
  expect(verdictsOf(Buffer.from(many))).toEqual(Array.from({ length: 10 }, () => VERDICTS).flat());
});

it("--explain and --format table show who added an override, when and why", async () => {
  const [detection] = objectsOf(await runInHome("detect --offline --explain jane@yopmail.com"));
  expect(detection?.explain?.["matches"]).toEqual([
    {
      flag: "disposable",
      entry: "jane@yopmail.com",
      kind: "override",
      sources: ["local overrides"],
      detail: expect.stringMatching(/^allowed by kim on \d{4}-\d\d-\d\d: ours$/),
    },
    expect.objectContaining({ entry: "yopmail.com", kind: "exact" }),
  ]);
  const table = await runInHome("detect --offline --format table a@mailinator.com");
  expect(table.replace(/\s+/g, " ")).toMatch(/a@mailinator\.com ok mailinator\.com: allowed by kim on .*: ours/);
});

it("overrides apply in a separate process with --home, but not without --home", async () => {
  const { stdout, stderr } = await runProcess(`detect --offline --home ${home} ${ADDRESSES}`);
  expect([verdictsOf(stdout), stderr.toString()]).toEqual([VERDICTS, ""]);
  const other = await run("detect --offline a@mailinator.com");
  expect(verdictsOf(other.stdout)).toEqual([["a@mailinator.com", true, "precomputed"]]);
});

it("lists status counts the overrides and names their file", async () => {
  const counted = join(folder.path, "counted");
  const file = join(counted, "overrides.tsv");
  mkdirSync(counted, { mode: 0o700 });
  writeFileSync(file, "a.example\tallow\nb.example\tallow\t2001-01-01\nc.example\tdeny\nd.example\tallow\n");
  expect(await outputOf(`lists status --home ${counted}`)).toContain(
    `\noverrides: 2 allow, 1 deny, 1 expired, in ${file}\n`,
  );
  const { overrides } = JSON.parse(await outputOf(`lists status --json --home ${counted}`));
  expect(overrides).toEqual({ file, allow: 2, deny: 1, expired: 1 });
});

it("every command reports a damaged override with its line", async () => {
  const damaged = join(folder.path, "damaged");
  mkdirSync(damaged, { mode: 0o700 });
  const text = "# ours\nspam.example deny\n";
  writeFileSync(join(damaged, "overrides.tsv"), text);
  const line = /^addrsift: \S+overrides\.tsv:2: there is no tab in the line: put tabs /;
  for (const call of [
    "detect --offline a@quiet-harbour.com",
    "detect --quiet --explain --offline a@quiet-harbour.com",
    "detect",
    "lists lookup quiet-harbour.com",
    "lists export --class allow",
    "lists overrides",
    "lists overrides --remove spam.example",
    "lists deny a.example",
  ])
    await expectRefused(`${call} --home ${damaged}`, line, { stdin: ROWS });
  expect(readFileSync(join(damaged, "overrides.tsv"), "utf8")).toBe(text);
  const { status, stdout, stderr } = await run(`lists status --json --home ${damaged}`);
  expect([status, stderr.toString()]).toEqual([2, expect.stringMatching(line)]);
  const report = JSON.parse(stdout.toString());
  expect(report).toMatchObject({ origin: "built-in", problem: expect.stringContaining("overrides.tsv:2: ") });
  expect(report).not.toHaveProperty("overrides");
});

it("every command reports a dangling link in place of the overrides", async () => {
  const dangling = join(folder.path, "dangling");
  mkdirSync(dangling, { mode: 0o700 });
  symlinkSync("gone.tsv", join(dangling, "overrides.tsv"));
  const line = /overrides\.tsv is a dangling symbolic link: restore its target, or remove the link\n$/;
  for (const call of ["detect --offline a@b.com", "detect --quiet", "lists lookup b.com", "lists overrides"])
    await expectRefused(`${call} --home ${dangling}`, line, { stdin: ROWS });
  const { status, stdout } = await run(`lists status --json --home ${dangling}`);
  const problem = expect.stringContaining("overrides.tsv is a dangling symbolic link");
  expect([status, JSON.parse(stdout.toString())]).toEqual([2, expect.objectContaining({ problem })]);
});

// Only root can give a folder to a group that it is not in.
it.runIf(isRoot && canStrangerRun)("the members of a group can share a home (needs root)", async () => {
  chmodSync(folder.path, 0o755);
  const shared = join(folder.path, "shared");
  mkdirSync(shared);
  chownSync(shared, 0, STRANGER.gid ?? 0);
  chmodSync(shared, 0o2775);
  const statuses: (number | null)[] = [];
  for (const [name, user] of [
    ["a.com", {}],
    ["b.com", STRANGER],
    ["c.com", {}],
  ] as const)
    statuses.push((await runProcess(`lists deny ${name} --home ${shared}`, user)).status);
  expect(statuses).toEqual([0, 0, 0]);
  const { stdout } = await runProcess(`lists overrides --json --home ${shared}`, STRANGER);
  expect(JSON.parse(stdout.toString())).toHaveLength(3);
  chmodSync(shared, 0o755);
  const refused = await runProcess(`lists deny d.com --home ${shared}`, STRANGER);
  expectOneLine(refused, /belongs to the user 0/);
});

it("lists allow and deny report the previous override, read standard input, and print JSON", async () => {
  const call = async (line: string, stdin = ""): Promise<string> =>
    (await run(`${line} --home ${folder.path}/reports`, { stdin })).stdout.toString();
  await call("lists deny a.example --by kim");
  const again = await call("lists allow A.example --by lee --expires 2090-01-31");
  expect(again).toMatch(
    /^a\.example: allowed by lee on \S+, until 2090-01-31 00:00 UTC \(before: denied by kim on \S+\)\n$/,
  );
  const lines = "# own list\nb.example\r\n\n  c.example # with a remark\nb.example\n";
  const printed = JSON.parse(await call("lists deny - --by kim --json", lines)) as object[];
  expect(printed).toMatchObject([
    { entry: "b.example", action: "deny", by: "kim" },
    { entry: "c.example", action: "deny", by: "kim" },
  ]);
  expect(printed[0]).not.toHaveProperty("before");
  const [replaced] = JSON.parse(await call("lists allow b.example --json"));
  expect(replaced).toMatchObject({ action: "allow", before: { entry: "b.example", action: "deny", by: "kim" } });
  await run(`lists allow d.example --home ${folder.path}/reports`, { env: { SUDO_USER: "jane" } });
  expect(JSON.parse(await call("lists overrides --json")).at(-1)).toMatchObject({ entry: "d.example", by: "jane" });
  const entries = linesOf(await call("lists overrides")).map((line) => line.split(/\s+/)[0]);
  expect(entries).toEqual(["ENTRY", "a.example", "b.example", "c.example", "d.example"]);
});

it.each([
  [
    "gmail.com",
    /^addrsift: gmail\.com is a consumer mailbox provider, so .*: addrsift lists overrides --home \S+ --remove gmail\.com undoes it\n$/,
  ],
  ["duck.com", /^addrsift: duck\.com is a privacy relay, so /],
  ["stanford.edu", /^addrsift: stanford\.edu is a protected domain \(academic\), so /],
  ["github.io", /^addrsift: github\.io is a suffix of other people's domains, so .* --remove github\.io undoes it\n$/],
  ["uk.com", /^addrsift: uk\.com is a suffix of other people's domains, so /],
  ["quiet-harbour.com", /^$/],
  [
    "www.quiet-harbour.com",
    /^addrsift: www\..* covers only .* that host: to deny the whole domain, give quiet-harbour\.com\n$/,
  ],
  ["mailinator.com", /^addrsift: mailinator\.com is already disposable in the lists: /],
  ["someone@gmail.com", /^$/],
])("lists deny %s: standard error matches %s", async (name, warning) => {
  const option = `--home ${folder.path}/effect-${name}`;
  const { status, stderr } = await run(`lists deny ${name} ${option}`);
  expect([status, stderr.toString()]).toEqual([0, expect.stringMatching(warning)]);
  const address = name.includes("@") ? name : `x@${name}`;
  const result = await run(`detect --offline ${address} ${option}`);
  expect(verdictsOf(result.stdout)).toEqual([[address, true, "override"]]);
});

it.each([
  ["a.nosuchtld", "matches only with --allow-unknown-tld: nosuchtld is not a top-level domain"],
  ["spam.test", "matches only with --allow-reserved: test is a reserved top-level domain"],
])("lists deny %s and lists overrides: %s", async (entry, note) => {
  const option = `--home ${folder.path}/tld-${entry}`;
  expect((await run(`lists deny ${entry} ${option}`)).stderr.toString()).toContain(`${entry} ${note}; `);
  const { status, stderr } = await run(`lists overrides ${option}`);
  expect([status, stderr.toString()]).toEqual([0, expect.stringContaining(`overrides.tsv:2: "${entry}" ${note}`)]);
});

it.each([".foo.com", "*.foo.com", "*@foo.com"])("lists deny %s names the right form", (entry) =>
  expectRefused(`lists deny ${entry} --home ${folder.path}/untouched`, /needs no .*: give foo\.com$/m),
);

it.each(["@foo.com", ".foo.com", "foo.com."])(
  "every command reports an override of %s with its line",
  async (entry) => {
    const dead = join(folder.path, `dead-${entry}`);
    mkdirSync(dead, { mode: 0o700 });
    writeFileSync(join(dead, "overrides.tsv"), `# ours\n${entry}\tdeny\n`);
    const line = /^addrsift: \S+overrides\.tsv:2: entry must be .*: write foo\.com\n$/;
    for (const call of ["detect --offline a@foo.com", "lists overrides --quiet", "lists lookup foo.com"])
      await expectRefused(`${call} --home ${dead}`, line);
    const { status, stdout } = await run(`lists status --json --home ${dead}`);
    expect([status, JSON.parse(stdout.toString())]).toEqual([
      2,
      expect.objectContaining({ problem: expect.stringContaining("overrides.tsv:2: entry must be") }),
    ]);
  },
);

it("lists deny and lists overrides show the Unicode form of A-labels, but not in JSON", async () => {
  const option = `--home ${folder.path}/unicode`;
  expect(await outputOf(`lists deny jane@m\u00fcnchen.de --by kim ${option}`)).toMatch(
    /^jane@xn--mnchen-3ya\.de \(m\u00fcnchen\.de\): denied by kim /,
  );
  expect(await outputOf(`lists overrides ${option}`)).toMatch(/^jane@xn--mnchen-3ya\.de \(m\u00fcnchen\.de\) +deny /m);
  expect(await outputOf(`lists overrides --json ${option}`)).toContain('{"entry":"jane@xn--mnchen-3ya.de",');
  expect(await outputOf(`lists lookup jane@m\u00fcnchen.de ${option}`)).toMatch(
    /^jane@xn--mnchen-3ya\.de: disposable, by override of jane@xn--mnchen-3ya\.de: denied by kim on .*\nxn--mnchen-3ya\.de: in no list\n$/,
  );
});

it("an address that is not in canonical form is reported with its line and ignored", async () => {
  const home = join(folder.path, "spelling");
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, "overrides.tsv"), "bob@foo.com\tdeny\njane+x@gmail.com\tdeny\n");
  const line = /overrides\.tsv:2: "jane\+x@gmail\.com" matches no address: write jane@gmail\.com\n$/;
  for (const [call, status] of [
    ["detect --offline bob@foo.com", 0],
    ["lists overrides", 2],
    ["lists overrides --quiet", 2],
    ["lists status", 2],
    ["lists export --class deny", 0],
  ] as const) {
    const result = await run(`${call} --home ${home}`);
    expect([call, result.status, result.stderr.toString()]).toEqual([call, status, expect.stringMatching(line)]);
  }
  const { stdout } = await run(`lists status --json --home ${home}`);
  expect(JSON.parse(stdout.toString())).toMatchObject({
    problem: expect.stringContaining("overrides.tsv:2: "),
    overrides: { allow: 0, deny: 1 },
  });
});

it("lists allow warns of domains that are not disposable", async () => {
  const { stderr } = await run(
    `lists allow gmail.com mailinator.com inbox.mailinator.com --home ${folder.path}/allowed`,
  );
  expect(stderr.toString()).toBe(
    "addrsift: gmail.com is never disposable by lists or live DNS: the override changes no verdict\n",
  );
});

it.each<[string, string, RegExp]>([
  ["", "allow eu.org", /^$/],
  ["deny foo.de", "allow good.foo.de", /^$/],
  ["deny foo.de", "allow foo.de", /^$/],
  ["allow mailinator.com", "deny bad.mailinator.com", /^$/],
  ["allow f000.eu.org", "deny mailinator.com", /mailinator\.com is already disposable in the lists: /],
  ["allow jane@foo.de", "allow foo.de", /^addrsift: foo\.de is not disposable in the lists: [^\n]*\n$/],
  [
    "deny jane@foo.de",
    "allow foo.de",
    /^addrsift: still denied by overrides of their own: jane@foo\.de\naddrsift: foo\.de /,
  ],
  ["allow a.foo.de", "deny foo.de", /^addrsift: still allowed by overrides of their own: a\.foo\.de\n$/],
])("after lists %s, lists %s notes whether the lists alone give its verdicts", async (first, call, note) => {
  const option = `--home ${folder.path}/note-${call.replace(" ", "-")}-${first.replace(" ", "-")}`;
  if (first !== "") await run(`lists ${first} ${option}`);
  const { status, stderr } = await run(`lists ${call} ${option}`);
  expect([status, stderr.toString()]).toEqual([0, expect.stringMatching(note)]);
});

const listFile = folder.file("list.csv", "a.example\n");

it.each<[string, RegExp | string, string]>([
  ["deny -", "standard input has columns: give one", "action,domain\ndeny,a.example\n"],
  ["deny -", /line 2: "two words" is not a mail domain, /, "\ntwo words\n"],
  ["deny -", /standard input has no domains/, ""],
  [
    `deny ${listFile}`,
    `${listFile} is a file: to read its first column, run cut -d, -f1 ${listFile} | addrsift lists deny -; tail -n +2 skips a header\n`,
    "",
  ],
  ["deny -", "standard input is UTF-16: convert it, as with iconv ", "a\0.\0d\0e\0\n\0"],
  ["lookup", "standard input is UTF-16: ", "\0a\0.\0d\0e\0\n"],
  [
    `lookup ${listFile}`,
    `${listFile} is a file: to read its first column, run cut -d, -f1 ${listFile} | addrsift lists lookup -; tail -n +2 skips a header\n`,
    "",
  ],
  ["deny - a.example", /- means standard input/, ""],
  ["allow a.example --expires 2001-01-01", /--expires is in the past: /, ""],
  ["allow", /missing|give/i, ""],
  ["overrides --remove a.example", 'there is no override of "a.example": see addrsift lists overrides\n', ""],
  ["overrides --remove -", /standard input has no domains/, ""],
  ["overrides --remove-expired --remove a.example", /--remove-expired/, ""],
])("lists rejects the arguments %j", async (line, message, stdin) =>
  expectRefused(`lists ${line} --home ${folder.path}/untouched`, message, { stdin }),
);

it("lists deny - reports every line that is no domain, at most 20, and stores nothing", async () => {
  const faultsOf = async (stdin: string): Promise<[number | null, string, string[]]> => {
    const { status, stdout, stderr } = await run(`lists deny - --home ${folder.path}/faults`, { stdin });
    return [status, stdout.toString(), linesOf(stderr)];
  };
  const fault = (line: number): unknown =>
    expect.stringMatching(`^addrsift: line ${line}: "b b" is not a mail domain, `);
  const outcome = "addrsift: no override was stored";
  expect(await faultsOf("b b\na.example\nb b\n")).toEqual([2, "", [fault(1), fault(3), outcome]]);
  const faults = Array.from({ length: 20 }, (_, i) => fault(i + 1));
  expect(await faultsOf("b b\n".repeat(20))).toEqual([2, "", [...faults, outcome]]);
  const [, , lines] = await faultsOf("b b\n".repeat(25));
  expect([lines.length, lines.at(-1)]).toEqual([21, "addrsift: and 5 more: no override was stored"]);
  expect(await outputOf(`lists overrides --quiet --home ${folder.path}/faults`)).toBe("");
});

it("lists overrides --remove - removes the overrides of all lines, or none if one has no override", async () => {
  const option = `--home ${folder.path}/bulk-removal`;
  await outputOf(`lists deny a.example b.example c.example --quiet ${option}`);
  const remove = (stdin: string) => run(`lists overrides --remove - ${option}`, { stdin });
  const { status, stdout, stderr } = await remove("a.example\nx.example\ny.example\n");
  const fault = (line: number, name: string): string =>
    `addrsift: line ${line}: there is no override of "${name}": see addrsift lists overrides\n`;
  const faults = `${fault(2, "x.example")}${fault(3, "y.example")}addrsift: no override was removed\n`;
  expect([status, stdout.toString(), stderr.toString()]).toEqual([2, "", faults]);
  expect((await remove("a.example\n# done\nmailto:jane@a.example\n")).status).toBe(2);
  expect((await remove("a.example\n@c.example.\n")).status).toBe(0);
  expect(await outputOf(`lists overrides --quiet ${option}`)).toMatch(/^ENTRY[^\n]*\nb\.example [^\n]*\n$/);
});

it("lists lookup shows an expired override, and lists overrides --remove-expired removes it", async () => {
  const expiring = join(folder.path, "expiring");
  mkdirSync(expiring, { mode: 0o700 });
  const rows = "ann@calm-harbour.com\tallow\t2001-01-01\ncalm-harbour.com\tdeny\t2001-02-01\tkim\t2001-01-01\twave\n";
  writeFileSync(join(expiring, "overrides.tsv"), `${rows}d.example\tdeny\t2101-01-01\n`);
  const option = `--home ${expiring}`;
  expect(linesOf((await run(`lists lookup a.calm-harbour.com Ann@calm-harbour.com ${option}`)).stdout)).toEqual([
    "a.calm-harbour.com: expired override of calm-harbour.com: denied by kim on 2001-01-01, until 2001-02-01 00:00 UTC: wave",
    "a.calm-harbour.com: in no list",
    "calm-harbour.com: expired override of ann@calm-harbour.com: allowed, until 2001-01-01 00:00 UTC",
    "calm-harbour.com: in no list",
  ]);
  const lookup = JSON.parse(await outputOf(`lists lookup calm-harbour.com --json ${option}`));
  expect(lookup).toMatchObject({ matches: [], expired_override: { entry: "calm-harbour.com", action: "deny" } });
  expect(await outputOf(`lists overrides --remove-expired ${option}`)).toBe(
    "ann@calm-harbour.com: override removed\ncalm-harbour.com: override removed\n",
  );
  expect(await outputOf(`lists overrides --quiet ${option}`)).toMatch(/^ENTRY[^\n]*\nd\.example [^\n]*\n$/);
});

it("lists lookup shows the overrides of an address and of its domain", async () => {
  const option = `--home ${folder.path}/both`;
  await outputOf(`lists allow yopmail.com --quiet ${option}`);
  await outputOf(`lists deny jane@yopmail.com --quiet ${option}`);
  expect(linesOf((await run(`lists lookup jane@yopmail.com ${option}`)).stdout)).toEqual([
    expect.stringMatching(/^jane@yopmail\.com: disposable, by override of jane@yopmail\.com: /),
    expect.stringMatching(/^yopmail\.com: not disposable, by override of yopmail\.com: /),
    expect.stringMatching(/^yopmail\.com: without the override, disposable by yopmail\.com /),
  ]);
});

it("lists overrides reports every invalid line of the file, at most 20, and other commands the first", async () => {
  const home = join(folder.path, "invalid-lines");
  mkdirSync(home, { mode: 0o700 });
  const file = join(home, "overrides.tsv");
  writeFileSync(file, "<<<<<<< ours\na.example\tdeny\n@b.example\tallow\na.example\tallow\n\nc.example\tdeny\n");
  const { status, stdout, stderr } = await run(`lists overrides --home ${home}`);
  expect([status, stdout.toString()]).toEqual([2, ""]);
  expect(linesOf(stderr)).toEqual([
    expect.stringMatching(/^addrsift: \S+:1: there is no tab in the line: /),
    expect.stringMatching(/^addrsift: \S+:3: entry must be .*: write b\.example$/),
    `addrsift: ${file}:4: duplicate entry "a.example": remove it here or in ${file}:2`,
  ]);
  const first = /^addrsift: \S+:1: there is no tab .*; addrsift lists overrides shows the other invalid lines\n$/;
  await expectRefused(`detect --offline a@c.example --home ${home}`, first);
  writeFileSync(file, "b b\n".repeat(25));
  expect(linesOf((await run(`lists overrides --home ${home}`)).stderr)).toHaveLength(20);
});

it("overrides.tsv can be copied to another home, and its entries can be removed there", async () => {
  const other = join(folder.path, "other");
  mkdirSync(other, { mode: 0o700 });
  copyFileSync(join(home, "overrides.tsv"), join(other, "overrides.tsv"));
  expect(await outputOf(`lists overrides --json --home ${other}`)).toBe(await runInHome("lists overrides --json"));
  const removed = await outputOf(`lists overrides --json --remove Jane@yopmail.com --remove duck.com --home ${other}`);
  expect(JSON.parse(removed)).toMatchObject([
    { entry: "jane@yopmail.com", action: "allow", reason: "ours" },
    { entry: "duck.com", action: "deny" },
  ]);
  const { stdout } = await run(`detect --offline jane@yopmail.com a@duck.com --home ${other}`);
  expect(verdictsOf(stdout).map((verdict) => (verdict as unknown[])[2])).toEqual(["precomputed", "precomputed"]);
});

it("lists overrides reports handwritten entries that match no address", async () => {
  const home = join(folder.path, "by-hand");
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, "overrides.tsv"), "jane+x@gmail.com\tdeny\nco.uk\tdeny\nok.org\tdeny\n");
  const { status, stdout, stderr } = await run(`lists overrides --home ${home}`);
  expect([status, linesOf(stdout).length]).toEqual([2, 4]);
  expect(linesOf(stderr)).toEqual([
    expect.stringMatching(/overrides\.tsv:1: "jane\+x@gmail\.com" matches no address: write jane@gmail\.com$/),
    expect.stringMatching(/^addrsift: \S+overrides\.tsv:2: "co\.uk" is a public suffix, so the line is ignored: /),
  ]);
});

it("overrides.tsv: a public suffix classifies nothing, and a warning names its line", async () => {
  const home = join(folder.path, "suffixes");
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, "overrides.tsv"), "# ours\ncom\tdeny\nco.uk\tdeny\ngithub.io\tdeny\ncorp\tdeny\n");
  const option = `--home ${home}`;
  const addresses = ["a@harbor.com", "a@harbor.co.uk", "a@x.github.io", "a@x.corp"];
  const { stdout, stderr } = await run(`detect --offline --allow-unknown-tld ${addresses.join(" ")} ${option}`);
  expect(verdictsOf(stdout).map((verdict) => (verdict as unknown[])[1])).toEqual([false, false, true, false]);
  expect(linesOf(stderr)).toEqual([
    expect.stringMatching(
      /overrides\.tsv:2: "com" is a public suffix, so the line is ignored: give a domain below it$/,
    ),
    expect.stringMatching(/overrides\.tsv:3: "co\.uk" is a public suffix/),
    expect.stringMatching(/overrides\.tsv:5: "corp" is a public suffix/),
  ]);
  const others = await run(`detect --offline a@harbor.org a@harbor.co.uk b@harbor.co.uk ${option}`);
  expect(linesOf(others.stderr)).toEqual([expect.stringMatching(/overrides\.tsv:3: "co\.uk" is a public suffix/)]);
  const exported = await run(`lists export --format csv ${option} --quiet`);
  expect(exported.stdout.toString().match(/^[^,]*,(?:allow|deny),/gm)).toEqual(["github.io,deny,"]);
  const listed = objectsOf((await run(`lists overrides --json ${option}`)).stdout) as unknown as { ignored?: true }[][];
  expect(listed.flat().map(({ ignored }) => ignored)).toEqual([true, true, true, undefined]);
  expect((await run(`lists overrides --remove com --remove co.uk --remove corp ${option}`)).status).toBe(0);
  expect((await run(`lists overrides ${option}`)).status).toBe(0);
});

it("lists overrides warns about a missing --home, and lists deny shortens long lines", async () => {
  const home = join(folder.path, "none");
  const { status, stderr } = await run(`lists overrides --home ${home}`);
  expect([status, linesOf(stderr)[0]]).toEqual([0, expect.stringContaining(`there is no folder ${home}`)]);
  const rejected = await run(`lists deny - --home ${home}`, { stdin: `${"x".repeat(9000)}!\n` });
  expect(rejected.status).toBe(2);
  expect(rejected.stderr.length).toBeLessThan(400);
});

it("lists export --class disposable applies overrides, and counts those that a list can't show", async () => {
  const home = join(folder.path, "export");
  mkdirSync(home, { mode: 0o700 });
  const entries = ["mailinator.com\tallow", "bad.mailinator.com\tdeny", "yopmail.com\tdeny", "quiet-harbour.com\tdeny"];
  const setFile = (...more: string[]): void =>
    writeFileSync(join(home, "overrides.tsv"), `${[...entries, ...more].join("\n")}\n`);
  setFile();
  const { stdout, stderr } = await run(`lists export --class disposable --home ${home}`);
  const names = linesOf(stdout);
  expect([stderr.toString(), names, new Set(names).size]).toEqual(["", names.toSorted(), names.length]);
  const isBelow = (name: string): boolean => /(?:^|\.)mailinator\.com$/.test(name);
  expect(names.filter(isBelow)).toEqual(["bad.mailinator.com"]);
  expect(names).toEqual(expect.arrayContaining(["yopmail.com", "quiet-harbour.com", "10minutemail.com"]));
  const before = linesOf((await run("lists export --class disposable")).stdout);
  const removed = before.filter(isBelow).length;
  expect([removed > 0, names.length]).toEqual([true, before.length - removed + 2]);
  setFile("ok.yopmail.com\tallow", "jane@yopmail.com\tallow", "joe@gmail.com\tdeny", "fine.org\tallow");
  const noted = await run(`lists export --class disposable --home ${home}`);
  expect(noted.stderr.toString()).toMatch(
    /^addrsift: 3 overrides, of addresses .*, can't be in a list of domains: use --format csv\n$/,
  );
  expect(linesOf(noted.stdout)).toEqual(names);
});
