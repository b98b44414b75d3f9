// How the command starts: a package that is not built, kept code that is of no use, damaged files. Copies of the package are run.

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { copyPackage, keptCode } from "../helpers/package-copy.mjs";
import { COMMAND, cleanEnvironment, scratch } from "../helpers/run.ts";
import { flipFiles } from "../soak/flip-run.mjs";

const folder = scratch();
afterAll(folder.remove);
const ADDRESS = "joe@mailinator.com";

function runCopy(command: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const env = cleanEnvironment({ ADDRSIFT_HOME: join(folder.path, "home") });
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], { env, encoding: "utf8" });
  return { status, stdout, stderr };
}

/** A copy of its own whose code was kept by a first run. */
function usedCopy(name: string): { root: string; command: string; kept: string; said: string } {
  const root = join(folder.path, name);
  const command = copyPackage(root);
  const said = runCopy(command, "detect", ADDRESS).stdout;
  expect(JSON.parse(said)).toMatchObject({ disposable: true });
  expect(keptCode(root)).toHaveLength(1);
  return { root, command, kept: keptCode(root)[0] as string, said };
}

describe.concurrent("a package that can't start", () => {
  it("says in one line that it is not built", () => {
    const command = join(folder.path, "bare/bin/addrsift.cjs");
    cpSync(COMMAND, command);
    expect(runCopy(command, "detect", ADDRESS)).toEqual({
      status: 2,
      stdout: "",
      stderr: "addrsift: not built: run npm ci, or npm run build\n",
    });
  });
});

describe.concurrent("kept code", () => {
  it("kept code is made by the first plain answer, not by a call that needs little of the program", () => {
    const root = join(folder.path, "first");
    const command = copyPackage(root);
    for (const args of [["--version"], ["detect", "--format", "yaml", ADDRESS]]) runCopy(command, ...args);
    expect(keptCode(root)).toEqual([]);
    runCopy(command, "detect", ADDRESS);
    expect(keptCode(root)).toEqual([
      join(root, `dist/addrsift-${process.version}-${process.platform}-${process.arch}.cache`),
    ]);
  });

  it("kept code is used again as it is", () => {
    const { command, kept, said } = usedCopy("again");
    const before = readFileSync(kept);
    expect(runCopy(command, "detect", ADDRESS).stdout).toBe(said);
    expect(readFileSync(kept).equals(before)).toBe(true);
  });

  it("kept code is passed over when the program has changed, even at the same length", () => {
    const { root, command, kept } = usedCopy("changed");
    const entry = join(root, "dist/addrsift.cjs");
    const before = readFileSync(kept);
    const changed = readFileSync(entry, "latin1").replaceAll('"precomputed"', '"PRECOMPUTED"');
    writeFileSync(entry, changed, "latin1");
    expect(JSON.parse(runCopy(command, "detect", ADDRESS).stdout)).toMatchObject({ detection_source: "PRECOMPUTED" });
    expect(readFileSync(kept).equals(before)).toBe(false);
  });

  it("kept code of another release under this one's name is passed over and made again", () => {
    const { command, kept, said } = usedCopy("foreign");
    const octets = readFileSync(kept);
    const end = octets.indexOf("\n");
    const foreign = octets.subarray(0, end).toString().replace(process.version, "v20.18.1");
    writeFileSync(kept, Buffer.concat([Buffer.from(foreign), octets.subarray(end)]));
    expect(runCopy(command, "detect", ADDRESS)).toEqual({ status: 0, stdout: said, stderr: "" });
    expect(readFileSync(kept).subarray(0, end).equals(octets.subarray(0, end))).toBe(true);
  });

  it("kept code that is cut off or empty is passed over", () => {
    const { command, kept, said } = usedCopy("cut");
    const octets = readFileSync(kept);
    for (const length of [0, 10, octets.length >> 1, octets.length - 1, octets.length - 2]) {
      writeFileSync(kept, octets.subarray(0, length));
      expect(runCopy(command, "detect", ADDRESS)).toEqual({ status: 0, stdout: said, stderr: "" });
    }
  });

  it.skipIf(process.getuid?.() === 0)(
    "kept code is not made in a folder that can't be written (skipped for root)",
    () => {
      const root = join(folder.path, "read-only");
      const command = copyPackage(root);
      chmodSync(join(root, "dist"), 0o555);
      expect(runCopy(command, "detect", ADDRESS)).toMatchObject({ status: 0, stderr: "" });
      expect(keptCode(root)).toEqual([]);
      chmodSync(join(root, "dist"), 0o755);
    },
  );

  it("kept code is in no package", () => {
    const { root } = usedCopy("packed");
    const [packed] = JSON.parse(
      execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root, encoding: "utf8" }),
    ) as [{ files: { path: string }[] }];
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toContain("dist/addrsift.cjs");
    expect(paths.filter((path) => path.includes(".cache"))).toEqual([]);
  });
});

describe("a damaged file beside the program", () => {
  it("gives the right answer or one line at any flipped bit (a sample; npm run soak:flips has more)", () => {
    const outcomes = flipFiles(join(folder.path, "flips"), 12);
    expect(outcomes).toHaveLength(2);
    for (const { problems, right, refused } of outcomes)
      expect({ problems, runs: right + refused }).toEqual({ problems: [], runs: 12 });
    rmSync(join(folder.path, "flips"), { recursive: true });
  });

  it("a damaged file beside the program is one line for every command that looks into the lists", () => {
    const root = join(folder.path, "lists");
    const command = copyPackage(root);
    const path = join(root, "dist/lists.bin");
    writeFileSync(
      path,
      readFileSync(path).map((octet, i) => (i > 4096 ? octet ^ 1 : octet)),
    );
    for (const args of [
      ["detect", ADDRESS],
      ["detect", "--format", "table", ADDRESS],
      ["lists", "lookup", "mailinator.com"],
      ["channels", "create", "--type", "email", "--name", "x", "--config", "address=joe@gmail.com"],
    ]) {
      const { status, stdout, stderr } = runCopy(command, ...args);
      expect({ args, status, stdout }).toEqual({ args, status: 2, stdout: "" });
      expect(stderr).toMatch(/^addrsift: the lists in \S+ can't be used \([^)]+\): install addrsift again\n$/);
    }
  });
});
