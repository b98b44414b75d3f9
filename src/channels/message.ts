// An event in words, for people: what happened in a sentence, the figures as pairs. How a mail or a chat shows it is decided there.

import type { ChannelEvent } from "./events.ts";

/** An event in words, all plain text. */
export interface EventMessage {
  readonly heading: string;
  readonly paragraphs: readonly string[];
  /** Label and value. */
  readonly facts: readonly (readonly [string, string])[];
  /** Something went wrong. */
  readonly alarm: boolean;
}

/** Says an event in words. */
export function messageOf(event: ChannelEvent): EventMessage {
  switch (event.type) {
    case "channel.test":
      return {
        heading: "Test notification",
        paragraphs: ["This is a test: the channel works."],
        facts: [["Channel", event.data.channel_id]],
        alarm: false,
      };
    case "detection.completed": {
      const { rows, classes, duration_ms, exit_status, data_version } = event.data;
      return {
        heading: "Detection completed",
        paragraphs: [`${figure(rows)} rows were classified in ${duration(duration_ms)}.`],
        facts: [
          ...Object.entries(classes).map(([name, count]) => [capital(name), figure(count)] as const),
          ["Exit status", String(exit_status)],
          ["Lists", data_version],
        ],
        alarm: exit_status !== 0,
      };
    }
    case "lists.updated": {
      const { data_version, previous_data_version, disposable_added, disposable_removed } = event.data;
      return {
        heading: "Lists updated",
        paragraphs: ["New lists are in use."],
        facts: [
          ["Version", data_version],
          ["Before", previous_data_version],
          ["Disposable domains added", figure(disposable_added)],
          ["Disposable domains removed", figure(disposable_removed)],
        ],
        alarm: false,
      };
    }
    case "lists.update_failed":
      return {
        heading: "List update failed",
        paragraphs: ["The lists could not be updated. The current lists stay in use.", event.data.reason],
        facts: [["Lists in use", event.data.data_version]],
        alarm: true,
      };
  }
}

/** The text, or its beginning with an ellipsis where it is longer than `max` UTF-16 units. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function figure(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

function duration(ms: number): string {
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
