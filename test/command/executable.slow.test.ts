// Tests the executable: it runs without the package's folder, and without Node in PATH.

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { FROM_SOURCE } from "../helpers/from-source.mjs";
import { fileScratch, runProgram } from "../helpers/run.ts";

const ROOT = join(import.meta.dirname, "../..");
const files = fileScratch();
const command = join(files.path, "bin/addrsift");

beforeAll(async () => {
  mkdirSync(join(files.path, "bin"));
  const packed = await runProgram(process.execPath, [...FROM_SOURCE, join(ROOT, "src/build/executable.ts"), command]);
  expect(packed).toMatchObject({ status: 0, stdout: Buffer.from(`${command}\n`) });
});

/** Runs the file with nothing on the search path. */
function runFile(args: readonly string[], stdin = ""): ReturnType<typeof runProgram> {
  return runProgram(command, args, { cwd: "/", env: { PATH: "/nonexistent" }, stdin });
}

describe.skipIf(process.platform !== "linux")("the executable file", () => {
  // Together, these calls load every bundled package.
  it.each([
    ["detect of an unlisted domain", ["detect", "--offline", "a@nothing-is-here.com"], '"syntax_validation":true'],
    ["detect of an IDN domain", ["detect", "--offline", "a@bücher.de"], '"normalized":"a@xn--bcher-kva.de"'],
    ["detect --format table", ["detect", "--offline", "--format", "table", "a@mailinator.com"], "disposable"],
    ["detect --help", ["detect", "--help"], "Usage: addrsift detect"],
    ["detect --dns on", ["detect", "--dns", "on", "--explain", "a@nothing-is-here.com"], '"dns":{"status":'],
    ["lists lookup", ["lists", "lookup", "--json", "10minutemail.com"], '"listed_by":[{'],
    ["completion bash", ["completion", "bash"], "complete"],
    ["engines show", ["engines", "show", "spark-sql"], "Spark SQL"],
    ["keys create", `keys create --home ${files.path} --name x --scopes all`.split(" "), "adsf_"],
  ])("the executable runs without Node and package files: %s", async (_, args, expected) => {
    const { status, stdout, stderr } = await runFile(args);
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
    expect(stdout.toString()).toContain(expected);
  });

  it("the executable loads the package pg from where its message says to install it", async () => {
    const env = { ADDRSIFT_STORE: "postgresql://x@127.0.0.1:1/y" };
    const list = async () => (await runProgram(command, ["keys", "list"], { cwd: "/", env })).stderr.toString();
    expect(await list()).toContain(`needs the package pg: run npm install --prefix ${files.path}/lib/addrsift pg\n`);
    mkdirSync(join(files.path, "lib/addrsift"), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(files.path, "lib/addrsift/node_modules"));
    expect(await list()).toContain("does not answer (ECONNREFUSED)");
  });

  it("the executable classifies rows of standard input", async () => {
    const { status, stdout } = await runFile(
      ["detect", "--quiet", "--part", "--csv", "--column", "2"],
      "1,a@mailinator.com\n2,b@bücher.de\n",
    );
    expect(status).toBe(0);
    expect(stdout.toString().trim().split("\n")).toHaveLength(2);
  });
});
