// The types of delivery-run.mjs for the test that runs it.

/** What a run came to; `problems` is empty when nothing was lost. */
export interface Deliveries {
  readonly requests: number;
  readonly arrived: number;
  /** Events that came more than once under their one id. */
  readonly again: number;
  readonly problems: readonly string[];
}

export function killDeliverers(
  home: string,
  wanted: {
    readonly events: number;
    readonly kills: number;
    readonly daemons?: readonly string[];
    readonly leaseMs?: number;
  },
): Promise<Deliveries>;
