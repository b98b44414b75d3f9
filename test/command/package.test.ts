// Tests the published package: its files, what is bundled into it, and that it works where nothing else is installed.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { ROOT } from "../helpers/classify.ts";
import { FROM_SOURCE } from "../helpers/from-source.mjs";
import { fileScratch, run, runProgram } from "../helpers/run.ts";

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes: readonly { readonly content: string }[];
  readonly licenses: readonly object[];
}

const files = fileScratch();
const project = join(files.path, "project");
const installed = join(project, "node_modules/addrsift");
const read = (path: string): string => readFileSync(path, "utf8");

beforeAll(async () => {
  mkdirSync(project);
  // Later versions of Node cache compiled code there.
  const compiled = join(ROOT, "dist/.compiled");
  mkdirSync(compiled, { recursive: true });
  writeFileSync(join(compiled, "of-a-test"), "");
  writeFileSync(join(project, "package.json"), '{"name":"project","private":true,"type":"module"}');
  const pack = [...FROM_SOURCE, join(ROOT, "src/build/pack.ts"), files.path];
  const packed = await runProgram(process.execPath, pack, { cwd: ROOT, env: { REPOSITORY: "acme/addrsift" } });
  rmSync(join(compiled, "of-a-test"));
  const tarball = join(files.path, packed.stdout.toString().trim());
  // Without a cache or a registry, nothing else can be installed.
  const args = ["install", "--offline", "--cache", join(files.path, "cache"), "--ignore-scripts", tarball];
  expect(await runProgram("npm", args, { cwd: project })).toMatchObject({ status: 0 });
});

it("the installed package has no dependencies and is smaller than 11.1 MB", () => {
  const packages = readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."));
  expect(packages).toEqual(["addrsift"]);
  const bytes = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + readFileSync(join(entry.parentPath, entry.name)).length, 0);
  expect(bytes).toBeLessThan(11.1e6);
});

it("the installed package contains no compile cache and no source maps", () => {
  const names = readdirSync(installed, { recursive: true, encoding: "utf8" });
  expect(names).toContain(join("dist", "addrsift.cjs"));
  expect(names.filter((name) => name.includes(".compiled") || name.endsWith(".map"))).toEqual([]);
});

it("the installed package names the release's repository in package.json, README and examples, and has no scripts", () => {
  expect(read(join(ROOT, ".github/workflows/release.yml"))).toMatch(
    /^ {2}REPOSITORY: \$\{\{ github\.repository \}\}$/m,
  );
  const { scripts, repository } = JSON.parse(read(join(installed, "package.json")));
  expect([scripts, repository.url]).toEqual([undefined, "git+https://github.com/acme/addrsift.git"]);
  expect(read(join(installed, "README.md"))).toContain("uses: acme/addrsift@v1");
  expect(read(join(installed, "man/examples/github-actions.yml"))).toContain(" acme/addrsift:");
});

it("the installed README links to files of the package, or to those of the release's tag", () => {
  const links = Array.from(read(join(installed, "README.md")).matchAll(/\]\(([^)#]+)/g), ([, link = ""]) => link);
  const tag = `https://github.com/acme/addrsift/blob/v${JSON.parse(read(join(installed, "package.json"))).version}/`;
  expect(links).toContain(`${tag}man/addrsift.md`);
  const isValid = (link: string): boolean =>
    link.startsWith("https:")
      ? !link.startsWith(tag) || existsSync(join(ROOT, link.slice(tag.length).replace("?raw=true", "")))
      : existsSync(join(installed, link));
  expect(links.filter((link) => !isValid(link))).toEqual([]);
});

it("npm pack works in an installed package that npm pack made in a clone", async () => {
  const folder = join(files.path, "repacked");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), read(join(ROOT, "package.json")));
  const { status, stdout } = await runProgram("npm", ["pack", "--dry-run", "--silent"], { cwd: folder });
  expect([status, stdout.toString()]).toEqual([0, expect.stringMatching(/^addrsift-.*\.tgz\n$/)]);
});

// Together, these calls load every file of the command except those of the daemon and of deliveries.
it.each([
  ["detect of an unlisted domain", "detect --offline a@nothing-is-here.com", '"syntax_validation":true'],
  ["detect of an IDN domain", "detect --offline a@xn--bcher-kva.de", '"normalized":"a@xn--bcher-kva.de"'],
  ["detect --format table", "detect --offline --format table a@mailinator.com", "disposable"],
  ["keys create", "keys create --home home --name a --scopes emails:detect", "adsf_"],
  ["a failing lists update", "lists update --home home --from .", "\n"],
  ["detect --help", "detect --help", "Usage: addrsift detect"],
])("the installed package runs without any other package: %s", async (_, line, expected) => {
  const { stdout, stderr } = await runProgram(
    process.execPath,
    [join(installed, "bin/addrsift.cjs"), ...line.split(" ")],
    { cwd: project },
  );
  expect(stderr.toString()).not.toMatch(/Cannot find|MODULE_NOT_FOUND/);
  expect(`${stdout}${stderr}`).toContain(expected);
});

it("lists lookup prints the same output, including sources, in the installed package and in a clone", async () => {
  const names = ["mailinator.com", "0-180.com", "gmail.com", "bund.de", "harvard.edu", "gmial.com"];
  const call = ["lists", "lookup", "--json", ...names];
  const cloneOutput = (await run(call)).stdout.toString();
  const command = join(installed, "bin/addrsift.cjs");
  const packageOutput = (await runProgram(process.execPath, [command, ...call])).stdout.toString();
  expect(cloneOutput).toContain("listed_by");
  expect(packageOutput).toBe(cloneOutput);
});

const bill = JSON.parse(read(join(ROOT, "dist/bill.json"))) as { components: Component[] };
const lock = JSON.parse(read(join(ROOT, "package-lock.json"))) as {
  packages: Record<string, { version: string; integrity: string; license: string }>;
};

it("each component of the bill of materials has the version and hash of the lockfile, and a permissive license", () => {
  const locked = Object.entries(lock.packages).map(([path, { version, integrity = "" }]) => {
    const digest = Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex");
    return `${path.slice(path.lastIndexOf("node_modules/") + 13)}@${version} ${digest}`;
  });
  for (const { name, version, hashes, licenses, purl } of bill.components) {
    expect(locked).toContain(`${name}@${version} ${hashes[0]?.content}`);
    expect(purl).toBe(`pkg:npm/${encodeURIComponent(name).replace("%2F", "/")}@${version}`);
    expect(JSON.stringify(licenses)).toMatch(/"(MIT|ISC|BSD-[23]-Clause|Apache-2\.0|0BSD|BlueOak-1\.0\.0|MIT-0)"/);
  }
});

it("the bill of materials lists every package bundled in dist, and LICENSES.txt has an entry for each component", () => {
  const licenses = read(join(ROOT, "dist/LICENSES.txt"));
  for (const { name, version } of bill.components) expect(licenses).toContain(`${name} ${version}, `);
  // Source maps name the files that the code was built from.
  const maps = readdirSync(join(ROOT, "dist"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".map"),
  );
  const sources = maps.flatMap((name) => (JSON.parse(read(join(ROOT, "dist", name))) as { sources: string[] }).sources);
  const names = new Set(sources.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.slice(1) ?? []));
  // The published tldts contains it.
  names.delete("tldts-core");
  expect([...names].filter((name) => !bill.components.some((component) => component.name === name))).toEqual([]);
});
