// Everything outside of a run as one value: what a command reads, writes and loads, and its clock. Commands use
// `process` only through it, so tests run them with a runtime of their own.

import type { PageAssets, PageFacts } from "../page/facts.ts";
import type { Page } from "../server/routes/page.ts";
import type { Pg } from "../store/postgresql/pg.ts";
import type { Input } from "./terminal/input.ts";
import type { Output } from "./terminal/output.ts";

/** Modules that no file imports: Node's own, the optional package pg, and the page, which is built from TSX. */
export interface Modules {
  readonly "../dist/page.cjs": { createPage(facts: PageFacts, assets: PageAssets): Page };
  readonly "../package.json": { readonly version: string };
  readonly "node:zlib": typeof import("node:zlib");
  readonly pg: Pg;
}

/** The part of a runtime that is not about input and output of a command. */
export type Host = Pick<Runtime, "root" | "env" | "stderr" | "now" | "load">;

/** Where signals of the process arrive; `process` is one. */
export interface Signals {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  once(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

export interface Runtime {
  readonly root: string;
  /** Node's version, such as 20.20.2. */
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
