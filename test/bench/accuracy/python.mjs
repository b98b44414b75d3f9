// Downloads the pinned packages from PyPI with pip into a temporary folder; python.py reads or calls them.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PIP = ["-m", "pip", "--quiet", "--disable-pip-version-check"];
const SCRIPT = join(import.meta.dirname, "python.py");
const MAX_BUFFER = 1 << 28;

/** The pinned releases: requirements and hashes, by their use in the bench. */
const PINS = JSON.parse(readFileSync(join(import.meta.dirname, "pypi.json"), "utf8"));

/** Reports whether Python with pip and venv is installed. */
export function hasPython() {
  return spawnSync("python3", ["-c", "import ensurepip, venv; import pip"]).status === 0;
}

/** Creates readers of data from PyPI, and classifiers that run in Python. All files are under the folder. */
export function openPython(folder) {
  const python = makeVenv(folder);
  const run = (job, input) =>
    JSON.parse(execFileSync(python, [SCRIPT, job], { input: JSON.stringify(input), maxBuffer: MAX_BUFFER }).toString());
  return {
    syntaxRows: () => run("rows", download(folder, "rows", PINS.rows, ["--no-binary", ":all:"])),
    lists: () => PINS.community.map((pin) => run("list", download(folder, pin.requirement.split("==")[1], pin))),
    burner: () => run("burner", null),
    classify: (name, addresses) => run(name, addresses),
  };
}

function makeVenv(folder) {
  const venv = join(folder, "venv");
  execFileSync("python3", ["-m", "venv", venv]);
  const python = join(venv, "bin/python");
  install(python, ["install", "--only-binary", ":all:"], join(folder, "tools.txt"), PINS.tools);
  return python;
}

/** Downloads a release to a new folder. Returns the folder. */
function download(folder, name, pin, options = ["--only-binary", ":all:"]) {
  const target = join(folder, name);
  install("python3", ["download", "--no-deps", "--dest", target, ...options], join(folder, `${name}.txt`), [pin]);
  return target;
}

function install(python, command, file, pins) {
  writeFileSync(file, pins.map(({ requirement, sha256 }) => `${requirement} --hash=sha256:${sha256}\n`).join(""));
  execFileSync(python, [...PIP, ...command, "--require-hashes", "-r", file]);
}
