// Routes of the web UI (`/`, from `page/`), health, metrics and the OpenAPI document.

import { isLoopbackAddress } from "../../base/ip.ts";
import { named, openObject, optional, rawSchema, text } from "../../base/shapes.ts";
import { createHostCheck } from "../http/origins.ts";
import { fault, success } from "../http/response.ts";
import { type Route, type RouteDefinition, responseShape, staticResponse } from "../http/route.ts";
import type { Metrics } from "../metrics.ts";

export interface Page {
  readonly headers: readonly string[];
  readonly html: string;
}

export interface StatusDeps {
  /** Called once, when the route of the page is created. */
  readonly openPage: () => Page;
  /** Returns why the daemon is not ready and how to fix it, or undefined if it is ready. */
  readonly findNotReadyReason: () => string | undefined;
  /** Whether each file of the home can't be used, so that older content is in effect. */
  readonly damagedFiles: () => Readonly<Record<string, boolean>>;
  readonly dataVersion: () => string;
  readonly metrics: () => Metrics;
  readonly metricsAudience: "everyone" | "loopback" | "none";
  readonly document: () => object;
}

const STATUS_RESPONSE = responseShape("StatusAnswer", { message: text(), data_version: optional(text()) });
const ANY_OBJECT = rawSchema<object>({ type: "object" });
const DOCUMENT = named("OpenApiDocument", openObject({ openapi: text(), info: ANY_OBJECT, paths: ANY_OBJECT }));

const READY = "The daemon is ready.";

const isLocalHost = createHostCheck(undefined);
const METRICS_HIDDEN = "metrics are disabled here: start the daemon with --metrics-port or --metrics-public";

export const PAGE_PATH = "/";

export const STATUS_ROUTES: readonly RouteDefinition<StatusDeps>[] = [
  {
    id: "page",
    method: "GET",
    path: PAGE_PATH,
    summary: "Web UI; --no-page disables it",
    response: "text/html",
    handler: ({ openPage }) => {
      const { html, headers } = openPage();
      return staticResponse(() => ({ status: 200, type: "text/html; charset=utf-8", body: html, headers }));
    },
  },
  {
    id: "health",
    method: "GET",
    path: "/healthz",
    summary: "Check whether the process is alive",
    response: STATUS_RESPONSE,
    handler: () => () => success({ message: "The daemon is alive." }),
  },
  {
    id: "readiness",
    method: "GET",
    path: "/readyz",
    summary: "Check whether the daemon can use its lists and store",
    response: STATUS_RESPONSE,
    faults: ["NOT_READY"],
    handler:
      ({ findNotReadyReason, damagedFiles, dataVersion }) =>
      () => {
        const reason = findNotReadyReason();
        if (reason !== undefined) return fault("NOT_READY", reason);
        // Status 200: a typo in a file that all daemons share must not remove all of them from a load balancer.
        const damaged = Object.entries(damagedFiles()).flatMap(([file, isDamaged]) => (isDamaged ? [file] : []));
        const problem = `But ${damaged.join(" and ")} can't be read, so older content is in effect: see the daemon's log.`;
        return success({ message: damaged.length === 0 ? READY : `${READY} ${problem}`, data_version: dataVersion() });
      },
  },
  {
    id: "metrics",
    method: "GET",
    path: "/metrics",
    summary: "Counters in the Prometheus text format, by default only for clients on this machine",
    response: "text/plain",
    faults: ["NOT_FOUND"],
    handler:
      ({ metricsAudience, metrics }) =>
      async ({ peer, host }) => {
        // Checking the host prevents DNS rebinding.
        const isLocal = isLoopbackAddress(peer) && (host === "" || isLocalHost(host));
        const isAllowed = metricsAudience === "everyone" || (metricsAudience === "loopback" && isLocal);
        if (!isAllowed) return fault("NOT_FOUND", METRICS_HIDDEN);
        const { type, format } = metrics();
        return { status: 200, type, body: await format() };
      },
  },
  {
    id: "openApi",
    method: "GET",
    path: "/openapi.json",
    summary: "OpenAPI 3.1 document of the API",
    response: DOCUMENT,
    handler: ({ document }) =>
      staticResponse(() => ({ status: 200, type: "application/json", body: `${JSON.stringify(document())}\n` })),
  },
];

const METRICS_ON_OTHER_PORT = fault("NOT_FOUND", "metrics are on the port of --metrics-port: request them there");

export function splitMetricsRoute(routes: readonly Route[]): [metrics: Route | undefined, others: Route[]] {
  const isMetrics = ({ id }: Route): boolean => id === "metrics";
  const others = routes.map((route) => (isMetrics(route) ? { ...route, handle: () => METRICS_ON_OTHER_PORT } : route));
  return [routes.find(isMetrics), others];
}
