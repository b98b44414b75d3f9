// The page as the server makes it: one file of HTML with its script and its style, which a browser runs only as they
// are here. The first view is complete without the script.

import { createHash } from "node:crypto";
import { renderToString } from "preact-render-to-string";
import type { Asked, Page } from "../server/routes/page.ts";
import { App } from "./app.tsx";
import type { PageAssets, PageFacts, PageState } from "./facts.ts";

// An envelope over a check mark.
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231a4fa3'/%3E%3Cpath d='m4 8.5 2.6 2.6L12 5.5' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E";

/** The page about a daemon. */
export function createPage(facts: PageFacts, { script, style }: PageAssets): Page {
  return { headers: headersFor(script, style), render: (asked) => documentOf(facts, asked, script, style) };
}

function documentOf(facts: PageFacts, asked: Asked | undefined, script: string, style: string): string {
  const state: PageState = asked === undefined ? { facts } : { facts, asked };
  return [
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    "<title>addrsift</title>",
    `<link rel="icon" href="${ICON}">`,
    `<style>${style}</style>`,
    "</head>\n<body>",
    `<div id="app">${renderToString(<App {...state} />)}</div>`,
    // It is data, which no browser runs; without < it can't end early.
    `<script type="application/json" id="state">${JSON.stringify(state).replaceAll("<", "\\u003c")}</script>`,
    `<script type="module">${script}</script>`,
    "</body>\n</html>\n",
  ].join("\n");
}

function headersFor(script: string, style: string): readonly string[] {
  const policy = [
    "default-src 'none'",
    `script-src '${digest(script)}'`,
    `style-src '${digest(style)}'`,
    "img-src data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // No text of a caller can become code or markup, also by a mistake of ours.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return ["Content-Security-Policy", policy, "Referrer-Policy", "no-referrer"];
}

function digest(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
