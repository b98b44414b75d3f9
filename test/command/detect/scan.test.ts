// Tests `--scan` of files, folders, diffs and commits. test/unit/bulk/rows/scan.test.ts tests which addresses it finds.

import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  COMMAND,
  expectOneLine,
  expectRefused,
  fileScratch,
  linesOf,
  objectsOf,
  type RunResult,
  run,
  runIn,
  runProcess,
  runProgram,
  runShell,
  shellCommand,
  start,
} from "../../helpers/run.ts";

const ROOT = join(import.meta.dirname, "../../..");
const files = fileScratch();
const scan = (...args: string[]): Promise<RunResult> => runIn(files.path, ["detect", "--scan", ...args]);

files.file(
  "a.ts",
  'const a = "jane@gmail.com";\n// joe@mailinator.com addrsift: allow\n"ä", "bob@x.test", "x@y.nosuchtld"\n',
);
files.file("b.bin", Buffer.from("\0\u0001 bin@gmail.com\n"));
files.file("c.zip", Buffer.from("PK\u0003\u0004zip@gmail.com\n"));
files.file("u.txt", Buffer.from("\ufeffann@web.de\n", "utf16le"));
files.file("allowed.txt", "\ufeff# ours\r\nJane@gmail.com # her own\r\n\r\n@Web.de\r\n");

