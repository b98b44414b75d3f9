// Tests diffs as git writes them: which lines are added, and which are skipped. Most tests run git.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { scratch } from "../../helpers/run.ts";
import { scanText } from "../../helpers/scan-text.ts";

const files = scratch();
afterAll(files.remove);

/** Runs git in a folder, with no configuration of the user or the system. */
function git(folder: string, ...args: string[]): string {
  const environment = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", GIT_AUTHOR_DATE: "@1 +0000" };
  const config = ["-c", "user.name=A", "-c", "user.email=a@b.example", "-c", "init.defaultBranch=main"];
  const options = { cwd: folder, env: { ...process.env, ...environment }, maxBuffer: 2 ** 28 };
  return execFileSync("git", [...config, ...args], options).toString("latin1");
}
const utf8 = (latin1: string): string => Buffer.from(latin1, "latin1").toString();

const skippedIn = (text: string): string[] => {
  const skipped: string[] = [];
  scanText(text, { diff: true, skipped });
  return skipped;
};

/** Creates a repository with these files, and commits them. */
function createRepository(name: string, content: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = join(files.path, name);
  mkdirSync(folder);
  git(folder, "init", "-q");
  write(folder, content);
  commit(folder);
  return folder;
}

function write(folder: string, content: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, text] of Object.entries(content)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

function commit(folder: string): void {
  git(folder, "add", "-A");
  git(folder, "commit", "-q", "--allow-empty", "-m", "x");
}

