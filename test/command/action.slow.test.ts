// Tests the steps of action.yml as a runner runs them: install the package, then check a change and files.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunResult, runProgram, scratch } from "../helpers/run.ts";

const ROOT = join(import.meta.dirname, "../..");
const TEXT = readFileSync(join(ROOT, "action.yml"), "utf8");
/** The scripts of the steps, without their indent. */
const [INSTALL = "", CHECK = ""] = Array.from(TEXT.matchAll(/^ {6}run: \|\n((?: {8}.*\n|\n)+)/gm), ([, script = ""]) =>
  script.replace(/^ {8}/gm, ""),
);
const files = scratch();
const cwd = join(files.path, "repository");

const step = (script: string, env: Readonly<Record<string, string>>, folder = cwd): Promise<RunResult> =>
  runProgram("bash", ["-eo", "pipefail", "-c", script], { cwd: folder, env: { RUNNER_TEMP: files.path, ...env } });
const runCheck = (env: Readonly<Record<string, string>>, folder = cwd): Promise<RunResult> =>
  step(CHECK, { BASE: "", COMMITS: "true", FILES: ".", FAIL_ON: "unreserved", REDACT: "", SARIF: "", ...env }, folder);

beforeAll(async () => {
  const pack = ["pack", "--silent", "--ignore-scripts", "--pack-destination", files.path];
  const packed = await runProgram("npm", pack, { cwd: ROOT });
  const git = `git init -q -b main repository && cd repository && git config user.email a@b.example && git config user.name A
    echo old@gmail.com > old.txt && git add . && git commit -qm one && git switch -qc change
    printf 'one\nnew@gmail.com\n' > 'new file.txt' && git add . && git commit -qm two`;
  expect(await runProgram("bash", ["-ec", git], { cwd: files.path })).toMatchObject({ status: 0 });
  const installed = await step(INSTALL, {
    VERSION: join(files.path, packed.stdout.toString().trim()),
    npm_config_offline: "true",
  });
  expect(installed).toMatchObject({ status: 0 });
});
afterAll(() => files.remove());

