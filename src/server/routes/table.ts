// The route table of the daemon.

import type { AccessSettings } from "../http/authorization.ts";
import type { Handler, Route, RouteDefinition, RouteFacts, RouteGroup } from "../http/route.ts";
import { CHANNEL_ROUTES, type ChannelDeps } from "./channels.ts";
import { DETECT_ROUTES, type DetectDeps } from "./detect/routes.ts";
import { PAGE_PATH, STATUS_ROUTES, type StatusDeps } from "./status.ts";
import { VERIFY_ROUTES, type VerifyDeps } from "./verify.ts";

export type RouteDeps = DetectDeps & ChannelDeps & VerifyDeps & StatusDeps & Pick<AccessSettings, "refresh">;

type GroupedRoute = RouteDefinition<RouteDeps> & RouteFacts;

const GROUPS: Readonly<Record<RouteGroup, readonly RouteDefinition<RouteDeps>[]>> = {
  detection: DETECT_ROUTES,
  channels: CHANNEL_ROUTES,
  verification: VERIFY_ROUTES,
  status: STATUS_ROUTES,
};

export const ROUTES: readonly GroupedRoute[] = Object.entries(GROUPS).flatMap(([group, routes]) =>
  routes.map((route) => ({ ...route, group: group as RouteGroup })),
);

export function listRoutes(page: boolean): readonly GroupedRoute[] {
  return page ? ROUTES : ROUTES.filter(({ path }) => path !== PAGE_PATH);
}

export function createRoutes(routes: readonly GroupedRoute[], deps: RouteDeps): Route[] {
  return routes.map(({ handler, streamHandler, ...facts }) => {
    const handle = handler(deps);
    // The handler sees records that another daemon has just acknowledged.
    const handleFresh: Handler = async (request) => {
      await deps.refresh();
      return handle(request);
    };
    const usesStore = facts.group === "channels" || facts.group === "verification";
    return { ...facts, handle: usesStore ? handleFresh : handle, handleStream: streamHandler?.(deps) };
  });
}
