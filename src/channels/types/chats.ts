// Chat services: the URLs of their incoming webhooks, their message formats, and what their responses mean.

import type { KnownBlock, MrkdwnElement } from "@slack/types";
import type { RESTPostAPIWebhookWithTokenJSONBody } from "discord-api-types/v10";
import { type ChannelEvent, describeEvent, truncate } from "../events.ts";
import { type DeliveryFailure, failureForStatus, isSuccessStatus, type ResponseClassifier } from "./post.ts";

export interface ChatService {
  readonly hostPattern: RegExp;
  readonly isWebhookUrl: (url: URL) => boolean;
  /** Continues the message "config.url must be". */
  readonly expectedUrl: string;
  readonly createMessage: (event: ChannelEvent) => object;
  readonly classifyResponse: ResponseClassifier;
  readonly requestUrlOf?: (url: string) => string;
}

const SLACK_HOSTS = /(?:^|\.)slack(?:-gov)?\.com$/;
// Excludes Slack workflows (/workflows/, /triggers/), which need other bodies.
const SLACK_PATH = /^\/services\/[A-Za-z0-9]+\/[A-Za-z0-9]+\/[A-Za-z0-9]+$/;
// Mattermost has one segment after /hooks/, Rocket.Chat two or three. Any prefix may precede /hooks/.
const SELF_HOSTED_PATH = /\/hooks\/[^/]+(?:\/[^/]+){0,2}$/;

/**
 * Sends text and blocks. Mattermost and Rocket.Chat accept them too, but show only the text
 * (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks).
 */
export const SLACK: ChatService = {
  hostPattern: SLACK_HOSTS,
  isWebhookUrl: ({ hostname, pathname }) => (SLACK_HOSTS.test(hostname) ? SLACK_PATH : SELF_HOSTED_PATH).test(pathname),
  expectedUrl:
    "an incoming webhook: https://hooks.slack.com/services/... for Slack, " +
    "https://HOST/hooks/... for Mattermost or Rocket.Chat",
  createMessage: createSlackMessage,
  classifyResponse: classifySlackResponse,
};

// Escaping makes text at most five times longer, and a section's field may have 2,000 characters.
const MAX_SLACK_TEXT = 300;
const MAX_SLACK_FIELDS = 10;

function createSlackMessage(event: ChannelEvent): { readonly text: string; readonly blocks: KnownBlock[] } {
  const { heading, paragraphs, facts } = describeEvent(event);
  const lines = [...paragraphs, ...facts.map((fact) => fact.join(": ")), `Time: ${event.timestamp}`];
  const fields = facts.map(([label, value]) => markdown(`*${escapeSlackText(label)}*\n${escapeSlackText(value)}`));
  const groups: KnownBlock[] = [];
  for (let at = 0; at < fields.length; at += MAX_SLACK_FIELDS) {
    groups.push({ type: "section", fields: fields.slice(at, at + MAX_SLACK_FIELDS) });
  }
  const seconds = Math.floor(Date.parse(event.timestamp) / 1000);
  // Slack converts this time to each reader's time zone.
  const time = markdown(`<!date^${seconds}^{date_short_pretty} {time}|${event.timestamp}>`);
  return {
    text: [heading, ...lines.map(escapeSlackText)].join("\n"),
    blocks: [
      { type: "header", text: { type: "plain_text", text: heading } },
      ...paragraphs.map((text): KnownBlock => ({ type: "section", text: markdown(escapeSlackText(text)) })),
      ...groups,
      { type: "context", elements: [time] },
    ],
  };
}

function markdown(text: string): MrkdwnElement {
  return { type: "mrkdwn", text };
}

/** Escapes Slack markup, and "@": Mattermost would turn "@all" into a mention. */
function escapeSlackText(text: string): string {
  return truncate(text, MAX_SLACK_TEXT)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@", "@\u200B");
}

// Permanent errors: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors
const SLACK_GONE_ERRORS = (
  "no_service no_service_id no_active_hooks no_team team_disabled invalid_token channel_not_found " +
  "channel_is_archived"
).split(" ");
const SLACK_MESSAGE_ERRORS = ["invalid_payload", "invalid_blocks", "no_text"];

/**
 * Slack and Mattermost respond with "ok", Rocket.Chat with `success`. Any other 2xx is not from the webhook, but for
 * example from a login page.
 */
