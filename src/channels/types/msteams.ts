// Microsoft Teams: an Adaptive Card for a webhook of Workflows; connectors take it too
// (https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using).

import { type ChannelEvent, cut, messageOf } from "../events.ts";
import { chatType, isSuccess, jsonObject, type Refusal, refusalOf } from "./post.ts";
import type { TypeOfChannel } from "./type.ts";

const WORKFLOW_HOSTS = "(?:logic\\.azure|powerplatform|powerautomate)\\.(?:com|us|cn)|flow\\.microsoft\\.com";
const CONNECTOR_HOSTS = "(?:webhook|outlook)\\.office(?:365)?\\.com";
const HOSTS = new RegExp(`(?:^|\\.)(?:${WORKFLOW_HOSTS}|${CONNECTOR_HOSTS})$`);
// Microsoft has moved webhooks to other hosts twice; this part of the path stayed.
const WORKFLOW_PATH = /\/workflows\/[^/]+\/triggers\/[^/]+\/paths\/invoke$/;
const CONNECTOR_PATH = /^\/webhook(?:b2)?\/.+\/IncomingWebhook\/.+/i;

export const MSTEAMS: TypeOfChannel = chatType(
  {
    hosts: HOSTS,
    urlFault: ({ pathname, searchParams }) =>
      (WORKFLOW_PATH.test(pathname) && searchParams.has("sig")) || CONNECTOR_PATH.test(pathname)
        ? undefined
        : "must be a webhook of Teams Workflows: " +
          "copy it whole, https://HOST/.../workflows/.../triggers/.../paths/invoke?...&sig=...",
  },
  teamsMessage,
  judgeTeams,
);

// A message may have 28 KB in all.
const TEXT_MAX = 1000;

/** A message of one card, as https://adaptivecards.io/schemas/adaptive-card.json describes it. */
export function teamsMessage(event: ChannelEvent): object {
  const { heading, paragraphs, facts, alarm } = messageOf(event);
  const time = `${event.timestamp.slice(0, 19)}Z`;
  const body: object[] = [
    {
      type: "TextBlock",
      text: heading,
      wrap: true,
      size: "Large",
      weight: "Bolder",
      ...(alarm ? { color: "Attention" } : {}),
    },
    // The text of a TextRun is not Markdown.
    ...paragraphs.map((text) => ({ type: "RichTextBlock", inlines: [{ type: "TextRun", text: cut(text, TEXT_MAX) }] })),
    { type: "FactSet", facts: facts.map(([title, value]) => ({ title, value: cut(value, TEXT_MAX) })) },
    // Each reader sees it in the own time zone.
    { type: "TextBlock", text: `{{DATE(${time}, SHORT)}} {{TIME(${time})}}`, wrap: true, isSubtle: true },
  ];
  return {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          // The newest that incoming webhooks show.
          version: "1.4",
          fallbackText: heading,
          body,
        },
      },
    ],
  };
}

// Connectors answer 200 also when Teams refused the message, and say so in the text.
const REFUSED = /delivery failed|returned HTTP error|Bad payload/i;

/** Workflows answer 202, connectors 200 with "1". */
function judgeTeams(status: number, text: string): Refusal | undefined {
  if (isSuccess(status)) {
    if (!REFUSED.test(text)) return undefined;
    const inner = /HTTP error ([45]\d\d)/.exec(text)?.[1];
    const what = inner === undefined ? "refused the message" : `answered ${inner} to the connector`;
    return { reason: `Teams ${what}: if this stays, use a webhook of Teams Workflows`, verdict: "retry" };
  }
  const { error } = jsonObject(text);
  const { code } = (typeof error === "object" && error !== null ? error : {}) as { readonly code?: unknown };
  if (status === 404 && code === "WorkflowNotFound") {
    return { reason: "Teams answered 404 (WorkflowNotFound): make a new webhook in Workflows", verdict: "gone" };
  }
  if (code === "WorkflowTriggerIsNotEnabled") {
    return { reason: `Teams answered ${status}: the workflow is off, turn it on in Workflows`, verdict: "retry" };
  }
  const refusal = refusalOf(status);
  if (status !== 401 && status !== 403) return refusal;
  const who = "copy the whole URL again, and let anyone trigger the workflow";
  return { ...refusal, reason: `${refusal.reason}: ${who}` };
}
