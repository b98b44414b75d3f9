// Text and blocks for Slack's incoming webhooks. Mattermost and Rocket.Chat take the same, and show the text only
// (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks).

import type { KnownBlock, MrkdwnElement } from "@slack/types";
import { type ChannelEvent, cut, messageOf } from "../events.ts";
import { chatType, isSuccess, jsonObject, type Refusal, refusalOf } from "./post.ts";
import type { TypeOfChannel } from "./type.ts";

const HOSTS = /(?:^|\.)slack(?:-gov)?\.com$/;
// Slack's workflows (/workflows/, /triggers/) take other bodies.
const SLACK_PATH = /^\/services\/[A-Za-z0-9]+\/[A-Za-z0-9]+\/[A-Za-z0-9]+$/;
// Mattermost has one part after /hooks/, Rocket.Chat two or three; both may be below a path of the operator's.
const OTHER_PATH = /\/hooks\/[^/]+(?:\/[^/]+){0,2}$/;

export const SLACK: TypeOfChannel = chatType(
  {
    hosts: HOSTS,
    urlFault: ({ hostname, pathname }) =>
      (HOSTS.test(hostname) ? SLACK_PATH : OTHER_PATH).test(pathname)
        ? undefined
        : "must be an incoming webhook: https://hooks.slack.com/services/... of Slack, " +
          "or https://HOST/hooks/... of Mattermost and Rocket.Chat",
  },
  slackMessage,
  judgeSlack,
);

interface SlackMessage {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

// Escaped it is at most five times as long, and a field of a section may have 2,000 characters.
const TEXT_MAX = 300;
const FIELDS_MAX = 10;

/** A message for Slack. Its text says all, for notifications and for services that know no blocks. */
export function slackMessage(event: ChannelEvent): SlackMessage {
  const { heading, paragraphs, facts } = messageOf(event);
  const lines = [...paragraphs, ...facts.map((fact) => fact.join(": ")), `Time: ${event.timestamp}`].map(escaped);
  const fields = facts.map(([label, value]) => markdown(`*${escaped(label)}*\n${escaped(value)}`));
  const seconds = Math.floor(Date.parse(event.timestamp) / 1000);
  return {
    text: [heading, ...lines].join("\n"),
    blocks: [
      { type: "header", text: { type: "plain_text", text: heading } },
      ...paragraphs.map((text): KnownBlock => ({ type: "section", text: markdown(escaped(text)) })),
      ...inGroups(fields, FIELDS_MAX).map((group): KnownBlock => ({ type: "section", fields: group })),
      // Each reader sees it in the own time zone.
      {
        type: "context",
        elements: [markdown(`<!date^${seconds}^{date_short_pretty} {time}|${event.timestamp}>`)],
      },
    ],
  };
}

function markdown(text: string): MrkdwnElement {
  return { type: "mrkdwn", text };
}

/** Text that is not markup for Slack, and calls no one in Mattermost: there "@all" in a text is a mention. */
function escaped(text: string): string {
  return cut(text, TEXT_MAX)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@", "@\u200B");
}

function inGroups<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, place) =>
    all.slice(place * size, (place + 1) * size),
  );
}

// The texts that Slack answers with, where another attempt can't help:
// https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors.
const CODES: Readonly<Record<string, Refusal["verdict"]>> = {
  no_service: "gone",
  no_service_id: "gone",
  no_active_hooks: "gone",
  no_team: "gone",
  team_disabled: "gone",
  invalid_token: "gone",
  channel_not_found: "gone",
  channel_is_archived: "gone",
  invalid_payload: "give_up",
  invalid_blocks: "give_up",
  no_text: "give_up",
};

/** Slack and Mattermost answer "ok", Rocket.Chat `success`. Another page did not take the message. */
function judgeSlack(status: number, text: string): Refusal | undefined {
  const answer = text.trim();
  if (isSuccess(status)) {
    if (answer === "ok" || jsonObject(answer)["success"] === true) return undefined;
    return { reason: `the webhook answered ${status}, but not "ok": check config.url`, verdict: "retry" };
  }
  const verdict = Object.hasOwn(CODES, answer) ? CODES[answer] : undefined;
  if (verdict === undefined) return refusalOf(status);
  const what = verdict === "gone" ? "make a new webhook there" : "it did not understand the message";
  return { reason: `the service answered ${status} (${answer}): ${what}`, verdict };
}
