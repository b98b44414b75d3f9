// A webhook's secret is changed without a gap: for a day after the change, messages are signed with the previous secret too, so that the
// receiver can change its own at any time within that day.

import { sameOrigin } from "./config/patch.ts";
import type { ChannelConfig, ChannelRecord, WebhookConfig } from "./record.ts";

const OVERLAP_MS = 86_400_000;

type Previous = ChannelRecord["previous_secret"];

/** The secret before the present one, while it counts. A time further ahead than any overlap was written by a fast clock. */
export function previousSecret({ previous_secret: previous }: ChannelRecord, now: number): string | undefined {
  return previous !== undefined && previous.until > now && previous.until <= now + OVERLAP_MS
    ? previous.secret
    : undefined;
}

/** The rest of the previous secret that is kept after a change of the config. Another origin never gets it. */
export function previousAfter(channel: ChannelRecord, config: ChannelConfig, now: number): Previous {
  const [before, after] = [channel.config as WebhookConfig, config as WebhookConfig];
  if (before.secret === undefined || after.secret === undefined || !sameOrigin(before.url, after.url)) return undefined;
  if (before.secret !== after.secret) return { secret: before.secret, until: now + OVERLAP_MS };
  return previousSecret(channel, now) === undefined ? undefined : channel.previous_secret;
}
