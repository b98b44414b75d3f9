// All routes of the daemon, group by group. A group has the facts, the shapes and the handler of each of its routes.

import type { Handler, Route, RouteOver } from "../http/route.ts";
import { CHANNEL_ROUTES, type ChannelParts } from "./channels.ts";
import { DETECT_ROUTES, type DetectParts } from "./detect/routes.ts";
import { PAGE_PATH, PAGE_ROUTES, type PageParts } from "./page.ts";
import { STATUS_ROUTES, type StatusParts } from "./status.ts";
import { VERIFY_ROUTES, type VerifyParts } from "./verify.ts";

export type RouteParts = DetectParts & ChannelParts & VerifyParts & StatusParts & PageParts & RecordParts;

/** The part that routes over records need. */
interface RecordParts {
  /** Waits until all records are known that another daemon has acknowledged. Throws AddrsiftError AWAY or STORE when that can't be known. */
  readonly fresh: () => Promise<void>;
}

const RECORD_ROUTES: readonly RouteOver<RouteParts>[] = [...CHANNEL_ROUTES, ...VERIFY_ROUTES];

export const ROUTES: readonly RouteOver<RouteParts>[] = [
  ...DETECT_ROUTES,
  ...RECORD_ROUTES,
  ...STATUS_ROUTES,
  ...PAGE_ROUTES,
];

/** The routes of a daemon with or without the page for people. */
export function routesWith(page: boolean): readonly RouteOver<RouteParts>[] {
  return page ? ROUTES : ROUTES.filter(({ path }) => path !== PAGE_PATH);
}

/** The routes with their handlers over these parts. */
export function routesOver(routes: readonly RouteOver<RouteParts>[], parts: RouteParts): Route[] {
  return routes.map((route) => {
    const { handler, streamHandler, ...facts } = route;
    const handle = handler(parts);
    return {
      ...facts,
      handle: RECORD_ROUTES.includes(route) ? afterwards(parts.fresh, handle) : handle,
      handleStream: streamHandler?.(parts),
    };
  });
}

/** A client may ask one daemon for what another has just made. What is not surely known is neither shown nor said to be missing. */
function afterwards(fresh: RecordParts["fresh"], handle: Handler): Handler {
  return async (request) => {
    await fresh();
    return handle(request);
  };
}
