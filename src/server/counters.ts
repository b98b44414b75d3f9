// Counters for the metrics, and the access log. The log never contains keys or tokens, and addresses only on request.

import { increment } from "../bulk/name-counts.ts";
import { ROW_CLASS } from "../detection/classes.ts";
import type { MailRouting, RoutingStatus } from "../detection/routing.ts";
import type { KeyFault } from "../keys/keys.ts";
import type { RequestContext } from "./http/request-context.ts";

export const BUCKET_BOUNDS_MS: readonly number[] = [
  0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 15_000,
];

export class Histogram {
  /** Number of values in each bucket. Bounds are inclusive; the last bucket has no bound. */
  readonly bucketCounts: number[] = Array<number>(BUCKET_BOUNDS_MS.length + 1).fill(0);
  totalMs = 0;
  count = 0;

  add(durationMs: number): void {
    this.totalMs += durationMs;
    this.count += 1;
    let bucket = 0;
    while (bucket < BUCKET_BOUNDS_MS.length && durationMs > (BUCKET_BOUNDS_MS[bucket] as number)) bucket += 1;
    (this.bucketCounts[bucket] as number) += 1;
  }
}

const ADDRESS_CLASSES = ["invalid", "disposable", "relay", "public"] as const;
type AddressClass = (typeof ADDRESS_CLASSES)[number] | "other";

/** `retried`: failed, and will be retried. `failed`: failed for the last time. */
export type DeliveryOutcome = "delivered" | "retried" | "failed";
/** `sent`: the mail server accepted the message. `refused`: it rejected the recipient. `failed`: any other failure. */
export type MailOutcome = "sent" | "refused" | "failed";

function createZeroCounts<Name>(names: readonly Name[]): Map<Name, number> {
  return new Map(names.map((name) => [name, 0]));
}

interface RequestCounts {
  /** `route` is the path pattern in the route table. */
  readonly labels: { readonly route: string; readonly method: string };
  readonly byStatus: Map<number | "none", number>;
  readonly durations: Histogram;
}

export class Counters {
  /** Counts by path pattern, then by method. */
  readonly requests: Map<string, Map<string, RequestCounts>> = new Map();
  readonly addresses: Map<AddressClass, number> = createZeroCounts([...ADDRESS_CLASSES, "other"]);
  readonly dnsLookups: Map<RoutingStatus, number> = new Map();
  readonly dnsDurations: Histogram = new Histogram();
  /** Number of domains served by the cache or by a lookup already in flight. */
  dnsCacheHits = 0;
  /** Number of connections closed because of --max-connections, except idle ones. */
  droppedConnections = 0;
  readonly keyFaults: Map<KeyFault, number> = createZeroCounts(["malformed", "unknown", "expired", "revoked"]);
  readonly deliveries: Map<DeliveryOutcome, number> = createZeroCounts(["delivered", "retried", "failed"]);
  readonly mails: Map<MailOutcome, number> = createZeroCounts(["sent", "refused", "failed"]);
  private readonly countedRoutings = new WeakSet<MailRouting>();

  /** Counts addresses by their first class of the metrics. Blank rows have no address. */
  countAddresses(classes: number, count = 1): void {
    if ((classes & ROW_CLASS.blank) !== 0) return;
    increment(this.addresses, ADDRESS_CLASSES.find((name) => (classes & ROW_CLASS[name]) !== 0) ?? "other", count);
  }

  /** Counts a lookup, or a cache hit if the same result object was counted before. */
  countRouting(routing: MailRouting): void {
    if (this.countedRoutings.has(routing)) this.dnsCacheHits += 1;
    else {
      this.countedRoutings.add(routing);
      increment(this.dnsLookups, routing.status);
      this.dnsDurations.add(routing.durationMs ?? 0);
    }
  }

  countRequest({ routePath: route = "none", method: requestMethod, status, durationMs }: RequestContext): void {
    const method = METHODS.has(requestMethod) ? requestMethod : "other";
    // Two nested maps, because joining the keys would cost more.
    const byMethod = this.requests.get(route) ?? new Map<string, RequestCounts>();
    this.requests.set(route, byMethod);
    const counts = byMethod.get(method) ?? {
      labels: { route, method },
      byStatus: new Map(),
      durations: new Histogram(),
    };
    byMethod.set(method, counts);
    increment(counts.byStatus, status ?? "none");
    counts.durations.add(durationMs);
  }
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"]);

/** A path that contains no address, domain, key or token: those have other characters, or more. */
const PLAIN_PATH = /^[a-z0-9/_-]{1,64}$/;

/**
 * Returns a function that logs one line per request, with an unknown path if it is plain. With `logAddresses`, the line
 * includes the query of a detection, a path with a domain, and any unknown path. Assembles the JSON itself, which is
 * ten times as fast as pino.
 */
export function createAccessLog(
  write: (line: string) => void,
  logAddresses: boolean,
): (context: RequestContext) => void {
  return (context) => {
    const { id, method, path, routeId, routePath, status, durationMs, caller, peer, query } = context;
    const { faultCode, isTruncated, rows } = context;
    // Ids, methods, routes and IP addresses contain no character that JSON escapes.
    let line = `{"level":30,"time":${Date.now()},"id":"${id}","method":"${method}"`;
    // The pattern, because the path itself may contain a token or an address.
    if (routePath !== undefined) line += `,"route":"${routePath}"`;
    if (status !== undefined) line += `,"status":${status}`;
    if (faultCode !== undefined) line += `,"code":"${faultCode}"`;
    line += `,"ms":${Math.round(durationMs * 1000) / 1000}`;
    if (rows !== undefined) line += `,"rows":${rows}`;
    line += `,"peer":"${peer}"`;
    if (caller !== undefined) line += `,"key":"${caller.id}"`;
    // An unknown path may be a misspelled verification link with its token.
    const isUnknown = routePath === undefined && !path.includes("/verify");
    const showsPath = isUnknown ? logAddresses || PLAIN_PATH.test(path) : logAddresses && routeId === "detectDomain";
    if (showsPath) line += `,"path":${JSON.stringify(path)}`;
    if (logAddresses && routeId === "detectAddress") line += `,"query":${JSON.stringify(query)}`;
    const message = status !== undefined ? "request" : isTruncated ? "response truncated" : "client disconnected";
    write(`${line},"msg":"${message}"}\n`);
  };
}
