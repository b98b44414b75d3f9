// The tables of addrsift-channels(1). What is said of an event stands in its shape.

import { ATTEMPTS_MAX } from "../../channels/attempt.ts";
import { EVENT_SHAPES } from "../../channels/events.ts";
import { EVENTS } from "../../channels/kinds.ts";
import { fieldList } from "./fields.ts";

export function channelsTables(): Readonly<Record<"event-names" | "attempts" | "events", string>> {
  const events = Object.entries(EVENT_SHAPES).map(([name, { description = "", properties }]) => {
    return [`### ${name}`, description, fieldList(properties.data.properties)].join("\n\n");
  });
  return {
    "event-names": EVENTS.map((name) => `\`${name}\``).join(", "),
    attempts: String(ATTEMPTS_MAX),
    events: events.join("\n\n"),
  };
}
