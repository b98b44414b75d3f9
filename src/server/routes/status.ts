// `/healthz`, `/readyz`, `/metrics` and `/openapi.json`: the daemon's state and description.

import { createHash } from "node:crypto";
import { isLoopbackAddress } from "../../ip.ts";
import { named, optional, text, typedAs } from "../../shapes.ts";
import { loopbackHosts } from "../access/host-check.ts";
import { type Answer, fault, success } from "../http/answer.ts";
import type { ApiRequest, RouteOver } from "../http/route.ts";
import type { Exposition } from "../metrics/prometheus.ts";
import { answerOf } from "./answer-shapes.ts";

/** What these answers need. */
export interface StatusParts {
  /** Why the daemon can't answer as it should, and how to fix it; undefined when it can. */
  readonly notReady: () => string | undefined;
  readonly dataVersion: () => string;
  readonly exposition: () => Exposition;
  /** Which callers get the metrics. */
  readonly metricsFor: "everyone" | "loopback" | "none";
  readonly document: () => object;
}

const STATUS_ANSWER = answerOf("StatusAnswer", { message: text(), data_version: optional(text()) });
const DOCUMENT = named("OpenApiDocument", typedAs({ type: "object", required: ["openapi", "info", "paths"] }));

const isOurs = loopbackHosts(undefined);
const NO_METRICS = "metrics are not shown here: start the daemon with --metrics-port, or with --metrics-public";

/** Routes that need no key. */
export const STATUS_ROUTES: readonly RouteOver<StatusParts>[] = [
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
      ({ notReady, dataVersion }) =>
      () => {
        const reason = notReady();
        if (reason !== undefined) return fault("NOT_READY", reason);
        return success({ message: "The daemon is ready.", data_version: dataVersion() });
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
        // A page can make a name of its own point to this machine, whatever address the daemon listens on.
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
    handler: ({ document }) => {
      let answer: Answer | undefined;
      return (request) => {
        answer ??= documentAnswer(document());
        return revalidated(answer, request);
      };
    },
  },
];

/** The document is the same for everybody until the daemon starts anew: who has it asks only whether it still is. */
function documentAnswer(document: object): Answer {
  const body = `${JSON.stringify(document)}\n`;
  // Weak, because the octets differ when they are compressed (RFC 9110 §8.8.1).
  const tag = `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  return { status: 200, type: "application/json", body, caching: "no-cache", headers: ["ETag", tag] };
}

/** The answer, or 304 for a caller that has it (RFC 9110 §13.1.2). */
function revalidated(answer: Answer, request: ApiRequest): Answer {
  const { headers = [], caching = "no-cache" } = answer;
  const [, tag = ""] = headers;
  const known = request
    .header("if-none-match")
    .split(",")
    .some((text) => ["*", tag, tag.slice(2)].includes(text.trim()));
  return known ? { status: 304, type: "", body: "", caching, headers } : answer;
}
