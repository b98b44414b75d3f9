// Chat services: which URLs are their incoming webhooks, the messages that they take, and what their answers mean.

import type { KnownBlock, MrkdwnElement } from "@slack/types";
import type { RESTPostAPIWebhookWithTokenJSONBody } from "discord-api-types/v10";
import { type ChannelEvent, cut, messageOf } from "../events.ts";
import { isSuccess, type Judge, type Refusal, refusalOf } from "./post.ts";

export interface ChatService {
  readonly hosts: RegExp;
  readonly isWebhook: (url: URL) => boolean;
  /** The webhook that is wanted; continues "config.url must be". */
  readonly wanted: string;
  readonly messageOf: (event: ChannelEvent) => object;
  readonly judge: Judge;
  readonly urlOf?: (url: string) => string;
}

const SLACK_HOSTS = /(?:^|\.)slack(?:-gov)?\.com$/;
// Slack's workflows (/workflows/, /triggers/) take other bodies.
const SLACK_PATH = /^\/services\/[A-Za-z0-9]+\/[A-Za-z0-9]+\/[A-Za-z0-9]+$/;
// Mattermost has one part after /hooks/, Rocket.Chat two or three; both may be below a path of the operator's.
const OTHER_PATH = /\/hooks\/[^/]+(?:\/[^/]+){0,2}$/;

/**
 * Text and blocks for incoming webhooks. Mattermost and Rocket.Chat take the same, and show the text only
 * (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks).
 */
export const SLACK: ChatService = {
  hosts: SLACK_HOSTS,
  isWebhook: ({ hostname, pathname }) => (SLACK_HOSTS.test(hostname) ? SLACK_PATH : OTHER_PATH).test(pathname),
  wanted:
    "an incoming webhook: https://hooks.slack.com/services/... of Slack, " +
    "or https://HOST/hooks/... of Mattermost and Rocket.Chat",
  messageOf: slackMessage,
  judge: judgeSlack,
};

// Escaped it is at most five times as long, and a field of a section may have 2,000 characters.
const SLACK_TEXT_MAX = 300;
const SLACK_FIELDS_MAX = 10;

function slackMessage(event: ChannelEvent): { readonly text: string; readonly blocks: KnownBlock[] } {
  const { heading, paragraphs, facts } = messageOf(event);
  const lines = [...paragraphs, ...facts.map((fact) => fact.join(": ")), `Time: ${event.timestamp}`];
  const fields = facts.map(([label, value]) => markdown(`*${slackText(label)}*\n${slackText(value)}`));
  const groups: KnownBlock[] = [];
  for (let at = 0; at < fields.length; at += SLACK_FIELDS_MAX) {
    groups.push({ type: "section", fields: fields.slice(at, at + SLACK_FIELDS_MAX) });
  }
  const seconds = Math.floor(Date.parse(event.timestamp) / 1000);
  // Slack shows it in each reader's time zone.
  const time = markdown(`<!date^${seconds}^{date_short_pretty} {time}|${event.timestamp}>`);
  return {
    text: [heading, ...lines.map(slackText)].join("\n"),
    blocks: [
      { type: "header", text: { type: "plain_text", text: heading } },
      ...paragraphs.map((text): KnownBlock => ({ type: "section", text: markdown(slackText(text)) })),
      ...groups,
      { type: "context", elements: [time] },
    ],
  };
}

function markdown(text: string): MrkdwnElement {
  return { type: "mrkdwn", text };
}

/** Text that is not markup for Slack, and calls no one in Mattermost: there "@all" in a text is a mention. */
function slackText(text: string): string {
  return cut(text, SLACK_TEXT_MAX)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@", "@\u200B");
}

// https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors, where another attempt
// can't help.
const SLACK_GONE = (
  "no_service no_service_id no_active_hooks no_team team_disabled invalid_token channel_not_found " +
  "channel_is_archived"
).split(" ");
const SLACK_UNREADABLE = ["invalid_payload", "invalid_blocks", "no_text"];

