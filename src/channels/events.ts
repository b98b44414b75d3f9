// The events that channels are told of: the shapes of their payloads. Counts and versions, never an address.

import { constant, count, type Fields, mapOf, open, type TObject, text, time, type ValueOf } from "../base/shapes.ts";
import type { EventName } from "./kinds.ts";

/** The version of all payloads. A new field does not change it; removing a field or changing its meaning does. */
const PAYLOAD_VERSION = 1;

/** The payload of each event. Receivers must take fields that are not in it. */
export const EVENT_SHAPES = {
  "channel.test": payload(
    "channel.test",
    "Someone tests the channel. It is sent to unverified channels too, once, whatever `events` says.",
    { channel_id: text("The channel's id.") },
  ),
  "detection.completed": payload(
    "detection.completed",
    "A run of `addrsift detect --notify` has ended, whatever its status.",
    {
      rows: count("How many rows were classified."),
      classes: mapOf(count(), "How many of them were of each class. A row may be of several."),
      duration_ms: count("How long it took, in milliseconds."),
      exit_status: count("The exit status: 0, 1, 2, 130 or 143.", { enum: [0, 1, 2, 130, 143] }),
      data_version: text("The version of the precomputed lists."),
    },
  ),
  "lists.updated": payload("lists.updated", "Other lists are in use.", {
    data_version: text("Their version."),
    previous_data_version: text("The version of those before."),
    disposable_added: count("How many domains became disposable."),
    disposable_removed: count("How many domains are disposable no more."),
  }),
  "lists.update_failed": payload(
    "lists.update_failed",
    "The lists, or one of their sources, could not be updated; what was in use stays. It is sent once for each reason, until an update succeeds.",
    {
      data_version: text("The version in use."),
      reason: text("Why, in one line."),
    },
  ),
} as const satisfies Record<EventName, TObject>;

/** One kind of event. The time is when it happened, not when it was sent. */
export type EventOf<Name extends EventName> = ValueOf<(typeof EVENT_SHAPES)[Name]>;

/** The data of each event. */
export type EventData = { readonly [Name in EventName]: Readonly<EventOf<Name>["data"]> };

/** An event as it is sent. */
export type ChannelEvent = { [Name in EventName]: EventOf<Name> }[EventName];

/** Makes an event of something that happened now. */
export function createEvent<Name extends EventName>(type: Name, data: EventData[Name], nowMs: number): EventOf<Name> {
  return { type, version: PAYLOAD_VERSION, timestamp: new Date(nowMs).toISOString(), data } as EventOf<Name>;
}

function payload<Name extends EventName, Data extends Fields>(name: Name, when: string, data: Data) {
  return open({ type: constant(name), version: constant(PAYLOAD_VERSION), timestamp: time(), data: open(data) }, when);
}
