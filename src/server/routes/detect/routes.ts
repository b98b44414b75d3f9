// Detection routes: a single address or domain, lists, and streams.

import { suggestName } from "../../../base/closest-names.ts";
import { quote } from "../../../base/format-text.ts";
import { choice, closedObject, flag, listOf, named, optional, text } from "../../../base/shapes.ts";
import { DETECTION, DOMAIN_DETECTION } from "../../../detection/detection.ts";
import { fault, invalidBody, successBytes } from "../../http/response.ts";
import {
  type ApiRequest,
  dataResponseShape,
  type Handler,
  jsonBody,
  type RouteBody,
  type RouteDefinition,
  type RouteFacts,
} from "../../http/route.ts";
import { STREAM_PARAMETERS } from "../stream/parameters.ts";
import { createStreamHandler, STREAM_DESCRIPTION, STREAM_ROUTE, type StreamDeps } from "../stream/routes.ts";
import { DetectQuery, OPTION_NAMES } from "./query.ts";
import type { DetectionRenderer, RenderRequest } from "./rendering.ts";

const EMAILS = "/api/v1/emails/detect";
const EMAIL_STREAM = "/api/v1/emails/stream";
const DOMAINS = "/api/v1/domains";

const DNS_HELP = "Whether to look up domains that are in no list in DNS. Default: on.";

const DETECTION_ACCESS = { scope: "emails:detect", allowsAnonymous: true } as const satisfies Partial<RouteFacts>;

const OPTIONS = {
  explain: optional(flag("Adds the evidence. Default: false.")),
  classes: optional(flag("Adds the classes. Default: false.")),
  dns: optional(choice(["on", "off"], DNS_HELP)),
};

const MAX_BATCH_SIZE = 1000;
/** Enough for 1,000 addresses of maximum length. */
const MAX_BATCH_BYTES = 512 * 1024;

const NOUNS = { emails: "addresses", domains: "domains" } as const;
type ListName = keyof typeof NOUNS;

export interface DetectDeps extends StreamDeps {
  /** The result changes when the lists do. */
  readonly addressRenderer: () => DetectionRenderer;
  readonly domainRenderer: () => DetectionRenderer;
}

export const DETECT_ROUTES: readonly RouteDefinition<DetectDeps>[] = [
  {
    id: "detectAddress",
    method: "GET",
    path: EMAILS,
    ...DETECTION_ACCESS,
    query: {
      email: text(
        "The address, up to 4 KiB. **A `+` is a plus, not a space**: a space is `%20`, as `encodeURIComponent` " +
          "writes it, and form encoders write it as `+`. `%` and `&` are `%25` and `%26`. " +
          "POST needs no encoding.",
        { minLength: 1, examples: ["jane.doe+news@gmail.com"] },
      ),
      ...OPTIONS,
    },
    summary: "Classify one address",
    response: dataResponseShape("DetectionAnswer", DETECTION),
    faults: ["INVALID_QUERY"],
    handler: ({ addressRenderer }) => createSingleHandler(addressRenderer),
  },
  {
    id: "detectAddresses",
    method: "POST",
    path: EMAILS,
    ...DETECTION_ACCESS,
    body: batchBody("DetectionBatch", "emails", ["jane@gmail.com", "joe@mailinator.com"]),
    stream: STREAM_ROUTE,
    summary: "Classify up to 1,000 addresses, in order",
    description:
      `Also accepts the media types and query of \`${EMAIL_STREAM}\`, and then responds as it does: without \`dns=on\`, ` +
      "DNS is off. They are not part of this operation's schema, so that generated clients have one type for the response.",
    response: dataResponseShape("DetectionsAnswer", listOf(DETECTION)),
    handler: ({ addressRenderer }) => createBatchHandler("emails", addressRenderer),
    streamHandler: createStreamHandler,
  },
  {
    id: "streamAddresses",
    method: "POST",
    path: EMAIL_STREAM,
    ...DETECTION_ACCESS,
    stream: STREAM_ROUTE,
    query: STREAM_PARAMETERS,
    summary: "Classify any number of rows as a stream",
    description: STREAM_DESCRIPTION,
    response: text("One row for each input row, in order."),
    faults: ["INVALID_QUERY"],
    handler: createStreamHandler,
  },
  {
    id: "detectDomains",
    method: "POST",
    path: `${DOMAINS}/detect`,
    ...DETECTION_ACCESS,
    body: batchBody("DomainDetectionBatch", "domains", ["gmail.com", "mailinator.com"]),
    summary: "Classify up to 1,000 domains, in order",
    response: dataResponseShape("DomainDetectionsAnswer", listOf(DOMAIN_DETECTION)),
    handler: ({ domainRenderer }) => createBatchHandler("domains", domainRenderer),
  },
  {
    id: "detectDomain",
    method: "GET",
    path: `${DOMAINS}/{domain}`,
    ...DETECTION_ACCESS,
    query: OPTIONS,
    summary: "Classify one domain",
    response: dataResponseShape("DomainDetectionAnswer", DOMAIN_DETECTION),
    // NOT_FOUND: an empty domain matches no path.
    faults: ["INVALID_QUERY", "NOT_FOUND"],
    handler: ({ domainRenderer }) => createSingleHandler(domainRenderer),
  },
];

