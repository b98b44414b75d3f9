// The tables of addrsift-channels(1). They are keyed by the types that they explain, so an event or a field without a text does not
// compile.

import { ATTEMPTS_MAX } from "../channels/delivery/retry.ts";
import type { EventData } from "../channels/events.ts";
import { EVENTS, type EventName } from "../channels/record.ts";
import { definitions } from "./man-markdown.ts";

interface EventText<Name extends EventName> {
  readonly when: string;
  readonly fields: Readonly<Record<keyof EventData[Name], string>>;
}

const EVENT_TEXTS: { readonly [Name in EventName]: EventText<Name> } = {
  "channel.test": {
    when: "Someone tests the channel. It is sent to unverified channels too, once, whatever `events` says.",
    fields: { channel_id: "The channel's id." },
  },
  "detection.completed": {
    when: "A run of `addrsift detect --notify` has ended, whatever its status.",
    fields: {
      rows: "How many rows were classified.",
      classes: "An object: how many of them were of each class. A row may be of several.",
      duration_ms: "How long it took, in milliseconds.",
      exit_status: "The exit status: 0, 1, 2, 130 or 143.",
      data_version: "The version of the precomputed lists.",
    },
  },
  "lists.updated": {
    when: "Other lists are in use.",
    fields: {
      data_version: "Their version.",
      previous_data_version: "The version of the previous ones.",
      disposable_added: "How many domains became disposable.",
      disposable_removed: "How many domains are no longer disposable.",
    },
  },
  "lists.update_failed": {
    when: "The lists could not be updated; the ones in use stay.",
    fields: { data_version: "The version in use.", reason: "Why, in one line." },
  },
};

export function channelsTables(): Readonly<Record<"event-names" | "attempts" | "events", string>> {
  const events = Object.entries(EVENT_TEXTS).map(([name, { when, fields }]) => {
    const terms = Object.entries(fields).map(([field, meaning]) => [`\`${field}\``, meaning] as const);
    return [`### ${name}`, when, definitions(terms)].join("\n\n");
  });
  return {
    "event-names": EVENTS.map((name) => `\`${name}\``).join(", "),
    attempts: String(ATTEMPTS_MAX),
    events: events.join("\n\n"),
  };
}
