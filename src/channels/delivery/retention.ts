// How long ended deliveries are kept: limits on age and number, for each channel and for all teams.

import type { DeliveryRecord } from "./record.ts";

type Deliveries = Map<string, DeliveryRecord>;
/** The team of a channel that still exists. */
type TeamOf = (channelId: string) => string | undefined;

const KEPT_MS = 30 * 86_400_000;
// All are read and written together: 5,000 are about 1 MB, and a change of that takes about 10 ms.
const KEPT_MAX = 5000;
const KEPT_PER_CHANNEL = 500;
// Deliveries whose channel does not exist are kept as long as ended ones, and as many of them at most.
const ORPHANS_MAX = KEPT_MAX;

/** Removes ended deliveries that are too old or too many, the oldest first. Pending ones stay. */
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
 * Removes pending deliveries whose channel does not exist, when they are too old or too many, the oldest first. They remain when
 * a process is killed while it deletes a channel, or when a store is restored from an older copy.
 */
export function forgetOrphans(deliveries: Deliveries, now: number, isThere: (channelId: string) => boolean): void {
  const orphans = [...deliveries.values()].filter((one) => one.status === "pending" && !isThere(one.channel_id));
  const surplus = orphans.length - ORPHANS_MAX;
  for (const [place, { id, created_at }] of orphans.entries()) {
    if (place < surplus || created_at <= now - KEPT_MS) deliveries.delete(id);
  }
}

/** Removes what is over the limit, each time the oldest of the team that has most: no team loses history because of another. */
function evict(deliveries: Deliveries, teamOf: TeamOf): void {
  const teams = new Map<string, { count: number; readonly ended: string[] }>();
  for (const { id, channel_id, status } of deliveries.values()) {
    // No one can list deliveries of deleted channels: all of these count as one team.
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
    // The team with most has only pending ones left. Those are limited for each channel, so other teams' history stays.
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
