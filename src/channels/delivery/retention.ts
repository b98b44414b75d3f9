// What is kept of deliveries that have ended, and for how long: bounds on age and number, by channel and over all teams.

import type { DeliveryRecord } from "./record.ts";

type Deliveries = Map<string, DeliveryRecord>;
/** The team of a channel that is still there. */
type TeamOf = (channelId: string) => string | undefined;

const KEPT_MS = 30 * 86_400_000;
// All are read and written together; five thousand are about a megabyte, of which a change takes some 10 ms.
const KEPT_MAX = 5000;
const KEPT_PER_CHANNEL = 500;
// What waits for a channel that is not there: as long as anything is kept, and no more than all history.
const ORPHANS_MAX = KEPT_MAX;

/** Forgets ended deliveries that are too old or too many, the oldest first. What is pending stays. */
export function prune(deliveries: Deliveries, now: number, teamOf: TeamOf): void {
  const perChannel = new Map<string, number>();
  for (const { channel_id: id } of deliveries.values()) perChannel.set(id, (perChannel.get(id) ?? 0) + 1);
  for (const [id, { status, created_at, channel_id }] of deliveries) {
    if (status === "pending") continue;
    const ofChannel = perChannel.get(channel_id) as number;
    if (created_at > now - KEPT_MS && ofChannel <= KEPT_PER_CHANNEL) continue;
    deliveries.delete(id);
    perChannel.set(channel_id, ofChannel - 1);
  }
  if (deliveries.size > KEPT_MAX) evict(deliveries, teamOf);
}

/**
 * Forgets pending deliveries whose channel is not there, when they are too old or too many, the oldest first. A process that was
 * killed while it deleted a channel leaves some, and so does a store that was put back from an older copy.
 */
export function forgetOrphans(deliveries: Deliveries, now: number, isThere: (channelId: string) => boolean): void {
  const orphans = [...deliveries.values()].filter((one) => one.status === "pending" && !isThere(one.channel_id));
  const surplus = orphans.length - ORPHANS_MAX;
  for (const [place, { id, created_at }] of orphans.entries()) {
    if (place < surplus || created_at <= now - KEPT_MS) deliveries.delete(id);
  }
}

/** Forgets what is over the bound, each time the oldest of the team that has most: nobody pays for another team. */
function evict(deliveries: Deliveries, teamOf: TeamOf): void {
  const teams = new Map<string, { count: number; readonly ended: string[] }>();
  for (const { id, channel_id, status } of deliveries.values()) {
    // Of deleted channels nobody can see anything: together they are as one team.
    const team = teamOf(channel_id) ?? "";
    const held = teams.get(team) ?? { count: 0, ended: [] };
    teams.set(team, held);
    held.count += 1;
    if (status !== "pending") held.ended.push(id);
  }
  for (const held of teams.values()) held.ended.reverse();
  while (deliveries.size > KEPT_MAX) {
    const most = [...teams.values()].reduce((a, b) => (b.count > a.count ? b : a));
    const oldest = most.ended.pop();
    // What is left of the greatest is pending: that is bounded by channel, and no reason to forget what is another's.
    if (oldest === undefined) return;
    deliveries.delete(oldest);
    most.count -= 1;
  }
}

/** How many deliveries to a channel have not ended. */
export function pendingOf(deliveries: Deliveries, channelId: string): number {
  let count = 0;
  for (const { channel_id: id, status } of deliveries.values())
    if (id === channelId && status === "pending") count += 1;
  return count;
}
