// The archive for machines where nothing is installed: unpacked elsewhere, it runs without a package folder and without Node on the
// search path.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FROM_SOURCE } from "../helpers/from-source.mjs";
import { runProgram, scratch } from "../helpers/run.ts";

const ROOT = join(import.meta.dirname, "../..");
const files = scratch();
const command = join(files.path, "unpacked/addrsift");

beforeAll(async () => {
  const archive = join(files.path, "addrsift.tar.gz");
  const packed = await runProgram(process.execPath, [...FROM_SOURCE, join(ROOT, "src/build/executor.ts"), archive]);
  expect(packed).toMatchObject({ status: 0, stdout: Buffer.from(`${archive}\n`) });
  const { status } = await runProgram("sh", ["-c", `mkdir unpacked && tar -xzf '${archive}' -C unpacked`], {
    cwd: files.path,
  });
  expect(status).toBe(0);
});
afterAll(() => files.remove());

/** Runs the unpacked command with nothing on the search path. */
function runUnpacked(args: readonly string[], stdin = ""): ReturnType<typeof runProgram> {
  return runProgram(command, args, { cwd: "/", env: { PATH: "/nonexistent" }, stdin });
}

describe("the archive for executors", () => {
  it("holds a launcher, Node and the package, without the library and without source maps", () => {
    expect(readdirSync(join(files.path, "unpacked")).sort()).toEqual(["addrsift", "node", "package"]);
    const dist = readdirSync(join(files.path, "unpacked/package/dist"));
    expect(dist).toContain("lists.bin");
    expect(dist.filter((name) => name === "lib" || name.endsWith(".map"))).toEqual([]);
  });

  // Between them they load every package that is copied into dist.
  it.each([
    ["an unlisted domain", ["detect", "--offline", "a@nothing-is-here.com"], '"syntax_validation":true'],
    ["an IDN domain", ["detect", "--offline", "a@bücher.de"], '"normalized":"a@xn--bcher-kva.de"'],
    ["a table", ["detect", "--offline", "--format", "table", "a@mailinator.com"], "disposable"],
    ["help", ["detect", "--help"], "Usage: addrsift detect"],
    ["live DNS", ["detect", "--dns", "on", "--explain", "a@nothing-is-here.com"], '"dns":{"status":'],
    ["what a list says", ["lists", "lookup", "gmail.com"], "public_domain google"],
    ["a completion script", ["completion", "bash"], "complete"],
  ])("the archive for executors answers: %s", async (_what, args, expected) => {
    const { status, stdout, stderr } = await runUnpacked(args);
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
    expect(stdout.toString()).toContain(expected);
  });

  it.each([["1"], ["2"]])("classifies rows with --jobs %s", async (jobs) => {
    const { status, stdout } = await runUnpacked(
      ["detect", "--quiet", "--part", "--csv", "--column", "2", "--jobs", jobs],
      "1,a@mailinator.com\n2,b@bücher.de\n",
    );
    expect(status).toBe(0);
    expect(stdout.toString().trim().split("\n")).toHaveLength(2);
  });
});
