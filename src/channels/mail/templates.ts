// The mails for events and verifications, each rendered as plain text and as HTML.

import { escapeHtml } from "../../base/format-text.ts";
import { type ChannelEvent, describeEvent } from "../events.ts";
import type { Mail } from "./mailer.ts";

interface MailContent {
  readonly subject: string;
  readonly heading: string;
  readonly paragraphs: readonly string[];
  readonly facts?: readonly (readonly [string, string])[];
  readonly button?: { readonly label: string; readonly url: string } | undefined;
  /** Lines to copy: a token, a command line. */
  readonly code?: readonly string[];
  readonly footer: string;
}

export function renderEventMail(event: ChannelEvent, channelName: string): Mail {
  const { heading, paragraphs, facts } = describeEvent(event);
  // Remove bidirectional formatting characters (Unicode UAX #9 §2), which could reorder the subject.
  const clean = (text: string): string => text.replace(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, "");
  const name = clean(channelName);
  const label = "label" in event.data ? `: ${clean(event.data.label ?? "")}` : "";
  return renderMail({
    subject: `[${name}] ${heading}${label}`,
    heading,
    paragraphs,
    facts: [...facts, ["Time", event.timestamp]],
    footer: `You receive this because addrsift sends notifications of the channel "${name}" to this address.`,
  });
}

const VERIFICATION_TEXT = {
  subject: "Confirm this address for notifications",
  heading: "Confirm this address",
  footer: "If you did not expect this message, ignore it. We send nothing else unless you confirm.",
};
const REQUEST_SENTENCE = "Someone asked addrsift to send notifications to this address.";

export function renderLinkMail(publicUrl: string, token: string): Mail {
  return renderMail({
    ...VERIFICATION_TEXT,
    paragraphs: [REQUEST_SENTENCE, "To agree, open the page and press its button. The link works once, for 24 hours."],
    button: confirmButton(publicUrl, token),
  });
}

/**
 * Renders a verification mail with a token for the web UI or the command line, for a daemon without a public URL. If the
 * daemon listens on loopback, `localUrl` is its URL there.
 */
export function renderTokenMail(team: string, channelId: string, token: string, localUrl?: string): Mail {
  const enterToken =
    "enter this token in addrsift's web UI (Channels, in the channel's row) or in the command below on its machine, " +
    "or send it to addrsift's administrator.";
  const instructions =
    localUrl === undefined
      ? `To agree, ${enterToken} It works once, for 24 hours.`
      : "To agree, open the link on the machine that runs addrsift, and press the button of its page. " +
        `On another machine, ${enterToken} Either works once, for 24 hours.`;
  return renderMail({
    ...VERIFICATION_TEXT,
    paragraphs: [REQUEST_SENTENCE, instructions],
    button: localUrl === undefined ? undefined : confirmButton(localUrl, token),
    code: [token, `addrsift channels verify ${channelId} --team ${team}`],
  });
}

function confirmButton(url: string, token: string): NonNullable<MailContent["button"]> {
  return { label: "Confirm this address", url: `${url.replace(/\/+$/, "")}/verify/${token}` };
}

function renderMail(content: MailContent): Mail {
  return { subject: content.subject, text: renderText(content), html: renderHtml(content) };
}

function renderText({ heading, paragraphs, facts = [], button, code = [], footer }: MailContent): string {
  const width = Math.max(0, ...facts.map(([label]) => label.length)) + 2;
  const blocks = [
    heading,
    ...paragraphs,
    ...(facts.length === 0 ? [] : [facts.map(([label, value]) => `${`${label}:`.padEnd(width)}${value}`).join("\n")]),
    ...(button === undefined ? [] : [`${button.label}:\n${button.url}`]),
    ...code.map((line) => `    ${line}`),
    // Signature separator, RFC 3676 §4.3.
    `-- \n${footer}`,
  ];
  return `${blocks.join("\n\n")}\n`;
}

const BUTTON_STYLE =
  "display:inline-block;padding:12px 24px;border-radius:6px;background:#1a4fa3;color:#ffffff;text-decoration:none";

/** Sets no colors except the button's, so that mail programs can use their own, light or dark. */
function renderHtml({ subject, heading, paragraphs, facts = [], button, code = [], footer }: MailContent): string {
  const formatRow = ([label, value]: readonly [string, string]): string =>
    `<tr><th scope="row" align="left">${escapeHtml(label)}</th><td>${escapeHtml(value)}</td></tr>`;
  return [
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(subject)}</title></head>`,
    '<body style="font-family:sans-serif"><div role="article" lang="en" style="max-width:560px;margin:0 auto">',
    `<h1>${escapeHtml(heading)}</h1>`,
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    ...(facts.length === 0 ? [] : [`<table cellpadding="6">`, ...facts.map(formatRow), "</table>"]),
    ...(button === undefined ? [] : renderButton(button)),
    ...code.map((line) => `<p style="word-break:break-all"><code>${escapeHtml(line)}</code></p>`),
    `<p><small>${escapeHtml(footer)}</small></p>`,
    "</div></body></html>\n",
  ].join("\n");
}

function renderButton({ label, url }: NonNullable<MailContent["button"]>): string[] {
  const address = escapeHtml(url);
  return [
    `<p><a href="${address}" style="${BUTTON_STYLE}">${escapeHtml(label)}</a></p>`,
    `<p style="word-break:break-all">If the button does nothing, open this address: ${address}</p>`,
  ];
}
