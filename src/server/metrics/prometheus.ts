// The counters as text in the Prometheus format, by prom-client, which is loaded for the first request. No label contains text
// from a caller.

import type * as PromClient from "prom-client";
import { type Counters, DURATION_BOUNDS_MS, type RouteCounter } from "./counters.ts";

/** The part of the package prom-client that is used. */
export type Prometheus = typeof PromClient;

/** What the metrics contain besides the counters. */
export interface MetricSources {
  readonly version: string;
  readonly dataVersion: () => string;
  readonly connections: () => number;
}

/** The text of `/metrics` and its media type. */
export interface Exposition {
  readonly type: string;
  readonly text: () => Promise<string>;
}

/** Registers the counters, and prom-client's own metrics of the process. */
export function createExposition(client: Prometheus, counters: Counters, facts: MetricSources): Exposition {
  const registry = new client.Registry();
  client.collectDefaultMetrics({ register: registry });
  const registers = [registry];
  requestMetrics(client, registers, counters);
  new client.Counter({
    name: "addrsift_addresses_total",
    help: "Addresses classified, by result.",
    labelNames: ["class"],
    registers,
    collect() {
      this.reset();
      for (const [name, count] of counters.addresses) this.inc({ class: name }, count);
    },
  });
  new client.Gauge({
    name: "addrsift_connections",
    help: "Open connections.",
    registers,
    collect() {
      this.set(facts.connections());
    },
  });
  new client.Gauge({
    name: "addrsift_info",
    help: "The versions in use.",
    labelNames: ["version", "data_version"],
    registers,
    collect() {
      this.reset();
      this.set({ version: facts.version, data_version: facts.dataVersion() }, 1);
    },
  });
  return { type: registry.contentType, text: () => registry.metrics() };
}

function requestMetrics(client: Prometheus, registers: PromClient.Registry[], counters: Counters): void {
  new client.Counter({
    name: "addrsift_http_requests_total",
    help: "Requests answered, by route, method and status; none: no such route, or no answer because the caller left.",
    labelNames: ["route", "method", "status"],
    registers,
    collect() {
      this.reset();
      for (const counter of counters.routes.values()) {
        counter.settle();
        for (const [key, count] of counter.answers) {
          const [method = "", status = ""] = key.split(" ");
          this.inc({ route: counter.path, method, status }, count);
        }
      }
    },
  });
  const name = "addrsift_http_request_duration_seconds";
  const help = "Time from a request's headers to its answer, by route.";
  // The counts are kept in our own arrays, because prom-client's observe() would cost more than the detection. A registry only
  // needs a metric's name and values, so this object is a metric.
  const get = async (): Promise<object> => {
    const values = [...counters.routes.values()].flatMap((counter) => histogramValues(name, counter));
    return { name, help, type: "histogram", values, aggregator: "sum" };
  };
  for (const registry of registers) registry.registerMetric({ name, get } as unknown as PromClient.Metric);
}

function histogramValues(name: string, { path, durations, milliseconds, count }: RouteCounter): object[] {
  let sum = 0;
  const buckets = durations.map((number, i) => {
    sum += number;
    const bound = DURATION_BOUNDS_MS[i];
    const le = bound === undefined ? "+Inf" : bound / 1000;
    return { labels: { le, route: path }, value: sum, metricName: `${name}_bucket` };
  });
  const labels = { route: path };
  return [
    ...buckets,
    { labels, value: milliseconds / 1000, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ];
}
