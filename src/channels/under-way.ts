// How many tries are under way, by channel and by team, and how many there may be.

import type { ChannelRecord } from "./record.ts";

// Tries at the same time, in all processes together: receivers that hang must not take all places.
const AT_ONCE_PER_CHANNEL = 2;
const AT_ONCE_PER_TEAM = 8;

/** Tries by the ids of channels, and by "team " and its name. */
export type Busy = Map<string, number>;

/** True when the channel may have no more tries under way, for itself or for its team. */
export function isFull(busy: Busy, { id, team }: ChannelRecord): boolean {
  return (busy.get(id) ?? 0) >= AT_ONCE_PER_CHANNEL || (busy.get(`team ${team}`) ?? 0) >= AT_ONCE_PER_TEAM;
}

/** Counts one more try to the channel. */
export function countIn(busy: Busy, { id, team }: ChannelRecord): void {
  for (const key of [id, `team ${team}`]) busy.set(key, (busy.get(key) ?? 0) + 1);
}
