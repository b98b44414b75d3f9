// Maintainers' program: makes the files of a release: the package for npm, and for Linux an archive with the executable, a
// package for Debian and a root file system for `FROM scratch`; bills of materials, a formula for Homebrew, release
// notes, and checksums. Two runs over one commit make the same bytes.
//   npm run pack:release [-- FOLDER [HEADING]]
// HEADING is the section of the changelog for the notes (default: the version); "Unreleased" is for a trial.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { arch } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { CurationError } from "../curation/sources.ts";
import { type Component, describeComponent, describeNode, formatBill } from "./bill.ts";
import { makeTemporaryFolder, runProgram } from "./generated.ts";
import { makePackage, packNpm } from "./pack.ts";
import { fillTemplate, indentLicense, releaseDay, releaseNotes } from "./release-texts.ts";

const ROOT = join(import.meta.dirname, "../..");
const FROM_SOURCE = ["--import", join(ROOT, ".ci/ts.mjs")];
const read = (...path: string[]): string => readFileSync(join(...path), "utf8");
const changelog = read(ROOT, "CHANGELOG.md");
const outputFolder = resolve(process.argv[2] ?? "release");
const workFolder = makeTemporaryFolder();
const packageFolder = join(workFolder, "package");
/** The files for Debian, below which usr/ has those of the archive too. */
const debianRoot = join(workFolder, "debian");
const DOCUMENTS = "usr/share/doc/addrsift";
const { version } = JSON.parse(read(ROOT, "package.json")) as { version: string };
const name = `addrsift-${version}-linux-${arch()}`;
const architecture = arch() === "x64" ? "amd64" : arch();
const day = releaseDay(changelog);
/** Time of the files, which dpkg-deb reads too, in seconds since 1970. */
const epoch = `${Date.parse(day) / 1000}`;
process.env["SOURCE_DATE_EPOCH"] = epoch;
/** User and group ID of the user in the image. */
const USER_ID = 65532;
/** Debian's packages of the C and C++ libraries that Node needs. */
const LIBRARIES = ["libc6", "libgcc-s1", "libstdc++6"];

await runProgram(() => {
  makeRelease();
  console.log(outputFolder);
});

function makeRelease(): void {
  const notes = releaseNotes(changelog, process.argv[3] ?? version) + fill("install.md");
  const nodeLicense = readNodeLicense();
  process.umask(0o022);
  mkdirSync(outputFolder, { recursive: true });
  writeFileSync(join(outputFolder, "NOTES.md"), notes);
  makePackage(packageFolder);
  packNpm(packageFolder, outputFolder);
  const { components } = JSON.parse(read(packageFolder, "dist/bill.json")) as { components: Component[] };
  writeBill(`addrsift-${version}`, components);
  const linuxComponents = [...components, ...describeNode(process.versions)];
  makeFiles(nodeLicense, writeBill(name, linuxComponents));
  const archive = join(workFolder, "archive.tar");
  // Below /usr/local, zsh searches only site-functions.
  const transform = `--transform=s,^usr,${name},;s,vendor-completions,site-functions,`;
  // Entries for folders would change owner and mode of /usr/local/bin.
  const files = run("find", ["usr", "-type", "f"], debianRoot).toString().trim().split("\n");
  tar(debianRoot, 0, "-cf", archive, transform, ...files.sort());
  writeFileSync(join(outputFolder, `${name}.tar.gz`), gzipSync(readFileSync(archive)));
  packDebian();
  packRoot(linuxComponents);
  const packageBytes = readFileSync(join(outputFolder, `addrsift-${version}.tgz`));
  const sha256 = createHash("sha256").update(packageBytes).digest("hex");
  writeFileSync(join(outputFolder, "addrsift.rb"), fill("addrsift.rb", { SHA256: sha256 }));
  const released = readdirSync(outputFolder).filter((file) => file.startsWith("addrsift"));
  writeFileSync(join(outputFolder, "SHA256SUMS"), run("sha256sum", released.sort(), outputFolder));
}

/** Reads Node's license file, which also has the licenses of OpenSSL, V8, ICU and its other parts. */
function readNodeLicense(): string {
  const folder = join(realpathSync(process.execPath), "../..");
  // In the archives of nodejs.org, and in NodeSource's packages for Debian.
  const files = ["LICENSE", "share/doc/nodejs/LICENSE"].map((path) => join(folder, path));
  const file = files.find((path) => existsSync(path) && read(path).startsWith("Node.js is licensed"));
  if (file !== undefined) return read(file);
  throw new CurationError(
    `the release contains Node, but its license is not in ${files.join(" or ")}: use a Node from nodejs.org, or copy the LICENSE of v${process.versions.node} there`,
  );
}

