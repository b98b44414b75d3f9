// `GET` and `POST /verify/{token}`: the page of a mailed link. Opening it changes nothing, because mail scanners open
// links; its button does. It loads nothing and runs no script.

import { createHash } from "node:crypto";
import type { Result } from "../../base/result.ts";
import { escapeHtml } from "../../base/shown.ts";
import type { NotifyFault } from "../../channels/fault.ts";
import type { VerificationSubject, Verifications } from "../../channels/verifications.ts";
import { type Answer, API_FAULTS, fault } from "../http/answer.ts";
import type { AppParts } from "../http/app.ts";
import type { ApiRequest, RouteOver } from "../http/route.ts";

interface PageContent {
  readonly status: number;
  readonly heading: string;
  readonly paragraphs: readonly string[];
  /** The label of the only button. */
  readonly button?: string;
  /** An error code, for reports. */
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

/** The paths with a token, and the headers of their answers. */
export const SECRET_PATHS: AppParts["secretPaths"] = {
  begin: "/verify/",
  headers: ["Content-Security-Policy", POLICY, "Referrer-Policy", "no-referrer", "X-Robots-Tag", "noindex"],
};

const PATH = `${SECRET_PATHS.begin}{token}`;

export interface VerifyParts {
  readonly verifications: Verifications;
}

export const VERIFY_ROUTES: readonly RouteOver<VerifyParts>[] = [
  {
    id: "showVerification",
    method: "GET",
    path: PATH,
    summary: "The page of a verification link; opening it changes nothing",
    answer: "text/html",
    faults: ["NOT_FOUND", "TOKEN_USED", "TOKEN_EXPIRED", "NOT_READY"],
    handler:
      ({ verifications }) =>
      (request) => {
        const found = verifications.look(tokenOf(request));
        return found.ok ? question(found.value) : refused(found, request);
      },
  },
  {
    id: "confirmVerification",
    method: "POST",
    path: PATH,
    summary: "Verify the address that the link was mailed to",
    answer: "text/html",
    faults: ["NOT_FOUND", "TOKEN_USED", "TOKEN_EXPIRED", "NOT_READY", "STORAGE_FULL"],
    handler:
      ({ verifications }) =>
      async (request) => {
        const done = await verifications.confirm(tokenOf(request));
        return done.ok ? confirmed(done.value) : refused(done, request);
      },
  },
];

function tokenOf({ params }: ApiRequest): string {
  return params[0] as string;
}

function question({ address }: VerificationSubject): Answer {
  return pageAnswer({
    status: 200,
    heading: "Confirm this address",
    paragraphs: [
      `Send addrsift notifications to ${address}?`,
      "If you did not ask for this, close this page. Nothing will be sent.",
    ],
    button: "Confirm this address",
  });
}

function confirmed({ address }: VerificationSubject): Answer {
  return pageAnswer({
    status: 200,
    heading: "The address is confirmed",
    paragraphs: [`Notifications will be sent to ${address}. You can close this page.`],
  });
}

const HEADINGS: Readonly<Partial<Record<NotifyFault["code"], string>>> = {
  TOKEN_USED: "This link was already used",
  TOKEN_EXPIRED: "This link is too old",
  NOT_FOUND: "There is no such link",
};

function refused(
  failure: Extract<Result<VerificationSubject, NotifyFault>, { ok: false }>,
  request: ApiRequest,
): Answer {
  const { code, message } = failure.fault;
  const accept = request.header("accept");
  if (/\bapplication\/json\b/.test(accept) && !/\btext\/html\b/.test(accept)) {
    return fault(code, message);
  }
  return pageAnswer({
    status: API_FAULTS[code].status,
    heading: HEADINGS[code] ?? "This link does not work",
    paragraphs: [`${message.charAt(0).toUpperCase()}${message.slice(1)}.`],
    code,
  });
}

function pageAnswer(content: PageContent): Answer {
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
