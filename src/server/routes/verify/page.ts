// The page of a verification link: its question, its result, or why the link does not work. It works with keyboards, screen
// readers and small screens, and loads nothing and runs no script.

import { createHash } from "node:crypto";
import { escapeHtml } from "../../../base/shown.ts";
import type { Answer } from "../../http/answer.ts";
import type { AppParts } from "../../http/app.ts";

/** The content of a page. */
export interface PageContent {
  readonly status: number;
  readonly heading: string;
  readonly paragraphs: readonly string[];
  /** The label of the only button, which posts to the page's own address. */
  readonly button?: string;
  /** An error code, for people who report it. */
  readonly code?: string;
}

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; font: 1.125rem/1.5 system-ui, sans-serif; background: #fff; color: #1c1f24; }
main { max-width: 34rem; margin: 10vh auto; padding: 0 1.25rem; }
h1 { font-size: 1.6rem; line-height: 1.25; }
p { overflow-wrap: anywhere; }
button { font: inherit; font-weight: 600; padding: 0.75rem 1.5rem; border: 0; border-radius: 0.4rem;
  background: #1a4fa3; color: #fff; cursor: pointer; }
button:focus-visible { outline: 3px solid #d97706; outline-offset: 3px; }
.code { font-size: 0.9rem; color: #555b66; }
@media (prefers-color-scheme: dark) {
  body { background: #16181d; color: #e8eaee; }
  button { background: #7aa7f0; color: #10131a; }
  .code { color: #a7adb8; }
}
`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  // The empty icon, so that browsers ask for none.
  "img-src data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** How the paths with a token begin, and the headers of everything there; every answer is `no-store` already. */
export const SECRET_PATHS: AppParts["secretPaths"] = {
  begin: "/verify/",
  headers: ["Content-Security-Policy", POLICY, "Referrer-Policy", "no-referrer", "X-Robots-Tag", "noindex"],
};

/** Renders a page as an answer. */
export function pageAnswer(content: PageContent): Answer {
  return { status: content.status, type: "text/html; charset=utf-8", body: render(content) };
}

function render({ heading, paragraphs, button, code }: PageContent): string {
  const title = escapeHtml(heading);
  return [
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title} - addrsift</title>`,
    '<link rel="icon" href="data:,">',
    `<style>${STYLE}</style>`,
    "</head>\n<body>\n<main>",
    `<h1>${title}</h1>`,
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    ...(button === undefined
      ? []
      : [`<form method="post"><button type="submit">${escapeHtml(button)}</button></form>`]),
    ...(code === undefined ? [] : [`<p class="code">${escapeHtml(code)}</p>`]),
    "</main>\n</body>\n</html>\n",
  ].join("\n");
}
