// The overrides that the daemon classifies with: those of the home, read again when their file changes or one expires.

import type { OverrideMap } from "../../../lists/overrides.ts";
import { recordsState } from "../../../overrides/place.ts";
import type { Home } from "../../open/home.ts";
import { overridesInForce } from "../../open/overrides.ts";
import type { Runtime } from "../../runtime.ts";

const IN_FORCE_BEFORE = "those read before stay in use";

/** The overrides in force, kept current by `refresh`. */
export class LiveOverrides {
  current: OverrideMap;
  private readonly home: Home;
  private readonly runtime: Runtime;
  private readonly warn: (line: string) => void;
  private mark: string | undefined;
  private nextExpiryMs: number;

  constructor(home: Home, runtime: Runtime, warn: (line: string) => void) {
    this.home = home;
    this.runtime = runtime;
    this.warn = warn;
    this.mark = this.markNow();
    const { overrides, nextExpiryMs, warnings } = overridesInForce(home, runtime);
    for (const line of warnings) warn(line);
    this.current = overrides;
    this.nextExpiryMs = nextExpiryMs;
  }

  /** Reads again what may have changed; true when `current` is another. What can't be read leaves the present ones in force. */
  refresh(): boolean {
    const mark = this.markNow();
    if (mark === this.mark && this.runtime.now() < this.nextExpiryMs) return false;
    this.mark = mark;
    const read = overridesInForce(this.home, this.runtime, { instead: IN_FORCE_BEFORE });
    for (const line of read.warnings) this.warn(line);
    this.nextExpiryMs = read.nextExpiryMs;
    if (read.readable) this.current = read.overrides;
    return read.readable;
  }

  private markNow(): string | undefined {
    try {
      const state = recordsState(this.home.folder);
      return state === undefined ? undefined : `${state.modifiedMs}:${state.octets}`;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code;
    }
  }
}
