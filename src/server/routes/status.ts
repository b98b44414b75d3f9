// `/healthz`, `/readyz`, `/metrics` and `/openapi.json`: the daemon's state and description.

import { type Answer, fault, success } from "../http/answer.ts";
import { isLoopbackAddress } from "../http/host-check.ts";
import type { Handlers } from "../http/route.ts";
import type { Exposition } from "../metrics/prometheus.ts";

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

/** Handlers that need no key. */
export function statusHandlers(parts: StatusParts): Pick<Handlers, "health" | "readiness" | "metrics" | "openApi"> {
  let document: Answer | undefined;
  return {
    health: () => success({ message: "The daemon is alive." }),
    readiness: () => {
      const reason = parts.notReady();
      if (reason !== undefined) return fault("NOT_READY", reason);
      return success({ message: "The daemon is ready.", data_version: parts.dataVersion() });
    },
    metrics: async ({ peer }) => {
      const shown = parts.metricsFor === "everyone" || (parts.metricsFor === "loopback" && isLoopbackAddress(peer));
      if (!shown)
        return fault("NOT_FOUND", "metrics are not shown to this caller: start the daemon with --metrics-public");
      const { type, text } = parts.exposition();
      return { status: 200, type, body: await text() };
    },
    openApi: () => {
      document ??= { status: 200, type: "application/json", body: `${JSON.stringify(parts.document())}\n` };
      return document;
    },
  };
}
