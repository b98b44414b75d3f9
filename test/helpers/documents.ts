// Helpers for tests of the documents: read a file, extract its fenced blocks, and prepare a folder for its examples.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { COMMAND, type scratch } from "./run.ts";

export const ROOT: string = join(import.meta.dirname, "../..");

/** Returns the text of a file of the project. */
export function readProjectFile(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

/** Returns the contents of all fenced blocks in a language. */
export function blocksOf(text: string, language: string): string[] {
  return Array.from(
    text.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, "gm")),
    (match) => match[1] as string,
  );
}

/** Reports whether a program can be started. */
export function isInstalled(program: string, option = "--version"): boolean {
  return spawnSync(program, [option]).error === undefined;
}

/**
 * Creates the files that the examples use. Returns the working directory and environment for a shell with `addrsift` on
 * its path.
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

/** Commits the file of the pull-request examples. Its bad line on main must not be reported. */
function commitSeeds(folder: ReturnType<typeof scratch>): void {
  const git = (...args: string[]): void => {
    const identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
    execFileSync("git", [...identity, ...args], { cwd: folder.path, stdio: "ignore" });
  };
  git("init");
  // Git calls all files binary, as it does where a repository says so: the examples must ask for text.
  folder.file(".git/info/attributes", "* -diff\n");
  folder.file("seed.txt", "amy@example.org\nold@mailinator.com\n");
  git("add", "seed.txt");
  git("commit", "-m", "base");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  folder.file("seed.txt", "amy@example.org\nold@mailinator.com\njoe@mailinator.com\nbob@example.org\n");
  git("commit", "-am", "branch");
}
