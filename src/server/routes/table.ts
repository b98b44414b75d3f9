// All routes of the daemon, group by group. A group has the facts, the shapes and the handler of each of its routes.

import type { Route, RouteOver } from "../http/route.ts";
import { CHANNEL_ROUTES, type ChannelParts } from "./channels/channels.ts";
import { NOTIFICATION_ROUTES, type NotificationParts } from "./channels/notifications.ts";
import { DETECT_ROUTES, type DetectParts } from "./detect/routes.ts";
import { STATUS_ROUTES, type StatusParts } from "./status.ts";
import { VERIFY_ROUTES, type VerifyParts } from "./verify/routes.ts";

/** All that routes work with. */
export type RouteParts = DetectParts & ChannelParts & NotificationParts & VerifyParts & StatusParts;

export const ROUTES: readonly RouteOver<RouteParts>[] = [
  ...DETECT_ROUTES,
  ...CHANNEL_ROUTES,
  ...NOTIFICATION_ROUTES,
  ...VERIFY_ROUTES,
  ...STATUS_ROUTES,
];

/** The routes with their handlers over these parts. */
export function routesOver(parts: RouteParts): Route[] {
  return ROUTES.map(({ handler, ...facts }) => ({ ...facts, handle: handler(parts) }));
}
