// The tables of addrsift-serve(1): routes and codes, from the tables that the daemon goes by.

import { choiceOf } from "../../base/near-names.ts";
import { API_FAULTS } from "../../server/http/answer.ts";
import type { RouteFacts } from "../../server/http/route.ts";
import { STREAM_PARAMETERS } from "../../server/routes/stream/parameters.ts";
import { ROUTES } from "../../server/routes/table.ts";
import { definitions } from "./markdown.ts";

export function serveTables(): Readonly<Record<"routes" | "codes" | "parameters", string>> {
  return {
    routes: definitions(ROUTES.map((route) => [`\`${route.method} ${route.path}\``, routeText(route)] as const)),
    parameters: definitions(
      Object.entries(STREAM_PARAMETERS).map(([name, { description = "" }]) => [`\`${name}\``, description] as const),
    ),
    codes: definitions(
      Object.entries(API_FAULTS).map(([code, { status, meaning }]) => [`\`${code}\` (${status})`, meaning] as const),
    ),
  };
}

function routeText({ summary, scope, openable, body, stream }: RouteFacts): string {
  const key =
    scope === undefined
      ? "Needs no key."
      : `Needs a key with \`${scope}\`${openable ? ", unless detection is open" : ""}.`;
  const size = body === undefined ? "" : ` The body has at most ${body.limitBytes / 1024} KiB.`;
  const types = stream && ` A stream is ${choiceOf(stream.types.map((type) => `\`${type}\``))}, of any size.`;
  return `${summary}. ${key}${size}${types ?? ""}`;
}