describe("--scan", () => {
  it("--scan prints a row for each address, with its file, line and column", async () => {
    const { status, stdout } = await scan("a.ts", "u.txt", "--quiet");
    const rows = objectsOf<Record<string, unknown>>(stdout);
    const locations = rows.map(({ file, line, column, email }) => `${file}:${line}:${column} ${email}`);
    const expected = ["a.ts:1:12 jane@gmail.com", "a.ts:3:7 bob@x.test", "u.txt:1:1 ann@web.de"];
    expect([status, locations]).toEqual([0, expected]);
    expect(rows[0]).toMatchObject({ syntax_validation: true, public_domain: true });
    const csv = await scan("a.ts", "-f", "csv", "--fields", "domain");
    expect(linesOf(csv.stdout)).toEqual([
      "file,line,column,email,domain",
      "a.ts,1,12,jane@gmail.com,gmail.com",
      "a.ts,3,7,bob@x.test,",
    ]);
    const table = await scan("a.ts", "-f", "table");
    for (const [verdict, options] of [["ok", ""] as const, ["unreserved", " --fail-on unreserved"] as const]) {
      const { stdout } = await run(`detect --scan -f table${options}`, { stdin: "ann@ibm.com\n" });
      expect(stdout.toString()).toMatch(new RegExp(` ${verdict}\\b`));
    }
    expect(table.stdout.toString()).toContain("a.ts:1:12");
  });

  it("--scan --fail-on unreserved reports addresses of real people unless they are allowed", async () => {
    const args = ["-f", "lint", "--fail-on", "unreserved", "a.ts"];
    const { status, stdout, stderr } = await scan(...args);
    expect(linesOf(stdout)).toEqual([
      `a.ts:1:12: jane@gmail.com may be a real person's address: use a domain such as example.com, or allow it`,
    ]);
    expect([status, linesOf(stderr)]).toEqual([
      1,
      [
        'addrsift: 1 line with "addrsift: allow" skipped',
        'addrsift: 1 address is unreserved: to allow one, write "addrsift: allow" in its line, or list it in an allow file',
      ],
    ]);
    const { status: allowed, stdout: none } = await scan(...args, "u.txt", "--allow-file", "allowed.txt");
    expect([allowed, none.toString()]).toEqual([0, ""]);
  });

  it("--format lint calls a shared inbox no person's address, and names no domain for the class unreserved", async () => {
    const stdin = "noreply@github.com support@github.com joe@mailinator.com\n";
    const { stdout } = await run("detect --scan -f lint --fail-on unreserved", { stdin });
    const hint = ": use a domain such as example.com, or allow it";
    expect(linesOf(stdout)).toEqual([
      `-:1:1: noreply@github.com may receive mail${hint}`,
      `-:1:20: support@github.com may receive mail${hint}`,
      `-:1:39: joe@mailinator.com may be a real person's address${hint}`,
    ]);
  });

  it("--scan --select invalid prints text that looks like an address but is invalid", async () => {
    const { stdout } = await scan("a.ts", "-f", "lint", "--select", "invalid");
    expect(linesOf(stdout).map((line) => line.split(/ is | may be /)[0])).toEqual([
      "a.ts:3:7: bob@x.test",
      "a.ts:3:21: x@y.nosuchtld",
    ]);
  });

  it("--scan skips and counts binary files", async () => {
    const { status, stdout, stderr } = await scan("b.bin", "a.ts", "c.zip");
    expect([status, linesOf(stdout).length, stderr.toString()]).toEqual([
      0,
      2,
      'addrsift: 2 binary files (b.bin, c.zip), 1 line with "addrsift: allow" skipped\n',
    ]);
  });

  it("--scan and --diff read a file up to its first NUL byte", async () => {
    const text = `ann@ibm.com\n${"x\n".repeat(9000)}joe@ibm.com \0eve@ibm.com\nmia@ibm.com\n`;
    const expected = [["nul.txt:1:1:", "nul.txt:9002:1:"], "addrsift: 1 binary file (nul.txt) skipped\n"];
    const diff = `--- /dev/null\n+++ b/nul.txt\n@@ -0,0 +1,9003 @@\n${text.replaceAll(/^(?=.)/gm, "+")}`;
    files.file("nul.txt", text);
    for (const result of [
      await scan("-f", "lint", "nul.txt"),
      await run("detect --scan --diff -f lint", { stdin: diff }),
    ]) {
      const locations = linesOf(result.stdout).map((line) => line.split(" ")[0]);
      expect([locations, result.stderr.toString()]).toEqual(expected);
    }
  });

  it("--scan reads text from standard input, or a diff if --diff is given", async () => {
    const diff = "--- a/x y.txt\n+++ b/x y.txt\n@@ -3 +3,2 @@\n-old@gmail.com\n+new@gmail.com\n+x\n";
    const { stdout } = await run("detect --scan --diff -f lint", { stdin: diff });
    expect(stdout.toString()).toBe("x y.txt:3:1: new@gmail.com may be a real person's address\n");
    const { stdout: text } = await run("detect --scan -f lint -", { stdin: diff });
    expect(linesOf(text).map((line) => line.split(" ")[0])).toEqual(["-:4:2:", "-:5:2:"]);
    const line =
      "addrsift: the input is not a unified diff: give the output of git diff without --word-diff, --graph or " +
      "--line-prefix, or leave --diff out\n";
    await expectRefused("detect --scan --diff", line, { stdin: "new@gmail.com\n" });
  });

  it("--scan says if there was nothing to scan, also with --quiet if --fail-on is given, except for an empty diff", async () => {
    const note = "addrsift: nothing was scanned: standard input or the folder is empty\n";
    for (const [args, expected] of [
      [["--fail-on", "unreserved", "--quiet"], note],
      [["--quiet"], ""],
      [["--diff"], "addrsift: nothing was scanned: the diff is empty\n"],
      [["--diff", "--fail-on", "unreserved", "--quiet"], ""],
    ] as const) {
      const { status, stderr } = await runIn(files.path, ["detect", "--scan", ...args], { stdin: "" });
      expect([status, stderr.toString()]).toEqual([0, expected]);
    }
    const { stdout } = await run("detect --scan -f lint --fail-on hidden,disposable", { stdin: "a@yourdomain.com\n" });
    expect(stdout.toString()).toBe("-:1:1: a@yourdomain.com is hidden\n");
  });

  it.each([["ndjson"], ["json", "--explain"], ["csv"], ["lint"]])(
    "--scan --diff prints every row if the output is over 1 MiB: --format %s",
    async (format, ...more) => {
      const count = 9000;
      const lines = Array.from({ length: count }, (_, i) => `+user${i}@example.com\n`);
      const stdin = `--- /dev/null\n+++ b/x\n@@ -0,0 +1,${count} @@\n${lines.join("")}`;
      const { stdout } = await run(["detect", "--scan", "--diff", "-f", format, ...more], { stdin });
      const pattern = /"line": ?(\d+)|^x,(\d+),|^x:(\d+):|line=(\d+)/gm;
      const numbers = Array.from(stdout.toString().matchAll(pattern), ([, ...groups]) => Number(groups.find(Boolean)));
      expect(numbers).toEqual(Array.from(lines, (_, i) => i + 1));
    },
  );

  it.each([
    ["--scan --csv", "--csv and --scan exclude each other"],
    ["--scan --part", "--part is for lines, --csv, --tsv or --jsonl, not for --scan"],
    ["--scan -f tsv", "--scan and --format tsv exclude each other"],
    ["--diff", "--diff is for --scan, not for lines"],
    ["--scan --allow-file no-such-file", "can't read no-such-file: there is no such file"],
    ["--scan no-such-folder/", "can't read no-such-folder/: there is no such file"],
  ])("detect %s is rejected", async (options, message) => expectRefused(`detect ${options}`, message));

  it.each(
    [
      ...["noreply@*", "@", "root@localhost", "jane@-gmx.net", "/", "//docs/", "!docs/"],
      ...["/.+@gmx\\.net/", "^jane@gmail.com$", "'jane@gmail.com'", '"jane@gmail.com"', "<jane@gmail.com>"],
      ...[
        "jane@gmail.com,",
        "mailto:jane@gmail.com",
        "https://jane@gmail.com/",
        "https://gmail.com/",
        "jane@gmail.com#hers",
      ],
    ].map((line) => [line]),
  )("--allow-file rejects the line %j, which is neither an address nor a path", async (line) => {
    const file = files.file(`allow-${crypto.randomUUID()}`, `jane@gmail.com\n${line}\n`);
    const fix =
      /line 2 of --allow-file \S+, ".*", is neither an address nor a path: write an address, @DOMAIN .*, NAME@ .*, \.\/FILE or FOLDER\/ from the top of the repository$/m;
    await expectRefused(["detect", "--scan", "--allow-file", file], fix);
  });

  it.each(["*@gmx.net", "*.gmx.net", "@.gmx.net", "@gmx.net.", "gmx.net", ".gmx.net", "gmx.net."])(
    "--allow-file rejects the line %s, and says how to write the domain",
    async (line) => {
      const file = files.file(`allow-${crypto.randomUUID()}`, `${line}\n`);
      const fault = `line 1 of --allow-file ${file}, "${line}", is neither an address nor a path: write @gmx.net for `;
      await expectRefused(["detect", "--scan", "--allow-file", file], fault);
    },
  );

  it("--allow-file names all invalid lines, paths outside of the repository, and text that is not UTF-8", async () => {
    const rejected = (text: string | Buffer, fault: string | RegExp) =>
      expectRefused(["detect", "--scan", "--allow-file", files.file(`allow-${crypto.randomUUID()}`, text)], fault);
    await rejected(
      "# ours\n../docs/\n\n@ok.example\n@\n!\n",
      /^addrsift: line 2 .*, is outside of .*; also correct lines 5, 6$/m,
    );
    await rejected("@\n".repeat(30), /; also correct lines 2, 3, .*, 21, …$/m);
    await rejected("j\0a@b.de\n", / is not UTF-8 text: save it as UTF-8$/m);
    for (const encoding of ["utf16le", "latin1"] as const)
      await rejected(Buffer.from("jane@müller.de\n", encoding), / is not UTF-8 text: save it as UTF-8$/m);
  });

  it("--allow-file takes the domains that lists deny takes: no public suffixes", async () => {
    const scan = (text: string) => [
      "detect",
      "--scan",
      "--allow-file",
      files.file(`allow-${crypto.randomUUID()}`, text),
    ];
    const fault =
      /^addrsift: line 1 .*, "@co\.uk" is not a mail domain, because .* public suffix: .*; also correct line 3$/m;
    await expectRefused(scan("@co.uk\n@gov.rs\n@com\n"), fault);
    await expectRefused(scan("@com\n"), /, "@com" is not a mail domain, because the domain has no dot: /);
    const allowed = [...scan("@test\n@github.io\n@gov.rs\n"), "-f", "plain"];
    expect((await run(allowed, { stdin: "a@b.test c@harbor.org" })).stdout.toString()).toBe("c@harbor.org\n");
  });

  it.each(["./", "./**", "**/", "./*", "**/**"])(
    "--allow-file rejects the line %s, which skips all files",
    async (line) => {
      const file = files.file(`allow-${crypto.randomUUID()}`, `# ours\n${line}\n`);
      await expectRefused(
        ["detect", "--scan", "--fail-on", "unreserved", "--allow-file", file, "."],
        `line 2 of --allow-file ${file}, "${line}", skips all files: write an address, `,
      );
    },
  );

  it("--allow-file rejects a line of a million slashes without backtracking", async () => {
    const file = files.file("allow-slashes", `${"a/".repeat(1_000_000)}:\n`);
    await expectRefused(["detect", "--scan", "--allow-file", file], /"(?:a\/){20}", is neither an address nor a path/);
  });

  it("--scan --fail-on reports skipped items, even with --quiet", async () => {
    const args = ["b.bin", "a.ts", "--quiet", "--allow-file", "allowed.txt"];
    const skippedItems = '1 binary file (b.bin), 1 line with "addrsift: allow", 1 address of --allow-file skipped';
    const gate = await scan(...args, "--fail-on", "unreserved");
    expect([gate.status, gate.stderr.toString()]).toEqual([0, `addrsift: ${skippedItems}\n`]);
    expect((await scan(...args)).stderr.toString()).toBe("");
  });

  it.each(["vendor/", "vendor/fixtures", "**/fixtures/", "vend*/fix*/a*.ts", "./**/a.ts", "**/fixtures/**"])(
    "--scan skips and counts the files that the line %s of --allow-file matches, in folders, lists and diffs",
    async (path) => {
      const folder = join(files.path, `paths-${crypto.randomUUID()}`);
      mkdirSync(join(folder, "vendor/fixtures"), { recursive: true });
      for (const name of ["a.tsx", "vendor/fixtures/a.ts", "vendor.ts"])
        writeFileSync(join(folder, name), "joe@gmail.com\n");
      writeFileSync(join(folder, "allow"), `\r\n# ours\n${path} # theirs\r\n`);
      const args = ["detect", "--scan", "-f", "lint", "--fail-on", "unreserved", "--quiet", "--allow-file", "allow"];
      const diff = ["a.tsx", "vendor.ts", "vendor/fixtures/a.ts"]
        .map((name) => `diff --git a/${name} b/${name}\n--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+joe@gmail.com\n`)
        .join("");
      for (const [more, options] of [
        [["."], {}],
        [["a.tsx", "vendor.ts", "./vendor/fixtures/a.ts"], {}],
        [[folder], {}],
        [["--diff"], { stdin: diff }],
      ] as const) {
        const { status, stdout, stderr } = await runIn(folder, [...args, ...more], options);
        expect([
          status,
          linesOf(stdout).map((line) => line.split(":")[0]?.replace(`${folder}/`, "")),
          stderr.toString(),
        ]).toEqual([
          1,
          ["a.tsx", "vendor.ts"],
          expect.stringMatching(/^addrsift: 1 file of --allow-file \(\S*?vendor\/fixtures\/a\.ts\) skipped\n$/),
        ]);
      }
    },
  );

  it("--scan of a folder skips a damaged gzip file with a note, and reads the rest; a damaged argument is an error", async () => {
    const folder = join(files.path, "damaged");
    mkdirSync(folder);
    const text = Array.from({ length: 20_000 }, (_, i) => `${Math.sin(i)}\n`);
    const packed = gzipSync(`ann@ibm.com\n${text.join("")}`);
    writeFileSync(join(folder, "a.gz"), packed.subarray(0, 20));
    writeFileSync(join(folder, "b.gz"), packed.subarray(0, packed.length / 2));
    writeFileSync(join(folder, "c.txt"), "joe@ibm.com\n");
    const args = "detect --scan --fail-on unreserved -f lint --quiet".split(" ");
    const { status, stdout, stderr } = await runIn(folder, [...args, "."]);
    expect([status, linesOf(stdout).map((line) => line.split(" ")[0])]).toEqual([1, ["b.gz:1:1:", "c.txt:1:1:"]]);
    expect(stderr.toString()).toBe("addrsift: 2 damaged files (a.gz, b.gz) skipped\n");
    expect((await runIn(folder, [...args, ".", "a.gz"])).status).toBe(2);
  });

  it("--scan reads a file once if arguments overlap, and skips a file that is removed during the scan", async () => {
    const folder = join(files.path, "removed");
    mkdirSync(folder);
    for (const name of ["a.txt", "b.txt"]) writeFileSync(join(folder, name), "joe@ibm.com\n");
    const child = start(["detect", "--scan", "-f", "lint", "-", folder, join(folder, "a.txt")]);
    let [stdout, stderr] = ["", ""];
    child.stdout?.on("data", (chunk) => (stdout += chunk));
    child.stderr?.on("data", (chunk) => (stderr += chunk));
    child.stdin?.write("ann@ibm.com\n");
    await once(child.stdout as NonNullable<typeof child.stdout>, "data");
    rmSync(join(folder, "b.txt"));
    child.stdin?.end();
    await once(child, "close");
    expect(linesOf(stdout).map((line) => line.split(" ")[0])).toEqual(["-:1:1:", `${folder}/a.txt:1:1:`]);
    expect(stderr).toBe(`addrsift: 1 missing file (${folder}/b.txt) skipped\n`);
  });

  it("--scan never scans the file of --allow-file: as an argument, in a folder or in a diff", async () => {
    const folder = join(files.path, "own-list");
    mkdirSync(folder);
    const addresses = "bounce+x=carla=orange.fr@mailgun.org\na/b@gmail.com\n";
    for (const name of ["list", "text"]) writeFileSync(join(folder, name), addresses);
    symlinkSync("list", join(folder, "link"));
    const args = "detect --scan --fail-on unreserved -f lint --quiet --allow-file".split(" ");
    const diff = (await runProgram("git", ["diff", "--no-index", "/dev/null", "list"], { cwd: folder })).stdout;
    const note = (name: string) => `addrsift: 1 file of --allow-file (${name}) skipped\n`;
    const path = join(folder, "list");
    for (const [allowFile, name] of [
      ["list", "list"],
      ["./list", path],
      [path, "./list"],
      ["list", "link"],
    ] as const) {
      const result = await runIn(folder, [...args, allowFile, name]);
      expect([result.status, result.stderr.toString()]).toEqual([0, note(name)]);
      const { status, stderr } = await runIn(folder, [...args, allowFile, "--diff"], { stdin: diff });
      expect([status, stderr.toString()]).toEqual([0, note("list")]);
    }
    // An address of the list is allowed in plain text too, where the scan finds only its end.
    expect(await runIn(folder, [...args, "list", "."])).toMatchObject({ status: 0 });
    expect(await runIn(folder, [...args, "/dev/null", "text"])).toMatchObject({ status: 1 });
  });

  it("a scan of the whole repository names the lines of --allow-file that it does not use; other scans do not", async () => {
    const folder = join(files.path, "unused");
    mkdirSync(join(folder, "sub"), { recursive: true });
    expect(await runProgram("git", ["init", "-q", folder])).toMatchObject({ status: 0 });
    writeFileSync(join(folder, "a.txt"), "jane@gmail.com info@shop.example.net\n");
    const lines = ["# ours", "jane@gmail.com", "@gmail.com # all", "old@gmail.com", "gone/", "@example.net", "eve@"];
    writeFileSync(join(folder, "allow"), lines.join("\n"));
    const notes = async (...names: string[]): Promise<string> =>
      (await runIn(folder, ["detect", "--scan", "--allow-file", "allow", ...names])).stderr.toString();
    const unused = "not used in these files: lines 4, 5, 7 of --allow-file allow";
    expect(await notes(".")).toBe(`addrsift: ${unused}\naddrsift: 2 addresses of --allow-file skipped\n`);
    for (const names of [["sub"], ["a.txt"], [".", "--quiet"]]) expect(await notes(...names)).not.toContain("not used");
  });

  it("paths in the file of --allow-file begin at the top of its repository, wherever --scan runs", async () => {
    const folder = join(files.path, "top");
    mkdirSync(join(folder, "docs/dev"), { recursive: true });
    expect(await runProgram("git", ["init", "-q", folder])).toMatchObject({ status: 0 });
    for (const name of ["docs/dev/a.md", "docs/AUTHORS"]) writeFileSync(join(folder, name), "joe@gmail.com\n");
    writeFileSync(join(folder, ".addresses"), "/docs/dev\n./docs/AUTHORS\n");
    const check = "detect --scan -f lint --fail-on unreserved --allow-file".split(" ");
    expect(await runIn(join(folder, "docs"), [...check, "../.addresses", "."])).toMatchObject({ status: 0 });
    expect(await scan(...check.slice(2), join(folder, ".addresses"), folder)).toMatchObject({ status: 0 });
  });

  it("with the output of --scan -f plain as --allow-file, old addresses pass and new ones fail", async () => {
    const folder = join(files.path, "baseline");
    mkdirSync(folder);
    const old = `Jane@Gmail.com o'brien@web.de <a/b!c@web.de> <SRS0=x=1=d.de=j@web.de> "jane doe"@web.de дима@почта.рф x%40y@web.de`;
    writeFileSync(join(folder, "old.txt"), `\ufeff${old} joe@example.com\njane@gmail.com%2C jane%2Bnews%40web.de\n`);
    const page = readFileSync(join(ROOT, "man/addrsift-detect.md"), "utf8");
    const command = /^ {4}\$ (touch \.addresses)\n {4}\$ (addrsift [^$]*> \.addresses)$/m.exec(page) ?? [];
    const lines: number[] = [];
    for (let i = 0; i < 2; i += 1) {
      const allow = await runShell(`${command[1]}; ${command[2]}`, { cwd: folder });
      expect(allow.status).toBe(0);
      lines.push(readFileSync(join(folder, ".addresses"), "utf8").split("\n").length);
    }
    // A second run adds nothing.
    expect(lines[1]).toBe(lines[0]);
    expect(readFileSync(join(folder, ".addresses"), "utf8").split("\n").length).toBeGreaterThan(7);
    writeFileSync(join(folder, ".addresses"), `# old\n${readFileSync(join(folder, ".addresses"), "utf8")}`);
    const gate = () =>
      runIn(folder, "detect --scan -f lint --fail-on unreserved --quiet --allow-file .addresses .".split(" "));
    expect((await gate()).stdout.toString()).toBe("");
    // Old addresses may move to other lines and files.
    writeFileSync(join(folder, "new.txt"), `\n\n${old}\nnew@gmail.com\n`);
    const { status, stdout } = await gate();
    expect([status, linesOf(stdout).map((line) => line.split(" ")[0])]).toEqual([1, ["new.txt:4:1:"]]);
  });

  it("--select unreserved selects rows of line input", async () => {
    const stdin = "jane@gmail.com\na@example.com\nb@x.test\nbroken\n\n";
    const { stdout } = await run("detect -f plain --select unreserved", { stdin });
    expect(stdout.toString()).toBe("jane@gmail.com\n");
  });
});

