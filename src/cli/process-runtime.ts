// The runtime over the real process. The only file that uses `process`, besides the entry that sets the exit status.

import type { Bundles, Runtime } from "./runtime.ts";
import { StandardInput } from "./terminal/input.ts";
import { DescriptorOutput } from "./terminal/output.ts";

/** The runtime over this process. `load` is CommonJS `require`, resolved from the package's `bin/`. */
export function processRuntime(root: string, load: (name: string) => unknown): Runtime {
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
    bundle: <Name extends keyof Bundles>(name: Name) => load(`../dist/${name}.cjs`) as Bundles[Name],
    now: Date.now,
  };
}
