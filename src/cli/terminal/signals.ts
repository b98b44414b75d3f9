// SIGINT and SIGTERM during long work: it ends cleanly; finished rows are written and counted.

import type { Signals } from "../runtime.ts";

const STATUS = { SIGINT: 130, SIGTERM: 143 } as const;
type Signal = keyof typeof STATUS;

/** Listens for the first signal; a second one ends the process immediately. */
export class Interruption {
  signal: Signal | undefined;

  /** `giveUp` cancels what the work may wait for: more input, DNS answers. */
  constructor(signals: Signals, giveUp: () => void) {
    for (const name of Object.keys(STATUS) as Signal[]) {
      signals.once(name, () => {
        this.signal ??= name;
        giveUp();
      });
    }
  }

  /** The exit status of an interrupted run. */
  get status(): number | undefined {
    return this.signal === undefined ? undefined : STATUS[this.signal];
  }
}

/**
 * Resolves with the first signal that ends the process, and the exit status for it. A second signal ends the process immediately.
 */
export function signalReceived(signals: Signals): Promise<{ readonly signal: string; readonly status: number }> {
  return new Promise((resolve) => {
    const names = Object.keys(STATUS) as Signal[];
    const listeners = names.map((name) => (): void => {
      for (const [i, listener] of listeners.entries()) signals.off(names[i] as Signal, listener);
      resolve({ signal: name, status: STATUS[name] });
    });
    for (const [i, listener] of listeners.entries()) signals.on(names[i] as Signal, listener);
  });
}