function batchBody(name: string, list: ListName, example: readonly string[]): RouteBody {
  const items = listOf(text(), undefined, { maxItems: MAX_BATCH_SIZE, examples: [example] });
  return jsonBody(named(name, closedObject({ [list]: items, ...OPTIONS })), MAX_BATCH_BYTES);
}

function createSingleHandler(renderer: () => DetectionRenderer): Handler {
  const query = new DetectQuery();
  return (request) => {
    const problem = query.read(request.query, request.params[0]);
    if (problem !== undefined) return fault("INVALID_QUERY", problem);
    const { explain, classes, dns } = query;
    const body = renderer().detectOne(query.bytes, query.end, new HttpDetectRequest(request, explain, classes, dns));
    if (typeof body === "string") return successBytes(body);
    query.releaseBytes();
    return body.then(successBytes);
  };
}

/** Creates the signal lazily: most addresses need no DNS. */
class HttpDetectRequest implements RenderRequest {
  constructor(
    private readonly request: ApiRequest,
    readonly explain: boolean,
    readonly classes: boolean,
    readonly dns: boolean,
  ) {}

  get signal(): AbortSignal {
    return this.request.signal;
  }
}

function createBatchHandler(list: ListName, renderer: () => DetectionRenderer): Handler {
  return async (request) => {
    const { [list]: items, explain = false, classes = false, dns = "on", ...unknown } = request.body;
    const problem = optionsFault(list, { explain, classes }, dns, unknown) ?? listFault(list, items);
    if (problem !== undefined) return invalidBody(problem);
    const detectRequest = new HttpDetectRequest(request, explain === true, classes === true, dns === "on");
    return successBytes(await renderer().detectMany(items as string[], detectRequest));
  };
}

function listFault(name: ListName, items: unknown): string | undefined {
  const noun = NOUNS[name];
  if (items === undefined) return `${name} is missing: send an array of ${noun}`;
  if (!Array.isArray(items)) return `${name} must be an array of ${noun}`;
  if (items.length > MAX_BATCH_SIZE)
    return `${name} has ${items.length} ${noun}: send at most ${MAX_BATCH_SIZE} at once`;
  const index = items.findIndex((item) => typeof item !== "string");
  return index < 0 ? undefined : `${name}[${index}] must be a string`;
}

function optionsFault(name: ListName, switches: object, dns: unknown, unknown: object): string | undefined {
  const invalid = Object.entries(switches).find(([, value]) => typeof value !== "boolean");
  if (invalid !== undefined) return `${invalid[0]} must be true or false`;
  if (dns !== "on" && dns !== "off") return 'dns must be "on" or "off"';
  const [unknownField] = Object.keys(unknown);
  if (unknownField === undefined) return undefined;
  return `unknown field ${quote(unknownField)}: ${suggestName(unknownField, [name, ...OPTION_NAMES])}`;
}
