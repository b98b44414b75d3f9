// Tests the library in a program's bundle, without its lists: the error names the missing file and where it belongs.

import { copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { beforeAll, expect, it } from "vitest";
import { LISTS_PATH, ROOT } from "../../helpers/classify.ts";
import { fileScratch, runProgram } from "../../helpers/run.ts";

const folder = fileScratch();

beforeAll(() => {
  mkdirSync(join(folder.path, "node_modules"));
  symlinkSync(ROOT, join(folder.path, "node_modules/addrsift"));
});

/** Bundles a program that classifies one address; returns the bundle's path. */
async function bundle(format: "esm" | "cjs", external: readonly string[] = []): Promise<string> {
  const entry = folder.file(
    "program.mjs",
    `import { createDetector } from "addrsift";
     createDetector().detect("joe@mailinator.com").then(console.log, console.error);`,
  );
  const outfile = join(folder.path, format, "out", `bundle.${format === "esm" ? "mjs" : "cjs"}`);
  await build({
    ...{ entryPoints: [entry], outfile, bundle: true, platform: "node", format, external: [...external] },
    ...{ logLevel: "error", logOverride: { "empty-import-meta": "silent" } },
  });
  return outfile;
}

async function errorOf(path: string): Promise<string> {
  const { status, stdout, stderr } = await runProgram(process.execPath, [path]);
  expect([status, stdout.toString()]).toEqual([1, ""]);
  return stderr.toString();
}

it("a bundle with addrsift names the expected path of missing lists, and classifies once the lists are there", async () => {
  const path = await bundle("esm");
  const expectedPath = join(dirname(dirname(path)), "lists.bin");
  expect(await errorOf(path)).toContain(
    `AddrsiftError: can't read ${expectedPath}, which comes with addrsift: in a bundle, keep addrsift external, or give its addrsift/lists.bin to createDetector as the option lists, or, in an ES module, copy it to that path; else install addrsift again`,
  );
  copyFileSync(LISTS_PATH, expectedPath);
  const { stdout } = await runProgram(process.execPath, [path]);
  expect(stdout.toString()).toContain("disposable: true");
});

it("a CommonJS bundle with addrsift reports missing lists", async () => {
  expect(await errorOf(await bundle("cjs"))).toContain(
    "AddrsiftError: can't read lists.bin, which comes with addrsift: in a bundle, keep addrsift external",
  );
});

it("a bundle that leaves addrsift external classifies addresses", async () => {
  for (const format of ["esm", "cjs"] as const) {
    const { stdout } = await runProgram(process.execPath, [await bundle(format, ["addrsift"])]);
    expect(stdout.toString()).toContain("disposable: true");
  }
});
