// The one place where secrets are taken out of a channel: its secret, the values of its headers, and all of its url after the host.
// What was taken out is recognised when it is sent back.

import type { ChannelConfig, ChannelRecord, WebhookConfig } from "../record.ts";

/** Stands where a secret was. No header, secret or url may hold it by itself. */
export const REDACTED = "[redacted]";

/** A channel as everyone with the right to read it sees it. */
export interface ShownChannel {
  readonly id: string;
  readonly name: string;
  readonly type: ChannelRecord["type"];
  readonly config: ChannelConfig;
  readonly is_verified: boolean;
  readonly created_at: string;
}

/** The channel without secrets. `revealed` is a secret that was made just now and is shown this once. */
export function shownChannel(channel: ChannelRecord, revealed?: string): ShownChannel {
  const { id, name, type, is_verified, created_at } = channel;
  const config = channel.type === "webhook" ? redactWebhook(channel.config, revealed) : channel.config;
  return { id, name, type, config, is_verified, created_at };
}

/** A url with everything after its host taken out, and what stands before the host as well. */
export function redactUrl(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}/${REDACTED}`;
}

/** True for a text that holds the mark of a redaction. */
export function isRedacted(text: string): boolean {
  return text.includes(REDACTED) || text.includes(encodeURI(REDACTED));
}

function redactWebhook({ url, headers, secret, events }: WebhookConfig, revealed: string | undefined): WebhookConfig {
  return {
    ...(url === undefined ? {} : { url: redactUrl(url) }),
    ...(headers === undefined
      ? {}
      : { headers: Object.fromEntries(Object.keys(headers).map((name) => [name, REDACTED])) }),
    ...(secret === undefined ? {} : { secret: revealed ?? REDACTED }),
    ...(events === undefined ? {} : { events }),
  };
}