/** Writes a bill of materials to a file of the release. Returns it. */
function writeBill(file: string, components: readonly Component[]): string {
  const bill = formatBill(version, components, `${day}T00:00:00Z`);
  writeFileSync(join(outputFolder, `${file}.cdx.json`), bill);
  return bill;
}

/** Makes the files that the archive and the Debian package share. */
function makeFiles(nodeLicense: string, bill: string): void {
  const write = createWriter(debianRoot);
  const executable = join(debianRoot, "usr/bin/addrsift");
  mkdirSync(dirname(executable), { recursive: true });
  run(process.execPath, [...FROM_SOURCE, join(ROOT, "src/build/executable.ts"), executable], ROOT);
  for (const page of readdirSync(join(packageFolder, "man")).filter((file) => /\.[17]$/.test(file)))
    write(`usr/share/man/man${page.at(-1)}/${page}.gz`, compress(read(packageFolder, "man", page)));
  const completion = (shell: string): Buffer => run(executable, ["completion", shell], ROOT);
  write("usr/share/bash-completion/completions/addrsift", completion("bash"));
  write("usr/share/zsh/vendor-completions/_addrsift", completion("zsh"));
  write("usr/share/fish/vendor_completions.d/addrsift.fish", completion("fish"));
  const licenses = {
    LICENSE: indentLicense(read(packageFolder, "LICENSE")),
    NOTICE: indentLicense(read(packageFolder, "NOTICE")),
    PACKAGES: indentLicense(read(packageFolder, "dist/LICENSES.txt")),
    NODE_LICENSES: indentLicense(nodeLicense),
  };
  write(`${DOCUMENTS}/copyright`, fill("copyright", licenses));
  write(`${DOCUMENTS}/changelog.gz`, compress(read(packageFolder, "CHANGELOG.md")));
  write(`${DOCUMENTS}/bill.json`, bill);
  const examples = join(packageFolder, "man/examples");
  for (const file of readdirSync(examples)) write(`${DOCUMENTS}/examples/${file}`, read(examples, file));
}

