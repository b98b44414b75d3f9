// Tests a terminal session in util-linux `script`: colored tables, an automatic summary, and no reading from the
// keyboard.

import { spawnSync } from "node:child_process";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { fileScratch, type RunInput, run, runShell, shellCommand } from "../helpers/run.ts";

const version = spawnSync("script", ["--version"], { encoding: "utf8" });
const hasScript = version.status === 0 && version.stdout.includes("util-linux");

const files = fileScratch();

interface TerminalInput {
  readonly columns?: number;
  /** A shell command whose output is the standard input. */
  readonly piped?: string;
  /** Shell redirection that provides what the user types. */
  readonly typed?: string;
  /** A file that receives a copy of the terminal's output immediately. */
  readonly screen?: string;
}

/** Runs `addrsift ARGUMENTS` in a terminal of that width. Returns the output and the exit status. */
async function runInTerminal(
  args: string,
  { columns = 160, piped = "", typed = "< /dev/null", screen = "/dev/null", ...input }: RunInput & TerminalInput = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const command = `stty cols ${columns}; ${piped === "" ? "exec" : `${piped} |`} ${shellCommand()} ${args}`.replaceAll(
    "'",
    "'\\''",
  );
  const env = { TERM: "xterm-256color", ...input.env };
  const { status, stdout } = await runShell(`script -qfec '${command}' ${screen} ${typed}`, { ...input, env });
  return { status, text: stdout.toString().replaceAll("\r\n", "\n") };
}

