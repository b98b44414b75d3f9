// The layout of our mail: one content, rendered as plain text and as HTML that mail programs show alike.

import { escapeHtml } from "../../base/shown.ts";
import type { Mail } from "./mailer.ts";

/** The content of a message, all plain text. HTML is made only here. */
export interface MailContent {
  readonly subject: string;
  readonly heading: string;
  readonly paragraphs: readonly string[];
  /** Rows of a table: label and value. */
  readonly facts?: readonly (readonly [string, string])[];
  readonly button?: { readonly label: string; readonly url: string } | undefined;
  /** Text to copy unchanged: a token, a command line. */
  readonly code?: readonly string[];
  /** The last lines, in small print. */
  readonly footer: string;
}

export function renderMail(content: MailContent): Mail {
  return { subject: content.subject, text: textPart(content), html: htmlPart(content) };
}

function textPart({ heading, paragraphs, facts = [], button, code = [], footer }: MailContent): string {
  const width = Math.max(0, ...facts.map(([what]) => what.length)) + 2;
  const blocks = [
    heading,
    ...paragraphs,
    ...(facts.length === 0 ? [] : [facts.map(([what, value]) => `${`${what}:`.padEnd(width)}${value}`).join("\n")]),
    ...(button === undefined ? [] : [`${button.label}:\n${button.url}`]),
    ...code.map((line) => `    ${line}`),
    // RFC 3676 §4.3, the line before a signature.
    `-- \n${footer}`,
  ];
  return `${blocks.join("\n\n")}\n`;
}

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const BUTTON =
  "display:inline-block;padding:12px 24px;border-radius:6px;background:#1a4fa3;color:#ffffff;" +
  "text-decoration:none;font-weight:600";
const CODE =
  "font-family:Menlo,Consolas,monospace;font-size:14px;word-break:break-all;background:#f0f2f5;" +
  "padding:12px;border-radius:6px";

function htmlPart({ subject, heading, paragraphs, facts = [], button, code = [], footer }: MailContent): string {
  const rows = facts.map(
    ([what, value]) =>
      `<tr><th scope="row" align="left" style="padding:4px 16px 4px 0;font-weight:400;color:#555b66">` +
      `${escapeHtml(what)}</th>` +
      `<td style="padding:4px 0">${escapeHtml(value)}</td></tr>`,
  );
  const body = [
    `<h1 style="font-size:22px;line-height:1.3;margin:0 0 16px">${escapeHtml(heading)}</h1>`,
    ...paragraphs.map((text) => `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`),
    ...(rows.length === 0 ? [] : [`<table style="margin:0 0 16px;border-collapse:collapse">${rows.join("")}</table>`]),
    ...(button === undefined ? [] : buttonHtml(button)),
    ...code.map((line) => `<p style="margin:0 0 16px;${CODE}">${escapeHtml(line)}</p>`),
    `<p style="margin:24px 0 0;font-size:13px;color:#555b66">${escapeHtml(footer)}</p>`,
  ];
  return [
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">' +
      '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(subject)}</title></head>`,
    `<body style="margin:0;padding:24px;background:#ffffff;color:#1c1f24;font-size:16px;line-height:1.5;${FONT}">`,
    `<div role="article" lang="en" style="max-width:560px;margin:0 auto">`,
    ...body,
    "</div></body></html>\n",
  ].join("\n");
}

function buttonHtml({ label, url }: NonNullable<MailContent["button"]>): string[] {
  const href = escapeHtml(url);
  return [
    `<p style="margin:24px 0"><a href="${href}" style="${BUTTON}">${escapeHtml(label)}</a></p>`,
    `<p style="margin:0 0 16px;font-size:13px;color:#555b66">If the button does nothing, open this address:<br>` +
      `<a href="${href}" style="color:#1a4fa3;word-break:break-all">${href}</a></p>`,
  ];
}
