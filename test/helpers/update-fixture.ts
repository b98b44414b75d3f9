// A mirror with the sources of a small package, and homes whose lists are updated from it.

import { join } from "node:path";
import { afterAll, afterEach, beforeAll } from "vitest";
import type { SourceKey } from "../../src/curation/sources.ts";
import { type Mirror, startMirror } from "./mirror.ts";
import { type Call, type RunResult, run, scratch } from "./run.ts";
import { createSmallPackage, type SmallPackage } from "./small-package.ts";

const DAY_MS = 86_400_000;
// Lists change with the day. From noon on, tests see one day even if they run at midnight.
const untilNoonMs = DAY_MS / 2 - (Date.now() % DAY_MS);

/** Timeout of tests with several updates, each of which waits for the disk. */
export const UPDATES_LIMIT = { timeout: 120_000 };

/** The fields of an update's report that tests read. */
export interface UpdateJson {
  readonly result: string;
  readonly data_version: string;
  readonly disposable_added: number;
  readonly sources: readonly { readonly key: string; readonly result: string }[];
}

/** Registers its own setup and cleanup in the test file. The mirror is reset after each test. */
export class UpdateFixture {
  readonly folder = scratch();
  small!: SmallPackage;
  mirror!: Mirror;
  private homes = 0;

  /** The small package keeps the names in `keptNames`, in each source that lists them. */
  constructor(keptNames: readonly string[]) {
    beforeAll(async () => {
      this.small = createSmallPackage(join(this.folder.path, "package"), keptNames);
      this.mirror = await startMirror(this.small.snapshots);
    });
    afterEach(() => this.mirror.reset());
    afterAll(async () => {
      await this.mirror.close();
      this.folder.remove();
    });
  }

  /** Runs the small package's command. */
  readonly run = (call: Call): Promise<RunResult> =>
    run(call, { root: this.small.root, now: () => Date.now() + untilNoonMs });

  newHome(): string {
    this.homes += 1;
    return join(this.folder.path, `home-${this.homes}`);
  }

  /** Returns the --source options for these sources of the mirror, or for all, separated by spaces. */
  sources(...keys: readonly SourceKey[]): string {
    return this.mirror.options(keys.length === 0 ? undefined : keys).join(" ");
  }

  /** Updates from all sources unless the options name some. Returns the report, the status and standard error. */
  async update(home: string, options = ""): Promise<UpdateJson & { readonly status: number; readonly stderr: string }> {
    const origin = /--(?:source|from) /.test(options) ? "" : ` ${this.sources()}`;
    const result = await this.run(`lists update --json --home ${home}${options === "" ? "" : ` ${options}`}${origin}`);
    const { status, stdout, stderr } = result;
    if (stdout.length === 0) throw new Error(stderr.toString());
    return { status, stderr: stderr.toString(), ...(JSON.parse(stdout.toString()) as UpdateJson) };
  }

  /** Returns the JSON that a command prints about a home, and its standard error. */
  async json(call: string, home: string): Promise<Readonly<Record<string, unknown>>> {
    const { stdout, stderr } = await this.run(`${call} --json --home ${home}`);
    return { ...(JSON.parse(stdout.toString()) as object), stderr: stderr.toString() };
  }

  change(key: SourceKey, edit: (text: string) => string): void {
    this.mirror.texts.set(key, edit(this.mirror.texts.get(key) as string));
  }

  /** Adds new names to a source. */
  add(key: SourceKey, ...names: readonly string[]): void {
    this.change(key, (text) => text + names.map((name) => `${name}\n`).join(""));
  }

  remove(key: SourceKey, name: string): void {
    this.change(key, (text) => text.replace(new RegExp(`^${name.replaceAll(".", "\\.")}\\n`, "m"), ""));
  }
}
