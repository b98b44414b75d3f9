// Packs the command, its lists and this very Node as one archive, for machines where nothing is installed, such as executors of Spark.
//   npm run pack:executor [-- FILE]

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = join(import.meta.dirname, "../..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const archive = resolve(process.argv[2] ?? `addrsift-${version}-${process.platform}-${process.arch}.tar.gz`);

// `exec`, so that a signal to this script reaches the command.
const LAUNCHER = `#!/bin/sh
here=$(CDPATH= cd -- "\${0%/*}" && pwd -P)
exec "$here/node" "$here/package/bin/addrsift.cjs" "$@"
`;

const folder = mkdtempSync(join(tmpdir(), "addrsift-pack-"));
try {
  const to = join(folder, "package");
  mkdirSync(join(to, "dist"), { recursive: true });
  for (const name of ["bin", "package.json", "LICENSE", "NOTICE"]) {
    cpSync(join(root, name), join(to, name), { recursive: true });
  }
  // The library, source maps and code that was compiled on this machine stay here.
  const names = readdirSync(join(root, "dist")).filter((name) => name !== "lib" && !/^\.|\.map$/.test(name));
  for (const name of names) cpSync(join(root, "dist", name), join(to, "dist", name), { recursive: true });
  cpSync(process.execPath, join(folder, "node"));
  writeFileSync(join(folder, "addrsift"), LAUNCHER, { mode: 0o755 });
  const { status } = spawnSync("tar", ["-czf", archive, "-C", folder, "addrsift", "node", "package"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw new Error(`tar could not write ${archive}`);
  console.log(archive);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
