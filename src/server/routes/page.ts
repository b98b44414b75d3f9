// `GET /`, the page, and `POST /`, its form without JavaScript. The page is in `page/`, and is loaded when needed.

import { addressLines } from "../../base/names.ts";
import { choice, named, open, optional, text } from "../../base/shapes.ts";
import type { Detection } from "../../detection/detection.ts";
import type { Answer } from "../http/answer.ts";
import { type ApiRequest, type Handler, type RouteOver, unchanging } from "../http/route.ts";
import type { DetectionAnswers } from "./detect/rendering.ts";
import { DETECTION_ACCESS, HttpDetectRequest } from "./detect/routes.ts";

export interface FormResult {
  readonly text: string;
  readonly dns: boolean;
  readonly results: readonly Detection[];
  readonly problem?: string;
}

export interface Page {
  readonly headers: readonly string[];
  readonly render: (asked?: FormResult) => string;
}

export interface PageParts {
  readonly page: () => Page;
  readonly answers: () => DetectionAnswers;
}

export const PAGE_PATH = "/";
const HTML = "text/html; charset=utf-8";
// All results come with all their evidence.
const ADDRESSES_MAX = 100;
const LIMIT_BYTES = 64 * 1024;

// A POST, because an address in a URL would be in the browser's history and in the logs of proxies.
const FORM = named(
  "PageForm",
  open({
    emails: text("Addresses, one a line, up to 100.", {
      pattern: "[^\\t\\r\\n ]",
      examples: ["jane@gmail.com\njoe@mailinator.com"],
    }),
    dns: optional(choice(["on"], "Ask DNS about domains that no list settles; left out: don't.")),
  }),
);

export const PAGE_ROUTES: readonly RouteOver<PageParts>[] = [
  {
    id: "page",
    method: "GET",
    path: PAGE_PATH,
    summary: "A page for people; --no-page switches it off",
    answer: "text/html",
    handler: ({ page }) =>
      unchanging(() => ({ status: 200, type: HTML, body: page().render(), headers: page().headers })),
  },
  {
    id: "pageForm",
    method: "POST",
    path: PAGE_PATH,
    ...DETECTION_ACCESS,
    body: { limitBytes: LIMIT_BYTES, types: ["application/x-www-form-urlencoded"], shape: FORM, form: true },
    summary: "The page's form in browsers without JavaScript: classify up to 100 addresses",
    answer: "text/html",
    handler: sentForm,
  },
];

function sentForm({ page, answers }: PageParts): Handler {
  return async (request) => {
    const { emails, dns } = request.body;
    const text = typeof emails === "string" ? emails : "";
    const asked = { text, dns: dns === "on", results: [] };
    const lines = addressLines(text);
    const problem = dns === undefined || dns === "on" ? linesProblem(lines) : "dns must be on, or left out.";
    if (problem !== undefined) return html(page(), 400, { ...asked, problem });
    return html(page(), 200, { ...asked, results: await detected(answers(), lines, request, asked.dns) });
  };
}

function linesProblem({ length }: readonly string[]): string | undefined {
  if (length === 0) return "Type an address first.";
  if (length <= ADDRESSES_MAX) return undefined;
  return `Without JavaScript the page takes at most ${ADDRESSES_MAX} addresses at once, not ${length}.`;
}

async function detected(
  answers: DetectionAnswers,
  lines: readonly string[],
  request: ApiRequest,
  dns: boolean,
): Promise<readonly Detection[]> {
  const bytes = await answers.many(lines, new HttpDetectRequest(request, true, dns));
  const { data } = JSON.parse(Buffer.from(bytes, "latin1").toString()) as { readonly data: readonly Detection[] };
  return data;
}

function html({ headers, render }: Page, status: number, asked: FormResult): Answer {
  return { status, type: HTML, body: render(asked), headers };
}
