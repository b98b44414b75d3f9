// Signals that end a run or the daemon: the first one lets it finish its work, a second one ends the process.

import type { Signals } from "../runtime.ts";

/** Calls `act` at the first of the signals, with its exit status; a second one ends the process immediately. */
export function onFirstSignal(
  signals: Signals,
  statuses: Readonly<Record<string, number>>,
  onSignal: (signal: string, status: number) => void,
): void {
  const listeners = Object.entries(statuses).map(([signal, status]) => {
    const listener = (): void => {
      for (const [name, other] of listeners) signals.off(name, other);
      onSignal(signal, status);
    };
    return [signal as NodeJS.Signals, listener] as const;
  });
  for (const [name, listener] of listeners) signals.on(name, listener);
}

export class Interruption {
  status: number | undefined;

  /** `giveUp` cancels what the work may wait for: more input, DNS answers. */
  constructor(signals: Signals, giveUp: () => void) {
    onFirstSignal(signals, { SIGINT: 130, SIGTERM: 143 }, (_, status) => {
      this.status = status;
      giveUp();
    });
  }
}

const STOP_STATUSES = { SIGINT: 130, SIGTERM: 143, SIGQUIT: 131 } as const;
/** Other daemons read their settings or open their log again at these. Node would open its debugger, or end. */
const IGNORED_SIGNALS = ["SIGHUP", "SIGUSR1", "SIGUSR2"] as const;

/**
 * Resolves with the first signal that ends the daemon, and its exit status; a second one ends the process immediately.
 * At a terminal SIGHUP is one, because the terminal is gone; other signals are only noted.
 */
export function waitForStopSignal(
  signals: Signals,
  atTerminal: boolean,
  onIgnored: (signal: string) => void,
): Promise<{ readonly signal: string; readonly status: number }> {
  const statuses: Readonly<Record<string, number>> = atTerminal ? { ...STOP_STATUSES, SIGHUP: 129 } : STOP_STATUSES;
  for (const name of IGNORED_SIGNALS) if (statuses[name] === undefined) signals.on(name, () => onIgnored(name));
  return new Promise((resolve) => onFirstSignal(signals, statuses, (signal, status) => resolve({ signal, status })));
}
