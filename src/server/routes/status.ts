// `/`, the page, which is in `page/` and is loaded when needed; and `/healthz`, `/readyz`, `/metrics` and
// `/openapi.json`: the daemon's state and description.

import { isLoopbackAddress } from "../../base/ip.ts";
import { named, open, optional, text, typedAs } from "../../base/shapes.ts";
import { fault, success } from "../http/answer.ts";
import { loopbackHosts } from "../http/origins.ts";
import { answerOf, type Route, type RouteOver, unchanging } from "../http/route.ts";
import type { Exposition } from "../prometheus.ts";

export interface Page {
  readonly headers: readonly string[];
  readonly html: string;
}

export interface StatusParts {
  readonly page: () => Page;
  /** Why the daemon is not ready, and how to fix it. */
  readonly notReady: () => string | undefined;
  /** The overrides that were read before are in use. */
  readonly overridesDamaged: () => boolean;
  readonly dataVersion: () => string;
  readonly exposition: () => Exposition;
  readonly metricsFor: "everyone" | "loopback" | "none";
  readonly document: () => object;
}

const STATUS_ANSWER = answerOf("StatusAnswer", { message: text(), data_version: optional(text()) });
const ANY_OBJECT = typedAs<object>({ type: "object" });
const DOCUMENT = named("OpenApiDocument", open({ openapi: text(), info: ANY_OBJECT, paths: ANY_OBJECT }));

const OVERRIDES_DAMAGED =
  "But overrides.tsv can't be used, so the overrides read before stay in force: the daemon's log says which line " +
  "to correct.";

const isOurs = loopbackHosts(undefined);
const NO_METRICS = "metrics are not shown here: start the daemon with --metrics-port, or with --metrics-public";

export const PAGE_PATH = "/";

export const STATUS_ROUTES: readonly RouteOver<StatusParts>[] = [
  {
    id: "page",
    method: "GET",
    path: PAGE_PATH,
    summary: "A page for people; --no-page switches it off",
    answer: "text/html",
    handler: ({ page }) =>
      unchanging(() => ({ status: 200, type: "text/html; charset=utf-8", body: page().html, headers: page().headers })),
  },
  {
    id: "health",
    method: "GET",
    path: "/healthz",
    summary: "Whether the process is alive",
    answer: STATUS_ANSWER,
    handler: () => () => success({ message: "The daemon is alive." }),
  },
  {
    id: "readiness",
    method: "GET",
    path: "/readyz",
    summary: "Whether lists and store are fine",
    answer: STATUS_ANSWER,
    faults: ["NOT_READY"],
    handler:
      ({ notReady, overridesDamaged, dataVersion }) =>
      () => {
        const reason = notReady();
        if (reason !== undefined) return fault("NOT_READY", reason);
        // Still 200: a slip in a file that all daemons read must not take all of them out of a load balancer.
        const message = overridesDamaged() ? `The daemon is ready. ${OVERRIDES_DAMAGED}` : "The daemon is ready.";
        return success({ message, data_version: dataVersion() });
      },
  },
  {
    id: "metrics",
    method: "GET",
    path: "/metrics",
    summary: "Counters in the Prometheus text format",
    answer: "text/plain",
    faults: ["NOT_FOUND"],
    handler:
      ({ metricsFor, exposition }) =>
      async ({ peer, host }) => {
        // A page of another site can point its own name to this machine.
        const local = isLoopbackAddress(peer) && (host === "" || isOurs(host));
        const shown = metricsFor === "everyone" || (metricsFor === "loopback" && local);
        if (!shown) return fault("NOT_FOUND", NO_METRICS);
        const { type, text } = exposition();
        return { status: 200, type, body: await text() };
      },
  },
  {
    id: "openApi",
    method: "GET",
    path: "/openapi.json",
    summary: "This document",
    answer: DOCUMENT,
    handler: ({ document }) =>
      unchanging(() => ({ status: 200, type: "application/json", body: `${JSON.stringify(document())}\n` })),
  },
];

const METRICS_APART = fault("NOT_FOUND", "metrics are on a separate port: the operator chose it with --metrics-port");

export function metricsApart(routes: readonly Route[]): [metrics: Route | undefined, others: Route[]] {
  const isMetrics = ({ id }: Route): boolean => id === "metrics";
  const others = routes.map((route) => (isMetrics(route) ? { ...route, handle: () => METRICS_APART } : route));
  return [routes.find(isMetrics), others];
}
