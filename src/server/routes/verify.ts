// `GET` and `POST /verify/{token}`: the web page of an emailed verification link. Only its button changes something,
// because mail scanners open links. The page loads nothing and runs no script.

import { createHash } from "node:crypto";
import { escapeHtml, toSentence } from "../../base/format-text.ts";
import { flag, optional, text } from "../../base/shapes.ts";
import type { ChannelFault } from "../../channels/fault.ts";
import type { VerificationSubject, Verifications } from "../../channels/verifications.ts";
import type { AppDeps } from "../http/app.ts";
import { API_FAULTS, type ApiResponse, fault, success } from "../http/response.ts";
import { type ApiRequest, type RouteDefinition, responseShape } from "../http/route.ts";

interface PageContent {
  readonly paragraphs: readonly string[];
  /** Label of the page's only button. */
  readonly button?: string;
  /** An error code to quote in a bug report. */
  readonly code?: string;
}

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; font: 1.125rem/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 10vh auto; padding: 0 1.25rem; }
h1 { font-size: 1.6rem; line-height: 1.25; }
p { overflow-wrap: anywhere; }
button { font: inherit; font-weight: 600; padding: 0.75rem 1.5rem; border: 0; border-radius: 0.4rem;
  background: #1a4fa3; color: #fff; cursor: pointer; }
button:focus-visible { outline: 3px solid #d97706; outline-offset: 3px; }
.code { font-size: 0.9rem; }
`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  // For the empty icon, which stops browsers from requesting /favicon.ico.
  "img-src data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Paths with a token, and the headers of their responses. */
export const SECRET_PATHS: AppDeps["secretPaths"] = {
  prefix: "/verify/",
  headers: ["Content-Security-Policy", POLICY, "Referrer-Policy", "no-referrer", "X-Robots-Tag", "noindex"],
};

const PATH = `${SECRET_PATHS.prefix}{token}`;

export interface VerifyDeps {
  readonly verifications: Verifications;
}

const VERIFICATION_RESPONSE = responseShape("VerificationAnswer", {
  message: text(),
  id: text("The channel's id."),
  address: text(),
  is_verified: flag(),
});

export const VERIFY_ROUTES: readonly RouteDefinition<VerifyDeps>[] = [
  {
    id: "showVerification",
    method: "GET",
    path: PATH,
    summary: "Show the page of a verification link; changes nothing",
    response: VERIFICATION_RESPONSE,
    hasPage: true,
    faults: ["NOT_FOUND", "TOKEN_USED", "TOKEN_EXPIRED", "NOT_READY"],
    handler:
      ({ verifications }) =>
      (request) => {
        const inspection = verifications.inspect(request.params[0] as string);
        if (!inspection.ok) return faultPage(inspection.fault, request);
        if (acceptsJson(request)) return verification(inspection.value, false, "POST to this path verifies it.");
        return renderPage(200, "Confirm this address", {
          paragraphs: [
            `Send addrsift notifications to ${inspection.value.address}?`,
            "If you did not ask for this, close this page. Nothing will be sent.",
          ],
          button: "Confirm this address",
        });
      },
  },
  {
    id: "confirmVerification",
    method: "POST",
    path: PATH,
    summary: "Verify the address that the link was emailed to",
    query: { channel: optional(text("ID of a channel: a token for another one is rejected.")) },
    response: VERIFICATION_RESPONSE,
    hasPage: true,
    faults: ["NOT_FOUND", "TOKEN_USED", "TOKEN_EXPIRED", "NOT_READY", "STORAGE_FULL"],
    handler:
      ({ verifications }) =>
      async (request) => {
        const channelId = new URLSearchParams(request.query).get("channel") ?? undefined;
        const confirmation = await verifications.confirm(request.params[0] as string, channelId);
        if (!confirmation.ok) return faultPage(confirmation.fault, request);
        if (acceptsJson(request)) return verification(confirmation.value, true, "The address is verified.");
        const paragraphs = [`Notifications will be sent to ${confirmation.value.address}. You can close this page.`];
        return renderPage(200, "The address is confirmed", { paragraphs });
      },
  },
];

const HEADINGS: Readonly<Partial<Record<ChannelFault["code"], string>>> = {
  TOKEN_USED: "This link or token was already used",
  TOKEN_EXPIRED: "This link or token has expired",
  NOT_FOUND: "There is no such link or token",
};

function acceptsJson(request: ApiRequest): boolean {
  const accept = request.header("accept");
  return /\bapplication\/json\b/.test(accept) && !/\btext\/html\b/.test(accept);
}

function verification({ channelId: id, address }: VerificationSubject, is_verified: boolean, message: string) {
  return success({ message, id, address, is_verified });
}

function faultPage({ code, message }: ChannelFault, request: ApiRequest): ApiResponse {
  if (acceptsJson(request)) return fault(code, message);
  const heading = HEADINGS[code] ?? "This link does not work";
  return renderPage(API_FAULTS[code].status, heading, { paragraphs: [toSentence(message)], code });
}

function renderPage(status: number, heading: string, { paragraphs, button, code }: PageContent): ApiResponse {
  const title = escapeHtml(heading);
  const lines = [
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
  ];
  return { status, type: "text/html; charset=utf-8", body: lines.join("\n") };
}