const COLOR = /\x1b\[[0-9;]*m/;
const stripColors = (text: string): string => text.replace(new RegExp(COLOR, "g"), "");

const MIXED = "info+x@mailinator.com ada@duck.com ada@gmail.com ada@example.org ada@";

it.each([40, 60, 80, 120, 200])("no line is wider than a terminal of %i columns", async (columns) => {
  const home = ["--home", `${files.path}/home-${columns}`];
  const mixed = MIXED.split(" ");
  const wide = ['"田中太郎田中太郎田中太郎田中太郎@例え例え例え例え例え例え.jp"', '"名前👍🏽@example.org"'];
  const scopes = ["--scopes", "emails:detect,notifications:create"];
  await run(["keys", "create", ...home, "--name", "a name of several words", ...scopes]);
  for (const args of [
    ["detect", ...mixed, ...wide],
    ["detect", "--explain", ...mixed, ...wide],
    ["keys", "list", ...home],
    ["lists", "lookup", "mailinator.com"],
    ["lists", "status"],
  ]) {
    const { status, stdout } = await run(args, { columns });
    expect(status).toBe(0);
    for (const line of stripColors(stdout.toString()).split("\n"))
      expect(stringWidth(line), line).toBeLessThanOrEqual(columns);
  }
});

describe.skipIf(!hasScript)("at a terminal (needs util-linux script)", { concurrent: true }, () => {
  it("in a terminal, detect prints addresses from arguments as a colored table", async () => {
    const { status, text } = await runInTerminal(`detect ${MIXED}`);
    expect(status).toBe(0);
    expect(text).toMatch(COLOR);
    const plain = stripColors(text);
    expect(plain).toMatch(/^ADDRESS +VERDICT +WHY\n/);
    expect(plain).toMatch(/^info\+x@mailinator\.com +disposable, role, subaddressed +info@/m);
    expect(plain).toMatch(/^→ info@mailinator\.com +mailinator\.com/m);
    expect(plain).toMatch(/^ada@duck\.com +relay duckduckgo +duck\.com/m);
    expect(plain).toMatch(/^ada@ +invalid/m);
  });

  it.each([
    ["--no-color before the command", "--no-color detect", {}, false],
    ["NO_COLOR", "detect", { NO_COLOR: "1" }, false],
    ["an empty NO_COLOR", "detect", { NO_COLOR: "" }, true],
    ["a dumb terminal", "detect", { TERM: "dumb" }, false],
  ])('in a terminal, %s: "%s" with environment %j: color is %s', async (_, args, env, hasColor) => {
    const { status, text } = await runInTerminal(`${args} ${MIXED}`, { env });
    expect(status).toBe(0);
    expect(stripColors(text)).toMatch(/^ADDRESS +VERDICT/);
    expect(text.includes("\x1b")).toBe(hasColor);
  });
});

describe.skipIf(!hasScript)("a terminal session (needs util-linux script)", { concurrent: true }, () => {
  it("in a terminal, --json and --format csv print data instead of a table, and --fail-on sets the exit status", async () => {
    const json = await runInTerminal("detect --json --fail-on relay --quiet ada@duck.com");
    expect([json.status, JSON.parse(json.text)]).toMatchObject([1, { email: "ada@duck.com" }]);
    expect((await runInTerminal("detect -fcsv ada@duck.com")).text).toMatch(/^email,.*\nada@duck\.com,true,.*\n$/);
  });

  it("in a terminal, the progress line is erased before other messages", async () => {
    // Rows are sent until the line is on the screen, however slow the machine is.
    const screen = files.file("screen", "");
    const rows = `until grep -q 0.0.MB ${screen}; do echo ada@duck.com; sleep 0.3; done`;
    const piped = `{ ${rows}; printf '\\377@duck.com\\n'; }`;
    const { text } = await runInTerminal("detect > /dev/null", { piped, screen });
    expect(text).toMatch(/\x1b\[Kaddrsift: \d+ rows?, \d+ rows?\/s, 0\.0 MB/);
    expect(text).toMatch(/MB\r\x1b\[Kaddrsift: 1 address not in UTF-8, [^\n]+\naddrsift: \d+ rows\n/);
  });

  it("in a terminal, there are no counts after the reader of the output has closed it", async () => {
    const rows = files.file("many.txt", "ada@duck.com\n".repeat(40_000));
    const { text } = await runInTerminal(`detect --summary -i '${rows}' | head -n 1`);
    expect(text).toContain('{"email":"ada@duck.com"');
    expect(text).not.toMatch(/rows (?:in|at)|relay {2}/);
  });

  it("in a terminal, no progress line is shown while rows are printed or typed", async () => {
    // Progress is shown after 250 ms.
    const slowRows = "{ echo ada@duck.com; sleep 0.8; echo cy@duck.com; }";
    const output = await runInTerminal("detect", { piped: slowRows });
    const [rows = "", summary] = output.text.split("addrsift: 2 rows");
    expect([rows, summary]).toEqual([expect.stringContaining('{"email":"cy@duck.com"'), expect.any(String)]);
    expect(rows).not.toMatch(/rows?\/s/);
    const typed = `< ${files.file("typed", "ada@duck.com\n")}`;
    expect((await runInTerminal("detect --input - > /dev/null", { typed })).text).not.toContain("\x1b[K");
  });

  it("in a terminal of 50 columns, long lines of the summary wrap between words", async () => {
    const rows = ["mailinator.com", "yopmail.com", "guerrillamail.com", "10minutemail.com"].map((name) => `a@${name}`);
    const path = files.file("summary.txt", `${rows.join("\n")}\n`);
    const { text } = await runInTerminal(`detect --summary -i '${path}' > /dev/null`, { columns: 50 });
    expect(text).toContain(
      "  top disposable domains: 10minutemail.com (1),\n    guerrillamail.com (1), mailinator.com (1),\n    yopmail.com (1)\n",
    );
  });

  it("in a terminal, a file is printed as NDJSON, and as a table with --format table", async () => {
    const path = files.file("in.txt", "ada@duck.com\n\n");
    const table = /^ADDRESS +VERDICT +WHY\nada@duck\.com +relay duckduckgo +duck\.com \(exact\)\n +blank\n/;
    const rows = /^\{"email":"ada@duck\.com",.*\}\n\{"email":"",.*\}\n/;
    const sessions = await Promise.all(
      [`detect -i '${path}'`, `detect < '${path}'`, `detect -f table -i '${path}'`, `detect -f table < '${path}'`].map(
        (args) => runInTerminal(`--no-color ${args}`),
      ),
    );
    for (const [index, { text }] of sessions.entries()) {
      expect(text).toMatch(index < 2 ? rows : table);
      expect(text).toMatch(/\naddrsift: 2 rows\n/);
    }
  });

  it("in a terminal, detect without addresses is an error, and standard input is not read", async () => {
    const { status, text } = await runInTerminal("detect");
    expect(status).toBe(2);
    expect(text).toMatch(/^addrsift: no addresses given: [^\n]*--input[^\n]*\n$/);
  });

  it("in a terminal, channels create rejects a secret from standard input", async () => {
    const home = `${files.path}/home`;
    const config = "--config url=https://hooks.example.com/in --config secret=@-";
    const { status, text } = await runInTerminal(`channels create --home ${home} --name ops --type webhook ${config}`);
    expect(status).toBe(2);
    expect(text).toMatch(/^addrsift: standard input is a terminal, [^\n]+: pipe it in, or give a file as @FILE\n$/);
  });

  it("in a terminal, the daemon's log is text, not JSON", async () => {
    const screen = files.file("log", "");
    const listening = `until grep -q listening ${screen}; do sleep 0.1; done`;
    const { text } = await runInTerminal(
      `serve --home ${files.path}/home --port 0 --dns off & ${listening}; kill $!; wait $!`,
      { screen },
    );
    expect(text).toMatch(
      /^\d\d:\d\d:\d\d info {2}listening on http:[^\n]*\n(?:[^{\n]+\n)*\d\d:\d\d:\d\d info {2}stopped\n$/,
    );
  });

  it("in a terminal, control characters in addresses are escaped", async () => {
    const { text } = await runInTerminal(
      `detect "$(printf '\\033[5m\\007\\302\\233')@example.org" "$(printf 'a\\342\\200\\256')@b"`,
    );
    expect(stripColors(text)).not.toMatch(/[\x1b\x07\u009b\u202e]/);
    expect(stripColors(text)).toContain("\\u{1b}[5m\\u{7}\\u{9b}@example.org");
  });
});
