// Chat services: the URLs of their incoming webhooks, their message formats, and what their responses mean.

import type { KnownBlock, MrkdwnElement } from "@slack/types";
import type { RESTPostAPIWebhookWithTokenJSONBody } from "discord-api-types/v10";
import { isObject } from "../../base/result.ts";
import { type ChannelEvent, describeEvent, truncate } from "../events.ts";
import { type DeliveryFailure, failureForStatus, isSuccessStatus } from "./post.ts";

export interface ChatService {
  /** Begins the reason of a failure. */
  readonly name: string;
  readonly hostPattern: RegExp;
  readonly isWebhookUrl: (url: URL) => boolean;
  /** Returns what is wrong with a URL of the service that is not a webhook's, if known. Continues "config.url". */
  readonly describeOtherUrl?: (url: URL) => string | undefined;
  readonly createMessage: (event: ChannelEvent) => object;
  readonly requestUrlOf?: (url: string) => string;
  /** Reports whether a 2xx response is from the webhook, not a login page, for example. */
  readonly isAcceptance: (text: string, status: number) => boolean;
  /** Continues the message "the webhook answered 200, but not". */
  readonly acceptance: string;
  /** Returns the error code in a response that is not 2xx. */
  readonly errorCode: (text: string) => unknown;
  readonly errors: Readonly<Record<string, ServiceError>>;
  /** The remedy for status 401 and 403. */
  readonly help?: string;
}

type ServiceError = readonly [verdict: DeliveryFailure["verdict"], remedy: string];

const MESSAGE_ERROR: ServiceError = ["give_up", "it did not understand the message"];

export function classifyChatResponse(service: ChatService, status: number, text: string): DeliveryFailure | undefined {
  const { name, acceptance, errors } = service;
  if (isSuccessStatus(status)) {
    if (service.isAcceptance(text, status)) return undefined;
    return {
      reason: `the webhook answered ${status}, but not ${acceptance}: copy the URL of the channel again`,
      verdict: "retry",
    };
  }
  const code = service.errorCode(text);
  const isCode = typeof code === "string" || typeof code === "number";
  const error = isCode && Object.hasOwn(errors, code) ? errors[code] : undefined;
  if (error === undefined) return failureForStatus(status, service.help);
  const [verdict, remedy] = error;
  return { reason: `${name} answered ${status} (${code}): ${remedy}`, verdict };
}

const SLACK_HOSTS = /(?:^|\.)slack(?:-gov)?\.com$/;
const SLACK_PATH = /^\/services\/[A-Za-z0-9]+\/[A-Za-z0-9]+\/[A-Za-z0-9]+$/;
// Mattermost has one segment after /hooks/, Rocket.Chat two or three. Any prefix may precede /hooks/.
const SELF_HOSTED_PATH = /\/hooks\/[^/]+(?:\/[^/]+){0,2}$/;

// Permanent errors: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors
const SLACK_GONE_ERRORS = (
  "no_service no_service_id no_active_hooks no_team team_disabled invalid_token channel_not_found " +
  "channel_is_archived"
).split(" ");
const SLACK_MESSAGE_ERRORS = ["invalid_payload", "invalid_blocks", "no_text"];

/**
 * Sends text and blocks. Mattermost and Rocket.Chat accept them too, but show only the text
 * (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks).
 */
