// `GET` and `POST /api/v1/emails/detect`: reads the request and answers with detections.

import { DETECTION } from "../../../detection/detection.ts";
import type { DetectRequest } from "../../../detection/detector.ts";
import { choice, closed, flag, listOf, named, optional, text } from "../../../shapes.ts";
import { fault, successOctets } from "../../http/answer.ts";
import type { ApiRequest, Handler, RouteOver } from "../../http/route.ts";
import { dataAnswer, jsonBody } from "../answer-shapes.ts";
import { DetectQuery } from "./query.ts";
import type { DetectionAnswers } from "./rendering.ts";

const PATH = "/api/v1/emails/detect";
/** The most addresses of one POST. */
const BATCH_MAX = 1000;
/** A thousand addresses of the greatest length fit in. */
const BATCH_LIMIT = 512 * 1024;
const ADDS_EVIDENCE = "Adds the evidence. Default: false.";
const ASKS_DNS = "Whether DNS may be asked about a domain that no list settles. Default: on.";

/** What these routes work with. */
export interface DetectParts {
  /** The detector of the moment: it changes when the lists do. */
  readonly answers: () => DetectionAnswers;
}

export const DETECT_ROUTES: readonly RouteOver<DetectParts>[] = [
  {
    id: "detectAddress",
    method: "GET",
    path: PATH,
    scope: "emails:detect",
    openable: true,
    query: {
      email: text(
        "The address, up to 4 KiB. **A `+` is a plus, not a space**: a space is `%20`, as `encodeURIComponent` writes it, and form encoders write it as `+`. `%` and `&` are `%25` and `%26`. POST takes any text as it is.",
        { minLength: 1, examples: ["jane.doe+news@gmail.com"] },
      ),
      explain: optional(choice(["true", "false"], ADDS_EVIDENCE)),
      dns: optional(choice(["on", "off"], ASKS_DNS)),
    },
    summary: "Classify one address",
    answer: dataAnswer("DetectionAnswer", DETECTION),
    faults: ["INVALID_QUERY"],
    handler: detectAddress,
  },
  {
    id: "detectAddresses",
    method: "POST",
    path: PATH,
    scope: "emails:detect",
    openable: true,
    body: jsonBody(
      named(
        "DetectionBatch",
        closed({
          emails: listOf(text(), undefined, {
            maxItems: BATCH_MAX,
            examples: [["jane@gmail.com", "joe@mailinator.com"]],
          }),
          explain: optional(flag(ADDS_EVIDENCE)),
          dns: optional(choice(["on", "off"], ASKS_DNS)),
        }),
      ),
      BATCH_LIMIT,
    ),
    summary: "Classify up to 1,000 addresses, in order",
    answer: dataAnswer("DetectionsAnswer", listOf(DETECTION)),
    handler: detectAddresses,
  },
];

function detectAddress({ answers }: DetectParts): Handler {
  const query = new DetectQuery();
  return (request) => {
    const wrong = query.read(request.query);
    if (wrong !== undefined) return fault("INVALID_QUERY", wrong);
    const body = answers().one(query.address(), new HttpDetectRequest(request, query.explain, query.dns));
    return typeof body === "string" ? successOctets(body) : body.then(successOctets);
  };
}

function detectAddresses({ answers }: DetectParts): Handler {
  return async (request) => {
    const { emails, explain = false, dns = "on", ...unknown } = request.body;
    const wrong = batchFault(emails, explain, dns, unknown);
    if (wrong !== undefined) return fault("INVALID_BODY", wrong);
    const wish = new HttpDetectRequest(request, explain as boolean, dns === "on" || dns === true);
    return successOctets(await answers().many(emails as string[], wish));
  };
}

/** What a caller asked for. The signal is made only when needed: most addresses need no DNS. */
class HttpDetectRequest implements DetectRequest {
  readonly explain: boolean;
  readonly dns: boolean;
  private readonly request: ApiRequest;

  constructor(request: ApiRequest, explain: boolean, dns: boolean) {
    this.request = request;
    this.explain = explain;
    this.dns = dns;
  }

  get signal(): AbortSignal {
    return this.request.signal;
  }
}

function batchFault(emails: unknown, explain: unknown, dns: unknown, unknown: object): string | undefined {
  if (emails === undefined) return "emails is missing: give an array of addresses";
  if (!Array.isArray(emails)) return "emails must be an array of addresses";
  if (emails.length > BATCH_MAX) return `emails has ${emails.length} addresses: give at most ${BATCH_MAX} at once`;
  const place = emails.findIndex((email) => typeof email !== "string");
  if (place >= 0) return `emails[${place}] must be a string`;
  if (typeof explain !== "boolean") return "explain must be true or false";
  if (dns !== "on" && dns !== "off" && typeof dns !== "boolean") {
    return 'dns must be "on" or "off"';
  }
  if (Object.keys(unknown).length > 0) return "unknown field in the body: use emails, explain and dns";
  return undefined;
}
