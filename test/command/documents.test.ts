// Tests the documents: they name everything that exists and nothing else, and every example runs as shown.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/options/commands.ts";
import { BUILT_IN_OPTIONS, GLOBAL_OPTIONS } from "../../src/cli/options/table.ts";
import { readBuildInputs } from "../../src/curation/build-inputs.ts";
import { SOURCES } from "../../src/curation/sources.ts";
import { ROW_CLASS } from "../../src/detection/classes.ts";
import { ADDED_COLUMNS } from "../../src/detection/fields.ts";
import { type Daemon, startDaemon } from "../helpers/daemon.ts";
import { blocksOf, isInstalled, prepareExamples, ROOT, readProjectFile } from "../helpers/documents.ts";
import { storedChannel, storedDeliveries, storedKey, writeRecords } from "../helpers/home-files.ts";
import { type Mirror, startMirror } from "../helpers/mirror.ts";
import { type Receiver, startReceiver } from "../helpers/receiver.ts";
import { fileScratch, type RunResult, run, runProgram, runShell } from "../helpers/run.ts";
import { createSmallPackage, type SmallPackage } from "../helpers/small-package.ts";

const README = readProjectFile("README.md");
const PACKAGE = JSON.parse(readProjectFile("package.json")) as {
  version: string;
  engines: { node: string };
  man: string[];
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
const folder = fileScratch();
const options = prepareExamples(folder);
const home = join(folder.path, "home");
const TOKEN = "0123456789abcdef".repeat(4);

/** Returns the names in the first cells of tables between the texts `from` and `to`. */
function termsOf(text: string, from: string, to: string): string[] {
  const start = text.indexOf(from);
  const rows = text.slice(start, text.indexOf(to, start + from.length)).matchAll(/^\| (`[^|]+`) \|/gm);
  return Array.from(rows, ([, cell = ""]) => cell.replaceAll("`", "").split(", ")).flat();
}

it.each(["README.md", "CHANGELOG.md", "SECURITY.md"])("%s mentions only existing options", (file) => {
  const options = [...COMMANDS.flatMap((spec) => spec.options), ...GLOBAL_OPTIONS, ...BUILT_IN_OPTIONS].map(
    ({ name }) => `--${name}`,
  );
  const mentioned = Array.from(readProjectFile(file).matchAll(/`(--[a-z-]+)/g), (match) => match[1] as string);
  expect(mentioned).not.toEqual([]);
  for (const name of mentioned) expect(options).toContain(name);
});

it("README starts its section about clones with the build and test commands", () => {
  const clone = README.slice(README.indexOf("### From a clone"));
  expect(blocksOf(clone, "sh")[0]?.split("\n").slice(0, 2)).toEqual([
    "npm ci && node bin/addrsift.cjs detect jane.doe+news@gmail.com",
    "npm test",
  ]);
});

it.each(["README.md", "bin/addrsift.cjs"])("%s names the Node versions of package.json", (file) => {
  const versions = PACKAGE.engines.node.split(" || ").map((range) => `${range.replace(/^\D+/, "")}+`);
  expect(readProjectFile(file)).toContain(`${versions.slice(0, -1).join(", ")} or ${versions.at(-1)}`);
});

it.each([
  ["action.yml", /^ {2}version:\n.*\n {4}default: (.*)$/m],
  ["man/examples/pre-commit-config.yaml", /"addrsift@(.*)"/],
])("%s installs the version of package.json", (file, version) => {
  expect(version.exec(readProjectFile(file))?.[1]).toBe(PACKAGE.version);
});

it.each(["README.md", "CONTRIBUTING.md", "SECURITY.md"])("%s links only to files that exist", (file) => {
  const links = Array.from(readProjectFile(file).matchAll(/\]\((?!https?:)([^)#]+)\)/g), ([, path = ""]) => path);
  expect(links.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it.each(["README.md", "action.yml", "man/examples/github-actions.yml", "man/examples/github-code-scanning.yml"])(
  "%s names one repository, that of the action in README",
  (file) => {
    const ownersIn = (text: string): (string | undefined)[] =>
      Array.from(text.matchAll(/(?:github\.com\/|uses: |action |`|^)([\w-]+)\/addrsift\b/gm), ([, owner]) => owner);
    const [owner] = ownersIn(/uses: .*\/addrsift@/.exec(README)?.[0] ?? "");
    expect([owner, new Set(ownersIn(readProjectFile(file)))]).toEqual([expect.any(String), new Set([owner])]);
  },
);

