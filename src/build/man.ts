// Maintainers' program: makes the pages under man/ from the Markdown beside them and the tables in the code, and
// CONTRIBUTING's picture of the rooms from the imports; or checks that they are what it would make.
//   npm run man:build, npm run man:check

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ARCHITECTURE, architectureSvg } from "./manual/architecture.ts";
import { manPages } from "./manual/pages.ts";

const ROOT = join(import.meta.dirname, "../..");

const pages = new Map([...manPages(ROOT), [ARCHITECTURE, architectureSvg(ROOT)]]);
const drifted = [...pages].filter(([file, text]) => readOrEmpty(file) !== text).map(([file]) => file);

if (!process.argv.includes("--check")) {
  for (const [file, text] of pages) writeFileSync(join(ROOT, file), text);
  console.log(`man:build: ${drifted.length} of ${pages.size} pages changed`);
} else if (drifted.length > 0) {
  console.error(`addrsift: ${drifted.join(", ")} drifted: run npm run man:build`);
  process.exitCode = 2;
} else {
  console.log(`man:check: ${pages.size} pages are what their Markdown and the tables make`);
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(join(ROOT, file), "utf8");
  } catch {
    return "";
  }
}
