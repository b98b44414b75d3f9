// What callers of all detection routes may wish: evidence, and whether DNS may be asked.

import { choice, optional } from "../../../base/shapes.ts";
import type { DetectRequest } from "../../../detection/detector.ts";
import type { ApiRequest, RouteFacts } from "../../http/route.ts";

export const ADDS_EVIDENCE = "Adds the evidence. Default: false.";
export const ASKS_DNS = "Whether DNS may be asked about a domain that no list settles. Default: on.";

/** Who may ask. */
export const DETECTION_ACCESS = { scope: "emails:detect", openable: true } as const satisfies Partial<RouteFacts>;

/** The wishes as parameters of a query. */
export const QUERY_WISHES = {
  explain: optional(choice(["true", "false"], ADDS_EVIDENCE)),
  dns: optional(choice(["on", "off"], ASKS_DNS)),
};

/** What a caller asked for. The signal is made only when needed: most addresses need no DNS. */
export class HttpDetectRequest implements DetectRequest {
  constructor(
    private readonly request: ApiRequest,
    readonly explain: boolean,
    readonly dns: boolean,
  ) {}

  get signal(): AbortSignal {
    return this.request.signal;
  }
}
