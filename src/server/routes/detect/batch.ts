// A list of addresses or domains as the body of a POST: its shape, its faults and its answer.

import { choice, closed, flag, listOf, named, optional, text } from "../../../base/shapes.ts";
import { fault, successOctets } from "../../http/answer.ts";
import type { Handler, RouteBody } from "../../http/route.ts";
import { jsonBody } from "../answer-shapes.ts";
import type { DetectionAnswers } from "./rendering.ts";
import { ADDS_EVIDENCE, ASKS_DNS, HttpDetectRequest } from "./request.ts";

/** The most addresses of one POST. */
const BATCH_MAX = 1000;
/** A thousand addresses of the greatest length fit in. */
const BATCH_LIMIT = 512 * 1024;

/** The field of the list, and what is in it. */
const WORDS = { emails: "addresses", domains: "domains" } as const;
type ListName = keyof typeof WORDS;

/** The body with a list in the field `list`, under its name in the document. */
export function batchBody(name: string, list: ListName, example: readonly string[]): RouteBody {
  const items = listOf(text(), undefined, { maxItems: BATCH_MAX, examples: [example] });
  const wishes = { explain: optional(flag(ADDS_EVIDENCE)), dns: optional(choice(["on", "off"], ASKS_DNS)) };
  return jsonBody(named(name, closed({ [list]: items, ...wishes })), BATCH_LIMIT);
}

/** Answers about the list in the field `list`. */
export function answerBatch(list: ListName, answers: () => DetectionAnswers): Handler {
  return async (request) => {
    const { [list]: items, explain = false, dns = "on", ...unknown } = request.body;
    const wrong = listFault(list, items) ?? wishFault(list, explain, dns, unknown);
    if (wrong !== undefined) return fault("INVALID_BODY", wrong);
    const wish = new HttpDetectRequest(request, explain as boolean, dns === "on");
    return successOctets(await answers().many(items as string[], wish));
  };
}

function listFault(name: ListName, items: unknown): string | undefined {
  const what = WORDS[name];
  if (items === undefined) return `${name} is missing: give an array of ${what}`;
  if (!Array.isArray(items)) return `${name} must be an array of ${what}`;
  if (items.length > BATCH_MAX) return `${name} has ${items.length} ${what}: give at most ${BATCH_MAX} at once`;
  const place = items.findIndex((item) => typeof item !== "string");
  return place < 0 ? undefined : `${name}[${place}] must be a string`;
}

function wishFault(name: ListName, explain: unknown, dns: unknown, unknown: object): string | undefined {
  if (typeof explain !== "boolean") return "explain must be true or false";
  if (dns !== "on" && dns !== "off") return 'dns must be "on" or "off"';
  if (Object.keys(unknown).length > 0) return `unknown field in the body: use ${name}, explain and dns`;
  return undefined;
}