describe("folders", () => {
  const root = join(files.path, "work");
  const sh = (script: string): Promise<unknown> =>
    runProgram("sh", ["-ec", `git() { command git -c user.name=A -c user.email=a@b.example "$@"; }\n${script}`], {
      cwd: files.path,
      env: { GIT_CONFIG_GLOBAL: "/dev/null" },
    }).then((result) => expect(result).toMatchObject({ status: 0 }));
  const gate = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<unknown[]> => {
    const gateArgs = ["detect", "--scan", "-f", "lint", "--fail-on", "unreserved", "--quiet", ...args];
    const { status, stdout, stderr } = await runIn(root, gateArgs, { env });
    return [status, linesOf(stdout).map((line) => line.split(/ is | may be /)[0]), stderr.toString()];
  };

  beforeAll(() =>
    sh(`
      git init -q work && cd work
      mkdir z sub node_modules empty && echo z@gmail.com > z/b && ln -s z alink && ln -s z/b blink && ln -s nowhere broken
      git init -q sub && echo sub@gmail.com > sub/s && (cd sub && git add . && git commit -qm s)
      printf 'node_modules\\n' > .gitignore && echo ignored@gmail.com > node_modules/i
      printf '\\0' > bin && echo dash@gmail.com > ./- && echo real@gmail.com > 'seed "1".txt'
      git -c advice.addEmbeddedRepo=false add -A && echo new@gmail.com > untracked && mkfifo fifo
    `),
  );

  it("--scan of file names skips links to folders and submodules, and reads the rest", async () => {
    const list = await runProgram("git", ["ls-files", "-z"], { cwd: root });
    const names = list.stdout.toString().split("\0").slice(0, -1);
    const ambiguous = "addrsift: - is standard input, and a file here too: write ./- for the file\n";
    expect(await gate(["--", ...names])).toEqual([2, [], ambiguous]);
    const rest = names.filter((name) => name !== "-" && name !== "broken");
    const found = ["blink:1:1: z@gmail.com", 'seed "1".txt:1:1: real@gmail.com'];
    const skippedItems = "1 submodule (sub), 1 link to a folder (alink) skipped\n";
    const all = [1, [...found, "z/b:1:1: z@gmail.com"], `addrsift: 1 binary file (bin), ${skippedItems}`];
    expect(await gate(["--", ...rest])).toEqual(all);
    expect(await gate(["alink", "sub", "blink", 'seed "1".txt'])).toEqual([1, found, `addrsift: ${skippedItems}`]);
    expect(await gate(["alink"])).toEqual([0, [], "addrsift: 1 link to a folder (alink) skipped\n"]);
  });

  const TRACKED = ["./-:1:1: dash@gmail.com", 'seed "1".txt:1:1: real@gmail.com', "untracked:1:1: new@gmail.com"];

  it("--scan of a folder in a work tree reads the files that git tracks or would add", async () => {
    const skippedItems = "addrsift: 1 binary file (bin), 1 submodule (sub), 3 links (alink, blink, broken) skipped\n";
    const all = [...TRACKED, "z/b:1:1: z@gmail.com"].sort();
    expect((await gate(["."])).flat().sort()).toEqual([1, ...all, skippedItems].sort());
    // Links in the argument itself, and folders that git ignores, are read if the user names them.
    expect(await gate(["z/"])).toEqual([1, ["z/b:1:1: z@gmail.com"], ""]);
    expect(await gate(["node_modules"])).toEqual([1, ["node_modules/i:1:1: ignored@gmail.com"], ""]);
    expect(await gate(["empty"])).toEqual([
      0,
      [],
      "addrsift: nothing was scanned: standard input or the folder is empty\n",
    ]);
    expect(await gate(["sub", "z"])).toEqual([1, ["z/b:1:1: z@gmail.com"], "addrsift: 1 submodule (sub) skipped\n"]);
    const inside = await runIn(join(root, "sub"), "detect --scan -f lint .");
    expect(linesOf(inside.stdout)).toEqual(["s:1:1: sub@gmail.com may be a real person's address"]);
  });

  it("--scan of a folder outside of git, or without git, reads all files", async () => {
    const without = await gate(["."], { PATH: "/nowhere" });
    const skippedItems =
      "1 binary file (bin), 3 links (alink, blink, broken), 2 folders of git, 1 device, pipe or socket (fifo) skipped";
    expect(without).toEqual([
      1,
      [...TRACKED, "node_modules/i:1:1: ignored@gmail.com", "sub/s:1:1: sub@gmail.com", "z/b:1:1: z@gmail.com"].sort(),
      `addrsift: ${skippedItems}\n`,
    ]);
    await sh(
      "mkdir -p plain/a/b && echo deep@gmail.com > plain/a/b/c && cp -r work/.git bare.git && cd bare.git && git config core.bare true",
    );
    const { stdout } = await scan("-f", "lint", "plain", "bare.git", "--select", "unreserved");
    expect(linesOf(stdout).map((line) => line.split(/ is | may be /)[0])).toContain("plain/a/b/c:1:1: deep@gmail.com");
  });

  it("--scan runs no program from a repository's git config, and ignores GIT_ variables", async () => {
    await sh(`cd work && printf '#!/bin/sh\\ntouch "%s"\\n' "$PWD/../ran" > ../evil && chmod +x ../evil
      git config core.fsmonitor "$PWD/../evil" && git config core.hooksPath "$PWD/.." && cp ../evil ../post-index-change`);
    const plain = await gate(["."]);
    expect(await gate(["."], { GIT_DIR: join(root, "sub/.git"), GIT_INDEX_FILE: "/nowhere" })).toEqual(plain);
    expect(plain[0]).toBe(1);
    expect(existsSync(join(files.path, "ran"))).toBe(false);
    await sh("cd work && git config --unset core.fsmonitor && git config --unset core.hooksPath");
  });

  it("--scan . skips the files that its own output goes to", async () => {
    const script = "addrsift detect --scan . -f lint --summary-file s.json > out.txt";
    const { status, stderr } = await runShell(script, { cwd: join(root, "z") });
    expect([status, stderr.toString()]).toEqual([0, ""]);
  });

  it.runIf(process.getuid?.() === 0)(
    "--scan counts unreadable files in a folder, and rejects an unreadable argument",
    async () => {
      await sh(
        "mkdir -p shut/closed && echo a@gmail.com > shut/no && echo b@gmail.com > shut/yes && chmod 0 shut/no shut/closed && chmod 755 .",
      );
      const as = (name: string) =>
        runProcess(["detect", "--scan", "-f", "lint", name], { cwd: files.path, uid: 65534, gid: 65534 });
      const walked = await as("shut");
      expect([linesOf(walked.stdout), walked.stderr.toString()]).toEqual([
        ["shut/yes:1:1: b@gmail.com may be a real person's address"],
        "addrsift: 2 unreadable files or folders (shut/closed, shut/no) skipped\n",
      ]);
      expectOneLine(await as("shut/closed"), "can't read shut/closed: permission denied");
    },
  );

  it.each(["loop", "a.ts/x"])("--scan rejects a broken symbolic link to %s in one line", async (target) => {
    const link = join(files.path, "loop");
    rmSync(link, { force: true });
    symlinkSync(target, link);
    await expectRefused(["detect", "--scan", link], `can't read ${link}: `);
  });

  it("--scan counts files whose name is not UTF-8", async () => {
    const folder = join(files.path, "odd-names");
    mkdirSync(folder);
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/na`), Buffer.of(0xff)]), "a@gmail.com\n");
    const { stderr } = await run(["detect", "--scan", "-f", "lint", "--fail-on", "unreserved", "--quiet", folder]);
    expect(stderr.toString()).toBe(`addrsift: 1 file whose name is not UTF-8 (${folder}/na\u{fffd}) skipped\n`);
  });
});

describe("commits", () => {
  const root = join(files.path, "commits");
  const git = (script: string, env: Readonly<Record<string, string>> = {}): ReturnType<typeof runProgram> =>
    runProgram("sh", ["-ec", script], { cwd: root, env: { GIT_CONFIG_GLOBAL: "/dev/null", ...env } });
  const identity = (name: string, email: string): Record<string, string> => ({
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  });
  const HIDDEN = identity("Jane", "1+jane@users.noreply.github.com");
  let id = "";
  beforeAll(async () => {
    mkdirSync(root);
    mkdirSync(join(files.path, "bin"));
    symlinkSync(COMMAND, join(files.path, "bin/addrsift"));
    await git("git init -q && git commit -q --allow-empty -m one", HIDDEN);
    await git(
      "echo new@gmail.com > a.txt; git add -A; git commit -qm 'two\n\nReviewed-by: B <b@gmail.com>'",
      identity("Eve", "eve@gmail.com"),
    );
    id = (await git("git rev-parse HEAD")).stdout.toString().trim();
  });
  const detect = async (...args: string[]) => {
    const stdin = (await git("git log -p --format=fuller")).stdout;
    const { status, stdout, stderr } = await run(["detect", "--scan", "--diff", ...args], { stdin });
    return { status, lines: linesOf(stdout), stderr: stderr.toString() };
  };

  it("--scan --diff locates the addresses of a commit by its hash", async () => {
    const csv = await detect("-f", "csv", "--fields", "domain");
    expect(csv.lines).toEqual([
      "commit,file,line,column,email,domain",
      `${id},(author),1,18,eve@gmail.com,gmail.com`,
      `${id},(committer),1,18,eve@gmail.com,gmail.com`,
      `${id},(message),3,17,b@gmail.com,gmail.com`,
      `${id},a.txt,1,1,new@gmail.com,gmail.com`,
    ]);
    const all = await detect("--fields", "domain", "--select", "valid");
    expect(all.lines.map((line) => Object.values(JSON.parse(line)).slice(1, 5).join(" ")).slice(-2)).toEqual([
      "(author) 1 19 1+jane@users.noreply.github.com",
      "(committer) 1 19 1+jane@users.noreply.github.com",
    ]);
    const lint = await detect("-f", "lint", "--fail-on", "unreserved");
    expect([lint.status, lint.lines[0], lint.lines.length]).toEqual([
      1,
      `${id.slice(0, 12)}:(author):1:18: eve@gmail.com may be a real person's address: use the address with which your forge hides you (git config user.email) and amend or rebase the commit`,
      4,
    ]);
    const github = await detect("-f", "github", "--fail-on", "unreserved");
    expect(github.lines.at(-1)).toMatch(
      `::error file=a.txt,line=1,col=1,title=addrsift::${id.slice(0, 12)}:a.txt:1:1: new@`,
    );
    const table = await detect("-f", "table", "--select", "hidden");
    expect(table.lines.join("\n")).toMatch(/ hidden,.*\n.*\n\S+:\(author\):1:19/);
  });

  it("--scan: a service's address is `hidden` in authors and trailers, but `unreserved` elsewhere", async () => {
    const log = `commit ${"a".repeat(40)}
Author: Renovate <bot@renovateapp.com>
Commit: Pipelines <commits-noreply@bitbucket.org>

    Ask support@github.com

    Signed-off-by: dependabot[bot] <Support@GitHub.com>

diff --git a/x b/x
--- a/x
+++ b/x
@@ -0,0 +1 @@
+hosted@weblate.org
`;
    const args = ["detect", "--scan", "--diff", "--offline", "-f", "csv", "--fields", "domain"];
    const find = async (rowClass: string): Promise<string[]> =>
      linesOf((await run([...args, "--select", rowClass], { stdin: log })).stdout)
        .slice(1)
        .map((row) => row.split(",").slice(1, 5).join(" "));
    expect(await find("hidden")).toEqual([
      "(author) 1 19 bot@renovateapp.com",
      "(committer) 1 20 commits-noreply@bitbucket.org",
      "(message) 3 33 Support@GitHub.com",
    ]);
    expect(await find("unreserved")).toEqual(["(message) 1 5 support@github.com", "x 1 1 hosted@weblate.org"]);
  });

  it("--scan: addresses of machines and calendars, and placeholders, are `hidden`; people's addresses and WhatsApp's ids are not", async () => {
    const machines = [
      ...["b@proj.iam.gserviceaccount.com", "c_1x@group.calendar.google.com", "a@noreply.github.com"],
      ...["holiday@group.v.calendar.google.com", "project_1_bot_1a2b@noreply.gitlab.com"],
      ...["group12_bot@noreply.git.debian.org", `${"0123456789abcdefghijklmnopqrstuv".slice(6)}@google.com`],
      ...["hmac-sha2-256-etm@openssh.com", "curve25519-sha256@libssh.org", "Your_Email@gmail.com", "your@email.com"],
      ...["your-email-address+1@gmail.com", "joe@your-own-website.com", "you@yourdomain2.net"],
      ...["noreply@your-domain.com", "jane@mail.yourcompany.co.uk", "joe@example.io", "joe@a.example.co.uk"],
      ...["user@domain.com", "username@mydomain.org", "name@youremail.com", "first_name@some-company.com"],
      ...[
        "firstname.lastname@company.com",
        "first.last@domain.org",
        "info@mycompany.com",
        "foo@foo.com",
        "qux@bar.org",
      ],
      ...["user@foo.bar", "foo@foo.bar", "test@bar.com", "xxx@xxx.com"],
      ...["ubuntu@ec2-1-2-3-4.compute-1.amazonaws.com", "a@ec2-1-2-3-4.eu-west-1.compute.amazonaws.com"],
      ...["test@test.com", "test1@test.org", "user@test.com", "a@b.com", "jane@mail.y.net"],
      ...["test@test.de", "admin@admin.com", "john.doe@company.com", "jane_doe@mydomain.de"],
    ];
    const people = [
      ...["4915112345678@s.whatsapp.net", "a@notgserviceaccount.com", "project_1_botha@gmail.com"],
      ...["openssh@openssh.com", "openssh@libssh.org", "yourke@gmail.com", "joe@yourkit.com", "joe@myexample.com"],
      ...["youridejong@gmail.com", "your.idris@web.de", "you@mail.ustc.edu.cn", "user77@mail.ru"],
      ...["joe@yourhosting.nl", "joe@yourorganicfarm.com", "joe@domain.com", "info@company.com", "user@gmail.com"],
      ...[
        "support@host.com",
        "joe@example-corp.com",
        "hr@company.com",
        "joe@mycompany.com",
        "baz@foo.com",
        "foo@gmx.com",
      ],
      ...["test@gmail.com", "firstname.lastname@gmail.com", "name@mail.ru", "user@email.com", "someone@mail.com"],
      ...["anna@yourmail.com", "anna@youremail.com", "anna@test.com", "a@q.com", "a@i.net", "a@b.org", "a@o.com"],
      ...["john.doe@gmail.com", "admin@adminsoft.com", "anna@admin.com", "john.doering@company.com"],
    ];
    const stdin = [...machines, ...people, ""].join("\n");
    const args = ["detect", "--scan", "--offline", "-f", "csv", "--fields", "domain"];
    const find = async (rowClass: string): Promise<string[]> =>
      linesOf((await run([...args, "--select", rowClass], { stdin })).stdout).map((row) => row.split(",")[3] ?? "");
    expect(await find("hidden")).toEqual(["email", ...machines]);
    expect(await find("unreserved")).toEqual(["email", ...people]);
  });

  it("--format lint escapes file names that GitHub's runner would read as commands", async () => {
    for (const [name, shown] of [
      ["::stop-commands::x", "./::stop-commands::x"],
      [" ::x", "./ ::x"],
      ["##[add-mask]x", "#\\#[add-mask]x"],
    ] as const) {
      const stdin = `--- a/x\n+++ b/${name}\n@@ -0,0 +1 @@\n+u@gmail.com\n`;
      const { stdout } = await run(["detect", "--scan", "--diff", "-f", "lint", "--select", "unreserved"], { stdin });
      expect(stdout.toString()).toBe(`${shown}:1:1: u@gmail.com may be a real person's address\n`);
    }
  });

  it("the pre-commit hook addrsift-commit-msg checks author, committer and message, but not comments", async () => {
    const entry = /id: addrsift-commit-msg[\s\S]*?entry: >-\n([\s\S]*?)\n {2}language/.exec(
      readFileSync(join(ROOT, ".pre-commit-hooks.yaml"), "utf8"),
    )?.[1];
    const command = `addrsift() { ${shellCommand()} "$@"; }; `;
    const script = (entry ?? "")
      .replaceAll(/\n +/g, " ")
      .replace("sh -c '", `sh -c '${command.replaceAll("'", `'\\''`)}`);
    const check = async (call: string, env: Record<string, string>): Promise<unknown[]> => {
      const { status, stdout } = await git(call, env);
      return [status, linesOf(stdout).map((line) => line.split(/ is | may be /)[0])];
    };
    const hook = (message: string, env: Record<string, string>, args = ""): Promise<unknown[]> => {
      writeFileSync(join(root, "MESSAGE"), message);
      return check(`${script} ${args} MESSAGE`, env);
    };
    const scissors = "# ------------------------ >8 ------------------------\ndiff\n+z@gmail.com\n";
    expect(await hook(`fine\n# Author: c@gmail.com\n${scissors}`, HIDDEN)).toEqual([0, []]);
    expect(await hook("fine\n\nCo-authored-by: D <d@gmail.com>\n", HIDDEN)).toEqual([
      1,
      ["(message):3:20: d@gmail.com"],
    ]);
    const author = [1, ["(author):1:14: eve@gmail.com", "(committer):1:14: eve@gmail.com"]];
    expect(await hook("fine\n", identity("Eve", "eve@gmail.com"))).toEqual(author);
    writeFileSync(join(root, "allowed names"), "eve@\n");
    expect(
      await hook("fine\n", { ...identity("Eve", "eve@gmail.com"), message: "no" }, "'--allow-file=allowed names'"),
    ).toEqual([0, []]);
    const args = "'--allow-file=allowed names' --redact";
    expect(await hook("Joe <joe@gmail.com>\n", identity("Eve", "eve@gmail.com"), args)).toEqual([
      1,
      ["(message):1:6: the address"],
    ]);
    // Git calls the hook, and drops or keeps comments.
    mkdirSync(join(root, "hooks"));
    writeFileSync(join(root, "hooks/commit-msg"), `#!/bin/sh\n${script} "$@" >&3\n`, { mode: 0o755 });
    writeFileSync(join(root, "MESSAGE"), `fine\n#4711 by c@gmail.com\n${scissors}`);
    const found = "(message):2:10: c@gmail.com";
    for (const [options, lines] of [
      ["commit -F MESSAGE", [found, "(message):5:2: z@gmail.com"]],
      ["-c commit.cleanup=whitespace commit -v", [found]],
      ["-c core.commentChar=% commit", [found]],
      ["commit -v", []],
    ] as const) {
      const commit = `git -c core.hooksPath=hooks ${options} -q --allow-empty 3>&1 >&2`;
      const [status, text] = await check(commit, { ...HIDDEN, GIT_EDITOR: "cp MESSAGE" });
      expect([options, status, text]).toEqual([options, Math.min(lines.length, 1), lines]);
    }
  });

  it("--format github and sarif print paths from the top of the repository, lint from the working directory", async () => {
    const inner = join(root, "inner");
    mkdirSync(inner);
    for (const path of [join(root, "top.csv"), join(inner, "é.csv")]) writeFileSync(path, "joe@gmail.com\n");
    const filesOf = async (format: string): Promise<unknown> => {
      const args = ["-f", format, "--select", "unreserved", "é.csv", "../top.csv"];
      const { stdout } = await runIn(inner, ["detect", "--scan", ...args]);
      return stdout.toString().match(/(?<=file=|"uri":"|^)[^,":]*csv/gm);
    };
    expect(await filesOf("github")).toEqual(["inner/é.csv", "top.csv"]);
    expect(await filesOf("sarif")).toEqual(["inner/%C3%A9.csv", "top.csv"]);
    expect(await filesOf("lint")).toEqual(["é.csv", "../top.csv"]);
    rmSync(inner, { recursive: true });
    rmSync(join(root, "top.csv"));
  });

  it("the pre-commit hook addrsift-staged checks only the lines that are staged", async () => {
    const config = parse(readFileSync(join(ROOT, "man/examples/pre-commit-config.yaml"), "utf8"));
    const { entry } = config.repos[0].hooks.find(({ id }: { id: string }) => id === "addrsift-staged");
    const check = async (args = ""): Promise<unknown[]> => {
      const { status, stdout } = await git(`PATH="$PWD/../bin:$PATH"; ${entry} ${args}`);
      return [status, linesOf(stdout).map((line) => line.split(" ")[0])];
    };
    await git("echo staged@gmail.com >> a.txt; git add a.txt; echo unstaged@gmail.com >> a.txt");
    expect(await check()).toEqual([1, ["a.txt:2:1:"]]);
    writeFileSync(join(root, "staged names"), "staged@\n");
    expect(await check("'--allow-file=staged names'")).toEqual([0, []]);
    await git("git reset -q --hard");
    expect(await check()).toEqual([0, []]);
    // Outside of a repository, git diff fails, and there is nothing to scan.
    const { status } = await git(`PATH="$PWD/../bin:$PATH"; export GIT_DIR=/nonexistent; ${entry}`);
    expect(status).not.toBe(0);
  });
});