/** Slack and Mattermost answer "ok", Rocket.Chat `success`. Another page did not take the message. */
function judgeSlack(status: number, text: string): Refusal | undefined {
  const answer = text.trim();
  if (isSuccess(status)) {
    if (answer === "ok" || jsonObject(answer)["success"] === true) return undefined;
    return { reason: `the webhook answered ${status}, but not "ok": check config.url`, verdict: "retry" };
  }
  const reason = `the service answered ${status} (${answer}): `;
  if (SLACK_GONE.includes(answer)) return { reason: `${reason}make a new webhook there`, verdict: "gone" };
  if (SLACK_UNREADABLE.includes(answer)) return { reason: `${reason}${UNREADABLE}`, verdict: "give_up" };
  return refusalOf(status);
}

const UNREADABLE = "it did not understand the message";

const WORKFLOW_HOSTS = "(?:logic\\.azure|powerplatform|powerautomate)\\.(?:com|us|cn)|flow\\.microsoft\\.com";
const CONNECTOR_HOSTS = "(?:webhook|outlook)\\.office(?:365)?\\.com";
// Microsoft has moved webhooks to other hosts twice; this part of the path stayed.
const WORKFLOW_PATH = /\/workflows\/[^/]+\/triggers\/[^/]+\/paths\/invoke$/;
const CONNECTOR_PATH = /^\/webhook(?:b2)?\/.+\/IncomingWebhook\/.+/i;

/**
 * An Adaptive Card for a webhook of Workflows; connectors take it too
 * (https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using).
 */
export const MSTEAMS: ChatService = {
  hosts: new RegExp(`(?:^|\\.)(?:${WORKFLOW_HOSTS}|${CONNECTOR_HOSTS})$`),
  isWebhook: ({ pathname, searchParams }) =>
    (WORKFLOW_PATH.test(pathname) && searchParams.has("sig")) || CONNECTOR_PATH.test(pathname),
  wanted:
    "a webhook of Teams Workflows: " +
    "copy it whole, https://HOST/.../workflows/.../triggers/.../paths/invoke?...&sig=...",
  messageOf: teamsMessage,
  judge: judgeTeams,
};

// A message may have 28 KB in all.
const TEAMS_TEXT_MAX = 1000;

function teamsMessage(event: ChannelEvent): object {
  const { heading, paragraphs, facts, alarm } = messageOf(event);
  const time = `${event.timestamp.slice(0, 19)}Z`;
  const color = alarm ? { color: "Attention" } : {};
  const body: object[] = [
    { type: "TextBlock", text: heading, wrap: true, size: "Large", weight: "Bolder", ...color },
    // The text of a TextRun is not Markdown.
    ...paragraphs.map((text) => ({
      type: "RichTextBlock",
      inlines: [{ type: "TextRun", text: cut(text, TEAMS_TEXT_MAX) }],
    })),
    { type: "FactSet", facts: facts.map(([title, value]) => ({ title, value: cut(value, TEAMS_TEXT_MAX) })) },
    // Teams shows it in each reader's time zone.
    { type: "TextBlock", text: `{{DATE(${time}, SHORT)}} {{TIME(${time})}}`, wrap: true, isSubtle: true },
  ];
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    fallbackText: heading,
    body,
  };
  const contentType = "application/vnd.microsoft.card.adaptive";
  return { type: "message", attachments: [{ contentType, contentUrl: null, content }] };
}

// Connectors answer 200 also when Teams refused the message, and say so in the text.
const TEAMS_REFUSED = /delivery failed|returned HTTP error|Bad payload/i;

