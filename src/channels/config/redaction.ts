// The one place where secrets are taken out of a channel: its secret, the values of its headers, and all of its url after the host.
// What was taken out is recognised when it is sent back.

import {
  type ChannelConfig,
  type ChannelRecord,
  type EmailConfig,
  isKnownType,
  type LaterChannel,
  type WebhookConfig,
} from "../record.ts";

/** Stands where a secret was. No header, secret or url may hold it by itself. */
export const REDACTED = "[redacted]";

/** A channel as everyone with the right to read it sees it. */
export interface ShownChannel {
  readonly id: string;
  readonly name: string;
  /** One of a later version stands as it is. */
  readonly type: string;
  /** Of a type of a later version: each field redacted, because any of them may be a secret. */
  readonly config: ChannelConfig | Readonly<Record<string, typeof REDACTED>>;
  readonly is_verified: boolean;
  readonly created_at: string;
}

/** The channel without secrets. `revealed` is a secret that was made just now and is shown this once. */
export function shownChannel(channel: ChannelRecord | LaterChannel, revealed?: string): ShownChannel {
  const { id, name, type, is_verified, created_at } = channel;
  return { id, name, type, config: shownConfig(channel, revealed), is_verified, created_at };
}

/** Fields that only a later version knows are left out: they may be secrets. */
function shownConfig(
  { type, config }: ChannelRecord | LaterChannel,
  revealed: string | undefined,
): ShownChannel["config"] {
  if (!isKnownType(type)) return Object.fromEntries(Object.keys(config).map((name) => [name, REDACTED]));
  if (type === "webhook") return redactWebhook(config as WebhookConfig, revealed);
  const { address, events } = config as EmailConfig;
  return { ...(address === undefined ? {} : { address }), ...(events === undefined ? {} : { events }) };
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
