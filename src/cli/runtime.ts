// The environment of a command: its streams, variables, signals, modules and clock. Tests pass one in memory.

import type { PageAssets, PageFacts, ReportFacts } from "../page/facts.ts";
import type { Page } from "../server/routes/status.ts";
import type { Pg } from "../store/postgresql/pg.ts";
import type { Input } from "./terminal/input.ts";
import type { Output } from "./terminal/output.ts";

/** Modules that are loaded by name: Node's own, the optional package pg, and the page, which is built from TSX. */
export interface Modules {
  readonly "../dist/page.cjs": {
    createPage(facts: PageFacts, assets: PageAssets): Page;
    renderReport(report: ReportFacts, style: string): string;
  };
  /** Only a published package has a homepage, which is its repository. */
  readonly "../package.json": { readonly version: string; readonly homepage?: string };
  readonly "node:zlib": typeof import("node:zlib");
  readonly pg: Pg;
}

export type Host = Pick<Runtime, "root" | "packagesFolder" | "env" | "stderr" | "now" | "load">;

/** Source of process signals; `process` is one. */
export interface Signals {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
  readonly pid: number;
  kill(pid: number, signal: string): unknown;
}

export interface Runtime {
  readonly root: string;
  /** Where the executable file finds other packages. Undefined for an npm package. */
  readonly packagesFolder?: string | undefined;
  readonly nodeVersion: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly signals: Signals;
  /** Loads by CommonJS `require`, which takes half the time of `import`. */
  load<Name extends keyof Modules>(name: Name): Modules[Name];
  now(): number;
}
