// Stand-ins for Slack, Teams, Discord and Google Chat. Each checks a message by the types, schema and limits that its
// service publishes, and responds as the service documents.

import { createRequire } from "node:module";
import type { Answer } from "./receiver.ts";

export const CHATS = ["slack", "msteams", "discord", "googlechat"] as const;
export type Chat = (typeof CHATS)[number];

export interface ChatService {
  /** A path and query in the form of the service's webhooks. S3CR3T marks the secret parts. */
  readonly path: string;
  /** Returns the reasons for which the service would reject a message. */
  readonly problems: (message: unknown) => string[];
  /** Responds as the service does when it accepts a message. */
  readonly accept: Answer;
}

type Json = Readonly<Record<string, unknown>>;

/** The part of the package adaptivecards that we use. Its own types need those of a browser. */
interface Cards {
  readonly Version: { parse(text: string, context: CardContext): unknown };
  readonly SerializationContext: new (version?: unknown) => CardContext;
  readonly AdaptiveCard: new () => {
    parse(content: Json, context: CardContext): void;
    validateProperties(): { readonly validationEvents: readonly { readonly message: string }[] };
    toJSON(): unknown;
  };
}

interface CardContext {
  readonly eventCount: number;
  getEventAt(index: number): { readonly message: string };
}

export const SERVICES: Readonly<Record<Chat, ChatService>> = {
  slack: { path: "/hooks/S3CR3Txxxxxxxxxxxxxxxxxxxx", problems: slackProblems, accept: respondWith(200, "ok") },
  msteams: {
    path: "/workflows/S3CR3T0/triggers/manual/paths/invoke?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sig=S3CR3T1",
    problems: teamsProblems,
    accept: respondWith(202, ""),
  },
  discord: {
    path: "/api/webhooks/123456789012345678/S3CR3T-_xxxxxxxxxxxxxxxxxxxxxxxxx",
    problems: discordProblems,
    // Discord returns the message only with wait=true.
    accept: (response, { url }) =>
      /[?&]wait=true(?:&|$)/.test(url)
        ? response.writeHead(200, { "content-type": "application/json" }).end('{"id":"1190000000000000000","type":0}')
        : response.writeHead(204).end(),
  },
  googlechat: {
    path: "/v1/spaces/AAAAxxxx/messages?key=S3CR3T0&token=S3CR3T1",
    problems: googleChatProblems,
    accept: respondWith(200, '{"name":"spaces/AAAAxxxx/messages/y.y"}'),
  },
};

/** Responds with a status and a body. */
export function respondWith(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) => response.writeHead(status, headers).end(body);
}

/** Accepts messages without problems, and rejects others as the service does. Appends problems to `problemsFound`. */
export function respondAsService(chat: Chat, problemsFound: string[]): Answer {
  const { problems, accept } = SERVICES[chat];
  return (response, request, count) => {
    const messageProblems = problems(JSON.parse(request.body));
    problemsFound.push(...messageProblems);
    if (messageProblems.length === 0) accept(response, request, count);
    else response.writeHead(400).end("invalid_payload");
  };
}

// https://docs.slack.dev/reference/block-kit/blocks and https://docs.slack.dev/messaging/formatting-message-text
function slackProblems(message: unknown): string[] {
  const { text, blocks, ...others } = message as { text: string; blocks: Json[] };
  const problems = Object.keys(others).map((name) => `an unknown field ${name}`);
  checkLength(problems, "text", text, 40_000);
  if (blocks.length > 50) problems.push("more than 50 blocks");
  checkMarkup(problems, text);
  for (const { type, text: blockText, fields = [], elements = [] } of blocks as {
    type: string;
    text?: { type: string; text: string };
    fields?: { type: string; text: string }[];
    elements?: { type: string; text: string }[];
  }[]) {
    const texts = [...(blockText === undefined ? [] : [blockText]), ...fields, ...elements];
    for (const { type: textType, text } of texts) {
      checkLength(problems, type, text, type === "header" ? 150 : fields.length > 0 ? 2000 : 3000);
      if (textType !== (type === "header" ? "plain_text" : "mrkdwn")) problems.push(`${textType} in ${type}`);
      if (textType === "mrkdwn") checkMarkup(problems, text);
    }
    if (texts.length === 0 || fields.length > 10 || elements.length > 10) problems.push(`texts of ${type}`);
    if (!["header", "section", "context"].includes(type)) problems.push(`an unknown block ${type}`);
  }
  return problems;
}

