// Tests shapes in the build: which files contain the schema library, and what the library's declarations show.

import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { ROOT } from "../helpers/classify.ts";
import { blocksOf, readProjectFile } from "../helpers/documents.ts";
import { scratch } from "../helpers/run.ts";

it("the bundles of detect and lists lookup do not contain the schema library", () => {
  const dist = join(ROOT, "dist");
  const files = readdirSync(dist).filter((name) => name.endsWith(".cjs"));
  const withSchemas = files.filter((name) => readFileSync(join(dist, name), "utf8").includes("TypeBox."));
  expect(files).toContain("addrsift.cjs");
  expect(withSchemas.length).toBeGreaterThan(0);
  for (const name of ["addrsift.cjs", "run.cjs", "detect-addresses.cjs", "detect-command.cjs", "lists-lookup.cjs"])
    expect(withSchemas).not.toContain(name);
  for (const name of files) expect(readFileSync(join(dist, name), "utf8")).not.toContain("@sinclair");
});

it("the library imports neither the schema library nor any other package", () => {
  const names = ["library.cjs", ...filesOf("lib"), ...filesOf("types")];
  expect(names).toEqual(expect.arrayContaining(["lib/bundler.js", "lib/web.js", "types/detection/evidence.d.cts"]));
  for (const name of names) {
    const code = readFileSync(join(ROOT, "dist", name), "utf8");
    const imports = Array.from(code.matchAll(/\b(?:from ?|require\()"([^"]+)"/g), ([, from = ""]) => from);
    expect(imports.filter((from) => !/^(?:\.|node:)/.test(from))).toEqual([]);
    expect(code).not.toContain("TypeBox.");
  }
});

// A page that does not declare its encoding may be read as windows-1252, which breaks other characters.
it("the library's code is ASCII", () => {
  for (const name of ["library.cjs", ...filesOf("lib")])
    expect([name, readFileSync(join(ROOT, "dist", name)).findIndex((byte) => byte > 0x7f)]).toEqual([name, -1]);
});

it("the library's type declarations match the schemas, and compile in strict programs with the README's example", () => {
  const folder = scratch();
  mkdirSync(join(folder.path, "node_modules"));
  symlinkSync(ROOT, join(folder.path, "node_modules/addrsift"));
  const code =
    'import { createDetector, type Detection } from "addrsift"; export const found: Detection[] = createDetector().detectMany([]);';
  // Options may be undefined, also under exactOptionalPropertyTypes.
  const optional = `import { createDetector, createDnsResolver, type MailRouting } from "addrsift";
    declare const unset: { text: string | undefined; number: number | undefined; signal: AbortSignal | undefined };
    const resolver = createDnsResolver({ timeoutMs: unset.number, cacheEntries: unset.number });
    const detector = createDetector({ home: unset.text, syntax: { asciiOnly: undefined }, resolver });
    const routing: MailRouting = { status: "ok", exchanges: [{ preference: 5, exchange: "a.example", addresses: undefined }] };
    const own = createDetector({ resolver: { route: async () => ({ ...routing, checkedAt: unset.number }) } });
    export const found = [detector, own].map((each) => each.detect("", { signal: unset.signal }));`;
  const [example = ""] = blocksOf(readProjectFile("README.md"), "ts");
  const programs = [folder.file("a.cts", code), folder.file("b.mts", code), folder.file("optional.mts", optional)];
  programs.push(folder.file("example.mts", example));
  const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
  const { tsBuildInfoFile: _, incremental: __, rootDir: ___, ...strict } = config.compilerOptions;
  const moduleOptions = {
    module: "node16",
    moduleResolution: "node16",
    lib: ["ES2023", "DOM"],
    skipDefaultLibCheck: true,
  };
  const { options } = ts.convertCompilerOptionsFromJson(
    { ...strict, ...moduleOptions, verbatimModuleSyntax: false },
    ROOT,
  );
  const shapes = join(ROOT, "test/helpers/published-types.ts");
  const program = ts.createProgram([shapes, ...programs], options);
  const diagnostics = [shapes, ...programs].flatMap((path) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(path)),
  );
  folder.remove();
  expect(diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
});

it("the library's type declarations contain the descriptions of fields", () => {
  const declarations = readFileSync(join(ROOT, "dist/types/detection/detection.d.cts"), "utf8");
  expect(declarations).toContain("/** The domain belongs to a disposable email service. */\ndisposable: boolean;");
  expect(declarations).toContain("explain?: AddressExplanation;");
});

/** Returns the files below a folder of dist, as paths from dist. */
function filesOf(folder: string): string[] {
  return readdirSync(join(ROOT, "dist", folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(join(ROOT, "dist"), join(entry.parentPath, entry.name)));
}
