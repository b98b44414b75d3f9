// Renders the page and the report as HTML files with their style. The script renders the page in the browser.

import { createHash } from "node:crypto";
import { renderToString } from "preact-render-to-string";
import type { Page } from "../server/routes/status.ts";
import type { PageAssets, PageFacts, ReportFacts } from "./facts.ts";
import { formatReportTitle, Report } from "./report.tsx";

// An envelope over a check mark.
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E" +
  "%3Crect width='16' height='16' rx='4' fill='%231a4fa3'/%3E" +
  "%3Cpath d='m4 8.5 2.6 2.6L12 5.5' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E";

export function createPage(facts: PageFacts, { script, style }: PageAssets): Page {
  const html = renderHtml(["<title>addrsift</title>", `<link rel="icon" href="${ICON}">`], style, [
    '<div id="app"></div>',
    "<noscript><main>This page needs JavaScript. The API and the command line do not.</main></noscript>",
    // Escapes < so that the data can't end the element.
    `<script type="application/json" id="facts">${JSON.stringify(facts).replaceAll("<", "\\u003c")}</script>`,
    `<script type="module">${script}</script>`,
  ]);
  return { headers: createHeaders(script, style), html };
}

/** Renders the report of a run. It loads nothing. */
export function renderReport(report: ReportFacts, style: string): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  return renderHtml(
    [
      `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
      renderToString(<title>addrsift: {formatReportTitle(report)}</title>),
    ],
    style,
    [renderToString(<Report {...report} />)],
  );
}

function renderHtml(head: readonly string[], style: string, body: readonly string[]): string {
  return [
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    ...head,
    `<style>${style}</style>`,
    "</head>\n<body>",
    ...body,
    "</body>\n</html>\n",
  ].join("\n");
}

function createHeaders(script: string, style: string): readonly string[] {
  const policy = [
    "default-src 'none'",
    `script-src '${digest(script)}'`,
    `style-src '${digest(style)}'`,
    "img-src data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // Prevents scripts from turning text into code.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return ["Content-Security-Policy", policy, "Referrer-Policy", "no-referrer"];
}

function digest(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
