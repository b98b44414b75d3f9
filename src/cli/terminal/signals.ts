// Signals that end a run or the daemon: the first one lets it finish its work, a second one ends the process.

import type { Signals } from "../runtime.ts";

/** Calls `onSignal` for the first of these signals, with its exit status. A second signal ends the process. */
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

/** Signals that end a run, with the exit status of each. */
export const END_STATUSES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const { SIGHUP: _, ...STOP_STATUSES } = { ...END_STATUSES, SIGQUIT: 131 } as const;
/** Signals at which other daemons reload or reopen files. By default Node would exit or start its debugger. */
const IGNORED_SIGNALS = ["SIGHUP", "SIGUSR1", "SIGUSR2"] as const;

/**
 * Resolves with the first signal that stops the daemon, and its exit status; a second one ends the process. If the
 * daemon runs in a terminal, SIGHUP stops it too, because the terminal is gone.
 */
export function waitForStopSignal(
  signals: Signals,
  atTerminal: boolean,
  onIgnored: (signal: string) => void,
): Promise<{ readonly signal: string; readonly status: number }> {
  const statuses: Readonly<Record<string, number>> = atTerminal ? { ...STOP_STATUSES, ...END_STATUSES } : STOP_STATUSES;
  for (const name of IGNORED_SIGNALS) if (statuses[name] === undefined) signals.on(name, () => onIgnored(name));
  return new Promise((resolve) => onFirstSignal(signals, statuses, (signal, status) => resolve({ signal, status })));
}
