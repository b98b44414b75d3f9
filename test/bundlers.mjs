// The library in programs that bundlers made, and in other runtimes: each must give Node's verdicts. The bundlers come from npm, into a
// folder of their own; a tool that can't be had is skipped by name.
//   npm run build && npm run test:bundlers [-- TOOL...]

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const NPM_TIMEOUT_MS = 240_000;
const RUN_TIMEOUT_MS = 120_000;
const PROGRAM = `
import { createDetector } from "addrsift";
import { lists } from "./lists.mjs";
const detector = createDetector({ lists });
const found = detector.detectMany(["joe@mailinator.com", "jane@b\\u00fccher.de", "me@duck.com", "jane@@example.org"]);
console.log(JSON.stringify(found.map((one) => [one.syntax_validation, one.disposable, one.relay_domain, one.normalized])));
`;
/** How a program for a place without files gets the octets: from its own text. */
const FROM_TEXT = (octets) =>
  `export const lists = Uint8Array.from(atob("${octets.toString("base64")}"), (c) => c.charCodeAt(0));\n`;
const WANTED = JSON.stringify([
  [true, true, false, "joe@mailinator.com"],
  [true, false, false, "jane@xn--bcher-kva.de"],
  [true, false, true, "me@duck.com"],
  [false, null, null, null],
]);

const folder = mkdtempSync(join(tmpdir(), "addrsift-bundlers-"));
const bin = (name) => join(folder, "node_modules/.bin", name);
const outOf = (name) => join(folder, "out", name);
/** Each tool: its packages, what makes the program, and what runs it. */
const TOOLS = [
  { name: "Node", packages: [], run: ["node", "program.mjs"] },
  {
    name: "esbuild",
    packages: ["esbuild@0.28.2"],
    make: [bin("esbuild"), "program.mjs", "--bundle", "--platform=node", "--format=esm", `--outfile=${outOf("e.mjs")}`],
    run: ["node", outOf("e.mjs")],
  },
  {
    name: "esbuild, CommonJS",
    packages: ["esbuild@0.28.2"],
    make: [bin("esbuild"), "program.mjs", "--bundle", "--platform=node", "--format=cjs", `--outfile=${outOf("e.cjs")}`],
    run: ["node", outOf("e.cjs")],
  },
  {
    name: "rollup",
    packages: [
      "rollup@4.68.7",
      "@rollup/plugin-commonjs@29.0.3",
      "@rollup/plugin-json@6.1.0",
      "@rollup/plugin-node-resolve@16.0.3",
    ],
    make: [
      bin("rollup"),
      "program.mjs",
      "-p",
      "node-resolve",
      "-p",
      "commonjs",
      "-p",
      "json",
      "-d",
      outOf("rollup"),
      "-f",
      "es",
    ],
    run: ["node", outOf("rollup/program.js")],
  },
  {
    name: "vite",
    packages: ["vite@8.3.8"],
    make: [bin("vite"), "build", "--ssr", "program.mjs", "--outDir", outOf("vite"), "--logLevel", "warn"],
    run: ["node", outOf("vite/program.js")],
  },
  {
    name: "webpack",
    packages: ["webpack@5.112.2", "webpack-cli@7.3.1"],
    make: [
      bin("webpack"),
      "--mode",
      "production",
      "--target",
      "node",
      "-o",
      outOf("webpack"),
      "--output-filename",
      "main.cjs",
      "./program.mjs",
    ],
    run: ["node", outOf("webpack/main.cjs")],
  },
  { name: "Bun", packages: ["bun@1.4.5"], scripts: true, run: [bin("bun"), "program.mjs"] },
  { name: "Deno", packages: ["deno@2.9.6"], scripts: true, run: [bin("deno"), "run", "--allow-all", "program.mjs"] },
];

const chosen = process.argv.slice(2);
const tools = TOOLS.filter(({ name }) => chosen.length === 0 || chosen.includes(name));
const failed = [];
const skipped = [];
try {
  prepare();
  for (const tool of tools) {
    const miss = attempt(tool);
    if (miss !== undefined) console.log(miss);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const passed = tools.length - failed.length - skipped.length;
console.log(`${passed} passed, ${failed.length} failed, ${skipped.length} skipped`);
if (failed.length > 0) process.exitCode = 1;

function prepare() {
  const packed = execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], {
    cwd: ROOT,
    encoding: "utf8",
  });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "program", private: true, type: "module" }));
  mkdirSync(join(folder, "out"));
  const status = npm([join(folder, packed.trim().split("\n").at(-1))]);
  if (status !== undefined) throw new Error(`the package can't be installed: ${status}`);
  const read = "process.stdout.write(require('fs').readFileSync(require.resolve('addrsift/lists.bin')))";
  const octets = execFileSync("node", ["-e", read], { cwd: folder, maxBuffer: 64e6 });
  writeFileSync(join(folder, "lists.mjs"), FROM_TEXT(octets));
  writeFileSync(join(folder, "program.mjs"), PROGRAM);
}

function attempt({ name, packages, scripts = false, make, run }) {
  const absent = packages.length === 0 ? undefined : npm(packages, scripts);
  if (absent !== undefined) {
    skipped.push(name);
    return `skipped: ${name}: ${absent}`;
  }
  const made = make === undefined ? undefined : call(make);
  if (made !== undefined && made.status !== 0) return miss(name, `it makes no program: ${lastLine(made)}`);
  const { status, stdout, stderr } = call(run);
  if (status !== 0) return miss(name, `the program ends with ${status}: ${lastLine({ stdout: "", stderr })}`);
  return stdout.trim() === WANTED ? `ok: ${name}` : miss(name, `the verdicts are ${stdout.trim()}`);
}

function miss(name, reason) {
  failed.push(name);
  return `MISS: ${name}: ${reason}`;
}

function npm(packages, scripts) {
  const args = [
    "install",
    "--silent",
    "--no-audit",
    "--no-fund",
    ...(scripts ? [] : ["--ignore-scripts"]),
    ...packages,
  ];
  const { status, stderr } = call(["npm", ...args], NPM_TIMEOUT_MS);
  return status === 0 ? undefined : lastLine({ stdout: "", stderr }) || `npm ended with ${status}`;
}

function call([program, ...args], timeout = RUN_TIMEOUT_MS) {
  return spawnSync(program, args, { cwd: folder, encoding: "utf8", timeout, maxBuffer: 64e6 });
}

function lastLine({ stdout, stderr }) {
  const lines = `${stdout}${stderr ?? ""}`.trim().split("\n");
  return (lines.find((line) => /^\W*\w*Error\b/.test(line)) ?? lines.at(-1) ?? "").slice(0, 200);
}
