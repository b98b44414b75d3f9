// Installs Python packages for checks that run by hand, in a venv of the user's cache that later runs reuse.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Engines have hundreds of megabytes, and some are built from source. */
const INSTALL_TIMEOUT_MS = 300_000;

/** Returns a check's folder in the user's cache. */
export function cacheFolder(name) {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), name);
}

/** Returns a message about the first program that is not installed, or undefined. */
export function missing(programs) {
  const absent = programs.find((program) => spawnSync(program, ["--version"]).error !== undefined);
  return absent === undefined ? undefined : `there is no ${absent}`;
}

/** Installs missing packages into a venv in a folder. Returns the error, or undefined. */
export function install(folder, packages, venv = "venv") {
  const python = join(folder, venv, "bin/python");
  if (!existsSync(python)) {
    const { status, stderr } = spawnSync("python3", ["-m", "venv", join(folder, venv)], { encoding: "utf8" });
    if (status !== 0) return `python3 makes no venv: ${stderr.trim().split("\n").at(-1)}`;
  }
  if (packages.length === 0) return undefined;
  const args = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", ...packages];
  const { status, stderr } = spawnSync(python, args, { encoding: "utf8", timeout: INSTALL_TIMEOUT_MS });
  if (status === 0) return undefined;
  if (status === null) return `${packages.join(", ")} could not be installed within ${INSTALL_TIMEOUT_MS / 1000} s`;
  return `${packages.join(", ")} can't be installed: ${stderr.trim().split("\n").at(-1)}`;
}
