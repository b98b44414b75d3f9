// Metrics in the Prometheus text format, by prom-client. No label contains text from a caller.

import type * as PromClient from "prom-client";
import { BUCKET_BOUNDS_MS, type Counters, type Histogram } from "./counters.ts";

export interface DeliveryBacklog {
  readonly pending: number;
  readonly failed: number;
  /** Age of the oldest pending delivery; 0 if there is none. */
  readonly oldestSeconds: number;
}

export interface MetricSources {
  readonly version: string;
  readonly dataVersion: () => string;
  /** In seconds since 1970. */
  readonly listsBuilt: () => number;
  /** Whether the home's last update of the lists failed. */
  readonly hasUpdateFailed: () => boolean;
  readonly streams: () => number;
  /** State of each store file, by file name. A damaged one is readable if its previous copy is used. */
  readonly damaged: () => Readonly<Record<string, boolean>>;
  readonly readable: () => Readonly<Record<string, boolean>>;
  readonly writable: () => Readonly<Record<string, boolean>>;
  /** Undefined while the store can't be read. */
  readonly deliveries: () => DeliveryBacklog | undefined;
  readonly channels: () => readonly (readonly [type: string, verified: string, count: number])[];
  /** Number of channels whose deliveries have failed for a day. */
  readonly failingChannels: () => number | undefined;
  /** In seconds since 1970. Undefined if no active key expires. */
  readonly nextKeyExpiry: () => number | undefined;
}

export type Metrics = ReturnType<typeof createMetrics>;

type Labels = Readonly<Record<string, string>>;
/** `name` overrides the metric's name, for example with the suffix `_bucket`. */
type Values = readonly (readonly [labels: Labels, value: number, name?: string])[];

export function createMetrics(client: typeof PromClient, counters: Counters, sources: MetricSources) {
  const registry = new client.Registry();
  client.collectDefaultMetrics({ register: registry });
  // Remove gauges that are named like counters and only sum up other metrics.
  for (const resource of ["resources", "handles", "requests"])
    registry.removeSingleMetric(`nodejs_active_${resource}_total`);
  // Registers plain objects, because prom-client's metric classes would store the values twice, and their observe()
  // costs more than a detection.
  const metric: Metric = (type, name, help, values) => {
    const get = async (): Promise<object> => {
      const samples = values().map(([labels, value, metricName]) => ({ labels, value, metricName }));
      return { name, help, type, values: samples };
    };
    registry.registerMetric({ name, get } as unknown as PromClient.Metric);
  };
  registerCounters(metric, counters);
  registerGauges(metric, sources);
  const requestDuration = "addrsift_http_request_duration_seconds";
  metric("histogram", requestDuration, "Time from a request's headers to its response.", () =>
    requestCounts(counters).flatMap(({ labels, durations }) => histogramValues(requestDuration, labels, durations)),
  );
  const dnsDuration = "addrsift_dns_duration_seconds";
  metric("histogram", dnsDuration, "Duration of each DNS lookup, retries included.", () =>
    histogramValues(dnsDuration, {}, counters.dnsDurations),
  );
  // Without a sample since the last scrape, the event loop's minimum is 2^63 ns, and its mean and deviation are NaN.
  const emptyLagMetrics = /^nodejs_eventloop_lag_\w+ (?:9223372036\.\d+|NaN)\n/gim;
  const format = async (): Promise<string> => (await registry.metrics()).replace(emptyLagMetrics, "");
  return { type: registry.contentType, format };
}

type Metric = (type: "counter" | "gauge" | "histogram", name: string, help: string, values: () => Values) => void;

