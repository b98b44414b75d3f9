// The routes of detection: one address or domain, or a list.

import { choice, closed, flag, listOf, named, optional, text } from "../../../base/shapes.ts";
import { DETECTION, DOMAIN_DETECTION } from "../../../detection/detection.ts";
import type { DetectRequest } from "../../../detection/detector.ts";
import { fault, successBytes } from "../../http/answer.ts";
import {
  type ApiRequest,
  dataAnswer,
  type Handler,
  jsonBody,
  type RouteBody,
  type RouteFacts,
  type RouteOver,
} from "../../http/route.ts";
import { STREAM_PARAMETERS } from "../stream/parameters.ts";
import { answerStream, STREAM, STREAM_DESCRIPTION, type StreamParts } from "../stream/routes.ts";
import { DetectQuery } from "./query.ts";
import type { DetectionAnswers } from "./rendering.ts";

const EMAILS = "/api/v1/emails/detect";
const EMAIL_STREAM = "/api/v1/emails/stream";
const DOMAINS = "/api/v1/domains";

const ADDS_EVIDENCE = "Adds the evidence. Default: false.";
const ASKS_DNS = "Whether DNS may be asked about a domain that no list settles. Default: on.";

const DETECTION_ACCESS = { scope: "emails:detect", openable: true } as const satisfies Partial<RouteFacts>;

const QUERY_WISHES = {
  explain: optional(choice(["true", "false"], ADDS_EVIDENCE)),
  dns: optional(choice(["on", "off"], ASKS_DNS)),
};

const BATCH_MAX = 1000;
/** Enough for a thousand addresses of the greatest length. */
const BATCH_LIMIT = 512 * 1024;

const WORDS = { emails: "addresses", domains: "domains" } as const;
type ListName = keyof typeof WORDS;

export interface DetectParts extends StreamParts {
  /** They change when the lists do. */
  readonly answers: () => DetectionAnswers;
  readonly domainAnswers: () => DetectionAnswers;
}

export const DETECT_ROUTES: readonly RouteOver<DetectParts>[] = [
  {
    id: "detectAddress",
    method: "GET",
    path: EMAILS,
    ...DETECTION_ACCESS,
    query: {
      email: text(
        "The address, up to 4 KiB. **A `+` is a plus, not a space**: a space is `%20`, as `encodeURIComponent` " +
          "writes it, and form encoders write it as `+`. `%` and `&` are `%25` and `%26`. " +
          "POST takes any text as it is.",
        { minLength: 1, examples: ["jane.doe+news@gmail.com"] },
      ),
      ...QUERY_WISHES,
    },
    summary: "Classify one address",
    answer: dataAnswer("DetectionAnswer", DETECTION),
    faults: ["INVALID_QUERY"],
    handler: ({ answers }) => answerOne(answers),
  },
  {
    id: "detectAddresses",
    method: "POST",
    path: EMAILS,
    ...DETECTION_ACCESS,
    body: batchBody("DetectionBatch", "emails", ["jane@gmail.com", "joe@mailinator.com"]),
    stream: STREAM,
    summary: "Classify up to 1,000 addresses, in order",
    description: `Bodies of the media types of \`${EMAIL_STREAM}\` are taken here as there.`,
    answer: dataAnswer("DetectionsAnswer", listOf(DETECTION)),
    handler: ({ answers }) => answerBatch("emails", answers),
    streamHandler: answerStream,
  },
  {
    id: "streamAddresses",
    method: "POST",
    path: EMAIL_STREAM,
    ...DETECTION_ACCESS,
    stream: STREAM,
    query: STREAM_PARAMETERS,
    summary: "Classify rows of any number as a stream",
    description: STREAM_DESCRIPTION,
    answer: text("A row for each row, in order."),
    faults: ["INVALID_QUERY"],
    handler: answerStream,
  },
  {
    id: "detectDomains",
    method: "POST",
    path: `${DOMAINS}/detect`,
    ...DETECTION_ACCESS,
    body: batchBody("DomainDetectionBatch", "domains", ["gmail.com", "mailinator.com"]),
    summary: "Classify up to 1,000 domains, in order",
    answer: dataAnswer("DomainDetectionsAnswer", listOf(DOMAIN_DETECTION)),
    handler: ({ domainAnswers }) => answerBatch("domains", domainAnswers),
  },
  {
    id: "detectDomain",
    method: "GET",
    path: `${DOMAINS}/{domain}`,
    ...DETECTION_ACCESS,
    query: QUERY_WISHES,
    summary: "Classify one domain",
    answer: dataAnswer("DomainDetectionAnswer", DOMAIN_DETECTION),
    // A path with an empty domain does not exist.
    faults: ["INVALID_QUERY", "NOT_FOUND"],
    handler: ({ domainAnswers }) => answerOne(domainAnswers),
  },
];

function batchBody(name: string, list: ListName, example: readonly string[]): RouteBody {
  const items = listOf(text(), undefined, { maxItems: BATCH_MAX, examples: [example] });
  const wishes = { explain: optional(flag(ADDS_EVIDENCE)), dns: optional(choice(["on", "off"], ASKS_DNS)) };
  return jsonBody(named(name, closed({ [list]: items, ...wishes })), BATCH_LIMIT);
}

function answerOne(answers: () => DetectionAnswers): Handler {
  const query = new DetectQuery();
  return (request) => {
    const wrong = query.read(request.query, request.params[0]);
    if (wrong !== undefined) return fault("INVALID_QUERY", wrong);
    const body = answers().one(query.bytes, query.end, new HttpDetectRequest(request, query.explain, query.dns));
    if (typeof body === "string") return successBytes(body);
    query.giveBytes();
    return body.then(successBytes);
  };
}

/** The signal is made only when needed: most addresses need no DNS. */
class HttpDetectRequest implements DetectRequest {
  constructor(
    private readonly request: ApiRequest,
    readonly explain: boolean,
    readonly dns: boolean,
  ) {}

  get signal(): AbortSignal {
    return this.request.signal;
  }
}

function answerBatch(list: ListName, answers: () => DetectionAnswers): Handler {
  return async (request) => {
    const { [list]: items, explain = false, dns = "on", ...unknown } = request.body;
    const wrong = listFault(list, items) ?? wishFault(list, explain, dns, unknown);
    if (wrong !== undefined) return fault("INVALID_BODY", wrong);
    const wish = new HttpDetectRequest(request, explain as boolean, dns === "on");
    return successBytes(await answers().many(items as string[], wish));
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
