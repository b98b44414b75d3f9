// How long deliveries are kept: limits on age and number, for each channel and for all teams.

import type { Records } from "../../store/draft.ts";
import type { ChannelLine, DeliveryIndex } from "./delivery-index.ts";
import type { DeliveryRecord } from "./record.ts";

type Deliveries = Records<DeliveryRecord>;
/** The team of a channel that still exists. */
type TeamOf = (channelId: string) => string | undefined;

const KEPT_MS = 30 * 86_400_000;
// History is for people to look at: about 1 MB of it.
const KEPT_MAX = 5000;
const KEPT_PER_CHANNEL = 500;
// Deliveries whose channel does not exist are kept as long as ended ones, and as many of them at most.
const ORPHANS_MAX = KEPT_MAX;

/** Removes ended deliveries that are too many, the oldest first. Pending ones stay. */
export function prune(deliveries: Deliveries, index: DeliveryIndex, teamOf: TeamOf): void {
  for (const { waiting, ended } of index.takeGrown()) {
    let surplus = waiting.length + ended.size - KEPT_PER_CHANNEL;
    if (surplus <= 0) continue;
    for (const id of ended.keys()) {
      deliveries.delete(id);
      surplus -= 1;
      if (surplus === 0) break;
    }
  }
  if (index.size > KEPT_MAX && index.ended > 0) evict(deliveries, index, teamOf);
}

export function forgetOld(deliveries: Deliveries, index: DeliveryIndex, now: number): void {
  for (const { ended } of index.lines().values()) {
    for (const [id, { created_at }] of ended) if (created_at <= now - KEPT_MS) deliveries.delete(id);
  }
}

/**
 * Removes pending deliveries whose channel does not exist, when they are too old or too many, the oldest first. They remain when
 * a process is killed while it deletes a channel, or when a store is restored from an older copy.
 */
export function forgetOrphans(
  deliveries: Deliveries,
  index: DeliveryIndex,
  now: number,
  isThere: (channelId: string) => boolean,
): void {
  const orphans = [...index.lines()].flatMap(([id, { waiting }]) => (isThere(id) ? [] : waiting));
  orphans.sort((a, b) => a.turn - b.turn);
  const surplus = orphans.length - ORPHANS_MAX;
  for (const [place, { delivery }] of orphans.entries()) {
    if (place < surplus || delivery.created_at <= now - KEPT_MS) deliveries.delete(delivery.id);
  }
}

/** Removes what is over the limit, each time the oldest of the team that has most: no team loses history because of another. */
function evict(deliveries: Deliveries, index: DeliveryIndex, teamOf: TeamOf): void {
  const teams = new Map<string, { count: number; readonly lines: ChannelLine[] }>();
  for (const [channelId, line] of index.lines()) {
    // No one can list deliveries of deleted channels: all of these count as one team.
    const team = teamOf(channelId) ?? "";
    const held = teams.get(team) ?? { count: 0, lines: [] };
    teams.set(team, held);
    held.count += line.waiting.length + line.ended.size;
    if (line.ended.size > 0) held.lines.push(line);
  }
  while (index.size > KEPT_MAX) {
    const most = [...teams.values()].reduce((a, b) => (b.count > a.count ? b : a));
    const oldest = oldestOf(most.lines);
    // The team with most has only pending ones left. Those are limited for each channel, so other teams' history stays.
    if (oldest === undefined) return;
    deliveries.delete(oldest.id);
    most.count -= 1;
  }
}

function oldestOf(lines: readonly ChannelLine[]): DeliveryRecord | undefined {
  let oldest: DeliveryRecord | undefined;
  for (const { ended } of lines) {
    const [first] = ended.values();
    if (first !== undefined && first.created_at < (oldest?.created_at ?? Number.POSITIVE_INFINITY)) oldest = first;
  }
  return oldest;
}
