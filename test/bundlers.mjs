// Tests the library in bundled programs, other runtimes, Jest, a worker and a browser: each must give the command line's
// verdicts on 100,000 addresses. Tools are installed from npm into a separate folder; a tool that can't be installed is
// reported as skipped.
//   npm run build && npm run test:bundlers [-- TOOL...]

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMMAND, ROOT, scratchFolder } from "./helpers/programs.mjs";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const COUNT = 100_000;
const NPM_TIMEOUT_MS = 240_000;
const RUN_TIMEOUT_MS = 240_000;
/** A module with the compared value: the number of detections, and a hash of them as lines of JSON. */
const DIGEST = `
export function digest(detections) {
  let hash = 0;
  for (const char of detections.map((detection) => JSON.stringify(detection)).join("\\n")) hash = (Math.imul(hash, 31) + char.codePointAt(0)) | 0;
  return detections.length + " " + (hash >>> 0).toString(16);
}
`;
const PROGRAM = `
import { createDetector } from "addrsift";
import { addresses } from "./addresses.mjs";
import { digest } from "./digest.mjs";
import { lists } from "./lists.mjs";
console.log(digest(createDetector({ lists }).detectMany(addresses)));
`;
const REQUIRED = `${DIGEST.replace("export ", "")}
const addresses = JSON.parse(require("node:fs").readFileSync("addresses.json", "utf8"));
const compute = () => digest(addrsift.createDetector().detectMany(addresses));
`;
const JEST = (expected) => `const addrsift = require("addrsift");
${REQUIRED}
test("the verdicts are those of the command", () => expect(compute()).toBe("${expected}"));
`;
/** A worker that the command `workerd test` runs. */
const WORKER = (expected) => `
import { createDetector } from "addrsift";
import { addresses } from "./addresses.mjs";
import { digest } from "./digest.mjs";
import { lists } from "./lists.mjs";
const result = digest(createDetector({ lists }).detectMany(addresses));
export default { test() { if (result !== "${expected}") throw new Error("the verdicts are " + result); } };
`;
const WORKERD = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (
  modules = [(name = "worker", esModule = embed "out/worker.mjs")], compatibilityDate = "2025-01-01"))]);
