// Authorizes requests by API key and scope (RFC 6750), and limits requests and failed keys, in bounded memory.

import { LRUCache } from "lru-cache";
import type { KeyCheck, KeyFault, Keys } from "../../keys/keys.ts";
import type { Scope } from "../../keys/scopes.ts";
import type { AllowedOrigins } from "./origins.ts";
import type { Caller, RequestContext, RequestHeaders } from "./request-context.ts";
import { type ApiResponse, fault, rateLimited } from "./response.ts";
import type { RouteFacts } from "./route.ts";

export interface AccessSettings {
  readonly check: Keys["check"];
  /** Who may detect without a key. "this machine" includes web pages of `origins`. */
  readonly anonymousDetection: "no one" | "everyone" | "this machine";
  readonly origins: AllowedOrigins;
  readonly rateLimit: number | undefined;
  readonly now: () => number;
  /** Waits until reads include keys that other daemons have acknowledged. Throws AddrsiftError UNAVAILABLE or STORE. */
  readonly refresh: () => Promise<void>;
  readonly onKeyFailure: (fault: KeyFault) => void;
}

export interface AuthorizationResult {
  readonly caller: Caller | undefined;
  readonly rejection: ApiResponse | undefined;
}

/** Authorizes a request for a route. An unknown key is checked again after `refresh`, because it may be new. */
export type Authorize = (
  route: RouteFacts,
  request: RequestAccess,
) => AuthorizationResult | Promise<AuthorizationResult>;
type RequestAccess = Pick<RequestContext, "headers" | "peer">;

const MAX_FAILED_KEYS = 20;

const ANONYMOUS: AuthorizationResult = { caller: undefined, rejection: undefined };
const REALM = 'Bearer realm="addrsift"';
const HOW_TO_SEND = 'send it as "Authorization: Bearer <API_KEY>"';

const MISSING_KEY = fault("MISSING_API_KEY", `an API key is missing: ${HOW_TO_SEND}`, ["WWW-Authenticate", REALM]);
export const CROSS_SITE: ApiResponse = fault(
  "CROSS_SITE",
  "cross-site request from a web page: its operator can allow the origin with --cors-origin; programs must send " +
    "neither Origin nor Sec-Fetch-Site",
  ["WWW-Authenticate", REALM],
);

const KEY_FAULT_MESSAGES: Readonly<Record<KeyFault, string>> = {
  malformed: `the API key is mistyped or cut off (a key is adsf_ and 49 letters and digits): ${HOW_TO_SEND}`,
  unknown: "the API key is unknown: check that it was created for this daemon, or create a new one",
  expired: "the API key has expired: create a new one",
  revoked: "the API key was revoked: create a new one",
};

export function createAuthorization(settings: AccessSettings): Authorize {
  const failures = new FixedWindowCounter(MAX_FAILED_KEYS, 60_000, settings.now);
  const requests =
    settings.rateLimit === undefined ? undefined : new FixedWindowCounter(settings.rateLimit, 1000, settings.now);
  const authorizeKey = (outcome: KeyCheck, scope: Scope, request: RequestAccess): AuthorizationResult => {
    if (!outcome.ok) {
      settings.onKeyFailure(outcome.fault);
      const waitSeconds = failures.count(addressGroup(request.peer));
      const tooMany = waitSeconds > 0 ? rateLimited("too many failed API keys", waitSeconds) : undefined;
      return { caller: outcome.key, rejection: tooMany ?? invalidKey(outcome.fault, request.headers) };
    }
    const key = outcome.value;
    const limitFault = requests && rateLimitFault(requests, key.id);
    return {
      caller: key,
      rejection: limitFault ?? (key.scopes.includes(scope) ? undefined : insufficientScope(scope)),
    };
  };
  return ({ scope, allowsAnonymous }, request) => {
    const { headers } = request;
    if (scope === undefined) return ANONYMOUS;
    const authorization = headers.last("authorization") ?? "";
    if (authorization === "") {
      if (allowsAnonymous !== true || settings.anonymousDetection === "no one") return reject(MISSING_KEY);
      if (settings.anonymousDetection === "this machine" && isCrossSite(headers, settings.origins))
        return reject(CROSS_SITE);
      return requests === undefined ? ANONYMOUS : reject(rateLimitFault(requests, addressGroup(request.peer)));
    }
    const outcome = headers.isRepeated("authorization") ? MALFORMED : checkKnownKey(request, settings);
    if (outcome !== undefined) return authorizeKey(outcome, scope, request);
    return settings.refresh().then(() => authorizeKey(checkHeader(request, settings), scope, request));
  };
}