export const SLACK: ChatService = {
  name: "the service",
  hostPattern: SLACK_HOSTS,
  isWebhookUrl: ({ hostname, pathname }) => (SLACK_HOSTS.test(hostname) ? SLACK_PATH : SELF_HOSTED_PATH).test(pathname),
  describeOtherUrl: ({ hostname, pathname }) =>
    SLACK_HOSTS.test(hostname) && /^\/(?:workflows|triggers)\//.test(pathname)
      ? "is a trigger of Workflow Builder, which expects other messages: create an incoming webhook in Slack"
      : undefined,
  createMessage: createSlackMessage,
  // Rocket.Chat responds with `success`.
  isAcceptance: (text) => text.trim() === "ok" || parseJsonObject(text)["success"] === true,
  acceptance: '"ok"',
  errorCode: (text) => text.trim(),
  errors: {
    ...Object.fromEntries(SLACK_GONE_ERRORS.map((code) => [code, ["gone", "make a new webhook there"] as const])),
    ...Object.fromEntries(SLACK_MESSAGE_ERRORS.map((code) => [code, MESSAGE_ERROR])),
  },
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

const WORKFLOW_HOSTS = /(?:^|\.)(?:(?:logic\.azure|powerplatform|powerautomate)\.(?:com|us|cn)|flow\.microsoft\.com)$/;
// Microsoft moved its webhooks to new hosts twice, but kept this part of the path.
const WORKFLOW_PATH = /\/workflows\/[^/]+\/triggers\/[^/]+\/paths\/invoke$/;

/**
 * Sends an Adaptive Card to a webhook of Workflows
 * (https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using).
 */
export const MSTEAMS: ChatService = {
  name: "Teams",
  hostPattern: WORKFLOW_HOSTS,
  isWebhookUrl: ({ pathname, searchParams }) => WORKFLOW_PATH.test(pathname) && searchParams.has("sig"),
  createMessage: createTeamsMessage,
  // 202, or the response that the workflow itself defines. A page is not from the webhook.
  isAcceptance: (text) => !text.trimStart().startsWith("<"),
  acceptance: "as a workflow",
  errorCode: (text) => parseJsonObject(text, "error")["code"],
  errors: {
    WorkflowNotFound: ["gone", "make a new webhook in Workflows"],
    WorkflowTriggerIsNotEnabled: ["retry", "the workflow is off, turn it on in Workflows"],
  },
  help: "copy the whole URL again, and let anyone trigger the workflow",
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

// A snowflake id and a token. The suffixes /slack and /github need other bodies.
const DISCORD_PATH = /^\/api(?:\/v\d+)?\/webhooks\/\d{15,25}\/[\w-]{20,200}$/;

/** Sends one embed (https://discord.com/developers/docs/resources/webhook#execute-webhook). */
export const DISCORD: ChatService = {
  name: "Discord",
  hostPattern: /(?:^|\.)discord(?:app)?\.com$/,
  isWebhookUrl: ({ pathname }) => DISCORD_PATH.test(pathname),
  createMessage: createDiscordMessage,
  isAcceptance: (text, status) => status === 204 || typeof parseJsonObject(text)["id"] === "string",
  acceptance: "with a message",
  errorCode: (text) => parseJsonObject(text)["code"],
  // https://discord.com/developers/docs/topics/opcodes-and-status-codes#json-json-error-codes
  errors: {
    10015: ["gone", "the webhook was deleted, make a new one"],
    50027: ["gone", "the webhook's token is not valid, copy the URL again"],
    50006: MESSAGE_ERROR,
    50035: MESSAGE_ERROR,
  },
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

const GOOGLE_CHAT_PATH = /^\/v1\/spaces\/[\w-]+\/messages$/;

/** Sends only text (developers.google.com/workspace/chat/quickstart/webhooks): other members would be rejected. */
export const GOOGLE_CHAT: ChatService = {
  name: "Google Chat",
  hostPattern: /^chat\.googleapis\.com$/,
  isWebhookUrl: ({ pathname, searchParams }) =>
    GOOGLE_CHAT_PATH.test(pathname) && searchParams.has("key") && searchParams.has("token"),
  createMessage: createGoogleChatMessage,
  isAcceptance: (text) => typeof parseJsonObject(text)["name"] === "string",
  acceptance: "with a message",
  // https://cloud.google.com/apis/design/errors#handling_errors
  errorCode: (text) => parseJsonObject(text, "error")["status"],
  errors: { NOT_FOUND: ["gone", "make a new webhook in the space"], INVALID_ARGUMENT: MESSAGE_ERROR },
  help: "copy the whole URL again",
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

/** Returns the JSON object in the text, or in a field of it; empty if there is none. */
function parseJsonObject(text: string, field?: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    const object = field !== undefined && isObject(value) ? value[field] : value;
    return isObject(object) ? object : {};
  } catch {
    return {};
  }
}
