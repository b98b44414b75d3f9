// Signals. SIGINT and SIGTERM during long work: it ends cleanly; finished rows are written and counted. A daemon takes
// more of them.

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

  get status(): number | undefined {
    return this.signal === undefined ? undefined : STATUS[this.signal];
  }
}

const STOPS = { SIGINT: 130, SIGTERM: 143, SIGQUIT: 131 } as const;
const HANG_UP = 129;
/**
 * Signals that other daemons take for "read the settings again" or "open the log again". Node would open its debugger,
 * or end.
 */
const NOTES = ["SIGHUP", "SIGUSR1", "SIGUSR2"] as const;

export interface DaemonSignals {
  /** It runs at a terminal: SIGHUP says that the terminal is gone, and ends it. */
  readonly atTerminal: boolean;
  readonly note: (signal: string) => void;
}

/**
 * Resolves with the first signal that ends the daemon, and the exit status for it. A second such signal ends the
 * process immediately.
 */
export function signalReceived(
  signals: Signals,
  { atTerminal, note }: DaemonSignals,
): Promise<{ readonly signal: string; readonly status: number }> {
  const ends: Readonly<Record<string, number>> = atTerminal ? { ...STOPS, SIGHUP: HANG_UP } : STOPS;
  for (const name of NOTES) if (ends[name] === undefined) signals.on(name, () => note(name));
  return new Promise((resolve) => {
    const names = Object.keys(ends) as NodeJS.Signals[];
    const listeners = names.map((name) => (): void => {
      for (const [i, listener] of listeners.entries()) signals.off(names[i] as NodeJS.Signals, listener);
      resolve({ signal: name, status: ends[name] as number });
    });
    for (const [i, listener] of listeners.entries()) signals.on(names[i] as NodeJS.Signals, listener);
  });
}
