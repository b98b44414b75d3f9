// Shapes in the build: which files have the schema library in them, and what the library's users get of shapes.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { ROOT } from "../helpers/classify.ts";

describe("the schema library", () => {
  it("the schema library is not built into what a plain detect loads, because loading it takes time", () => {
    const dist = join(ROOT, "dist");
    const files = readdirSync(dist).filter((name) => name.endsWith(".cjs"));
    const having = files.filter((name) => readFileSync(join(dist, name), "utf8").includes("TypeBox."));
    expect(files).toContain("addrsift.cjs");
    expect(having.sort()).toEqual(["main.cjs", "serve.cjs"]);
    for (const name of files) expect(readFileSync(join(dist, name), "utf8")).not.toContain("@sinclair");
  });

  it.each([
    ["index.js", "index.js"],
    ["index.d.ts", "detection/evidence.d.ts"],
  ])("the schema library is not reached from the library's %s", (index, deep) => {
    const reached = reachedFrom(index);
    expect(reached.files).toContain(deep);
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { dependencies: object };
    const packages = reached.packages.filter((name) => !name.startsWith("node:"));
    expect(packages.filter((name) => !Object.hasOwn(dependencies, name.split("/")[0] as string))).toEqual([]);
  });
});

describe("the library's declarations", () => {
  it("the library's declarations have the types of the shapes", () => {
    const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
    const { tsBuildInfoFile: _, incremental: __, rootDir: ___, ...checked } = config.compilerOptions;
    const { options } = ts.convertCompilerOptionsFromJson({ ...checked, lib: ["ES2023", "DOM"] }, ROOT);
    const path = join(ROOT, "test/helpers/published-types.ts");
    const program = ts.createProgram([path], options);
    const found = ts.getPreEmitDiagnostics(program, program.getSourceFile(path));
    expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
  });

  it("say of each field what its shape says", () => {
    const declared = readFileSync(join(ROOT, "dist/lib/detection/detection.d.ts"), "utf8");
    expect(declared).toContain("/** The domain belongs to a service of throw-away addresses. */\ndisposable: boolean;");
    expect(declared).toContain("explain?: Explanation;");
  });
});

/** The files of dist/lib and the packages that one of them leads to. */
function reachedFrom(first: string): { readonly files: string[]; readonly packages: string[] } {
  const files = new Set([first]);
  const packages = new Set<string>();
  for (const file of files) {
    const code = readFileSync(join(ROOT, "dist/lib", file), "utf8");
    for (const [, name = ""] of code.matchAll(/\bfrom "([^"]+)"/g)) {
      if (name.startsWith("."))
        files.add(join(file, "..", first.endsWith(".d.ts") ? name.replace(/\.ts$/, ".d.ts") : name));
      else packages.add(name);
    }
  }
  return { files: [...files], packages: [...packages] };
}
