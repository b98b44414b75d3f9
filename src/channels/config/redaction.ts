// The only place that removes secrets from a channel: its secret, the values of its headers, and its url after the host. It also
// recognises a redacted value that is sent back.

import {
  type ChannelConfig,
  type ChannelRecord,
  type EmailConfig,
  isKnownType,
  type LaterChannel,
  type WebhookConfig,
} from "../record.ts";

/** Replaces a secret. No header, secret or url may contain it. */
export const REDACTED = "[redacted]";

/** A channel as it is shown to everyone who may read it. */
export interface ShownChannel {
  readonly id: string;
  readonly name: string;
  /** The type of a later version is shown unchanged. */
  readonly type: string;
  /** For a type of a later version every field is redacted, because any of them may be a secret. */
  readonly config: ChannelConfig | Readonly<Record<string, typeof REDACTED>>;
  readonly is_verified: boolean;
  readonly created_at: string;
}

/** The channel without secrets. `revealed` is a secret that was just made: it is shown this once. */
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

/** A url without what follows its host, and without user and password. */
export function redactUrl(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}/${REDACTED}`;
}

/** True for a text that contains the mark of a redaction. */
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
