// Entry point of the command: runs a plain `detect` with the least code, and loads the parser for everything else. Only
// this file uses `process`.

import type { Runtime } from "./runtime.ts";
import { StandardInput } from "./terminal/input.ts";
import { DescriptorOutput } from "./terminal/output.ts";

interface PackageAccess {
  readonly root: string;
  readonly packagesFolder?: string;
  readonly load: (name: string) => unknown;
}

export async function main(argv: readonly string[], access: PackageAccess): Promise<void> {
  process.exitCode = await runCommandLine(argv, processRuntime(access));
}

/** Runs a command line and returns the exit status. Never throws. */
export async function runCommandLine(argv: readonly string[], runtime: Runtime): Promise<number> {
  try {
    const [command, ...args] = argv;
    const addresses = args.filter((word) => !FAST_PATH_SWITCHES.includes(word));
    if (command === "detect" && !addresses.some((name) => name.startsWith("-"))) {
      const switches = FAST_PATH_SWITCHES.filter((word) => args.includes(word)).map((word) => word.slice(2));
      return await runPlainDetect(addresses, switches, runtime);
    }
    return await (await import("./run.ts")).parseAndRun(argv, runtime);
  } catch (error) {
    return (await import("./run.ts")).reportFailure(error, runtime);
  }
}

// Switches that the fast path understands; other options need the full parser.
const FAST_PATH_SWITCHES: readonly string[] = ["--offline", "--json"];
/** Environment variables that act as options of `detect`. */
export const OPTION_VARIABLES = ["ADDRSIFT_DNS", "ADDRSIFT_MIN_CONFIDENCE"] as const;

async function runPlainDetect(
  addresses: readonly string[],
  switches: readonly string[],
  runtime: Runtime,
): Promise<number> {
  const { stdout, env } = runtime;
  const [offline, json] = [switches.includes("offline"), switches.includes("json")];
  const hasOptions = OPTION_VARIABLES.some((variable) => (env[variable] ?? "") !== "");
  if (addresses.length === 0 || hasOptions || (stdout.maybeTerminal && !json)) {
    return (await import("./commands/detect/command.ts")).detectWithSwitches(addresses, switches, runtime);
  }
  const { printDetections } = await import("./commands/detect/addresses.ts");
  return printDetections({ addresses, policy: {}, dns: offline ? undefined : {}, global: {} }, runtime);
}

/** Creates the runtime over this process. `load` is CommonJS `require` from the package's `bin/`. */
function processRuntime({ root, packagesFolder, load }: PackageAccess): Runtime {
  const tty = (): typeof import("node:tty") => load("node:tty") as typeof import("node:tty");
  return {
    root,
    packagesFolder,
    nodeVersion: process.versions.node,
    env: process.env,
    stdin: new StandardInput(() => process.stdin, tty),
    stdout: new DescriptorOutput(1, () => process.stdout, tty),
    stderr: new DescriptorOutput(2, () => process.stderr, tty),
    signals: process,
    load: load as Runtime["load"],
    now: Date.now,
  };
}