/** Workflows answer 202, connectors 200 with "1". */
function judgeTeams(status: number, text: string): Refusal | undefined {
  if (isSuccess(status)) {
    if (!TEAMS_REFUSED.test(text)) return undefined;
    const inner = /HTTP error ([45]\d\d)/.exec(text)?.[1];
    const what = inner === undefined ? "refused the message" : `answered ${inner} to the connector`;
    return { reason: `Teams ${what}: if this stays, use a webhook of Teams Workflows`, verdict: "retry" };
  }
  const { error } = jsonObject(text);
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (status === 404 && code === "WorkflowNotFound") {
    return { reason: "Teams answered 404 (WorkflowNotFound): make a new webhook in Workflows", verdict: "gone" };
  }
  if (code === "WorkflowTriggerIsNotEnabled") {
    return { reason: `Teams answered ${status}: the workflow is off, turn it on in Workflows`, verdict: "retry" };
  }
  return refusalOf(status, "copy the whole URL again, and let anyone trigger the workflow");
}

// The id is a snowflake; /slack and /github behind the token take other bodies.
const DISCORD_PATH = /^\/api(?:\/v\d+)?\/webhooks\/\d{15,25}\/[\w-]{20,200}$/;

/** One embed for a webhook of a channel (https://discord.com/developers/docs/resources/webhook#execute-webhook). */
export const DISCORD: ChatService = {
  hosts: /(?:^|\.)discord(?:app)?\.com$/,
  isWebhook: ({ pathname }) => DISCORD_PATH.test(pathname),
  wanted: "a Discord webhook: https://discord.com/api/webhooks/ID/TOKEN, without a path behind the token",
  messageOf: discordMessage,
  judge: judgeDiscord,
  // Discord then answers only when the message is there, and with the message.
  urlOf: (text) => {
    const url = new URL(text);
    url.searchParams.set("wait", "true");
    return url.href;
  },
};

const BLUE = 0x1a4fa3;
const RED = 0xb3261e;
// https://discord.com/developers/docs/resources/message#embed-object-embed-limits: 4,096 in a description, 1,024 in a
// field, 25 fields, 6,000 in all. Escaped it is at most twice as long.
const PARAGRAPH_MAX = 800;
const VALUE_MAX = 40;
const DISCORD_FIELDS_MAX = 25;

function discordMessage(event: ChannelEvent): RESTPostAPIWebhookWithTokenJSONBody {
  const { heading, paragraphs, facts, alarm } = messageOf(event);
  const embed = {
    title: heading,
    description: paragraphs.map((text) => discordText(text, PARAGRAPH_MAX)).join("\n\n"),
    color: alarm ? RED : BLUE,
    fields: facts.slice(0, DISCORD_FIELDS_MAX).map(([name, value]) => ({
      name: discordText(name, VALUE_MAX),
      value: discordText(value, VALUE_MAX),
      inline: true,
    })),
    timestamp: event.timestamp,
  };
  return { embeds: [embed], allowed_mentions: { parse: [] } };
}

function discordText(text: string, max: number): string {
  return cut(text, max).replace(/[\\*_~`|[\]<>]/g, "\\$&");
}

// https://discord.com/developers/docs/topics/opcodes-and-status-codes#json-json-error-codes
const DISCORD_CODES: Readonly<Record<string, readonly [Refusal["verdict"], string]>> = {
  10015: ["gone", "the webhook was deleted, make a new one"],
  50027: ["gone", "the webhook's token is not valid, copy the URL again"],
  50006: ["give_up", UNREADABLE],
  50035: ["give_up", UNREADABLE],
};

function judgeDiscord(status: number, text: string): Refusal | undefined {
  const { id, code } = jsonObject(text);
  if (isSuccess(status)) {
    if (status === 204 || typeof id === "string") return undefined;
    return { reason: `the webhook answered ${status}, but not with a message: check config.url`, verdict: "retry" };
  }
  const known = typeof code === "number" ? DISCORD_CODES[code] : undefined;
  if (known === undefined) return refusalOf(status);
  const [verdict, what] = known;
  return { reason: `Discord answered ${status} (${String(code)}): ${what}`, verdict };
}

function jsonObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text) as Readonly<Record<string, unknown>> | null) ?? {};
  } catch {
    return {};
  }
}