`;
const PAGE = `<!doctype html><title>wait</title><script type="module">
import { createDetector } from "addrsift";
import url from "addrsift/lists.bin?url";
import { addresses } from "./addresses.mjs";
import { digest } from "./digest.mjs";
try {
  let message = "no error";
  try { createDetector(); } catch (error) { message = error.message; }
  if (!message.startsWith("there are no files here: give createDetector the lists")) throw new Error(message);
  const lists = new Uint8Array(await (await fetch(url)).arrayBuffer());
  document.title = digest(createDetector({ lists }).detectMany(addresses));
} catch (error) {
  document.title = String(error);
}
</script>
`;
/** Serves the page that Vite made, opens it in Chromium, and prints its title. */
const BROWSER = `
import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { chromium } from "${ROOT}/node_modules/playwright-core/index.mjs";
const types = { html: "text/html", js: "text/javascript" };
const server = createServer(({ url }, response) => {
  const path = "out/page" + (url === "/" ? "/page.html" : url);
  if (!existsSync(path)) return response.writeHead(404).end();
  response.setHeader("content-type", types[path.split(".").at(-1)] ?? "application/octet-stream").end(readFileSync(path));
}).listen(0, "127.0.0.1", async () => {
  const browser = await chromium.launch({ executablePath: "${CHROMIUM}", args: ["--no-sandbox"] });
  const page = await browser.newPage();
  await page.goto("http://127.0.0.1:" + server.address().port + "/");
  await page.waitForFunction("document.title !== 'wait'", undefined, { timeout: 200000 });
  console.log(await page.title());
  await browser.close();
  server.close();
});
`;
/** A module with the lists in its own text, for environments without files. */
const LISTS_MODULE = (bytes) =>
  `export const lists = Uint8Array.from(atob("${bytes.toString("base64")}"), (c) => c.charCodeAt(0));\n`;

const folder = scratchFolder("bundlers");
const bin = (name) => join(folder, "node_modules/.bin", name);
const outputPath = (name) => join(folder, "out", name);
const esbuild = (from, to, ...options) => {
  return [bin("esbuild"), from, "--bundle", ...options, `--outfile=${outputPath(to)}`];
};
/** The packages of each tool, the command that builds the program, and the one that runs it. */
const TOOLS = [
  { name: "Node", packages: [], run: ["node", "program.mjs"] },
  {
    name: "esbuild",
    packages: ["esbuild@0.28.2"],
    make: esbuild("program.mjs", "e.mjs", "--platform=node", "--format=esm"),
    run: ["node", outputPath("e.mjs")],
  },
  {
    name: "esbuild, CommonJS",
    packages: ["esbuild@0.28.2"],
    make: esbuild("program.mjs", "e.cjs", "--platform=node", "--format=cjs"),
    run: ["node", outputPath("e.cjs")],
  },
  {
    name: "rollup",
    packages: `rollup@4.68.7 @rollup/plugin-commonjs@29.0.3 @rollup/plugin-json@6.1.0
      @rollup/plugin-node-resolve@16.0.3`.split(/\s+/),
    make: [
      bin("rollup"),
      ..."program.mjs -p node-resolve -p commonjs -p json -f es -d".split(" "),
      outputPath("rollup"),
    ],
    run: ["node", outputPath("rollup/program.js")],
  },
  {
    name: "vite",
    packages: ["vite@8.3.8"],
    make: [bin("vite"), "build", "--ssr", "program.mjs", "--outDir", outputPath("vite"), "--logLevel", "warn"],
    run: ["node", outputPath("vite/program.js")],
  },
  {
    name: "webpack",
    packages: ["webpack@5.112.2", "webpack-cli@7.3.1"],
    make: [
      ...[bin("webpack"), "--mode", "production", "--target", "node", "-o", outputPath("webpack")],
      ...["--output-filename", "main.cjs", "./program.mjs"],
    ],
    run: ["node", outputPath("webpack/main.cjs")],
  },
  {
    name: "workerd",
    packages: ["workerd@1.20261117.1", "esbuild@0.28.2"],
    make: esbuild("worker.mjs", "worker.mjs", "--format=esm", "--conditions=workerd,worker,browser"),
    run: [bin("workerd"), "test", "config.capnp"],
    silent: true,
  },
  {
    name: "Chromium",
    packages: ["vite@8.3.8"],
    missing: existsSync(CHROMIUM) ? undefined : `there is no ${CHROMIUM}`,
    make: [bin("vite"), "build", "--config", "vite.page.mjs", "--logLevel", "error"],
    run: ["node", "browser.mjs"],
  },
  { name: "tsx", packages: ["tsx@4.23.15"], scripts: true, run: [bin("tsx"), "require.cts"] },
  ...["node", "jsdom"].map((environment) => ({
    name: `Jest, ${environment}`,
    packages: ["jest@30.5.2", "jest-environment-jsdom@30.5.2"],
    run: [bin("jest"), "--testMatch=**/test.cjs", `--env=${environment}`],
    silent: true,
  })),
  { name: "Bun", packages: ["bun@1.4.5"], scripts: true, run: [bin("bun"), "program.mjs"] },
  { name: "Deno", packages: ["deno@2.9.6"], scripts: true, run: [bin("deno"), "run", "--allow-all", "program.mjs"] },
];

const names = process.argv.slice(2);
const tools = TOOLS.filter(({ name }) => names.length === 0 || names.includes(name));
const failed = [];
const skipped = [];
const expected = prepare();
for (const tool of tools) console.log(testTool(tool, expected));
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
  const dist = join(folder, "node_modules/addrsift/dist");
  const addresses = createAddresses();
  const expected = digestOfCommand(addresses);
  const files = {
    "lists.mjs": LISTS_MODULE(readFileSync(join(dist, "lists.bin"))),
    "addresses.mjs": `export const addresses = ${JSON.stringify(addresses)};\n`,
    "addresses.json": JSON.stringify(addresses),
    "digest.mjs": DIGEST,
    "require.cts": `import addrsift = require("addrsift");\n${REQUIRED}console.log(compute());\n`,
    "test.cjs": JEST(expected),
    "program.mjs": PROGRAM,
    "worker.mjs": WORKER(expected),
    "config.capnp": WORKERD,
    "page.html": PAGE,
    "vite.page.mjs": `export default { build: { target: "es2022", outDir: "out/page", rollupOptions: { input: "page.html" } } };`,
    "browser.mjs": BROWSER,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return expected;
}

/**
 * Creates addresses at names of every list, with tags, dots, roles and capitals; one in ten is malformed or not ASCII.
 */
function createAddresses() {
  const exportClass = (name) => command(["lists", "export", "--class", name]).trim().split("\n");
  const names = ["disposable", "public", "relay"].flatMap((name) =>
    exportClass(name).map((line) => line.split("\t")[0]),
  );
  const roles = exportClass("role");
  const locals = ["jane", "j.a.n.e+tag", "Jane-X", '"a b"', "jörg", "x..y", ...roles.slice(0, 20)];
  const domains = ["sub.", "", "", "unlisted-", ""];
  const unusual = "bücher.de xn--bcher-kva.de co.uk a.invalidtld [192.0.2.1] 例え.jp -a.com faß.de gmial.com".split(
    " ",
  );
  return Array.from({ length: COUNT }, (_, i) => {
    const domain =
      i % 10 === 9
        ? unusual[((i / 10) % unusual.length) | 0]
        : domains[i % domains.length] + names[(i * 7919) % names.length];
    return `${locals[i % locals.length]}@${domain}`;
  });
}

function command(args, input) {
  return execFileSync("node", [COMMAND, ...args], { input, encoding: "utf8", maxBuffer: 512e6 });
}

/** Returns the digest of the command line's output. */
function digestOfCommand(addresses) {
  const output = command(["detect", "--offline", "--quiet"], `${addresses.join("\n")}\n`);
  const lines = output.trim().split("\n");
  const module = `${DIGEST.replace("export ", "")}\nreturn digest;`;
  return new Function(module)()(lines.map((line) => JSON.parse(line)));
}

function testTool({ name, packages, scripts = false, missing, make, run, silent = false }, expected) {
  const skipReason = missing ?? (packages.length === 0 ? undefined : npm(packages, scripts));
  if (skipReason !== undefined) {
    skipped.push(name);
    return `skipped: ${name}: ${skipReason}`;
  }
  const built = make === undefined ? undefined : call(make);
  if (built !== undefined && built.status !== 0) return fail(name, `the build failed: ${lastLine(built)}`);
  const { status, stdout, stderr } = call(run);
  if (status !== 0) return fail(name, `the program ended with ${status}: ${lastLine({ stdout: "", stderr })}`);
  return silent || stdout.trim() === expected
    ? `ok: ${name}: ${expected}`
    : fail(name, `the verdicts are ${stdout.trim()}`);
}

function fail(name, reason) {
  failed.push(name);
  return `MISS: ${name}: ${reason}`;
}

function npm(packages, scripts) {
  const install = ["npm", "install", "--silent", "--no-audit", "--no-fund", ...(scripts ? [] : ["--ignore-scripts"])];
  const { status, stderr } = call([...install, ...packages], NPM_TIMEOUT_MS);
  return status === 0 ? undefined : lastLine({ stdout: "", stderr }) || `npm ended with ${status}`;
}

function call([program, ...args], timeout = RUN_TIMEOUT_MS) {
  return spawnSync(program, args, { cwd: folder, encoding: "utf8", timeout, maxBuffer: 64e6 });
}

function lastLine({ stdout, stderr }) {
  const lines = `${stdout}${stderr ?? ""}`.trim().split("\n");
  return (lines.find((line) => /^\W*\w*Error\b/.test(line)) ?? lines.at(-1) ?? "").slice(0, 200);
}