function registerCounters(metric: Metric, counters: Counters): void {
  const registerTotal = (name: string, help: string, label: string, counts: ReadonlyMap<string, number>): void => {
    const readValues = (): Values => [...counts].map(([value, count]) => [{ [label]: value }, count] as const);
    metric("counter", `addrsift_${name}_total`, help, readValues);
  };
  const requests = "Requests by route, method and status. Route none: unknown path. Status none: no complete response.";
  metric("counter", "addrsift_http_requests_total", requests, () =>
    requestCounts(counters).flatMap(({ labels, byStatus }) =>
      [...byStatus].map(([status, count]) => [{ ...labels, status: String(status) }, count] as const),
    ),
  );
  registerTotal("addresses", "Addresses and domains classified, by result.", "class", counters.addresses);
  registerTotal("dns_lookups", "DNS lookups of domains, by status.", "status", counters.dnsLookups);
  const cached = "Domains served by the DNS cache or by a lookup already in flight.";
  metric("counter", "addrsift_dns_cached_total", cached, () => [[{}, counters.dnsCacheHits]]);
  const dropped = "Connections closed before a response because --max-connections were open.";
  metric("counter", "addrsift_connections_dropped_total", dropped, () => [[{}, counters.droppedConnections]]);
  registerTotal("failed_keys", "Rejected API keys, by reason.", "reason", counters.keyFaults);
  const attempts =
    "Delivery attempts except tests, by result. Result retried: failed, and another attempt will follow.";
  registerTotal("delivery_attempts", attempts, "result", counters.deliveries);
  const mails = "Messages for the mail server, by result. Result refused: it rejected the recipient.";
  registerTotal("mails", mails, "result", counters.mails);
}

function requestCounts({ requests }: Counters) {
  return [...requests.values()].flatMap((byMethod) => [...byMethod.values()]);
}

function registerGauges(metric: Metric, sources: MetricSources): void {
  const registerGauge = (name: string, help: string, readValue: () => number | undefined): void => {
    const readValues = (): Values => [readValue()].flatMap((now) => (now === undefined ? [] : [[{}, now] as const]));
    metric("gauge", `addrsift_${name}`, help, readValues);
  };
  const registerGaugePerFile = (name: string, help: string, files: () => Readonly<Record<string, boolean>>): void => {
    const readValues = (): Values => Object.entries(files()).map(([file, isSet]) => [{ file }, isSet ? 1 : 0] as const);
    metric("gauge", `addrsift_${name}`, help, readValues);
  };
  registerGauge("streams", "Active row streams.", sources.streams);
  metric("gauge", "addrsift_info", "Versions of addrsift and of its lists.", () => [
    [{ version: sources.version, data_version: sources.dataVersion() }, 1],
  ]);
  const built = "Date of the lists in use, in seconds since 1970.";
  registerGauge("lists_built_timestamp_seconds", built, sources.listsBuilt);
  const updateFailed = "1 if the last update of the lists in the home failed, else 0.";
  registerGauge("lists_update_failed", updateFailed, () => Number(sources.hasUpdateFailed()));
  const damaged = "1 while the store file is damaged and its previous content is used, else 0.";
  registerGaugePerFile("store_damaged", damaged, sources.damaged);
  const readable = "1 while the store file is readable; 0 if permission, a good copy or the database is missing.";
  registerGaugePerFile("store_readable", readable, sources.readable);
  const writable =
    "1 while the store file is writable; 0 if it is damaged, unreadable, read-only, on a full disk, or its database is unavailable.";
  registerGaugePerFile("store_writable", writable, sources.writable);
  registerGauge("deliveries_pending", "Pending deliveries.", () => sources.deliveries()?.pending);
  const failed = "Deliveries of the last 30 days that failed for good, except tests.";
  registerGauge("deliveries_failed", failed, () => sources.deliveries()?.failed);
  const oldest = "Age of the oldest pending delivery; 0 if there is none.";
  registerGauge("deliveries_oldest_pending_seconds", oldest, () => sources.deliveries()?.oldestSeconds);
  const expiry = "Time when the next active API key expires, in seconds since 1970. Absent if none expires.";
  registerGauge("keys_next_expiry_timestamp_seconds", expiry, sources.nextKeyExpiry);
  registerGauge("channels_failing", "Channels whose deliveries have failed for a day.", sources.failingChannels);
  const channels = "Channels, by type and verification.";
  metric("gauge", "addrsift_channels", channels, () =>
    sources.channels().map(([type, verified, count]) => [{ type, verified }, count] as const),
  );
}

function histogramValues(name: string, labels: Labels, { bucketCounts, totalMs, count }: Histogram): Values {
  let cumulativeCount = 0;
  const buckets = bucketCounts.map((bucketCount, i) => {
    cumulativeCount += bucketCount;
    const bound = BUCKET_BOUNDS_MS[i];
    const le = bound === undefined ? "+Inf" : String(bound / 1000);
    return [{ le, ...labels }, cumulativeCount, `${name}_bucket`] as const;
  });
  return [...buckets, [labels, totalMs / 1000, `${name}_sum`], [labels, count, `${name}_count`]];
}