describe("the action", () => {
  it("action.yml annotates the addresses that a change adds, and fails", async () => {
    const { status, stdout } = await runCheck({ BASE: "main" });
    expect([status, stdout.toString().match(/^::\w+ file=.*?line=\d+/gm)]).toEqual([
      1,
      ["::error file=new file.txt,line=2"],
    ]);
  });

  it("without a base, action.yml checks all files; it passes if no address is in the fail-on classes", async () => {
    const all = await runCheck({});
    expect([all.status, all.stdout.toString().match(/^::\w+ file=[^,]*/gm)]).toEqual([
      1,
      ["::error file=new file.txt", "::error file=old.txt"],
    ]);
    expect(await runCheck({ FAIL_ON: "disposable" })).toMatchObject({ status: 0 });
    expect(await runCheck({ ALLOW_FILE: files.file("allow", "@gmail.com\n") })).toMatchObject({ status: 0 });
    for (const [ALLOW_FILE, error] of [
      ["gone", /^::error title=addrsift::allow-file: there is no file gone: create it \(touch gone\), and commit it$/m],
      [files.file("wrong", "*@gmail.com\n"), /^::error title=addrsift::.*line 1 of --allow-file /m],
    ] as const) {
      const { status, stderr } = await runCheck({ ALLOW_FILE });
      expect([status, stderr.toString()]).toEqual([2, expect.stringMatching(error)]);
    }
  });

  it("with redact, action.yml annotates the lines without the addresses", async () => {
    const { status, stdout } = await runCheck({ BASE: "main", REDACT: "True" });
    expect([status, stdout.toString()]).toEqual([
      1,
      expect.stringMatching(/^::error file=new file\.txt,line=2,[^@]*$/),
    ]);
  });

  it("action.yml writes SARIF for files and for a pull request, and exits with an error", async () => {
    const filesIn = (name: string): string[] => {
      const { runs } = JSON.parse(readFileSync(join(cwd, name), "utf8")) as {
        runs: [{ results: { locations: [{ physicalLocation: { artifactLocation: { uri: string } } }] }[] }];
      };
      return runs[0].results.map(({ locations: [{ physicalLocation }] }) => physicalLocation.artifactLocation.uri);
    };
    for (const [env, expectedFiles] of [
      [{}, ["new%20file.txt", "old.txt"]],
      [{ BASE: "main", COMMITS: "false" }, ["new%20file.txt"]],
    ] as const) {
      const { status, stdout } = await runCheck({ ...env, SARIF: "addresses.sarif" });
      expect([status, stdout.toString(), filesIn("addresses.sarif")]).toEqual([1, "", expectedFiles]);
    }
    rmSync(join(cwd, "addresses.sarif"));
    for (const COMMITS of ["true", "false"]) {
      expect(await runCheck({ BASE: "gone", COMMITS, SARIF: "addresses.sarif" })).toMatchObject({
        status: 2,
        stderr: expect.toSatisfy((text: Buffer) =>
          text.includes("::error title=addrsift::HEAD and gone have no common"),
        ),
      });
      expect(existsSync(join(cwd, "addresses.sarif"))).toBe(false);
    }
  });

  it("action.yml accepts true and false in any letter case for its input `commits`, and rejects other values", async () => {
    const script = "git switch -qc author && git commit -q --allow-empty --author 'Eve <eve@gmail.com>' -m three";
    expect(await runProgram("bash", ["-ec", script], { cwd })).toMatchObject({ status: 0 });
    const check = async (COMMITS: string): Promise<unknown[]> => {
      const { status, stderr } = await runCheck({ BASE: "change", COMMITS });
      return [status, stderr.toString().match(/^::error .*/m)?.[0]];
    };
    expect(await check("TRUE")).toEqual([1, undefined]);
    expect(await check("False")).toEqual([0, undefined]);
    expect(await check("yes")).toEqual([2, "::error title=addrsift::commits is yes: set it to true or false"]);
    await runProgram("git", ["switch", "-q", "change"], { cwd });
  });

  it("action.yml names fetch-depth in a shallow clone, and warns if the base has all commits of HEAD", async () => {
    const script = `git clone -q --depth 1 --no-single-branch "file://$PWD" ../shallow && cd ../shallow
      git switch -q change && ! git merge-base origin/main HEAD`;
    expect(await runProgram("bash", ["-ec", script], { cwd })).toMatchObject({ status: 0 });
    const shallow = await runCheck({ BASE: "origin/main", COMMITS: "false" }, join(files.path, "shallow"));
    expect([shallow.status, shallow.stdout.toString(), shallow.stderr.toString()]).toEqual([
      2,
      "",
      expect.stringMatching(/^::error .*fetch-depth: 0/),
    ]);
    const merged = await runCheck({ BASE: "change" });
    expect([merged.status, merged.stderr.toString()]).toEqual([
      0,
      expect.stringMatching(/^::warning .*base \(change\) has all commits of HEAD/),
    ]);
  });

  it("the example for GitLab prints findings and writes a code quality report without addresses", async () => {
    const example = readFileSync(join(ROOT, "man/examples/gitlab-ci.yml"), "utf8");
    const block = /^ {2}script:\n([\s\S]*?)^ {2}artifacts:/m.exec(example)?.[1] ?? "";
    const commands = block.replace(/^ {4}- (?:\|\n)?/gm, "").replace("npm install --global", ": ");
    writeFileSync(join(cwd, ".addresses"), "");
    const env = { ADDRSIFT: "", BASE: "main", PATH: `${join(files.path, "addrsift/bin")}:${process.env["PATH"]}` };
    const { status, stdout } = await runProgram("bash", ["-eo", "pipefail", "-c", commands], { cwd, env });
    expect([status, stdout.toString()]).toEqual([
      1,
      expect.stringMatching(/^new file\.txt:2:1: new@gmail\.com may be /),
    ]);
    const report = readFileSync(join(cwd, "addresses.json"), "utf8");
    expect(JSON.parse(report)).toEqual([
      {
        check_name: "unreserved",
        description: expect.stringMatching(/^The address may be a real person's: use /),
        severity: "major",
        fingerprint: "unreserved:new%20file.txt:1",
        location: { path: "new file.txt", lines: { begin: 2 } },
      },
    ]);
    expect(report).not.toContain("@");
    for (const name of ["addresses.json", ".addresses"]) rmSync(join(cwd, name));
  });

  it("action.yml checks only files that match the pathspecs of its input `files`", async () => {
    const git = (script: string): Promise<RunResult> => runProgram("bash", ["-ec", script], { cwd });
    await git("git switch -qc paths main && mkdir a b && echo a@gmail.com > a/x.ts && echo b@gmail.com > b/x.ts");
    await git("git add . && git commit -qm x && git commit -q --allow-empty --author 'Eve <eve@gmail.com>' -m y");
    const filesOf = async (env: Readonly<Record<string, string>>): Promise<unknown> => {
      const { stdout } = await runCheck(env);
      const text = env["SARIF"] === undefined ? stdout.toString() : readFileSync(join(cwd, env["SARIF"]), "utf8");
      return text.match(/(?<=file=|"uri":")[^,"]*/g);
    };
    for (const FILES of ["a", ":!b :!old.txt", "*/x.ts :!b"]) {
      expect(await filesOf({ FILES })).toEqual(["a/x.ts"]);
      for (const SARIF of ["new/folder/out.sarif", "-o.sarif"])
        expect(await filesOf({ FILES, SARIF })).toEqual(["a/x.ts"]);
      expect(await filesOf({ FILES, BASE: "main", COMMITS: "false" })).toEqual(["a/x.ts"]);
      expect(await filesOf({ FILES, BASE: "main" })).toEqual(["a/x.ts", "(author)"]);
    }
    for (const env of [{}, { SARIF: "out.sarif" }, { BASE: "main" }, { BASE: "main", COMMITS: "false" }]) {
      for (const [FILES, problem] of [
        ["a no-such-file", "pathspec 'no-such-file' did not match any file"],
        ["../z", "../z: '../z' is outside repository"],
      ] as const) {
        const { status, stderr } = await runCheck({ ...env, FILES });
        const error = new RegExp(`^::error title=addrsift::files: ${problem}.*: correct it`);
        expect([status, stderr.toString()]).toEqual([2, expect.stringMatching(error)]);
      }
    }
    await git("rm -r new ./-o.sarif && git switch -q change");
  });

  it("the example for code scanning passes an allow file, whose addresses are not reported", async () => {
    const example = readFileSync(join(ROOT, "man/examples/github-code-scanning.yml"), "utf8");
    const [, SARIF = "", ALLOW_FILE = ""] = /base: "", sarif: (\S+), allow-file: (\S+) /.exec(example) ?? [];
    writeFileSync(join(cwd, ALLOW_FILE), "old@gmail.com\n");
    const { status } = await runCheck({ SARIF, ALLOW_FILE });
    const uris = readFileSync(join(cwd, SARIF), "utf8").match(/(?<="uri":")[^"]*/g);
    expect([status, uris]).toEqual([1, ["new%20file.txt"]]);
    expect(example).toMatch(/- continue-on-error: true\n\s+uses: [\w-]+\/addrsift/);
    rmSync(join(cwd, ALLOW_FILE));
    rmSync(join(cwd, SARIF));
  });

  it("action.yml does not read file names as options, and checks files with the attribute -diff", async () => {
    const names = ["-h", "--allow-file=allow", "--report=report.html", "a\nb", `q'"`];
    for (const name of [...names, "hidden.csv"]) writeFileSync(join(cwd, name), "joe@gmail.com\n");
    writeFileSync(join(cwd, "allow"), "joe@gmail.com\nnew@gmail.com\nold@gmail.com\n");
    const git = (script: string): Promise<RunResult> => runProgram("bash", ["-ec", script], { cwd });
    await git(`echo '*.csv -diff' > .gitattributes && ln -s . alink && git add -A && git commit -qm names`);
    for (const [env, errorCount] of [
      [{ BASE: "main" }, 10],
      [{ BASE: "main", COMMITS: "false" }, 10],
      [{}, 11],
    ] as const) {
      const { status, stdout } = await runCheck(env);
      expect([status, stdout.toString().match(/^::error file=/gm)?.length]).toEqual([1, errorCount]);
    }
    await git("git rm -qrf . && git reset -q --hard HEAD~1");
  });

  it("action.yml checks the commits of a change, unless commits is false", async () => {
    const git = (script: string): Promise<RunResult> => runProgram("bash", ["-ec", script], { cwd });
    await git("git switch -qc people main && echo in@gmail.com > x && git add x && git commit -qm x");
    await git("git rm -q x && git commit -q --author 'Eve <eve@gmail.com>' -m y -m 'Reviewed-by: B <b@gmail.com>'");
    const files = (result: RunResult): unknown => [result.status, result.stdout.toString().match(/file=[^,]*/g)];
    expect(files(await runCheck({ BASE: "main" }))).toEqual([1, ["file=x", "file=(author)", "file=(message)"]]);
    expect(files(await runCheck({ BASE: "main", COMMITS: "false" }))).toEqual([0, null]);
    // A commit has the address that its author used, whatever .mailmap makes of it.
    const mailmap = "Jane <jane.roe@gmail.com> <1+jane@users.noreply.github.com>";
    await git(`git switch -qc mapped main && echo '${mailmap}' > .mailmap`);
    await git("git commit -q --allow-empty --author 'Jane <1+jane@users.noreply.github.com>' -m z");
    expect(files(await runCheck({ BASE: "main" }))).toEqual([0, null]);
    await git("rm .mailmap; git switch -q change");
  });

  it("action.yml declares every input that its scripts use, and scripts contain no expressions", () => {
    const inputs = Array.from(TEXT.matchAll(/^ {2}([\w-]+):\n {4}description:/gm), ([, name]) => name);
    expect(new Set(Array.from(TEXT.matchAll(/inputs\.([\w-]+)/g), ([, name]) => name))).toEqual(new Set(inputs));
    expect(INSTALL + CHECK).not.toContain("${{");
  });
});
