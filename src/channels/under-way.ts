// How many attempts run at the same time, by channel and by team, and their limits.

import type { ChannelRecord } from "./record.ts";

// Attempts at the same time in all processes together: receivers that do not answer must not block the rest.
const AT_ONCE_PER_CHANNEL = 2;
const AT_ONCE_PER_TEAM = 8;

/** Running attempts by channel id, and by "team " and its name. */
export type Busy = Map<string, number>;

/** True when the channel, or its team, may have no more attempts running. */
export function isFull(busy: Busy, { id, team }: ChannelRecord): boolean {
  return (busy.get(id) ?? 0) >= AT_ONCE_PER_CHANNEL || (busy.get(`team ${team}`) ?? 0) >= AT_ONCE_PER_TEAM;
}

/** Counts one more attempt for the channel. */
export function countIn(busy: Busy, { id, team }: ChannelRecord): void {
  for (const key of [id, `team ${team}`]) busy.set(key, (busy.get(key) ?? 0) + 1);
}
