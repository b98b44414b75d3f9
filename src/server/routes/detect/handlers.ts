// `GET` and `POST /api/v1/emails/detect`: reads the request and answers with detections.

import type { DetectRequest } from "../../../detection/detector.ts";
import { fault, successOctets } from "../../http/answer.ts";
import type { ApiRequest, Handler, Handlers } from "../../http/route.ts";
import { DetectQuery } from "./query.ts";
import type { DetectionAnswers } from "./rendering.ts";

/** The largest number of addresses in one POST. */
export const BATCH_MAX = 1000;

/** Handlers over the current detector, which changes when the lists do. */
export function detectHandlers(answers: () => DetectionAnswers): Pick<Handlers, "detectAddress" | "detectAddresses"> {
  return { detectAddress: detectAddress(answers), detectAddresses: detectAddresses(answers) };
}

function detectAddress(answers: () => DetectionAnswers): Handler {
  const query = new DetectQuery();
  return (request) => {
    const wrong = query.read(request.query);
    if (wrong !== undefined) return fault("INVALID_QUERY", wrong);
    const body = answers().one(query.address(), new HttpDetectRequest(request, query.explain, query.dns));
    return typeof body === "string" ? successOctets(body) : body.then(successOctets);
  };
}

function detectAddresses(answers: () => DetectionAnswers): Handler {
  return async (request: ApiRequest) => {
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
