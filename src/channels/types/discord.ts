// Discord: one embed for a webhook of a channel
// (https://discord.com/developers/docs/resources/webhook#execute-webhook).

import type { RESTPostAPIWebhookWithTokenJSONBody } from "discord-api-types/v10";
import { type ChannelEvent, cut, messageOf } from "../events.ts";
import { chatType, isSuccess, jsonObject, type Refusal, refusalOf } from "./post.ts";
import type { TypeOfChannel } from "./type.ts";

const HOSTS = /(?:^|\.)discord(?:app)?\.com$/;
// The id is a snowflake; /slack and /github behind the token take other bodies.
const PATH = /^\/api(?:\/v\d+)?\/webhooks\/\d{15,25}\/[\w-]{20,200}$/;

export const DISCORD: TypeOfChannel = chatType(
  {
    hosts: HOSTS,
    urlFault: ({ pathname }) =>
      PATH.test(pathname)
        ? undefined
        : "must be a Discord webhook: https://discord.com/api/webhooks/ID/TOKEN, without a path behind the token",
  },
  discordMessage,
  judgeDiscord,
  waitingUrl,
);

const BLUE = 0x1a4fa3;
const RED = 0xb3261e;
// https://discord.com/developers/docs/resources/message#embed-object-embed-limits: 4,096 in a description, 1,024 in a
// field, 25 fields, 6,000 in all. Escaped it is at most twice as long.
const PARAGRAPH_MAX = 800;
const VALUE_MAX = 40;
const FIELDS_MAX = 25;

export function discordMessage(event: ChannelEvent): RESTPostAPIWebhookWithTokenJSONBody {
  const { heading, paragraphs, facts, alarm } = messageOf(event);
  return {
    embeds: [
      {
        title: heading,
        description: paragraphs.map((text) => escaped(text, PARAGRAPH_MAX)).join("\n\n"),
        color: alarm ? RED : BLUE,
        fields: facts.slice(0, FIELDS_MAX).map(([name, value]) => ({
          name: escaped(name, VALUE_MAX),
          value: escaped(value, VALUE_MAX),
          inline: true,
        })),
        timestamp: event.timestamp,
      },
    ],
    allowed_mentions: { parse: [] },
  };
}

function escaped(text: string, max: number): string {
  return cut(text, max).replace(/[\\*_~`|[\]<>]/g, "\\$&");
}

/** With `wait`, Discord answers only when the message is there, and with the message. */
function waitingUrl(text: string): string {
  const url = new URL(text);
  url.searchParams.set("wait", "true");
  return url.href;
}

// https://discord.com/developers/docs/topics/opcodes-and-status-codes#json-json-error-codes
const CODES: Readonly<Record<string, readonly [Refusal["verdict"], string]>> = {
  10015: ["gone", "the webhook was deleted, make a new one"],
  50027: ["gone", "the webhook's token is not valid, copy the URL again"],
  50006: ["give_up", "it did not understand the message"],
  50035: ["give_up", "it did not understand the message"],
};

function judgeDiscord(status: number, text: string): Refusal | undefined {
  const { id, code } = jsonObject(text);
  if (isSuccess(status)) {
    if (status === 204 || typeof id === "string") return undefined;
    return { reason: `the webhook answered ${status}, but not with a message: check config.url`, verdict: "retry" };
  }
  const known = typeof code === "number" ? CODES[code] : undefined;
  if (known === undefined) return refusalOf(status);
  const [verdict, what] = known;
  return { reason: `Discord answered ${status} (${String(code)}): ${what}`, verdict };
}
