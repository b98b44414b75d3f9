// The events that channels receive: payload shape and message text of each. Payloads have counts, never addresses.

import { capitalize, formatNumber, pluralize, toSentence } from "../base/format-text.ts";
import {
  count,
  type Fields,
  flag,
  literal,
  mapOf,
  openObject,
  optional,
  type TObject,
  text,
  time,
  type ValueOf,
} from "../base/shapes.ts";
import { EVENT_DESCRIPTIONS, type EventName } from "./kinds.ts";

/** Version of all payloads. Incremented when a field is removed or changes its meaning, not for a new field. */
const PAYLOAD_VERSION = 1;

interface EventMessage {
  readonly heading: string;
  readonly paragraphs: readonly string[];
  readonly facts: readonly (readonly [string, string])[];
  readonly isAlert?: boolean;
}

interface EventDefinition<Data> {
  /** The payload. Receivers must ignore unknown fields. */
  readonly shape: TObject;
  readonly describe: (data: Data) => EventMessage;
}

const DEFINITIONS = {
  "channel.test": defineEvent("channel.test", { channel_id: text("Id of the channel.") }, ({ channel_id }) => ({
    heading: "Test notification",
    paragraphs: ["If you can read this, the channel works."],
    facts: [["Channel", channel_id]],
  })),
  "detection.completed": defineEvent(
    "detection.completed",
    {
      label: optional(text("The name of the run, from `--notify-label`.", { maxLength: 100 })),
      rows: count("Number of classified rows."),
      classes: mapOf(count(), "Number of rows of each class. A row may have several."),
      duration_ms: count("Duration in milliseconds."),
      exit_status: count("The exit status: 0, 1, 2, 129, 130 or 143.", { enum: [0, 1, 2, 129, 130, 143] }),
      data_version: text("The version of the precomputed lists."),
      error: optional(text("Why the run failed or ended early, without addresses and quoted texts.")),
    },
    ({ label, rows, classes, duration_ms, exit_status, data_version, error }) => ({
      heading: detectionHeading(exit_status, error !== undefined),
      paragraphs: [
        `${label === undefined ? "" : `${label}: `}${pluralize(rows, "row was", "rows were")} classified in ` +
          `${formatDuration(duration_ms)}.`,
        ...(error === undefined ? [] : [toSentence(error)]),
      ],
      facts: [
        ...Object.entries(classes)
          .filter(([name, count]) => count > 0 && name !== "unreserved")
          .map(([name, count]) => [capitalize(name.replaceAll("_", " ")), formatNumber(count)] as const),
        ["Exit status", String(exit_status)],
        ["Lists", data_version],
      ],
      isAlert: exit_status !== 0 || error !== undefined,
    }),
  ),
  "lists.updated": defineEvent(
    "lists.updated",
    {
      data_version: text("Version of the new lists."),
      previous_data_version: text("Version of the previous lists."),
      disposable_added: count("Number of domains that became disposable."),
      disposable_removed: count("Number of domains that are no longer disposable."),
      rolled_back: optional(flag("True if `lists rollback` restored earlier lists.")),
    },
    ({ data_version, previous_data_version, disposable_added, disposable_removed, rolled_back: isRollback }) => ({
      heading: isRollback ? "Lists rolled back" : "Lists updated",
      paragraphs: [
        `${isRollback ? "Earlier lists are in use again" : "New lists are in use"}: ` +
          `${pluralize(disposable_added, "disposable domain was", "disposable domains were")} added, ` +
          `${formatNumber(disposable_removed)} removed.`,
      ],
      facts: [
        ["Version", data_version],
        ["Before", previous_data_version],
      ],
    }),
  ),
  "lists.update_failed": defineEvent(
    "lists.update_failed",
    {
      data_version: text("Version of the lists in use."),
      reason: text("Reason in one line."),
    },
    ({ data_version, reason }) => ({
      heading: "List update failed",
      paragraphs: ["The lists could not be updated. The current lists are kept.", reason],
      facts: [["Lists in use", data_version]],
      isAlert: true,
    }),
  ),
};

/** Does not compile if `DEFINITIONS` lacks an event of `EVENTS`. */
export const EVENT_DEFINITIONS: Readonly<Record<EventName, EventDefinition<never>>> = DEFINITIONS;

function defineEvent<Data extends Fields>(
  name: EventName,
  data: Data,
  describe: (data: ValueOf<TObject<Data>>) => EventMessage,
): EventDefinition<ValueOf<TObject<Data>>> {
  const fields = {
    type: literal(name),
    version: literal(PAYLOAD_VERSION),
    timestamp: time(),
    text: text("The event in a sentence, for people."),
    data: openObject(data),
  };
  return { shape: openObject(fields, EVENT_DESCRIPTIONS[name]), describe };
}

export type EventData = {
  readonly [Name in EventName]: Name extends keyof typeof DEFINITIONS
    ? Parameters<(typeof DEFINITIONS)[Name]["describe"]>[0]
    : never;
};

export interface EventOf<Name extends EventName> {
  readonly type: Name;
  readonly version: typeof PAYLOAD_VERSION;
  readonly timestamp: string;
  readonly text: string;
  readonly data: EventData[Name];
}

export type ChannelEvent = { [Name in EventName]: EventOf<Name> }[EventName];

export function createEvent<Name extends EventName>(type: Name, data: EventData[Name], nowMs: number): EventOf<Name> {
  const { heading, paragraphs } = (EVENT_DEFINITIONS[type] as EventDefinition<typeof data>).describe(data);
  const summary = [`${heading}:`, ...paragraphs].join(" ");
  return { type, version: PAYLOAD_VERSION, timestamp: new Date(nowMs).toISOString(), text: summary, data };
}

export function describeEvent({ type, data }: ChannelEvent): EventMessage {
  return EVENT_DEFINITIONS[type].describe(data as never);
}

/** Shortens `text` to at most `max` UTF-16 units, ending with an ellipsis, without splitting a surrogate pair. */
export function truncate(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function detectionHeading(exitStatus: number, hasError: boolean): string {
  if (exitStatus <= 1) return hasError ? "Detection ended early" : "Detection completed";
  return `Detection ${exitStatus === 2 ? "failed" : "was interrupted"} (exit status ${exitStatus})`;
}

function formatDuration(ms: number): string {
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
