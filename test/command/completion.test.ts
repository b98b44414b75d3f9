// Tests the completion scripts in real shells: each shell completes a command line, and the candidates are compared.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { COMMANDS, SHELLS } from "../../src/cli/options/commands.ts";
import { UPDATABLE_KEYS } from "../../src/curation/sources.ts";
import { ROW_CLASS } from "../../src/detection/classes.ts";
import { ROOT } from "../helpers/documents.ts";
import { cleanEnvironment, expectRefused, fileScratch, outputOf } from "../helpers/run.ts";

type Shell = (typeof SHELLS)[number];

const folder = fileScratch();
const environment = cleanEnvironment({
  HOME: folder.path,
  TERM: "dumb",
  INPUTRC: "/dev/null",
  // The scripts run the command.
  PATH: `${folder.path}/bin:${process.env["PATH"]}`,
});
const isInstalled = (shell: string): boolean => spawnSync(shell, ["--version"]).error === undefined;

beforeAll(async () => {
  for (const shell of SHELLS) {
    folder.file(`script.${shell}`, await outputOf(`completion ${shell}`));
  }
  for (const name of ["in.txt", "in.csv", "other.txt"]) folder.file(name, "");
  mkdirSync(join(folder.path, "infolder"));
  mkdirSync(join(folder.path, "bin"));
  folder.file("bin/addrsift", `#!/bin/sh\nexec "${process.execPath}" "${ROOT}/bin/addrsift.cjs" "$@"\n`);
  chmodSync(join(folder.path, "bin/addrsift"), 0o755);
});

/** Returns the words that a shell offers for a line with the cursor at its end; for `--option=VALUE` the values. */
const CANDIDATES: Readonly<Record<Shell, (line: string) => string[]>> = {
  /** Readline's insert-completions puts all candidates into the line, and the fake command prints its arguments. */
  bash: (line) => {
    const printArguments = 'if [[ $3 == -- ]]; then command addrsift "$@"; else printf \'<%s>\\n\' "$@"; fi';
    const setUp = `PS1=; source ./script.bash; addrsift() { ${printArguments}; }`;
    const output = runShell("bash", ["--norc", "--noprofile", "-i"], `${setUp}\n${line}\x1b*\nexit\n`);
    const words = Array.from(output.matchAll(/^<(.*)>$/gm), ([, word = ""]) => word);
    const typedWords = line.split(" ");
    // Without candidates the word stays as it was typed.
    return words.slice(typedWords.length - 2).filter((word) => word !== typedWords.at(-1));
  },
  /** Runs zsh in a pseudo-terminal, where a replaced `compadd` writes the candidates to a file. */
  zsh: (line) => {
    const file = join(folder.path, "found.txt");
    rmSync(file, { force: true });
    folder.file("setup.zsh", ZSH_SETUP);
    folder.file("terminal.zsh", ZSH_TERMINAL);
    runShell("zsh", ["-f", "terminal.zsh", line], "");
    const lines = readFileSync(file, "utf8").split("\n");
    expect(lines).toContain("done");
    return lines.flatMap((text) => /^<(.*)>$/.exec(text)?.[1] ?? []);
  },
  fish: (line) => {
    const output = runShell("fish", ["--no-config", "-c", `source script.fish; complete -C '${line}'`], "");
    return output.split("\n").flatMap((text) => (text === "" ? [] : [text.split("\t", 1)[0] as string]));
  },
};

const ZSH_SETUP = `PS1=
autoload -Uz compinit
compinit -u -D
source ./script.zsh
compadd() {
  local -a hits
  [[ "$*" == *-[OAD]\\ * ]] || builtin compadd -A hits "$@"
  for hit in $hits; do print -r -- "<$IPREFIX$hit>" >> found.txt; done
  builtin compadd "$@"
}
complete-and-report() { zle complete-word; print done >> found.txt }
zle -N complete-and-report
bindkey '^G' complete-and-report
print ready >> found.txt
`;

const ZSH_TERMINAL = `zmodload zsh/zpty
await() {
  for i in {1..1000}; do
    [[ -f found.txt ]] && grep -q $1 found.txt && return
    zpty -r -t z output
    sleep 0.1
  done
}
zpty z zsh -f -i
zpty -w z "source ./setup.zsh"
await ready
zpty -w -n z "$1"$'\\a'
await done
zpty -d z
`;

function runShell(shell: string, args: readonly string[], input: string): string {
  return spawnSync(shell, args, { cwd: folder.path, env: environment, input, encoding: "utf8", timeout: 120_000 })
    .stdout;
}

const firstWords = [...new Set(COMMANDS.map(({ name }) => name.split(" ")[0] as string)), "help"];
const listsWords = COMMANDS.flatMap(({ name }) => (name.startsWith("lists ") ? [name.slice("lists ".length)] : []));
const detect = COMMANDS.find(({ name }) => name === "detect")?.options ?? [];
const formats = detect.find(({ name }) => name === "format")?.choices ?? [];
const classes = Object.keys(ROW_CLASS);

