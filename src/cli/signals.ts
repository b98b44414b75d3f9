// SIGINT and SIGTERM during long work: it ends cleanly, with what was done so far written and counted.

import type { ByteSource } from "../bulk/ports.ts";

const STATUS = { SIGINT: 130, SIGTERM: 143 } as const;
type Signal = keyof typeof STATUS;

/** Listens for the first signal; a second one ends the process as usual. */
export class Interruption {
  signal: Signal | undefined;

  /** `source` is given up, so that nobody waits for more input. */
  constructor(source: ByteSource) {
    for (const name of Object.keys(STATUS) as Signal[]) {
      process.once(name, () => {
        this.signal ??= name;
        source.close();
      });
    }
  }

  /** The exit status of an interrupted run. */
  get status(): number | undefined {
    return this.signal === undefined ? undefined : STATUS[this.signal];
  }
}