describe("a diff", () => {
  it("--diff accepts empty input", () => {
    expect(scanText("", { diff: true })).toEqual([]);
  });

  it("--diff strips git's prefixes, and nothing else, from file names", () => {
    const folder = createRepository("names", {});
    const names = 'plain.txt|a/a.txt|b/b.txt|i/w|q"uote|new\nline|tab\there|ä b|trailing |\x07\v'.split("|");
    write(folder, Object.fromEntries(names.map((name) => [name, "one@example.org\n"])));
    git(folder, "add", "-A");
    const expected = names.map((name) => `${name}:1:1 one@example.org`).sort();
    const diff = (...options: string[]): string[] => {
      const text = utf8(git(folder, "diff", "--cached", ...options));
      return scanText(text, { diff: true }).sort();
    };
    for (const options of [[], ["--no-prefix"], ["--src-prefix=i/", "--dst-prefix=w/"], ["-U0"]]) {
      expect(diff(...options)).toEqual(expected);
    }
    expect(
      scanText(utf8(git(folder, "-c", "core.quotePath=false", "diff", "--cached")), { diff: true }).sort(),
    ).toEqual(expected);
    commit(folder);
    write(folder, Object.fromEntries(names.map((name) => [name, "two@example.org\n"])));
    git(folder, "add", "-A");
    const changed = expected.map((location) => location.replace("one@", "two@"));
    for (const options of [[], ["--no-prefix"]]) expect(diff(...options)).toEqual(changed);
    git(folder, "commit", "-q", "-m", "two");
    git(folder, "mv", "plain.txt", "renamed.txt");
    expect(diff("-M")).toEqual([]);
    expect(diff("--no-renames")).toEqual(["renamed.txt:1:1 two@example.org"]);
  });

  it("--diff reads a combined diff of a merge, for any number of parents", () => {
    const folder = createRepository("merge", { f: "top\nmiddle\nbottom\n", g: "x\n" });
    const branch = (name: string, text: string): void => {
      git(folder, "switch", "-q", "-c", name, "main");
      write(folder, { f: text });
      commit(folder);
    };
    branch("one", "one@example.org\nmiddle\nbottom\n");
    branch("two", "top\nmiddle\ntwo@example.org\n");
    branch("three", "top\nmiddle\nmore\n");
    for (const [parents, name] of [
      [["one", "two"], "m2"],
      [["one", "two", "three"], "m3"],
    ] as const) {
      git(folder, "switch", "-q", "-c", name, "one");
      const trees = parents.flatMap((parent) => ["-p", parent]);
      write(folder, { f: "evil@example.org\nmiddle\nevil2@example.org\nlast", "new.txt": "n@example.org\n" });
      git(folder, "add", "-A");
      const tree = git(folder, "write-tree").trim();
      const merge = git(folder, "commit-tree", "-m", "m", ...trees, tree).trim();
      const expected = ["f:1:1 evil@example.org", "f:3:1 evil2@example.org", "new.txt:1:1 n@example.org"];
      for (const options of [[], ["-c"], ["--cc"], ["-U0"], ["--no-prefix"], ["--cc", "-U9"]]) {
        const text = git(folder, "show", "--format=", ...options, merge);
        expect(text).toContain("@".repeat(1 + parents.length));
        expect(scanText(text, { diff: true })).toEqual(expected);
        expect(skippedIn(text)).toEqual([]);
      }
      git(folder, "reset", "-q", "--hard");
    }
  });

  it("--diff skips files with a NUL byte, and files that git calls binary", () => {
    const folder = createRepository("binary", { ".gitattributes": "*.csv -diff\n*.raw diff\n" });
    write(folder, {
      "a.csv": "a@example.org\n",
      "b.raw": "b@example.org\n\0\nc@example.org\n",
      "c.bin": "\0c@example.org\n",
      "d.txt": "d@example.org\n",
    });
    git(folder, "add", "-A");
    for (const options of [[], ["--binary"], ["--text"]]) {
      const text = git(folder, "diff", "--cached", ...options);
      const found = scanText(text, { diff: true });
      const locations = ["b.raw:1:1 b@example.org", "d.txt:1:1 d@example.org"];
      expect(found).toEqual(options[0] === "--text" ? ["a.csv:1:1 a@example.org", ...locations] : locations);
      const skipped = options[0] === "--text" ? ["binary"] : ["undiffed_binary", "undiffed_binary"];
      expect(skippedIn(text).toSorted()).toEqual(["binary", ...skipped]);
    }
    commit(folder);
    rmSync(join(folder, "a.csv"));
    rmSync(join(folder, "c.bin"));
    git(folder, "add", "-A");
    for (const options of [[], ["--binary"]])
      expect(skippedIn(git(folder, "diff", "--cached", ...options))).toEqual([]);
  });

  it("--diff finds addresses in the authors, committers, trailers and messages of a git log", () => {
    const folder = createRepository("log", { "a.txt": "one\n" });
    write(folder, { "a.txt": "one\nnew@example.org\n", "b b": "x" });
    git(folder, "add", "-A");
    const message = "Fix jane@example.org bug\n\ndiff --git a/x b/x\n@@ -1 +1 @@\n+in@example.org\ncommit 1234567\n\n";
    const trailers = "Co-authored-by: Joe <joe@example.org>\nSigned-off-by: GitHub <noreply@github.com>\n";
    git(folder, "commit", "-q", "--author", "Eve <eve@example.org>", "-m", message + trailers);
    const id = git(folder, "rev-parse", "HEAD").trim();
    const found = (...options: string[]): string[] => {
      const log = git(folder, "log", "-p", ...options);
      const locations = scanText(log, { diff: true });
      return locations.filter((location) => location.startsWith(id)).map((location) => location.slice(id.length + 1));
    };
    const text = ["(message):1:5 jane@example.org", "(message):5:2 in@example.org", "(message):8:22 joe@example.org"];
    const people = ["(author):1:18 eve@example.org", "(committer):1:16 a@b.example"];
    expect(found("--format=fuller")).toEqual([...people, ...text, "a.txt:2:1 new@example.org"]);
    expect(found("--format=fuller", "--stat", "-U0")).toEqual([...people, ...text, "a.txt:2:1 new@example.org"]);
    expect(found()).toEqual(["(author):1:14 eve@example.org", ...text, "a.txt:2:1 new@example.org"]);
    expect(found("--format=raw", "--decorate").length).toBe(6);
    expect(found("--format=fuller", "--no-patch")).toEqual([...people, ...text]);
    expect(skippedIn(git(folder, "log", "-p", "-1"))).toEqual(["no_reply"]);
    expect(skippedIn(git(folder, "log", "-p", "--oneline"))).toEqual(["no_author", "no_author"]);
    const mails = scanText(git(folder, "format-patch", "--stdout", "-1"), { diff: true });
    expect(mails.slice(0, 2)).toEqual([`${id}:(author):1:12 eve@example.org`, `${id}:(message):1:22 jane@example.org`]);
    expect(mails).toContain(`${id}:a.txt:2:1 new@example.org`);
    expect(() => scanText(git(folder, "log", "-p", "--color=always"), { diff: true })).toThrow("the diff is colored");
  });

  it("--diff reads git log output with other options and formats, or reports the parts that it skipped", () => {
    const folder = createRepository("settings", { "a.txt": "one\n" });
    for (const name of ["eve", "joe"]) {
      write(folder, { [`${name}.txt`]: "x\n" });
      git(folder, "add", "-A");
      const message = `by ${name}\n\nCo-authored-by: <co@example.org>`;
      git(folder, "commit", "-q", "--author", `E <${name}@example.org>`, "-m", message);
    }
    const log = (...args: string[]): string => git(folder, ...args.slice(0, -1), "log", "-2", "-p", ...args.slice(-1));
    const countPeople = (text: string): number =>
      scanText(text, { diff: true }).filter((location) => location.includes("@example.org")).length;
    expect(countPeople(log("--cc"))).toBe(4);
    expect(countPeople(log("-c", "core.abbrev=4", "-c", "log.abbrevCommit=true", "--cc"))).toBe(4);
    expect(countPeople(log("--source"))).toBe(4);
    for (const option of ["--left-right", "--cherry-mark", "--boundary"]) {
      expect(countPeople(git(folder, "log", "-p", option, "HEAD~2...HEAD")), option).toBeGreaterThanOrEqual(4);
    }
    expect(() => scanText(log("-z"), { diff: true })).toThrow("without git's option -z");
    for (const format of ["%H%n%an%n%ae", "%ae", "%h%n%ae", "%h %ae"]) {
      const skipped = skippedIn(log(`--format=${format}`));
      expect(skipped.length, format).toBeGreaterThanOrEqual(2);
    }
    expect(skippedIn(`commit ${"a".repeat(40)}\n\n    x\n\nSubmodule sub 1234567..89abcde:\n  > y\n`)).toContain(
      "submodule",
    );
    const mail = `From ${"a".repeat(40)} Mon Sep 17 00:00:00 2001\nFrom: <a@example.org>\n\ndiff --git is great\nBy: <co@example.org>\n---\n`;
    expect(countPeople(mail)).toBe(2);
    expect(countPeople(mail.replace("By:", `From ${"b".repeat(40)} by`))).toBe(2);
  });

  it("--diff names the files that it skips", () => {
    const folder = createRepository("skipped", {});
    write(folder, { "ä b/c.bin": "\0", "d.bin": "\0" });
    git(folder, "add", "-A");
    git(folder, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},module`);
    const namesIn = (...options: string[]): string[] => {
      const names: string[] = [];
      scanText(utf8(git(folder, "diff", "--cached", ...options)), { diff: true, skippedFiles: names });
      return names.sort();
    };
    for (const option of ["--no-color", "--binary", "--text", "--submodule=log"])
      expect(namesIn(option), option).toEqual(["d.bin", "module", "ä b/c.bin"]);
    git(folder, "commit", "-qm", "x");
    write(folder, { "e.bin": "\0\0" });
    git(folder, "add", "e.bin");
    git(folder, "rm", "-q", "d.bin");
    expect([namesIn(), namesIn("--no-prefix")]).toEqual([["e.bin"], []]);
  });

  it("--diff counts submodules, and differing files whose diff is missing", () => {
    const folder = createRepository("around", {});
    git(folder, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},module`);
    expect(skippedIn(git(folder, "diff", "--cached"))).toEqual(["submodule"]);
    expect(skippedIn(git(folder, "diff", "--cached", "--submodule=log"))).toEqual(["submodule"]);
    expect(skippedIn("Only in b: x.txt\nFiles a/x and b/x differ\n")).toEqual(["not_diffed", "not_diffed"]);
    const deletion =
      "diff --git a/x b/x\ndeleted file mode 100644\nBinary files a/x and /dev/null differ\n@@ -0,0 +1 @@\n+a@b.com\n";
    expect(scanText(deletion, { diff: true })).toHaveLength(1);
  });

  it("--diff rejects colored diffs and word diffs", () => {
    const folder = createRepository("colors", { "a.txt": " one two\n", "b.bin": "\0" });
    write(folder, { "a.txt": " one jane@example.org\n", "b.bin": "\0\0" });
    const colorSlots = ["old", "new", "context", "meta", "frag"];
    for (const part of colorSlots) {
      const plain = colorSlots.filter((each) => each !== part).flatMap((each) => ["-c", `color.diff.${each}=normal`]);
      const text = git(folder, ...plain, "-c", `color.diff.${part}=red`, "diff", "--color=always");
      if (!text.includes("\x1b[31m")) continue;
      expect(() => scanText(text, { diff: true }), part).toThrow(
        "the diff is colored: make it with git diff --no-color",
      );
    }
    for (const words of ["plain", "porcelain"]) {
      const text = git(folder, "diff", `--word-diff=${words}`);
      expect(() => scanText(text, { diff: true })).toThrow(
        'not a unified diff near line 1 of "a.txt": give the output of git diff without --word-diff, --graph or --line-prefix, or',
      );
    }
    expect(() => scanText(git(folder, "diff", "--stat"), { diff: true })).toThrow("the input is not a unified diff");
  });
});