describe("the hooks in the manual", () => {
  const folder = join(files.path, "hooks");
  const git = async (script: string, email = "1+jane@users.noreply.github.com"): Promise<unknown[]> => {
    const config = `git config --global user.name Jane; git config --global user.email ${email}`;
    const env = { GIT_CONFIG_GLOBAL: join(folder, "gitconfig") };
    const call = `PATH="${files.path}/bin:$PATH"; ${config}; ${script}`;
    const { status, stdout, stderr } = await runProgram("sh", ["-ec", call], { cwd: folder, env });
    return [status, `${stdout}${stderr}`.match(/^\S+(?=: \S+@\S+ may be)/gm)?.join(" ")];
  };
  beforeAll(async () => {
    mkdirSync(join(folder, "hooks"), { recursive: true });
    const manual = readFileSync(join(ROOT, "man/addrsift-detect.md"), "utf8").split("## GIT HOOKS")[1] as string;
    const hooks = manual.matchAll(/^`(pre-commit|commit-msg|pre-push)` checks [\s\S]*?\n\n((?: {4}.*\n)+)/gm);
    for (const [, name = "", script = ""] of hooks)
      writeFileSync(join(folder, "hooks", name), script.replace(/^ {4}/gm, ""), { mode: 0o755 });
    await git("git init -q --bare server; git init -q; git remote add origin server; git config core.hooksPath hooks");
  });

  it("the hook pre-commit of the manual fails for a staged address", async () => {
    expect(await git("echo ann@ibm.com > a; git add a; git commit -qm one")).toEqual([1, "a:1:1"]);
    expect(await git("echo ann@example.org > a; git add a; git commit -qm one")).toEqual([0, undefined]);
  });

  it("the hook commit-msg of the manual fails for an address in the author or message, but not in a comment that git removes", async () => {
    const commit = "git commit -q --allow-empty -m 'By ann@ibm.com' -m '# ann@ibm.com'";
    // With -m, git keeps the line.
    expect(await git(commit)).toEqual([1, "(message):1:4 (message):3:3"]);
    const edit = "GIT_EDITOR='echo \"# ann@ibm.com\" >>' git commit -q --allow-empty";
    expect(await git(`${edit} -e -m one`)).toEqual([0, undefined]);
    expect(await git("git commit -q --allow-empty -m two", "ann@ibm.com")).toEqual([
      1,
      "(author):1:15 (committer):1:15",
    ]);
  });

  it("the hook pre-push of the manual fails for an address in a commit that no server has", async () => {
    expect(await git("git push -q origin HEAD:main")).toEqual([0, undefined]);
    await git("git commit -q --allow-empty --no-verify -m 'By ann@ibm.com'");
    expect(await git("git push -q origin HEAD:main")).toEqual([
      1,
      expect.stringMatching(/^[0-9a-f]{12}:\(message\):1:4$/),
    ]);
    expect(await git("git push -q origin HEAD~:refs/heads/b; git push -q origin :b")).toEqual([0, undefined]);
  });
});

