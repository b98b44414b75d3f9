// The tables of addrsift-serve(1): routes and codes, from the tables that the daemon goes by.

import { API_FAULTS } from "../server/http/faults.ts";
import type { RouteFacts } from "../server/http/route.ts";
import { ROUTES } from "../server/routes/table.ts";
import { definitions } from "./man-markdown.ts";

export function serveTables(): Readonly<Record<"routes" | "codes", string>> {
  return {
    routes: definitions(ROUTES.map((route) => [`\`${route.method} ${route.path}\``, routeText(route)] as const)),
    codes: definitions(
      Object.entries(API_FAULTS).map(([code, { status, meaning }]) => [`\`${code}\` (${status})`, meaning] as const),
    ),
  };
}

function routeText({ summary, scope, openable, body }: RouteFacts): string {
  const key =
    scope === undefined
      ? "Needs no key."
      : `Needs a key with \`${scope}\`${openable ? ", unless detection is open" : ""}.`;
  const size = body === undefined ? "" : ` The body has at most ${body.limitBytes / 1024} KiB.`;
  return `${summary}. ${key}${size}`;
}
