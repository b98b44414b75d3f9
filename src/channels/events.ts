// The events that channels receive: payloads and their schemas. They hold counts and versions, never an address.

import type { EventName } from "./record.ts";

/** The version of all payloads. A new field does not change it; removing a field or changing its meaning does. */
const PAYLOAD_VERSION = 1;

/** The result of `detect --notify`. */
export interface DetectionCompleted {
  readonly rows: number;
  /** Rows by class; a row may have several classes. */
  readonly classes: Readonly<Record<string, number>>;
  readonly duration_ms: number;
  /** The exit status that the run ends with. */
  readonly exit_status: number;
  /** The version of the precomputed lists. */
  readonly data_version: string;
}

/** New lists are in use. */
export interface ListsUpdated {
  readonly data_version: string;
  readonly previous_data_version: string;
  /** Domains that became disposable, and domains that no longer are. */
  readonly disposable_added: number;
  readonly disposable_removed: number;
}

/** The lists could not be updated; the lists of `data_version` stay in use. */
export interface ListsUpdateFailed {
  readonly data_version: string;
  /** One line. */
  readonly reason: string;
}

/** The data of each event. */
export interface EventData {
  readonly "channel.test": { readonly channel_id: string };
  readonly "detection.completed": DetectionCompleted;
  readonly "lists.updated": ListsUpdated;
  readonly "lists.update_failed": ListsUpdateFailed;
}

/** An event as it is sent. */
export type ChannelEvent = { [Name in EventName]: EventOf<Name> }[EventName];

/** One kind of event. */
export interface EventOf<Name extends EventName> {
  readonly type: Name;
  readonly version: typeof PAYLOAD_VERSION;
  /** ISO 8601 in UTC: when it happened, not when it was sent. */
  readonly timestamp: string;
  readonly data: EventData[Name];
}

/** Makes an event that happens now. */
export function createEvent<Name extends EventName>(type: Name, data: EventData[Name], nowMs: number): EventOf<Name> {
  return { type, version: PAYLOAD_VERSION, timestamp: new Date(nowMs).toISOString(), data };
}

type Schema = Readonly<Record<string, unknown>>;

const COUNT: Schema = { type: "integer", minimum: 0 };
const TEXT: Schema = { type: "string" };

/** JSON Schema (2020-12) of each event's data. */
const DATA_SCHEMAS: { readonly [Name in EventName]: Readonly<Record<keyof EventData[Name], Schema>> } = {
  "channel.test": { channel_id: TEXT },
  "detection.completed": {
    rows: COUNT,
    classes: { type: "object", additionalProperties: COUNT },
    duration_ms: COUNT,
    exit_status: { type: "integer", enum: [0, 1, 2, 130, 143] },
    data_version: TEXT,
  },
  "lists.updated": {
    data_version: TEXT,
    previous_data_version: TEXT,
    disposable_added: COUNT,
    disposable_removed: COUNT,
  },
  "lists.update_failed": { data_version: TEXT, reason: TEXT },
};

/** JSON Schema (2020-12) of an event's payload. Receivers must accept fields that are not in it. */
export function eventSchema(name: EventName): Schema {
  const data = DATA_SCHEMAS[name];
  return {
    type: "object",
    required: ["type", "version", "timestamp", "data"],
    properties: {
      type: { const: name },
      version: { const: PAYLOAD_VERSION },
      timestamp: { type: "string", format: "date-time" },
      data: { type: "object", required: Object.keys(data), properties: data },
    },
  };
}
