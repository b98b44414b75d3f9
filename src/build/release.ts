// Makes the files of a release: the package for npm, the executable file, a package for Debian, a root for `FROM
// scratch`, the bill of materials, and their sums. Two runs over the same commit make the same bytes.
//   npm run pack:release [-- FOLDER]

import { execFileSync } from "node:child_process";
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

const ROOT = join(import.meta.dirname, "../..");
const FROM_SOURCE = ["--import", join(ROOT, ".ci/ts.mjs")];
const out = resolve(process.argv[2] ?? "release");
process.umask(0o022);
mkdirSync(out, { recursive: true });
const work = mkdtempSync(join(tmpdir(), "addrsift-release-"));
const packed = join(work, "package");
const { version, description, homepage } = makePackage(packed);
const name = `addrsift-${version}-linux-${arch()}`;
const executable = join(out, name);
// The user of the image.
const OWNER = 65532;

try {
  packNpm(packed, out);
  run(process.execPath, [...FROM_SOURCE, join(ROOT, "src/build/executable.ts"), executable], ROOT);
  packDebian(join(work, "deb"));
  packRoot(join(work, "root"));
  copyFileSync(join(ROOT, "dist/bill.json"), join(out, `addrsift-${version}.cdx.json`));
  const sums = readdirSync(out)
    .filter((file) => file.startsWith("addrsift"))
    .sort();
  writeFileSync(join(out, "SHA256SUMS"), run("sha256sum", sums, out));
  console.log(out);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function packDebian(root: string): void {
  const put = putBelow(root);
  put("usr/bin/addrsift", readFileSync(executable), 0o755);
  for (const page of readdirSync(join(packed, "man")).filter((file) => /\.[17]$/.test(file)))
    put(`usr/share/man/man${page.at(-1)}/${page}.gz`, gzipSync(readFileSync(join(packed, "man", page)), { level: 9 }));
  const completion = (shell: string): Buffer => run(executable, ["completion", shell], ROOT);
  put("usr/share/bash-completion/completions/addrsift", completion("bash"));
  put("usr/share/zsh/vendor-completions/_addrsift", completion("zsh"));
  put("usr/share/fish/vendor_completions.d/addrsift.fish", completion("fish"));
  for (const unit of ["addrsift.service", "addrsift-lists.service", "addrsift-lists.timer"])
    put(`usr/lib/systemd/system/${unit}`, readFileSync(join(packed, "man/examples", unit)));
  const licences = ["LICENSE", "NOTICE", "dist/LICENSES.txt"].map((file) => readFileSync(join(packed, file), "utf8"));
  put("usr/share/doc/addrsift/copyright", Buffer.from(licences.join("\n")));
  put("usr/share/doc/addrsift/changelog.gz", gzipSync(readFileSync(join(packed, "CHANGELOG.md")), { level: 9 }));
  put("usr/share/doc/addrsift/bill.json", readFileSync(join(packed, "dist/bill.json")));
  cpSync(join(packed, "man/examples"), join(root, "usr/share/doc/addrsift/examples"), { recursive: true });
  const architecture = { x64: "amd64", arm64: "arm64" }[arch() as "x64" | "arm64"];
  const control = [
    `Package: addrsift\nVersion: ${version}\nArchitecture: ${architecture}\nSection: mail\nPriority: optional`,
    // The field must have an address, and the project has none.
    "Maintainer: The addrsift developers <no-address@addrsift.invalid>\nDepends: libc6 (>= 2.28), libstdc++6 (>= 9)",
    ...(homepage === undefined ? [] : [`Homepage: ${homepage}`]),
    `Description: classifies email addresses\n ${description}.\n`,
  ];
  put("DEBIAN/control", Buffer.from(control.join("\n")));
  const file = join(out, `addrsift_${version}_${architecture}.deb`);
  // Every dpkg reads gzip.
  const env = { ...process.env, SOURCE_DATE_EPOCH: process.env["SOURCE_DATE_EPOCH"] ?? "0" };
  execFileSync("dpkg-deb", ["-Zgzip", "--root-owner-group", "--build", root, file], { env, stdio: ["ignore", 2, 2] });
}

/** The executable with the C and C++ libraries that Node needs, a folder for temporary files, and a home. */
function packRoot(root: string): void {
  const put = putBelow(root);
  put("usr/bin/addrsift", readFileSync(executable), 0o755);
  const libraries =
    run("ldd", [executable], ROOT)
      .toString()
      .match(/\/lib\S*/g) ?? [];
  for (const library of libraries) put(library.slice(1), readFileSync(library), 0o755);
  put("etc/passwd", Buffer.from(`addrsift:x:${OWNER}:${OWNER}::/var/lib/addrsift:\n`));
  for (const [folder, mode] of [
    ["tmp", 0o1777],
    ["var/lib/addrsift", 0o700],
  ] as const) {
    mkdirSync(join(root, folder), { recursive: true });
    chmodSync(join(root, folder), mode);
  }
  const archive = join(work, "root.tar");
  const tar = (...args: string[]): unknown =>
    run("tar", ["--sort=name", "--mtime=@0", "--numeric-owner", "--format=gnu", ...args], root);
  tar("--owner=0", "--group=0", "--exclude=./var/lib/addrsift", "-cf", archive, ".");
  tar(`--owner=${OWNER}`, `--group=${OWNER}`, "-rf", archive, "./var/lib/addrsift");
  writeFileSync(join(out, `${name}-rootfs.tar.gz`), gzipSync(readFileSync(archive)));
}

/** Writes files below a folder, with modes that no umask changes. */
function putBelow(root: string): (path: string, bytes: Uint8Array, mode?: number) => void {
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