it("README and the manual give the counts and sizes of the built lists, rounded to two digits", async () => {
  const countExported = async (...args: string[]): Promise<number> =>
    (await run(["lists", "export", "--class", "disposable", ...args])).stdout.toString().trimEnd().split("\n").length;
  const bytes = (name: string): number => statSync(join(ROOT, "dist", name)).size;
  const text = README + readProjectFile("man/addrsift.md");
  for (const [figure, value] of [
    [/about ([\d,]+)\sdisposable domains/g, await countExported("--min-confidence", "legacy")],
    [/By default, ([\d,]+) of them make/g, await countExported()],
    [/lists\.bin[^()]*\(([\d.]+) MB\)/g, bytes("lists.bin") / 1e6],
    [/lists-counted\.bin\.gz`?\s\((\d+) KB\)/g, bytes("lists-counted.bin.gz") / 1e3],
  ] as const) {
    const figures = Array.from(text.matchAll(figure), ([, digits = ""]) => Number(digits.replaceAll(",", "")));
    expect([figure, ...new Set(figures)]).toEqual([figure, Number(value.toPrecision(2))]);
  }
});

it("README has a row for each field of the result, in order", () => {
  expect(termsOf(README, "## The result", "`--select`")).toEqual(["email", ...ADDED_COLUMNS]);
});

it("README lists every row class", () => {
  expect(new Set(termsOf(README, "| class |", "## "))).toEqual(new Set(Object.keys(ROW_CLASS)));
});

it("CONTRIBUTING lists exactly the dependencies of package.json", () => {
  const packagesIn = (text: string): string[] =>
    Array.from(text.matchAll(/^\| ([^|]+) \|/gm), (match) => match[1] as string)
      .flatMap((names) => names.trim().split(", "))
      .filter((name) => name !== "package" && !name.startsWith("---"))
      .sort();
  const [, runtime = "", development = ""] = readProjectFile("CONTRIBUTING.md").split(
    /^## (?:Runtime|Development) dependencies$/m,
  );
  expect([...packagesIn(runtime), ...packagesIn(development)].sort()).toEqual(
    Object.keys(PACKAGE.devDependencies).sort(),
  );
  const bill = JSON.parse(readProjectFile("dist/bill.json")) as { components: { name: string }[] };
  const inBill = bill.components.map(({ name }) => name);
  expect(packagesIn(runtime).filter((name) => !inBill.includes(name))).toEqual([]);
});

it("NOTICE names every source of the data build", () => {
  const notice = readProjectFile("NOTICE");
  for (const snapshot of Object.values(readBuildInputs(ROOT).snapshots)) {
    const name = /^(?:npm|pypi):(.*)$/.exec(snapshot.origin)?.[1] ?? SOURCES[snapshot.key].name;
    expect(notice).toContain(`${name} ${snapshot.version}, ${SOURCES[snapshot.key].license}`);
  }
});

/** A command in README and the output below it; `…` stands for any text. */
interface CommandExample {
  readonly command: string;
  readonly output: string;
}

function parseExamples(block: string): CommandExample[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf("\n");
      return { command: part.slice(0, end), output: part.slice(end + 1) };
    });
}

function asPattern(output: string): RegExp {
  const parts = output.split("…").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^\n]*")}$`);
}

const ROFF: Readonly<Record<string, string>> = { e: "\\", "(aq": "'", "(ti": "~", "(ha": "^", ":": "", "&": "" };

/** Returns the blocks of commands on a manual page as `man` prints them: indented, without fonts. */
function commandBlocks(file: string): string[] {
  const blocks = Array.from(readProjectFile(file).matchAll(/^\.nf\n(\$ .*?)^\.fi$/gms), ([, block]) => block as string);
  return blocks.map((block) =>
    block.replace(/\\(\(..|.)/g, (_, name) => ROFF[name] ?? name).replace(/^(?=.)/gm, " ".repeat(11)),
  );
}

/** Programs other than the usual ones of a shell that commands of the manual start. */
const OTHER_PROGRAMS = ["jq", "mlr", "python3", "curl"];

/** Outputs of commands of the manual. */
const MANUAL_OUTPUTS = [
  ["jq -r '.by", '"created","rows","disposable"\n"2026-11-20",2,1\n"2026-11-21",1,0\n'],
  [
    "mlr --csv",
    "id,name,email,backup_email,5,fault\n1,Jane,jane@gmail.com,,,\n2,Max,max@gmail.com,,x,\n2,Max,joe@example.org,,x,\n",
  ],
  ["python3 -c", "1,Max,max@gmail.com,,extra\r\n"],
] as const;

/** Writes the inputs of the manual's commands. Their columns are those that the commands name. */
function writeManualInputs(): void {
  for (const name of ["a.txt", "b.txt"]) folder.file(name, "jane@gmail.com\njoe@mailinator.com\n");
  folder.file(
    "customers.csv",
    "id,name,email,backup_email\n1,Jane,jane@gmail.com,\n2,Max,max@gmail.com;joe@example.org,,x\n",
  );
  folder.file("checked.csv", "id,name,email,backup_email\n1,Max,max@gmail.com,,extra\n2,Jane,jane@gmail.com,\n");
  const days = ["1,jane@gmail.com,2026-11-20", "2,joe@mailinator.com,2026-11-20", "3,jane@gmail.com,2026-11-21"];
  folder.file("signups.csv", `${["id,email,created", ...days].join("\n")}\n`);
  folder.file("part-17.csv", "1,Jane,jane@gmail.com\n");
  folder.file("export.tsv", "id\temail\n1\tjane@gmail.com\n");
  folder.file("users.jsonl", `${JSON.stringify({ user: { email: "jane@gmail.com" } })}\n`);
}

/** Writes a store with the key and the channels that examples name. The webhook is at a receiver on loopback. */
function writeExampleRecords(receiverUrl: string): void {
  const [hook, mail, key] = ["ch_7Qw2eRt5yUi8oPa1", "ch_2bN8kLmX4vRt6yQs", "key_4mXb0Qz1LrT9sUwA"] as const;
  const config = { url: `${receiverUrl}/in`, headers: { "X-Key": "a" }, secret: `whsec_${btoa("x".repeat(24))}` };
  const webhook = storedChannel(hook, config.url, { name: "ops", config });
  const address = "ops@example.com";
  const events = ["detection.completed"];
  const email = { ...webhook, id: mail, type: "email", config: { address, events }, is_verified: false };
  const digest = createHash("sha256").update(TOKEN).digest("hex");
  const expires_at = Date.now() + 3_600_000;
  writeRecords(home, "store.json", {
    keys: { [key]: storedKey(key, { name: "signup-form" }) },
    channels: { [hook]: webhook, [mail]: email },
    verifications: { [digest]: { channel_id: mail, address, expires_at, state: "open" } },
  });
  const [delivery] = Object.values(storedDeliveries("msg_5Tn8Wz3cVb7kQ0a", hook, 1));
  const delivered = { ...delivery, id: "msg_5Tn8Wz3cVb7kQ0aH", status: "delivered", attempts: 1 };
  writeRecords(home, "deliveries.json", { deliveries: { [delivered.id]: delivered } });
}

const EXAMPLE_MESSAGES = [
  ["git diff", /^addrsift: nothing was scanned: the diff is empty\n$/],
  ["--fail-on", /^addrsift: 2 rows of 4 are .+ \(rows 2, 3\)\n$/],
  ["channels test", /^addrsift: The webhook accepted the test: the channel is verified\.\n$/],
  ["channels verify", /^addrsift: \S+ is verified\n$/],
  ["channels replay", /^addrsift: msg_\w+ was delivered\n$/],
  ["channels delete", /^addrsift: ch_\w+ \(.+\) is deleted\n$/],
  ["lists", /^(?:addrsift: .+ matches only with --allow-reserved: example is a reserved top-level domain.*\n)*$/],
] as const;

describe("the examples", () => {
  let daemon: Daemon;
  let receiver: Receiver;
  let mirror: Mirror;
  let small: SmallPackage;
  beforeAll(async () => {
    daemon = await startDaemon(["--dns", "off"], { home });
    receiver = await startReceiver();
    small = createSmallPackage(join(folder.path, "package"), []);
    mirror = await startMirror(small.snapshots);
    mirror.texts.set("D", `${mirror.texts.get("D")}example-throw-away.com\n`);
    for (const [key, text] of mirror.texts) folder.file(`${key}.txt`, text);
    folder.file("team.tsv", "entry\taction\texpires\tby\tcreated\treason\nspam.example\tdeny\n");
    folder.file("domains.txt", "throw-away.example.com\n");
    folder.file("token.txt", `${TOKEN}\n`);
    folder.file("hook.txt", "https://hooks.example.com/T0KEN\n");
    folder.file("url.txt", "https://hooks.slack.com/services/T0/B0/x\n");
  });
  afterAll(async () => {
    await daemon.stop();
    await receiver.close();
    await mirror.close();
  });

  const blocks = blocksOf(README, "console").filter((block) => !block.includes("$ curl") || isInstalled("curl"));
  it.each(blocks.map((block) => [block.slice(2, block.indexOf("\n")), block] as const))(
    'the README example "%s" prints the documented output',
    async (_, block) => {
      let status = 0;
      for (const { command, output } of parseExamples(block)) {
        if (command === "echo $?") {
          expect(`${status}\n`).toBe(output);
          status = 0;
          continue;
        }
        expect(status, `before ${command}`).toBe(0);
        const result = await runShell(command.replaceAll(":8025/", `:${daemon.port}/`), options);
        expect(result.stdout.toString() + result.stderr.toString()).toMatch(asPattern(output));
        status = result.status;
      }
      expect(status).toBe(0);
    },
  );

  const lines = COMMANDS.flatMap(({ examples }) => Object.keys(examples));
  it.each(lines.filter((line) => line.startsWith("addrsift serve")))("the help example runs: %s", async (line) => {
    const daemon = await startDaemon(line.split(" ").slice(2), { home });
    expect(await daemon.stop()).toBe(143);
    if (!line.includes("--log-level")) expect(daemon.log()).toContain('"msg":"stopped"');
  });

  /** Makes an update use our mirror, which has one additional domain, or a folder with the mirror's text. */
  function withSources(line: string): string {
    if (!/^addrsift lists (?:update|diff)/.test(line)) return line;
    const [, mirrorUrl = ""] = /=(\S+)$/.exec(mirror.options(["D"]).join(" ")) ?? [];
    const localLine = line.replace("https://mirror.example/D.txt", mirrorUrl).replace("/media/lists", folder.path);
    return localLine === line ? `${line} ${mirror.options().join(" ")}` : localLine;
  }

  /** Runs a line: by a shell if it needs one or names a file, and with small lists if it changes them. */
  function runLine(line: string): Promise<RunResult> {
    if (/[<>|]|@url|-i /.test(line)) return runShell(line, options);
    const words = line.match(/'[^']*'|\S+/g) ?? [];
    const root = /^addrsift lists (?:update|diff|rollback)/.test(line) ? { root: small.root } : {};
    return run(
      words.slice(1).map((word) => word.replaceAll("'", "")),
      { env: options.env, ...root },
    );
  }

  it.each(lines.filter((line) => !line.startsWith("addrsift serve")))(
    "the help example runs: %s",
    { timeout: 120_000 },
    async (line) => {
      writeExampleRecords(receiver.url);
      const { status, stderr } = await runLine(withSources(line));
      const fails = line.includes("--fail-on");
      const [, message = /^$/] = EXAMPLE_MESSAGES.find(([part]) => line.includes(part)) ?? [];
      expect(stderr.toString()).toMatch(message);
      expect(status).toBe(fails ? 1 : 0);
    },
  );

  // What is left out installs packages, needs a cluster, or downloads the public lists.
  const isRun = (block: string): boolean =>
    !lines.includes(
      block
        .replace(/ \\\n +/g, " ")
        .trim()
        .slice(2),
    ) && !/npm install|spark-submit|-fsSL|addrsift serve/.test(block);
  it.for(
    PACKAGE.man
      .flatMap(commandBlocks)
      .filter(isRun)
      .map((block) => [block.trim().split("\n")[0], block] as const),
  )("the manual's example runs as printed: %s", async ([, block], { skip }) => {
    // Checked also if the program is missing.
    expect(block.match(/'[^']*'/g)?.filter((text) => text.includes("\\\n")) ?? []).toEqual([]);
    const missing = OTHER_PROGRAMS.find((name) => block.includes(`${name} `) && !isInstalled(name));
    if (missing !== undefined) skip(`${missing} is not installed`);
    writeManualInputs();
    writeExampleRecords(receiver.url);
    // Lines with more indentation continue a command; others without a prompt are output.
    const [commands = "", printed = ""] = block.split(/^(?= {11}[^ $])/m);
    const script = commands.replace(/^ +\$ /gm, "").replaceAll(":8025/", `:${daemon.port}/`);
    const input = { ...options, stdin: "secret" };
    const { status, stdout, stderr } = await runProgram("bash", ["-c", `set -o pipefail\n${script}`], input);
    const [, output = printed.trimStart()] = MANUAL_OUTPUTS.find(([command]) => script.includes(command)) ?? [];
    if (output !== "") expect(stdout.toString()).toBe(output);
    expect([0, block.includes("--fail-on") ? 1 : 0], stderr.toString()).toContain(status);
  });

  it("the library example of README prints what its comments say", async () => {
    const [code = ""] = blocksOf(README, "ts");
    const expected = Array.from(code.matchAll(/console\.log\(.*\/\/ (.*)$/gm), (match) => match[1] as string);
    expect(expected.length).toBeGreaterThan(2);
    mkdirSync(join(folder.path, "node_modules"), { recursive: true });
    symlinkSync(ROOT, join(folder.path, "node_modules/addrsift"));
    folder.file("example.mjs", code);
    const { status, stdout, stderr } = await runShell(`'${process.execPath}' example.mjs`, options);
    expect(stderr.toString()).toBe("");
    expect(stdout.toString()).toBe(expected.map((line) => `${line}\n`).join(""));
    expect(status).toBe(0);
  });
});
