// Makes a release twice and checks it in isolation: equal bytes, the package in an empty folder, the archive, the Debian
// package and the root file system in empty roots, checksums, bills of materials and licenses.
//   npm run release:check

import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { FROM_SOURCE } from "./helpers/from-source.mjs";
import { ROOT, scratchFolder } from "./helpers/programs.mjs";

const read = (...path) => readFileSync(join(...path), "utf8");
const { version } = JSON.parse(read(ROOT, "package.json"));
const folder = scratchFolder("release-check");
const release = join(folder, "one");
const file = (pattern) => join(release, readdirSync(release).find((name) => pattern.test(name)) ?? "missing");
// Only root may use chroot; other users need a user namespace.
const AS_ROOT = process.getuid() === 0 ? [] : ["unshare", "-r"];
// Without the tester's own variables, such as certificate authorities that the empty root lacks.
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME, ".npm"),
};
const failures = [];

function check(title, run) {
  try {
    const details = run();
    console.log(`ok: ${title}${details === undefined ? "" : `: ${details}`}`);
  } catch (error) {
    failures.push(title);
    console.log(`FAILED: ${title}: ${error.message}`);
  }
}

function expectEqual(actual, expected) {
  const [actualJson, expectedJson] = [actual, expected].map((value) => JSON.stringify(value));
  if (actualJson !== expectedJson) throw new Error(`${actualJson}, not ${expectedJson}`);
}

const run = (program, args, options = {}) =>
  execFileSync(program, args, { encoding: "utf8", env, stdio: "pipe", ...options });

/** Runs the executable in a root that contains it and its libraries. */
function inRoot(root, path, args) {
  const [program, ...rest] = [...AS_ROOT, "chroot", root, path, ...args];
  return run(program, rest);
}

/** Checks an address, a change under the native lock, a lookup in the sources, and rows. */
function expectWorking(root, path) {
  mkdirSync(join(root, "tmp"), { recursive: true });
  const output = inRoot(root, path, ["--version"]).split(",")[0];
  const { disposable } = JSON.parse(inRoot(root, path, ["detect", "--offline", "a@mailinator.com"]));
  const key = inRoot(root, path, ["keys", "create", "--home", "/tmp/home", "--name", "x", "--scopes", "emails:detect"]);
  const lookup = inRoot(root, path, ["lists", "lookup", "mailinator.com"]);
  writeFileSync(join(root, "tmp/rows"), "a@mailinator.com\n".repeat(1000));
  const rows = inRoot(root, path, ["detect", "--quiet", "--fields", "disposable", "-i", "/tmp/rows"]);
  const checks = [
    /^adsf_/.test(key),
    lookup.includes("disposable"),
    rows === '{"email":"a@mailinator.com","disposable":true}\n'.repeat(1000),
  ];
  expectEqual([output, disposable, ...checks], [`addrsift ${version}`, true, true, true, true]);
}

/** Copies the C and C++ libraries that a program needs. */
function copyLibraries(root, program) {
  for (const library of run("ldd", [program]).match(/\/lib\S*/g)) {
    mkdirSync(dirname(join(root, library)), { recursive: true });
    copyFileSync(library, join(root, library));
  }
}