function classifySlackResponse(status: number, text: string): DeliveryFailure | undefined {
  const answer = text.trim();
  if (isSuccessStatus(status)) {
    if (answer === "ok" || parseJsonObject(answer)["success"] === true) return undefined;
    return { reason: `the webhook answered ${status}, but not "ok": check config.url`, verdict: "retry" };
  }
  const reason = `the service answered ${status} (${answer}): `;
  if (SLACK_GONE_ERRORS.includes(answer)) return { reason: `${reason}make a new webhook there`, verdict: "gone" };
  if (SLACK_MESSAGE_ERRORS.includes(answer))
    return { reason: `${reason}${MESSAGE_NOT_UNDERSTOOD}`, verdict: "give_up" };
  return failureForStatus(status);
}

const MESSAGE_NOT_UNDERSTOOD = "it did not understand the message";

const WORKFLOW_HOSTS = /(?:^|\.)(?:(?:logic\.azure|powerplatform|powerautomate)\.(?:com|us|cn)|flow\.microsoft\.com)$/;
// Microsoft moved its webhooks to new hosts twice, but kept this part of the path.
const WORKFLOW_PATH = /\/workflows\/[^/]+\/triggers\/[^/]+\/paths\/invoke$/;

/**
 * Sends an Adaptive Card to a webhook of Workflows
 * (https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using).
 */
export const MSTEAMS: ChatService = {
  hostPattern: WORKFLOW_HOSTS,
  isWebhookUrl: ({ pathname, searchParams }) => WORKFLOW_PATH.test(pathname) && searchParams.has("sig"),
  expectedUrl:
    "a webhook of Teams Workflows: " +
    "copy it whole, https://HOST/.../workflows/.../triggers/.../paths/invoke?...&sig=...",
  createMessage: createTeamsMessage,
  classifyResponse: classifyTeamsResponse,
};

// A whole message may have 28 KB.
const MAX_TEAMS_TEXT = 1000;

