// The command's first code: it loads `detect` for a call that has only addresses, and the reader of options for
// everything else. Only this file uses `process`.

import type { Runtime } from "./runtime.ts";
import { StandardInput } from "./terminal/input.ts";
import { DescriptorOutput } from "./terminal/output.ts";

interface Host {
  readonly root: string;
  readonly load: (name: string) => unknown;
}

export async function main(argv: readonly string[], { root, load }: Host): Promise<void> {
  process.exitCode = await answer(argv, processRuntime(root, load));
}

/** Runs a command line, and returns the exit status. Nothing is thrown. */
export async function answer(argv: readonly string[], runtime: Runtime): Promise<number> {
  try {
    const [command, ...addresses] = argv;
    if (command === "detect" && !addresses.some((text) => text.startsWith("-"))) {
      return await (await import("./commands/detect/command.ts")).detectOnly(addresses, runtime);
    }
    return await (await import("./run.ts")).run(argv, runtime);
  } catch (error) {
    return (await import("./run.ts")).reportFailure(error, runtime);
  }
}

/** The runtime over this process. `load` is CommonJS `require`, resolved from the package's `bin/`. */
function processRuntime(root: string, load: (name: string) => unknown): Runtime {
  const tty = (): typeof import("node:tty") => load("node:tty") as typeof import("node:tty");
  return {
    root,
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
