// Makes a release twice and checks it in isolation: equal bytes, the package in an empty folder, the executable, the
// Debian package and the root file system in empty roots, checksums, bill of materials and licenses.
//   npm run release:check

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { FROM_SOURCE } from "./helpers/from-source.mjs";
import { ROOT, scratchFolder } from "./helpers/programs.mjs";

const read = (...path) => readFileSync(join(...path), "utf8");
const { version } = JSON.parse(read(ROOT, "package.json"));
const folder = scratchFolder("release-check");
const made = join(folder, "one");
const file = (pattern) => join(made, readdirSync(made).find((name) => pattern.test(name)) ?? "missing");
// A root of one's own needs a user namespace where one is not root.
const AS_ROOT = process.getuid() === 0 ? [] : ["unshare", "-r"];
// Nothing of the tester's own, such as authorities that the empty root has not.
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME, ".npm"),
};
const faults = [];

function check(what, act) {
  try {
    const told = act();
    console.log(`ok: ${what}${told === undefined ? "" : `: ${told}`}`);
  } catch (error) {
    faults.push(what);
    console.log(`FAILED: ${what}: ${error.message}`);
  }
}

function same(found, wanted) {
  const [one, other] = [found, wanted].map((value) => JSON.stringify(value));
  if (one !== other) throw new Error(`${one} in place of ${other}`);
}

const run = (program, args, more = {}) =>
  execFileSync(program, args, { encoding: "utf8", env, stdio: "pipe", ...more });

/** Runs the executable in a root that has it and the libraries that it names. */
function inRoot(root, path, args) {
  const [program, ...rest] = [...AS_ROOT, "chroot", root, path, ...args];
  return run(program, rest);
}

/** A one-off, a change under the native lock, the data of the sources, rows, and what is printed. */
function works(root, path) {
  mkdirSync(join(root, "tmp"), { recursive: true });
  const output = inRoot(root, path, ["--version"]).split(",")[0];
  const { disposable } = JSON.parse(inRoot(root, path, ["detect", "--offline", "a@mailinator.com"]));
  const key = inRoot(root, path, ["keys", "create", "--home", "/tmp/home", "--name", "x", "--scopes", "emails:detect"]);
  const looked = inRoot(root, path, ["lists", "lookup", "mailinator.com"]);
  writeFileSync(join(root, "tmp/rows"), "a@mailinator.com\n".repeat(1000));
  const rows = inRoot(root, path, ["detect", "--quiet", "--fields", "disposable", "-i", "/tmp/rows"]);
  const shown = [
    /^adsf_/.test(key),
    looked.includes("disposable"),
    rows === '{"email":"a@mailinator.com","disposable":true}\n'.repeat(1000),
  ];
  same([output, disposable, ...shown], [`addrsift ${version}`, true, true, true, true]);
}

/** Copies the C and C++ libraries that a program names. */
function giveLibraries(root, program) {
  for (const library of run("ldd", [program]).match(/\/lib\S*/g)) {
    mkdirSync(dirname(join(root, library)), { recursive: true });
    copyFileSync(library, join(root, library));
  }
}

for (const name of ["one", "two"])
  execFileSync(process.execPath, [...FROM_SOURCE, join(ROOT, "src/build/release.ts"), join(folder, name)], {
    stdio: ["ignore", "ignore", 2],
  });
check("two builds have equal bytes", () => same(read(folder, "two", "SHA256SUMS"), read(made, "SHA256SUMS")));
check(
  "the sums are those of the files",
  () => void run("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: made }),
);
check("the newest section of the changelog has the version", () =>
  same(/^## \[(.*?)\]/m.exec(read(ROOT, "CHANGELOG.md"))?.[1], version),
);
check("the formula for Homebrew has the sum of the package", () => {
  const [sum] = run("sha256sum", [file(/\.tgz$/)]).split(" ");
  if (!read(made, "addrsift.rb").includes(`sha256 "${sum}"`)) throw new Error("another sum");
});
check("an install from the package brings one package that works", () => {
  const empty = join(folder, "empty");
  mkdirSync(empty);
  run("npm", ["install", "--offline", "--omit=dev", "--no-audit", "--no-fund", file(/\.tgz$/)], { cwd: empty });
  same(
    readdirSync(join(empty, "node_modules")).filter((name) => !name.startsWith(".")),
    ["addrsift"],
  );
  const output = run(join(empty, "node_modules/.bin/addrsift"), ["detect", "--offline", "a@mailinator.com"]);
  same(JSON.parse(output).disposable, true);
  return `${run("du", ["-sm", "node_modules"], { cwd: empty }).split("\t")[0]} MB`;
});
check("the executable works in an empty root", () => {
  const [root, program] = [join(folder, "root"), file(/linux-\w+$/)];
  mkdirSync(root);
  copyFileSync(program, join(root, "addrsift"));
  giveLibraries(root, program);
  works(root, "/addrsift");
});
check("the package for Debian works in an empty root, with manual, completion and units", () => {
  const root = join(folder, "debian");
  run("dpkg-deb", ["-x", file(/\.deb$/), root]);
  giveLibraries(root, join(root, "usr/bin/addrsift"));
  works(root, "/usr/bin/addrsift");
  const pages = readdirSync(join(ROOT, "man")).filter((name) => /\.[17]$/.test(name));
  for (const page of pages)
    same(
      gunzipSync(readFileSync(join(root, `usr/share/man/man${page.at(-1)}/${page}.gz`))).toString(),
      read(ROOT, "man", page),
    );
  run("bash", ["-n", join(root, "usr/share/bash-completion/completions/addrsift")]);
  const units = readdirSync(join(root, "usr/lib/systemd/system"));
  same(units, ["addrsift-lists.service", "addrsift-lists.timer", "addrsift.service"]);
  return run("dpkg-deb", ["-f", file(/\.deb$/), "Package", "Version", "Architecture"])
    .trim()
    .replaceAll("\n", ", ");
});
check("the root for an image works", () => {
  const root = join(folder, "image");
  mkdirSync(root);
  run("tar", ["-xzf", file(/rootfs\.tar\.gz$/), "-C", root]);
  works(root, "/usr/bin/addrsift");
});
check("the bill names what the lock has, and the licences what the bill names", () => {
  const { components } = JSON.parse(read(file(/\.cdx\.json$/)));
  const { packages } = JSON.parse(read(ROOT, "package-lock.json"));
  const licences = read(ROOT, "dist/LICENSES.txt");
  for (const { name, version: built, hashes } of components) {
    const locked = Object.entries(packages).filter(
      ([path, one]) => path.endsWith(`node_modules/${name}`) && one.version === built,
    );
    const digests = locked.map(([, { integrity }]) =>
      Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex"),
    );
    if (!digests.includes(hashes[0].content)) throw new Error(`${name} ${built} is not in the lock`);
    if (!licences.includes(`${name} ${built}, `)) throw new Error(`${name} ${built} has no licence`);
  }
  return `${components.length} packages`;
});
console.log(faults.length === 0 ? "the release is good" : `${faults.length} failed`);
process.exitCode = faults.length === 0 ? 0 : 1;
