// SIGINT and SIGTERM during long work: it ends cleanly, with what was done so far written and counted.

import type { Signals } from "../runtime.ts";

const STATUS = { SIGINT: 130, SIGTERM: 143 } as const;
type Signal = keyof typeof STATUS;

/** Listens for the first signal; a second one ends the process as usual. */
export class Interruption {
  signal: Signal | undefined;

  /** `giveUp` ends what somebody may wait for: more input, answers. */
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

/** Resolves with the first signal that asks the process to end, and the status for it. A second one ends it as usual. */
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