/** Lines with their candidates; for paths, their kind. */
const LINES: readonly (readonly [line: string, candidates: readonly string[] | "files" | "folders"])[] = [
  ["addrsift ", firstWords],
  ["addrsift lists ", listsWords],
  ["addrsift help lists lo", ["lookup"]],
  ["addrsift completion ", SHELLS],
  ["addrsift detect --form", ["--format"]],
  ["addrsift --home /tmp detect --form", ["--format"]],
  ["addrsift lists status --form", []],
  ["addrsift lists status --qui", ["--quiet"]],
  ["addrsift detect --format=", formats.map((format) => `--format=${format}`)],
  ["addrsift detect -f t", formats.filter((format) => format.startsWith("t"))],
  ["addrsift detect --select ", classes],
  ["addrsift detect --select relay,", classes.filter((name) => name !== "relay").map((name) => `relay,${name}`)],
  ["addrsift keys create --scopes emails:de", ["emails:detect"]],
  ["addrsift lists update --source ", UPDATABLE_KEYS.map((key) => `${key}=`)],
  ["addrsift serve --source=D", ["--source=D="]],
  ["addrsift detect --input in", "files"],
  ["addrsift --home in", "folders"],
  ["addrsift detect in", "files"],
  ["addrsift detect --scan --quiet in.csv oth", "files"],
  ["addrsift detect -- --form", "files"],
  ["addrsift detect --summary-file oth", "files"],
  ["addrsift lists status in", []],
  ["addrsift lists status > in", "files"],
];

/** Returns the kind of candidates and the words that the command prints for a line. */
async function candidatesOf(line: string): Promise<{ readonly kind: string; readonly words: string[] }> {
  const [kind = "", ...lines] = (await outputOf(`completion bash -- ${line}`)).trimEnd().split("\n");
  return { kind, words: lines.map((text) => text.split("\t", 1)[0] as string) };
}

it.each(LINES)('completion of "%s" offers the expected candidates', async (line, candidates) => {
  const { kind, words } = await candidatesOf(line.slice("addrsift ".length));
  if (typeof candidates === "string") expect([kind, words]).toEqual([candidates, []]);
  else expect(words).toEqual(candidates);
});

const IN_SHELLS: readonly (readonly [line: string, candidates: readonly string[]])[] = [
  ["addrsift lists lo", ["lookup"]],
  ["addrsift detect --format=", formats],
  ["addrsift keys create --scopes emails:detect,notifications:t", ["emails:detect,notifications:test"]],
  ["addrsift serve --source D", ["D="]],
  ["addrsift --home in", ["infolder"]],
  ["addrsift detect --csv in.", ["in.csv", "in.txt"]],
  ["addrsift detect --allow-file=oth", ["other.txt"]],
  ["addrsift lists status in", []],
];

describe.each(SHELLS)("completion in %s", (shell) => {
  it.skipIf(!isInstalled(shell)).each(IN_SHELLS)(`${shell} completes "%s" (needs ${shell})`, (line, candidates) => {
    // fish appends a slash to folders; zsh offers the whole word for a list.
    const words = CANDIDATES[shell](line).map((word) => word.replace(/^--[a-z-]+=/, "").replace(/\/$/, ""));
    expect(new Set(words)).toEqual(new Set(candidates));
  });
});

it.skipIf(!isInstalled("fish")).each([
  ["addrsift detect --csv $FOLDER/in.c", "$FOLDER/in.csv"],
  ["addrsift detect --csv ./in.c", "./in.csv"],
  ["addrsift detect --csv ~/.confi", "~/.config/"],
  ['addrsift detect --csv "with bl', "with blank.csv"],
  ["addrsift detect --csv with\\ bl", "with blank.csv"],
])("fish completes paths: %s (needs fish)", (line, path) => {
  folder.file("with blank.csv", "");
  mkdirSync(join(folder.path, ".config"), { recursive: true });
  const set = `set -x FOLDER ${folder.path}; set -x HOME ${folder.path}; cd ${folder.path}`;
  folder.file("line.txt", line);
  const script = `source script.fish; ${set}; complete -C (cat line.txt | string collect)`;
  expect(runShell("fish", ["--no-config", "-c", script], "").split("\n")).toContain(path);
});

it.skipIf(!isInstalled("bash"))("bash completes files after a redirection (needs bash)", () => {
  const command = '[[ $3 == -- ]] && command addrsift "$@" || readlink /proc/self/fd/0';
  const input = `PS1=; source ./script.bash; addrsift() { ${command}; }\naddrsift detect < oth\t\nexit\n`;
  expect(runShell("bash", ["--norc", "--noprofile", "-i"], input)).toContain("other.txt");
});

it("completion rejects an unknown shell", async () => {
  await expectRefused("completion tcsh", "addrsift: unknown shell 'tcsh': use bash, zsh or fish\n");
});

it("completion candidates without a description have no separator, which zsh would show as --", async () => {
  expect(await outputOf("completion zsh -- completion ''".split(" ").map((word) => word.replace("''", "")))).toBe(
    "words\nbash\nzsh\nfish\n",
  );
});

it("every subcommand of lists has a description of its own in completion", async () => {
  const candidates = (await outputOf(["completion", "fish", "--", "lists", ""])).trim().split("\n").slice(1);
  const descriptions = candidates.map((candidate) => candidate.split("\t")[1]);
  expect(descriptions).toEqual([...new Set(descriptions)]);
  expect(descriptions).toContain("deny a domain and its subdomains, or one address");
});

it("completion describes an option by the first clause of its help, with the option that it needs", async () => {
  expect((await outputOf(["completion", "zsh", "--", "detect", "--redact"])).split("\n")[1]).toBe(
    "--redact\twith --format lint or github: hide addresses in messages and file names, as sarif does",
  );
});

it.each(COMMANDS)("completion of $name has every option with its description", async ({ name, options }) => {
  const lines = (await outputOf(`completion bash -- ${name} --`)).split("\n");
  expect(lines[0]).toBe("words");
  for (const option of options) expect(lines.some((line) => line.startsWith(`--${option.name}\t`))).toBe(true);
});