function createTeamsMessage(event: ChannelEvent): object {
  const { heading, paragraphs, facts, isAlert } = describeEvent(event);
  const time = `${event.timestamp.slice(0, 19)}Z`;
  const color = isAlert ? { color: "Attention" } : {};
  const body: object[] = [
    { type: "TextBlock", text: heading, wrap: true, size: "Large", weight: "Bolder", ...color },
    // Unlike a TextBlock, a TextRun is not parsed as Markdown.
    ...paragraphs.map((text) => ({
      type: "RichTextBlock",
      inlines: [{ type: "TextRun", text: truncate(text, MAX_TEAMS_TEXT) }],
    })),
    { type: "FactSet", facts: facts.map(([title, value]) => ({ title, value: truncate(value, MAX_TEAMS_TEXT) })) },
    // Teams converts these functions to each reader's time zone.
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

/** Success is 202, or the response that the workflow itself defines. A page is not from the webhook. */
function classifyTeamsResponse(status: number, text: string): DeliveryFailure | undefined {
  if (isSuccessStatus(status)) {
    if (!text.trimStart().startsWith("<")) return undefined;
    return { reason: `the webhook answered ${status}, but not as a workflow: check config.url`, verdict: "retry" };
  }
  const { error } = parseJsonObject(text);
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (status === 404 && code === "WorkflowNotFound") {
    return { reason: "Teams answered 404 (WorkflowNotFound): make a new webhook in Workflows", verdict: "gone" };
  }
  if (code === "WorkflowTriggerIsNotEnabled") {
    return { reason: `Teams answered ${status}: the workflow is off, turn it on in Workflows`, verdict: "retry" };
  }
  return failureForStatus(status, "copy the whole URL again, and let anyone trigger the workflow");
}

// A snowflake id and a token. The suffixes /slack and /github need other bodies.
const DISCORD_PATH = /^\/api(?:\/v\d+)?\/webhooks\/\d{15,25}\/[\w-]{20,200}$/;

/** Sends one embed (https://discord.com/developers/docs/resources/webhook#execute-webhook). */
export const DISCORD: ChatService = {
  hostPattern: /(?:^|\.)discord(?:app)?\.com$/,
  isWebhookUrl: ({ pathname }) => DISCORD_PATH.test(pathname),
  expectedUrl: "a Discord webhook: https://discord.com/api/webhooks/ID/TOKEN, without a path after the token",
  createMessage: createDiscordMessage,
  classifyResponse: classifyDiscordResponse,
  // With `wait`, Discord responds only after it has posted the message, and returns it.
  requestUrlOf: (text) => {
    const url = new URL(text);
    url.searchParams.set("wait", "true");
    return url.href;
  },
};

const BLUE = 0x1a4fa3;
const RED = 0xb3261e;
// https://discord.com/developers/docs/resources/message#embed-object-embed-limits: 4,096 characters in a description,
// 1,024 in a field, 25 fields, 6,000 in all. Escaping makes text at most twice as long.
const MAX_DISCORD_PARAGRAPH = 800;
const MAX_DISCORD_VALUE = 40;
const MAX_DISCORD_FIELDS = 25;

function createDiscordMessage(event: ChannelEvent): RESTPostAPIWebhookWithTokenJSONBody {
  const { heading, paragraphs, facts, isAlert } = describeEvent(event);
  const embed = {
    title: heading,
    description: paragraphs.map((text) => escapeDiscordText(text, MAX_DISCORD_PARAGRAPH)).join("\n\n"),
    color: isAlert ? RED : BLUE,
    fields: facts.slice(0, MAX_DISCORD_FIELDS).map(([name, value]) => ({
      name: escapeDiscordText(name, MAX_DISCORD_VALUE),
      value: escapeDiscordText(value, MAX_DISCORD_VALUE),
      inline: true,
    })),
    timestamp: event.timestamp,
  };
  return { embeds: [embed], allowed_mentions: { parse: [] } };
}

function escapeDiscordText(text: string, max: number): string {
  return truncate(text, max).replace(/[\\*_~`|[\]<>]/g, "\\$&");
}

// https://discord.com/developers/docs/topics/opcodes-and-status-codes#json-json-error-codes
const DISCORD_FAILURES: Readonly<Record<string, readonly [DeliveryFailure["verdict"], string]>> = {
  10015: ["gone", "the webhook was deleted, make a new one"],
  50027: ["gone", "the webhook's token is not valid, copy the URL again"],
  50006: ["give_up", MESSAGE_NOT_UNDERSTOOD],
  50035: ["give_up", MESSAGE_NOT_UNDERSTOOD],
};

function classifyDiscordResponse(status: number, text: string): DeliveryFailure | undefined {
  const { id, code } = parseJsonObject(text);
  if (isSuccessStatus(status)) {
    if (status === 204 || typeof id === "string") return undefined;
    return { reason: `the webhook answered ${status}, but not with a message: check config.url`, verdict: "retry" };
  }
  const failure = typeof code === "number" ? DISCORD_FAILURES[code] : undefined;
  if (failure === undefined) return failureForStatus(status);
  const [verdict, problem] = failure;
  return { reason: `Discord answered ${status} (${String(code)}): ${problem}`, verdict };
}

const GOOGLE_CHAT_PATH = /^\/v1\/spaces\/[\w-]+\/messages$/;

/** Sends only text (developers.google.com/workspace/chat/quickstart/webhooks): other members would be rejected. */
export const GOOGLE_CHAT: ChatService = {
  hostPattern: /^chat\.googleapis\.com$/,
  isWebhookUrl: ({ pathname, searchParams }) =>
    GOOGLE_CHAT_PATH.test(pathname) && searchParams.has("key") && searchParams.has("token"),
  expectedUrl:
    "a webhook of a Google Chat space: copy it whole, https://chat.googleapis.com/v1/spaces/.../messages?key=...&token=...",
  createMessage: createGoogleChatMessage,
  classifyResponse: classifyGoogleChatResponse,
};

// A message may have 32,000 bytes.
const MAX_GOOGLE_CHAT_TEXT = 1000;

function createGoogleChatMessage(event: ChannelEvent): { readonly text: string } {
  const { heading, paragraphs, facts } = describeEvent(event);
  const lines = [...paragraphs, ...facts.map((fact) => fact.join(": ")), `Time: ${event.timestamp}`];
  return { text: [`*${heading}*`, ...lines.map(escapeGoogleChatText)].join("\n") };
}

/** Breaks mentions, links and formatting, which Google Chat can't escape, with zero-width spaces. */
function escapeGoogleChatText(text: string): string {
  return truncate(text, MAX_GOOGLE_CHAT_TEXT).replace(/[<*_~`]/g, "$&\u200B");
}

/**
 * A successful response contains the message. An error has a status
 * (https://cloud.google.com/apis/design/errors#handling_errors).
 */
function classifyGoogleChatResponse(status: number, text: string): DeliveryFailure | undefined {
  const { name, error } = parseJsonObject(text);
  if (isSuccessStatus(status)) {
    if (typeof name === "string") return undefined;
    return { reason: `the webhook answered ${status}, but not with a message: check config.url`, verdict: "retry" };
  }
  const { status: statusName } = (error ?? {}) as { readonly status?: unknown };
  const reason = `Google Chat answered ${status} (${String(statusName)})`;
  if (statusName === "NOT_FOUND") return { reason: `${reason}: make a new webhook in the space`, verdict: "gone" };
  if (statusName === "INVALID_ARGUMENT") return { reason: `${reason}: ${MESSAGE_NOT_UNDERSTOOD}`, verdict: "give_up" };
  return failureForStatus(status, "copy the whole URL again");
}

function parseJsonObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text) as Readonly<Record<string, unknown>> | null) ?? {};
  } catch {
    return {};
  }
}
