// `serve --update-lists`: runs `addrsift lists update` from time to time, in a process of its own, so that no request
// waits for it. It tells the channels; the daemon takes the new lists as it takes those that anyone puts into the home.

import type { ChildProcess } from "node:child_process";
import { isAddrsiftError } from "../../../base/errors.ts";
import { HomeLists } from "../../../curation/update/home-lists.ts";
import type { Runtime } from "../../runtime.ts";
import type { ServeSettings } from "./settings.ts";

// After a failure; it doubles up to the interval.
const FIRST_RETRY_MS = 60_000;
// Delays differ by chance, so that daemons do not all ask at the same second.
const JITTER_SHARE = 0.1;
const FIRST_DELAY_MAX_MS = 60_000;
// The last lines of what an update said.
const SAID_CHARACTERS = 2000;

export interface UpdatePorts {
  readonly info: (line: string) => void;
  readonly warn: (line: string) => void;
}

/** Updates on a timer, one at a time. The timer keeps no process alive. */
export class ListUpdates {
  private timer: NodeJS.Timeout | undefined;
  private child: ChildProcess | undefined;
  private failures = 0;
  private stopped = false;

  constructor(
    private readonly settings: ServeSettings,
    private readonly intervalMs: number,
    private readonly runtime: Runtime,
    private readonly ports: UpdatePorts,
  ) {
    this.wait(this.untilDueMs());
  }

  /** Ends a running update; the lists in force stay whole. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.child?.kill();
  }

  /** The time until the next update is due. A daemon that restarts often does not ask more often. */
  private untilDueMs(): number {
    const checkedAt = checkedAtOf(this.settings.home.folder);
    const sinceMs = checkedAt === undefined ? Number.POSITIVE_INFINITY : this.runtime.now() - Date.parse(checkedAt);
    const soonMs = Math.random() * Math.min(FIRST_DELAY_MAX_MS, JITTER_SHARE * this.intervalMs);
    return soonMs + (sinceMs >= 0 && sinceMs < this.intervalMs ? this.intervalMs - sinceMs : 0);
  }

  private wait(delayMs: number): void {
    // A longer delay would overflow the timer, which then fires at once.
    this.timer = setTimeout(() => void this.update(), Math.min(delayMs, 0x7fffffff)).unref();
  }

  private async update(): Promise<void> {
    const failure = await this.run();
    if (this.stopped) return;
    this.failures = failure === undefined ? 0 : this.failures + 1;
    if (failure !== undefined) this.ports.warn(`the lists were not updated: ${failure}`);
    const retryMs = FIRST_RETRY_MS * 2 ** Math.min(this.failures - 1, 20);
    const nextMs = failure === undefined ? this.intervalMs : Math.min(this.intervalMs, retryMs);
    this.wait(nextMs * (1 - JITTER_SHARE + 2 * JITTER_SHARE * Math.random()));
  }

  private async run(): Promise<string | undefined> {
    const { spawn } = await import("node:child_process");
    const { home, sources, allowPrivate, proxy } = this.settings;
    const env = { ...(proxy === undefined ? {} : { HTTPS_PROXY: proxy.href }), ...this.runtime.env };
    const options = [
      ...sources.flatMap((source) => ["--source", source]),
      ...allowPrivate.flatMap((range) => ["--allow-private", range]),
    ];
    const command = [`${this.runtime.root}/bin/addrsift.cjs`, "lists", "update", "--home", home.folder, ...options];
    return new Promise((resolve) => {
      const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "pipe"], env });
      this.child = child;
      let said = "";
      const take = (chunk: Buffer): void => {
        said = (said + chunk.toString()).slice(-SAID_CHARACTERS);
      };
      child.stdout.on("data", take);
      child.stderr.on("data", take);
      child.on("error", (error) => resolve(error.message));
      child.on("close", (code) => {
        const lines = said
          .trim()
          .replace(/^addrsift: /gm, "")
          .replaceAll("\n", "; ");
        if (code === 0) this.ports.info(lines);
        resolve(code === 0 ? undefined : lines === "" ? `the update ended with ${code}` : lines);
      });
    });
  }
}

/** When the last update ran. The update itself reports a damaged file. */
function checkedAtOf(home: string): string | undefined {
  try {
    return new HomeLists(home).state().checkedAt;
  } catch (error) {
    if (!isAddrsiftError(error)) throw error;
    return undefined;
  }
}
