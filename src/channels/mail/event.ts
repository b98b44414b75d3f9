// An event as a message for people: what happened in a sentence, the figures in a table.

import type { ChannelEvent } from "../events.ts";
import { type MailContent, renderMail } from "./layout.ts";
import type { Mail } from "./mailer.ts";

type MailParts = Pick<MailContent, "heading" | "paragraphs" | "facts">;

/** Renders an event for the channel of this name. The subject holds the name encoded. */
export function eventMail(event: ChannelEvent, channelName: string): Mail {
  const told = tell(event);
  return renderMail({
    subject: `[${channelName}] ${told.heading}`,
    ...told,
    facts: [...(told.facts ?? []), ["Time", event.timestamp]],
    footer: `You get this because addrsift sends the notifications of the channel "${channelName}" to this address.`,
  });
}

function tell(event: ChannelEvent): MailParts {
  switch (event.type) {
    case "channel.test":
      return {
        heading: "Test notification",
        paragraphs: ["This is a test: the channel works."],
        facts: [["Channel", event.data.channel_id]],
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
      };
    }
    case "lists.update_failed":
      return {
        heading: "List update failed",
        paragraphs: ["The lists could not be updated. The current lists stay in use.", event.data.reason],
        facts: [["Lists in use", event.data.data_version]],
      };
  }
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
