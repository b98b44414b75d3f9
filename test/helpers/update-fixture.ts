// For a file of tests: homes whose lists are updated from a mirror, which has the sources of a small package.

import { join } from "node:path";
import { afterAll, afterEach, beforeAll } from "vitest";
import type { SourceKey } from "../../src/curation/sources.ts";
import { type Mirror, startMirror } from "./mirror.ts";
import { type Call, type RunResult, run, scratch } from "./run.ts";
import { createSmallPackage, type SmallPackage } from "./small-package.ts";

/** The limit of tests with several updates in turn, each of which waits for the disk. */
export const UPDATES_LIMIT = { timeout: 120_000 };

/** The report of an update, as far as tests look at it. */
export interface UpdateJson {
  readonly result: string;
  readonly data_version: string;
  readonly disposable_added: number;
  readonly sources: readonly { readonly key: string; readonly result: string }[];
}

/** Set up by the file that calls it; the mirror is honest again after each test. */
export class UpdateFixture {
  readonly folder = scratch();
  small!: SmallPackage;
  mirror!: Mirror;
  private homes = 0;

  /** Names in `kept` are in the small package where they are in the real one. */
  constructor(kept: readonly string[]) {
    beforeAll(async () => {
      this.small = createSmallPackage(join(this.folder.path, "package"), kept);
      this.mirror = await startMirror(this.small.snapshots);
    });
    afterEach(() => this.mirror.reset());
    afterAll(async () => {
      await this.mirror.close();
      this.folder.remove();
    });
  }

  /** Runs a command of the small package. */
  readonly run = (call: Call): Promise<RunResult> => run(call, { root: this.small.root });

  newHome(): string {
    this.homes += 1;
    return join(this.folder.path, `home-${this.homes}`);
  }

  /** The options for these sources of the mirror, or all, as a part of a line. */
  sources(...keys: readonly SourceKey[]): string {
    return this.mirror.options(keys.length === 0 ? undefined : keys).join(" ");
  }

  /** Updates from all sources, or as the options say; the report, with the status and the notes. */
  async update(home: string, options = ""): Promise<UpdateJson & { readonly status: number; readonly stderr: string }> {
    const origin = /--(?:source|from) /.test(options) ? "" : ` ${this.sources()}`;
    const result = await this.run(`lists update --json --home ${home}${options === "" ? "" : ` ${options}`}${origin}`);
    const { status, stdout, stderr } = result;
    if (stdout.length === 0) throw new Error(stderr.toString());
    return { status, stderr: stderr.toString(), ...(JSON.parse(stdout.toString()) as UpdateJson) };
  }

  /** The JSON that a command about a home prints, with its notes. */
  async json(call: string, home: string): Promise<Readonly<Record<string, unknown>>> {
    const { stdout, stderr } = await this.run(`${call} --json --home ${home}`);
    return { ...(JSON.parse(stdout.toString()) as object), stderr: stderr.toString() };
  }

  change(key: SourceKey, edit: (text: string) => string): void {
    this.mirror.texts.set(key, edit(this.mirror.texts.get(key) as string));
  }

  /** Adds names to a source that it does not have. */
  add(key: SourceKey, ...names: readonly string[]): void {
    this.change(key, (text) => text + names.map((name) => `${name}\n`).join(""));
  }

  remove(key: SourceKey, name: string): void {
    this.change(key, (text) => text.replace(new RegExp(`^${name.replaceAll(".", "\\.")}\\n`, "m"), ""));
  }
}