/** Adds the systemd units and the files for dpkg, and packs the Debian package. */
function packDebian(): void {
  const write = createWriter(debianRoot);
  for (const unit of ["addrsift.service", "addrsift-lists.service", "addrsift-lists.timer"]) {
    // The examples have comments about installing and editing them.
    const text = read(packageFolder, "man/examples", unit)
      .replace(/^#.*\n/gm, "")
      .trimStart();
    const documentation = "$&Documentation=man:addrsift-serve(1)\n";
    const installed = text.replace(/^Description=.*\n/m, documentation).replace("/usr/bin/env ", "/usr/bin/");
    write(`usr/lib/systemd/system/${unit}`, installed);
  }
  write("usr/sbin/addrsift-service", read(packageFolder, "man/examples/addrsift-service.sh"), 0o755);
  write("usr/share/man/man8/addrsift-service.8.gz", compress(".so man1/addrsift-serve.1\n"));
  write(`${DOCUMENTS}/changelog.Debian.gz`, compress(fill("changelog.Debian")));
  write("usr/share/lintian/overrides/addrsift", fill("lintian-overrides"));
  const sizes = readdirSync(debianRoot, { recursive: true, encoding: "utf8" }).map((path) => {
    const stats = statSync(join(debianRoot, path));
    return stats.isDirectory() ? 1 : Math.ceil(stats.size / 1024);
  });
  const kilobytes = sizes.reduce((sum, size) => sum + size, 0);
  write("DEBIAN/control", fill("control", { INSTALLED_SIZE: `${kilobytes}` }));
  for (const script of ["postinst", "prerm", "postrm"]) write(`DEBIAN/${script}`, fill(script), 0o755);
  const file = join(outputFolder, `addrsift_${version}_${architecture}.deb`);
  run("dpkg-deb", ["-Zxz", "-z3", "--root-owner-group", "--build", debianRoot, file], ROOT);
}

/** Packs the root file system: the executable, the C and C++ libraries that Node needs, /tmp, and a home directory. */
function packRoot(components: readonly Component[]): void {
  const root = join(workFolder, "root");
  const write = createWriter(root);
  write("usr/bin/addrsift", readFileSync(join(debianRoot, "usr/bin/addrsift")), 0o755);
  write(`${DOCUMENTS}/copyright`, read(debianRoot, DOCUMENTS, "copyright"));
  const allComponents = [...components, ...writeLibraries(root)];
  write(`${DOCUMENTS}/bill.json`, writeBill(`${name}-rootfs`, allComponents));
  write("etc/passwd", `addrsift:x:${USER_ID}:${USER_ID}::/var/lib/addrsift:\n`);
  for (const [folder, mode] of [
    ["tmp", 0o1777],
    ["var/lib/addrsift", 0o700],
  ] as const) {
    mkdirSync(join(root, folder), { recursive: true });
    chmodSync(join(root, folder), mode);
  }
  const archive = join(workFolder, "root.tar");
  tar(root, 0, "-cf", archive, "--exclude=./var/lib/addrsift", ".");
  tar(root, USER_ID, "-rf", archive, "./var/lib/addrsift");
  writeFileSync(join(outputFolder, `${name}-rootfs.tar.gz`), gzipSync(readFileSync(archive)));
}

/**
 * Writes the libraries that the executable needs, with their licenses and, as in distroless images, the records of dpkg
 * that scanners for vulnerabilities read. Returns their components.
 */
function writeLibraries(root: string): Component[] {
  const write = createWriter(root);
  const system = read("/etc/os-release");
  write("etc/os-release", system);
  const [, id] = /^ID=(.*)$/m.exec(system) ?? [];
  const [, versionId] = /^VERSION_ID="?(.*?)"?$/m.exec(system) ?? [];
  const packaged = new Set<string>();
  const components = LIBRARIES.map((library) => {
    const query = (option: string): string =>
      run("dpkg-query", [option, `${library}:${architecture}`], ROOT).toString();
    for (const path of query("--listfiles").split("\n")) packaged.add(basename(path));
    const status = query("--status");
    write(`var/lib/dpkg/status.d/${library}`, status);
    const copyright = read("/usr/share/doc", library, "copyright");
    write(`usr/share/doc/${library}/copyright`, copyright);
    for (const [path] of copyright.matchAll(/\/usr\/share\/common-licenses\/[\w.-]*\w/g))
      write(path.slice(1), read(path));
    const [, version = ""] = /^Version: (.*)$/m.exec(status) ?? [];
    const path = `${encodeURIComponent(library)}@${encodeURIComponent(version)}`;
    return describeComponent(library, version, `pkg:deb/${id}/${path}?arch=${architecture}&distro=${id}-${versionId}`);
  });
  const dependencies = run("ldd", [join(root, "usr/bin/addrsift")], ROOT).toString();
  for (const [file] of dependencies.matchAll(/\/lib\S*/g)) {
    if (!packaged.has(basename(file))) throw new CurationError(`${file} is in none of ${LIBRARIES}`);
    write(file.slice(1), readFileSync(file), 0o755);
  }
  return components;
}

/** Fills a template in .ci/release/. */
function fill(template: string, values: Readonly<Record<string, string>> = {}): string {
  return fillTemplate(read(ROOT, ".ci/release", template), process.env["REPOSITORY"] ?? "OWNER/addrsift", {
    VERSION: version,
    // In Debian's order, 1.1.0~rc.1 is before 1.1.0.
    DEBIAN_VERSION: `${version.replace("-", "~")}-1`,
    ARCHITECTURE: architecture,
    DATE: new Date(day).toUTCString().replace("GMT", "+0000"),
    NODE: process.versions.node,
    ...values,
  });
}

/** Packs files below `folder`, which belong to `owner` in the archive. */
function tar(folder: string, owner: number, ...args: string[]): void {
  const owners = [`--owner=${owner}`, `--group=${owner}`, "--numeric-owner"];
  run("tar", ["--sort=name", `--mtime=@${epoch}`, "--format=gnu", ...owners, ...args], folder);
}

function compress(bytes: string | Uint8Array): Buffer {
  return gzipSync(bytes, { level: 9 });
}

/** Returns a function that writes files below `root`. */
function createWriter(root: string): (path: string, content: string | Uint8Array, mode?: number) => void {
  return (path, content, mode = 0o644) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { mode });
  };
}

function run(program: string, args: readonly string[], cwd: string): Buffer {
  try {
    return execFileSync(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${basename(program)} failed: ${(error as { stderr?: Buffer }).stderr}`, { cause: error });
  }
}
