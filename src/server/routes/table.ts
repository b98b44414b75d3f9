// All routes of the daemon, group by group.

import type { AccessSettings } from "../http/authorization.ts";
import type { Handler, Route, RouteFacts, RouteGroup, RouteOver } from "../http/route.ts";
import { CHANNEL_ROUTES, type ChannelParts } from "./channels.ts";
import { DETECT_ROUTES, type DetectParts } from "./detect/routes.ts";
import { PAGE_PATH, STATUS_ROUTES, type StatusParts } from "./status.ts";
import { VERIFY_ROUTES, type VerifyParts } from "./verify.ts";

export type RouteParts = DetectParts & ChannelParts & VerifyParts & StatusParts & Pick<AccessSettings, "fresh">;

type AnyRoute = RouteOver<RouteParts> & RouteFacts;

const GROUPS: Readonly<Record<RouteGroup, readonly RouteOver<RouteParts>[]>> = {
  detection: DETECT_ROUTES,
  channels: CHANNEL_ROUTES,
  verification: VERIFY_ROUTES,
  status: STATUS_ROUTES,
};

export const ROUTES: readonly AnyRoute[] = Object.entries(GROUPS).flatMap(([group, routes]) =>
  routes.map((route) => ({ ...route, group: group as RouteGroup })),
);

export function routesWith(page: boolean): readonly AnyRoute[] {
  return page ? ROUTES : ROUTES.filter(({ path }) => path !== PAGE_PATH);
}

export function routesOver(routes: readonly AnyRoute[], parts: RouteParts): Route[] {
  return routes.map(({ handler, streamHandler, ...facts }) => {
    const handle = handler(parts);
    const isOverRecords = facts.group === "channels" || facts.group === "verification";
    return {
      ...facts,
      handle: isOverRecords ? afterwards(parts.fresh, handle) : handle,
      handleStream: streamHandler?.(parts),
    };
  });
}

/** A client may ask one daemon for a record that another has just made. */
function afterwards(fresh: RouteParts["fresh"], handle: Handler): Handler {
  return async (request) => {
    await fresh();
    return handle(request);
  };
}
