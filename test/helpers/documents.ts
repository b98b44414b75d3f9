// Helpers of the tests of documents: reading a file of the project, its fenced blocks, a shell in which examples run.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { COMMAND, type scratch } from "./run.ts";

export const ROOT: string = join(import.meta.dirname, "../..");

/** A file of the project as text. */
export function readProjectFile(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

/** The fenced blocks of one language. */
export function blocksOf(text: string, language: string): string[] {
  return Array.from(
    text.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, "gm")),
    (match) => match[1] as string,
  );
}

/** Whether the program is on this machine. */
export function isInstalled(program: string, option = "--version"): boolean {
  return spawnSync(program, [option]).error === undefined;
}

/**
 * Puts the files that examples speak of into the folder. Returns how to run a shell there, with `addrsift` on its path.
 */
export function prepareExamples(folder: ReturnType<typeof scratch>): { cwd: string; env: Record<string, string> } {
  const bin = join(folder.path, "bin");
  mkdirSync(bin);
  symlinkSync(COMMAND, join(bin, "addrsift"));
  for (const file of ["in.txt", "addresses.txt"]) folder.file(file, "jane@gmail.com\njoe@mailinator.com\n");
  folder.file("customers.csv", "name,e-mail\nJane,jane@gmail.com\n");
  folder.file("users.jsonl", `${JSON.stringify({ id: 1, email: "jane@gmail.com" })}\n`);
  commitSeeds(folder);
  const { PATH = "" } = process.env;
  const env = {
    PATH: `${bin}${delimiter}${PATH}`,
    ADDRSIFT_HOME: join(folder.path, "home"),
    ADDRSIFT_ALLOW_PRIVATE: "127.0.0.0/8",
  };
  return { cwd: folder.path, env };
}

/** The seed file of the pull-request recipes: on main it has a bad line as well, which the branch did not add. */
function commitSeeds(folder: ReturnType<typeof scratch>): void {
  const git = (...args: string[]): void => {
    const identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
    execFileSync("git", [...identity, ...args], { cwd: folder.path, stdio: "ignore" });
  };
  git("init");
  folder.file("seed.txt", "amy@example.org\nold@mailinator.com\n");
  git("add", "seed.txt");
  git("commit", "-m", "base");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  folder.file("seed.txt", "amy@example.org\nold@mailinator.com\njoe@mailinator.com\nbob@example.org\n");
  git("commit", "-am", "branch");
}