/** Rejects markup, such as links and mentions of everybody, in text that users or others wrote. */
function checkMarkup(problems: string[], text: string): void {
  const userText = text.replace(/<!date\^\d+\^[^<>|]+\|[^<>|]+>/g, "");
  if (/[<>]|&(?!amp;|lt;|gt;)/.test(userText)) problems.push(`markup in ${text}`);
  if (/@(?:all|channel|here)/.test(userText)) problems.push(`a mention in ${text}`);
}

// https://discord.com/developers/docs/resources/message#embed-object-embed-limits
function discordProblems(message: unknown): string[] {
  const problems: string[] = [];
  const { embeds, allowed_mentions: mentions } = message as {
    embeds: { title: string; description: string; fields: { name: string; value: string }[]; timestamp: string }[];
    allowed_mentions: unknown;
  };
  if (JSON.stringify(mentions) !== '{"parse":[]}') problems.push("mentions are allowed");
  if (embeds.length > 10) problems.push("more than 10 embeds");
  let total = 0;
  for (const { title, description, fields, timestamp } of embeds) {
    checkLength(problems, "title", title, 256);
    checkLength(problems, "description", description, 4096);
    if (fields.length > 25) problems.push("more than 25 fields");
    for (const { name, value } of fields) {
      checkLength(problems, "name", name, 256);
      checkLength(problems, "value", value, 1024);
      total += name.length + value.length;
    }
    total += title.length + description.length;
    if (Number.isNaN(Date.parse(timestamp))) problems.push("timestamp");
  }
  if (total > 6000) problems.push(`${total} characters in all`);
  return problems;
}

// https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages and /format-messages
function googleChatProblems(message: unknown): string[] {
  const { text, ...others } = message as { text: string };
  const problems = Object.keys(others).map((name) => `an unknown field ${name}`);
  if (Buffer.byteLength(text) > 32_000) problems.push("more than 32,000 bytes");
  const [heading = "", ...lines] = text.split("\n");
  if (!/^\*[^*<]+\*$/.test(heading)) problems.push(`the heading ${heading}`);
  if (/[<*_~`](?!\u200B)/.test(lines.join("\n"))) problems.push(`markup in ${text}`);
  return problems;
}

// https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors: a message has 28 KB at most.
function teamsProblems(message: unknown): string[] {
  const { type, attachments } = message as { type: string; attachments: { contentType: string; content: Json }[] };
  const problems = type === "message" ? [] : ["type"];
  if (Buffer.byteLength(JSON.stringify(message)) > 28 * 1024) problems.push("more than 28 KB");
  for (const { contentType, content } of attachments) {
    if (contentType !== "application/vnd.microsoft.card.adaptive") problems.push(contentType);
    problems.push(...cardProblems(content));
  }
  return problems;
}

let cards: Cards | undefined;

/** Returns the errors that the package adaptivecards finds in a card, and what it would drop from the card. */
function cardProblems(content: Json): string[] {
  cards ??= loadCards();
  const { AdaptiveCard, SerializationContext, Version } = cards;
  const context = new SerializationContext(Version.parse(content["version"] as string, new SerializationContext()));
  const card = new AdaptiveCard();
  card.parse(content, context);
  const events = Array.from({ length: context.eventCount }, (_, i) => context.getEventAt(i).message);
  const failures = card.validateProperties().validationEvents.map(({ message }) => message);
  const parsed = JSON.stringify(sortKeys(card.toJSON()));
  const losses = parsed === JSON.stringify(sortKeys(content)) ? [] : [`read as ${parsed}`];
  return [...events, ...failures, ...losses];
}

/** The package is for browsers and expects a global `window` when it is loaded. */
function loadCards(): Cards {
  const scope = globalThis as { window?: unknown };
  scope.window = globalThis;
  try {
    return createRequire(import.meta.url)("adaptivecards/dist/adaptivecards.js") as Cards;
  } finally {
    delete scope.window;
  }
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sortKeys(inner)]));
}

function checkLength(problems: string[], field: string, text: unknown, max: number): void {
  if (typeof text !== "string" || text === "" || text.length > max) problems.push(`the length of ${field}`);
}
