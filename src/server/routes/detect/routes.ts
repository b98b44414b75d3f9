// The routes of detection, about addresses and about domains: reads the request and answers with detections.

import { listOf, text } from "../../../base/shapes.ts";
import { DETECTION, DOMAIN_DETECTION } from "../../../detection/detection.ts";
import { type Answer, fault, successOctets } from "../../http/answer.ts";
import type { ApiRequest, Handler, RouteOver } from "../../http/route.ts";
import { dataAnswer } from "../answer-shapes.ts";
import { answerStream, STREAM, type StreamParts } from "../stream/routes.ts";
import { answerBatch, batchBody } from "./batch.ts";
import { DetectQuery } from "./query.ts";
import type { DetectionAnswers } from "./rendering.ts";
import { DETECTION_ACCESS, HttpDetectRequest, QUERY_WISHES } from "./request.ts";

const EMAILS = "/api/v1/emails/detect";
const DOMAINS = "/api/v1/domains";

/** What these routes work with. */
export interface DetectParts extends StreamParts {
  /** The detector of the moment: it changes when the lists do. */
  readonly answers: () => DetectionAnswers;
  /** The same for domains. */
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
        "The address, up to 4 KiB. **A `+` is a plus, not a space**: a space is `%20`, as `encodeURIComponent` writes it, and form encoders write it as `+`. `%` and `&` are `%25` and `%26`. POST takes any text as it is.",
        { minLength: 1, examples: ["jane.doe+news@gmail.com"] },
      ),
      ...QUERY_WISHES,
    },
    summary: "Classify one address",
    answer: dataAnswer("DetectionAnswer", DETECTION),
    faults: ["INVALID_QUERY"],
    handler: detectAddress,
  },
  {
    id: "detectAddresses",
    method: "POST",
    path: EMAILS,
    ...DETECTION_ACCESS,
    body: batchBody("DetectionBatch", "emails", ["jane@gmail.com", "joe@mailinator.com"]),
    stream: STREAM,
    summary: "Classify up to 1,000 addresses in JSON, or rows of any number as a stream",
    answer: dataAnswer("DetectionsAnswer", listOf(DETECTION)),
    handler: ({ answers }) => answerBatch("emails", answers),
    streamHandler: answerStream,
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
    // An empty domain is no path of ours.
    faults: ["INVALID_QUERY", "NOT_FOUND"],
    handler: detectDomain,
  },
];

function detectAddress({ answers }: DetectParts): Handler {
  const query = new DetectQuery();
  return (request) => {
    const wrong = query.read(request.query);
    return wrong === undefined ? answerOne(answers(), query, request) : fault("INVALID_QUERY", wrong);
  };
}

function detectDomain({ domainAnswers }: DetectParts): Handler {
  const query = new DetectQuery();
  return (request) => {
    const [domain = ""] = request.params;
    const wrong = query.readDomain(domain, request.query);
    return wrong === undefined ? answerOne(domainAnswers(), query, request) : fault("INVALID_QUERY", wrong);
  };
}

function answerOne(answers: DetectionAnswers, query: DetectQuery, request: ApiRequest): Answer | Promise<Answer> {
  const body = answers.one(query.octets, query.end, new HttpDetectRequest(request, query.explain, query.dns));
  if (typeof body === "string") return successOctets(body);
  query.giveOctets();
  return body.then(successOctets);
}