const MALFORMED: KeyCheck = { ok: false, fault: "malformed" };

/** Checks a key without a refresh. Undefined if the key is unknown or keys can't be read: a refresh may change both. */
function checkKnownKey(request: RequestAccess, settings: AccessSettings): KeyCheck | undefined {
  try {
    const outcome = checkHeader(request, settings);
    return outcome.ok || outcome.fault !== "unknown" ? outcome : undefined;
  } catch {
    return undefined;
  }
}

function checkHeader(request: RequestAccess, { check }: AccessSettings): KeyCheck {
  const authorization = request.headers.last("authorization") ?? "";
  const scheme = /^bearer +(?=[!-~]{1,256}$)/i.exec(authorization.slice(0, 300));
  if (scheme === null || authorization.length > 300) return MALFORMED;
  return check(authorization.slice(scheme[0].length), request);
}

function reject(rejection: ApiResponse | undefined): AuthorizationResult {
  return { caller: undefined, rejection };
}

function rateLimitFault(requests: FixedWindowCounter, name: string): ApiResponse | undefined {
  const waitSeconds = requests.count(name);
  return waitSeconds > 0 ? rateLimited("too many requests", waitSeconds) : undefined;
}

/**
 * Reports whether a web page of another site sent the request. Such a page can't read the response, but it could make
 * the daemon look up DNS names of its choice.
 */
function isCrossSite(headers: RequestHeaders, origins: AllowedOrigins): boolean {
  const [origin, fetchSite] = [headers.last("origin"), headers.last("sec-fetch-site")];
  if (origin !== undefined && origins.has(origin)) return false;
  if (fetchSite !== undefined) return fetchSite === "cross-site" || fetchSite === "same-site";
  // Old browsers send only Origin, which is "null" for an opaque origin.
  return origin !== undefined && origin.replace(/^https?:\/\//, "") !== headers.last("host");
}

function invalidKey(reason: KeyFault, headers: RequestHeaders): ApiResponse {
  const challenge = `${REALM}, error="invalid_token", error_description="The API key is ${reason}"`;
  const hasScheme = /^bearer\b/i.test(headers.last("authorization") ?? "");
  const message = hasScheme
    ? KEY_FAULT_MESSAGES[reason]
    : `the API key was sent without the scheme Bearer: ${HOW_TO_SEND}`;
  return fault("INVALID_API_KEY", message, ["WWW-Authenticate", challenge]);
}

function insufficientScope(scope: Scope): ApiResponse {
  const challenge = `${REALM}, error="insufficient_scope", scope="${scope}"`;
  const message = `the API key lacks the scope ${scope}: use or create a key with it`;
  return fault("INSUFFICIENT_SCOPE", message, ["WWW-Authenticate", challenge]);
}

const MAX_COUNTERS = 10_000;

/** Counts events per name in fixed time windows. A name's window starts with its first event. */
export class FixedWindowCounter {
  private readonly counters = new LRUCache<string, { count: number; since: number }>({ max: MAX_COUNTERS });

  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
    private readonly now: AccessSettings["now"],
  ) {}

  /** Counts an event. Returns 0 if it is within the limit, or else the seconds until the window ends. */
  count(name: string): number {
    const now = this.now();
    const window = this.counters.get(name);
    const { count, since } =
      window !== undefined && now - window.since < this.windowMs ? window : { count: 0, since: now };
    this.counters.set(name, { count: count + 1, since });
    return count < this.limit ? 0 : Math.max(1, Math.ceil((this.windowMs - (now - since)) / 1000));
  }
}

const LOOPBACK_GROUP = "127.0.0.1";

/**
 * Groups addresses for rate limits. Returns the IPv4 address, or the /64 prefix of an IPv6 address, which usually belongs
 * to one host. All loopback addresses are one group.
 */
export function addressGroup(address: string): string {
  if (address === "::1") return LOOPBACK_GROUP;
  if (address.startsWith("::ffff:") && address.includes(".")) return addressGroup(address.slice(7));
  if (address.startsWith("127.")) return LOOPBACK_GROUP;
  if (!address.includes(":")) return address;
  const [head = "", tail] = (address.split("%")[0] as string).split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  return [...front, ...Array<string>(zeros).fill("0"), ...back].slice(0, 4).join(":");
}
