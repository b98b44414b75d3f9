// How long deliveries are kept: limits on their age and number.

import type { ChannelRecord } from "../record.ts";
import type { DeliveryRecord } from "./record.ts";

const KEPT_MS = 30 * 86_400_000;
// History is for people to look at: about 500 kB of it, which each change writes.
const ENDED_MAX = 1000;
// Pending deliveries whose channel does not exist remain when a process is killed while it deletes a channel, or when
// a store is restored from an older copy.
const ORPHANS_MAX = 1000;

/** Removes what is kept no longer. Pending ones stay, but for old ones without a channel if all are known. */
export function forget(
  deliveries: Map<string, DeliveryRecord>,
  channels: ReadonlyMap<string, ChannelRecord>,
  now: number,
  knowsChannels: boolean,
): void {
  const ended: DeliveryRecord[] = [];
  const orphans: DeliveryRecord[] = [];
  for (const delivery of deliveries.values()) {
    const isEnded = delivery.status !== "pending";
    if (!isEnded && (channels.has(delivery.channel_id) || !knowsChannels)) continue;
    if (delivery.created_at <= now - KEPT_MS) deliveries.delete(delivery.id);
    else (isEnded ? ended : orphans).push(delivery);
  }
  if (orphans.length > ORPHANS_MAX) for (const { id } of orphans.slice(0, -ORPHANS_MAX)) deliveries.delete(id);
  if (ended.length <= ENDED_MAX) return;
  // Each time the oldest of the team that has most goes: no team loses history because of another. No one can list
  // deliveries of deleted channels: all of these count as one team. In each line the latest come first.
  const teams = new Map<string, DeliveryRecord[]>();
  for (const delivery of ended.reverse().sort((one, other) => other.created_at - one.created_at)) {
    const team = channels.get(delivery.channel_id)?.team ?? "";
    const line = teams.get(team);
    if (line === undefined) teams.set(team, [delivery]);
    else line.push(delivery);
  }
  const lines = [...teams.values()];
  for (let surplus = ended.length - ENDED_MAX; surplus > 0; surplus--) {
    const longest = lines.reduce((a, b) => (b.length > a.length ? b : a));
    deliveries.delete((longest.pop() as DeliveryRecord).id);
  }
}