describe("hooks and commands with file names", () => {
  const NAMES = [
    ...["-h", "--allow-file=allow", "--report=report.html", "--no-such", "--", "a\nb", `q'"`, " spaced ", "--quiet"],
  ];
  const HOOKS = readFileSync(join(ROOT, ".pre-commit-hooks.yaml"), "utf8");
  const hooks = HOOKS.split(/^- /m)
    .slice(1)
    .filter((text) => !text.includes("commit-msg"))
    .map((text) => {
      const entry = /^ {2}entry: addrsift (.*)$/m.exec(text)?.[1] as string;
      const args = /^ {2}args: \[(.*)\]$/m.exec(text)?.[1]?.split(", ") ?? [];
      return [/^id: (.*)$/m.exec(text)?.[1] as string, [...entry.split(" "), ...args]] as const;
    });
  const folder = join(files.path, "names");
  beforeAll(() => {
    mkdirSync(folder);
    for (const name of NAMES) writeFileSync(join(folder, name), "jane@mailinator.com\n");
    writeFileSync(join(folder, "allow"), "jane@mailinator.com\n");
  });

  it.each(hooks)("the pre-commit hook %s does not read file names as options", async (_, args) => {
    expect(args.at(-1)).toBe("--");
    const { status, stdout } = await runIn(folder, [...args, ...NAMES]);
    expect([status, linesOf(stdout).length]).toEqual([1, NAMES.length]);
    expect(readdirSync(folder)).toEqual([...NAMES, "allow"].sort());
  });

  it("documented xargs commands end with --, so that file names are not read as options", () => {
    const documents = ["README.md", "action.yml", "man/addrsift-detect.md", "man/examples/pre-commit-config.yaml"];
    for (const document of documents) {
      const text = readFileSync(join(ROOT, document), "utf8");
      for (const [, command] of text.matchAll(/xargs (.*addrsift.*|.*check\[@\].*)/g))
        expect(command).toMatch(/ --(`|"|$)/);
    }
    expect(readFileSync(join(ROOT, "man/examples/pre-commit-config.yaml"), "utf8")).toMatch(/^ +args: \[--\]$/m);
  });
});