const newestSection = /^## \[(.*?)\]/m.exec(read(ROOT, "CHANGELOG.md"))?.[1];
for (const name of ["one", "two"]) {
  const args = [...FROM_SOURCE, join(ROOT, "src/build/release.ts"), join(folder, name), newestSection];
  const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) process.exit(status ?? 1);
}
check("two builds of the release have equal bytes", () =>
  expectEqual(read(folder, "two", "SHA256SUMS"), read(release, "SHA256SUMS")),
);
check(
  "the checksums match the files of the release",
  () => void run("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: release }),
);
check("the newest section of the changelog has the version of package.json", () => expectEqual(newestSection, version));
check("the formula for Homebrew has the checksum of the package", () => {
  const [sum] = run("sha256sum", [file(/\.tgz$/)]).split(" ");
  if (!read(release, "addrsift.rb").includes(`sha256 "${sum}"`)) throw new Error("it has another checksum");
});
check("the npm package installs no other package, and classifies an address", () => {
  const empty = join(folder, "empty");
  mkdirSync(empty);
  run("npm", ["install", "--offline", "--omit=dev", "--no-audit", "--no-fund", file(/\.tgz$/)], { cwd: empty });
  expectEqual(
    readdirSync(join(empty, "node_modules")).filter((name) => !name.startsWith(".")),
    ["addrsift"],
  );
  const output = run(join(empty, "node_modules/.bin/addrsift"), ["detect", "--offline", "a@mailinator.com"]);
  expectEqual(JSON.parse(output).disposable, true);
  return `${run("du", ["-sm", "node_modules"], { cwd: empty }).split("\t")[0]} MB`;
});
/** Checks that a folder has the licenses of addrsift, its packages and Node, and a bill that lists Node. */
function expectLicenses(documents) {
  const copyright = read(documents, "copyright");
  for (const words of [
    "Copyright (c) 2026 The addrsift developers",
    "Public Suffix List",
    "tldts ",
    "Node.js is licensed",
  ])
    if (!copyright.includes(words)) throw new Error(`copyright has no "${words}"`);
  for (const part of ["openssl", "v8", "icu"])
    if (!new RegExp(part, "i").test(copyright)) throw new Error(`copyright has no license of ${part}`);
  const names = JSON.parse(read(documents, "bill.json")).components.map(({ name }) => name);
  expectEqual(
    ["node", "openssl", "v8", "tldts"].filter((name) => !names.includes(name)),
    [],
  );
}

check("the archive keeps the mode of an existing folder, and its executable runs in an empty root", () => {
  const root = join(folder, "root");
  mkdirSync(root);
  mkdirSync(join(root, "bin"), { mode: 0o750 });
  run("tar", ["-xzf", file(/linux-\w+\.tar\.gz$/), "-C", root, "--strip-components=1"]);
  expectEqual(statSync(join(root, "bin")).mode & 0o777, 0o750);
  read(root, "share/zsh/site-functions/_addrsift");
  copyLibraries(root, join(root, "bin/addrsift"));
  expectWorking(root, "/bin/addrsift");
  expectLicenses(join(root, "share/doc/addrsift"));
});
check("the Debian package runs in an empty root, and has manual pages, completion and systemd units", () => {
  const root = join(folder, "debian");
  run("dpkg-deb", ["-x", file(/\.deb$/), root]);
  copyLibraries(root, join(root, "usr/bin/addrsift"));
  expectWorking(root, "/usr/bin/addrsift");
  const pages = readdirSync(join(ROOT, "man")).filter((name) => /\.[17]$/.test(name));
  for (const page of pages)
    expectEqual(
      gunzipSync(readFileSync(join(root, `usr/share/man/man${page.at(-1)}/${page}.gz`))).toString(),
      read(ROOT, "man", page),
    );
  run("bash", ["-n", join(root, "usr/share/bash-completion/completions/addrsift")]);
  expectLicenses(join(root, "usr/share/doc/addrsift"));
  const units = readdirSync(join(root, "usr/lib/systemd/system"));
  expectEqual(units, ["addrsift-lists.service", "addrsift-lists.timer", "addrsift.service"]);
  for (const unit of units)
    if (/^#|\/env /m.test(read(root, "usr/lib/systemd/system", unit)))
      throw new Error(`${unit} is the example, with its comments and a search for the command`);
  run("sh", ["-n", join(root, "usr/sbin/addrsift-service")]);
  const size = Number(run("dpkg-deb", ["-f", file(/\.deb$/), "Installed-Size"]));
  if (!(size > 50_000)) throw new Error(`Installed-Size is ${size} KiB`);
  return run("dpkg-deb", ["-f", file(/\.deb$/), "Package", "Version", "Architecture"])
    .trim()
    .replaceAll("\n", ", ");
});
check("purging the Debian package removes the links of enabled units, and keeps the home", () => {
  const root = join(folder, "purge");
  const links = join(root, "etc/systemd/system/multi-user.target.wants");
  const home = join(root, "var/lib/addrsift");
  for (const path of [links, home, join(root, "var/lib/dpkg/info"), join(root, "var/lib/dpkg/updates")])
    mkdirSync(path, { recursive: true });
  writeFileSync(join(root, "var/lib/dpkg/status"), "");
  const options = [`--root=${root}`, "--force-script-chrootless", "--force-depends"];
  const [program, ...args] = [...AS_ROOT, "dpkg", ...options];
  run(program, [...args, "--install", file(/\.deb$/)]);
  // As systemctl enable does.
  symlinkSync("/usr/lib/systemd/system/addrsift.service", join(links, "addrsift.service"));
  run(program, [...args, "--purge", "addrsift"]);
  expectEqual([existsSync(links), existsSync(join(root, "usr/bin/addrsift")), existsSync(home)], [false, false, true]);
});
check("lintian has no complaint about the Debian package", () => {
  if (!existsSync("/usr/bin/lintian")) return "skipped, lintian is not installed";
  return run("lintian", ["--fail-on", "error,warning", file(/\.deb$/)]);
});
check("the command runs in the image's root file system", () => {
  const root = join(folder, "image");
  mkdirSync(root);
  run("tar", ["-xzf", file(/rootfs\.tar\.gz$/), "-C", root]);
  expectWorking(root, "/usr/bin/addrsift");
  expectLicenses(join(root, "usr/share/doc/addrsift"));
  for (const library of readdirSync(join(root, "var/lib/dpkg/status.d")))
    for (const [path] of read(root, "usr/share/doc", library, "copyright").matchAll(
      /\/usr\/share\/common-licenses\/[\w.-]*\w/g,
    ))
      read(root, path);
});
check("each component of the bill of materials is in the lockfile and has a license text", () => {
  const { components } = JSON.parse(read(release, `addrsift-${version}.cdx.json`));
  const { packages } = JSON.parse(read(ROOT, "package-lock.json"));
  const licenses = read(ROOT, "dist/LICENSES.txt");
  for (const { name, version: componentVersion, hashes } of components) {
    const locked = Object.entries(packages).filter(
      ([path, entry]) => path.endsWith(`node_modules/${name}`) && entry.version === componentVersion,
    );
    const digests = locked.map(([, { integrity }]) =>
      Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex"),
    );
    if (!digests.includes(hashes[0].content)) throw new Error(`${name} ${componentVersion} is not in the lockfile`);
    if (!licenses.includes(`${name} ${componentVersion}, `))
      throw new Error(`${name} ${componentVersion} has no license text`);
  }
  return `${components.length} packages`;
});
console.log(failures.length === 0 ? "all checks passed" : `${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
