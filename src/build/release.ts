// Maintainers' program: makes the files of a release: the package for npm, the executable, a package for Debian, a root
// file system for `FROM scratch`, the bill of materials, a formula for Homebrew, release notes, and checksums. Two runs
// over one commit make the same bytes.
//   npm run pack:release [-- FOLDER [HEADING]]
// HEADING is the section of the changelog for the notes (default: the version); "Unreleased" is for a trial.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { arch, tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { makePackage, packNpm } from "./pack.ts";
import { homebrewFormula, releaseNotes } from "./release-texts.ts";

const ROOT = join(import.meta.dirname, "../..");
const FROM_SOURCE = ["--import", join(ROOT, ".ci/ts.mjs")];
const outputFolder = resolve(process.argv[2] ?? "release");
const notes = readNotes();
process.umask(0o022);
mkdirSync(outputFolder, { recursive: true });
const workFolder = mkdtempSync(join(tmpdir(), "addrsift-release-"));
const packageFolder = join(workFolder, "package");
const { version = "", description = "", homepage } = makePackage(packageFolder);
const name = `addrsift-${version}-linux-${arch()}`;
const executable = join(outputFolder, name);
/** User and group ID of the user in the image. */
const USER_ID = 65532;

try {
  writeFileSync(join(outputFolder, "NOTES.md"), notes);
  packNpm(packageFolder, outputFolder);
  run(process.execPath, [...FROM_SOURCE, join(ROOT, "src/build/executable.ts"), executable], ROOT);
  packDebian(join(workFolder, "deb"));
  packRoot(join(workFolder, "root"));
  copyFileSync(join(ROOT, "dist/bill.json"), join(outputFolder, `addrsift-${version}.cdx.json`));
  const npmFile = `addrsift-${version}.tgz`;
  const sha256 = createHash("sha256")
    .update(readFileSync(join(outputFolder, npmFile)))
    .digest("hex");
  const repository = process.env["REPOSITORY"] ?? "OWNER/addrsift";
  writeFileSync(
    join(outputFolder, "addrsift.rb"),
    homebrewFormula({ repository, version, description, file: npmFile, sha256 }),
  );
  const files = readdirSync(outputFolder)
    .filter((file) => file.startsWith("addrsift"))
    .sort();
  writeFileSync(join(outputFolder, "SHA256SUMS"), run("sha256sum", files, outputFolder));
  console.log(outputFolder);
} finally {
  rmSync(workFolder, { recursive: true, force: true });
}

/** Returns the release notes. If the changelog is not ready for a release, prints the reason and exits with 2. */
function readNotes(): string {
  const packageVersion = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version;
  try {
    return releaseNotes(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), process.argv[3] ?? packageVersion);
  } catch (error) {
    console.error(`addrsift: ${(error as Error).message}`);
    process.exit(2);
  }
}

function packDebian(root: string): void {
  const write = createWriter(root);
  write("usr/bin/addrsift", readFileSync(executable), 0o755);
  for (const page of readdirSync(join(packageFolder, "man")).filter((file) => /\.[17]$/.test(file)))
    write(
      `usr/share/man/man${page.at(-1)}/${page}.gz`,
      gzipSync(readFileSync(join(packageFolder, "man", page)), { level: 9 }),
    );
  const completion = (shell: string): Buffer => run(executable, ["completion", shell], ROOT);
  write("usr/share/bash-completion/completions/addrsift", completion("bash"));
  write("usr/share/zsh/vendor-completions/_addrsift", completion("zsh"));
  write("usr/share/fish/vendor_completions.d/addrsift.fish", completion("fish"));
  for (const unit of ["addrsift.service", "addrsift-lists.service", "addrsift-lists.timer"])
    write(`usr/lib/systemd/system/${unit}`, readFileSync(join(packageFolder, "man/examples", unit)));
  const licenses = ["LICENSE", "NOTICE", "dist/LICENSES.txt"].map((file) =>
    readFileSync(join(packageFolder, file), "utf8"),
  );
  write("usr/share/doc/addrsift/copyright", Buffer.from(licenses.join("\n")));
  write(
    "usr/share/doc/addrsift/changelog.gz",
    gzipSync(readFileSync(join(packageFolder, "CHANGELOG.md")), { level: 9 }),
  );
  write("usr/share/doc/addrsift/bill.json", readFileSync(join(packageFolder, "dist/bill.json")));
  cpSync(join(packageFolder, "man/examples"), join(root, "usr/share/doc/addrsift/examples"), { recursive: true });
  const architecture = { x64: "amd64", arm64: "arm64" }[arch() as "x64" | "arm64"];
  const control = [
    `Package: addrsift\nVersion: ${version}\nArchitecture: ${architecture}\nSection: mail\nPriority: optional`,
    // The field needs an email address, and the project has none.
    "Maintainer: The addrsift developers <no-address@addrsift.invalid>\nDepends: libc6 (>= 2.28), libstdc++6 (>= 9)",
    ...(homepage === undefined ? [] : [`Homepage: ${homepage}`]),
    `Description: classifies email addresses\n ${description}.\n`,
  ];
  write("DEBIAN/control", Buffer.from(control.join("\n")));
  const file = join(outputFolder, `addrsift_${version}_${architecture}.deb`);
  // All versions of dpkg can read gzip.
  const env = { ...process.env, SOURCE_DATE_EPOCH: process.env["SOURCE_DATE_EPOCH"] ?? "0" };
  execFileSync("dpkg-deb", ["-Zgzip", "--root-owner-group", "--build", root, file], { env, stdio: ["ignore", 2, 2] });
}

/** Packs the root file system: the executable, the C and C++ libraries that Node needs, /tmp, and a home directory. */
function packRoot(root: string): void {
  const write = createWriter(root);
  write("usr/bin/addrsift", readFileSync(executable), 0o755);
  const libraries =
    run("ldd", [executable], ROOT)
      .toString()
      .match(/\/lib\S*/g) ?? [];
  for (const library of libraries) write(library.slice(1), readFileSync(library), 0o755);
  write("etc/passwd", Buffer.from(`addrsift:x:${USER_ID}:${USER_ID}::/var/lib/addrsift:\n`));
  for (const [folder, mode] of [
    ["tmp", 0o1777],
    ["var/lib/addrsift", 0o700],
  ] as const) {
    mkdirSync(join(root, folder), { recursive: true });
    chmodSync(join(root, folder), mode);
  }
  const archive = join(workFolder, "root.tar");
  const tar = (...args: string[]): unknown =>
    run("tar", ["--sort=name", "--mtime=@0", "--numeric-owner", "--format=gnu", ...args], root);
  tar("--owner=0", "--group=0", "--exclude=./var/lib/addrsift", "-cf", archive, ".");
  tar(`--owner=${USER_ID}`, `--group=${USER_ID}`, "-rf", archive, "./var/lib/addrsift");
  writeFileSync(join(outputFolder, `${name}-rootfs.tar.gz`), gzipSync(readFileSync(archive)));
}

/** Returns a function that writes files below `root`, with modes that no umask changes. */
function createWriter(root: string): (path: string, bytes: Uint8Array, mode?: number) => void {
  return (path, bytes, mode = 0o644) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    chmodSync(file, mode);
  };
}

function run(program: string, args: readonly string[], cwd: string): Buffer {
  try {
    return execFileSync(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${basename(program)} failed: ${(error as { stderr?: Buffer }).stderr}`, { cause: error });
  }
}
