// The form that creates or changes a channel.

import type { ComponentChildren, TargetedSubmitEvent } from "preact";
import { useState } from "preact/hooks";
import type { ChannelView } from "../../channels/config/redaction.ts";
import { CHANNEL_TYPE_NAMES, CHANNEL_TYPES, EVENT_DESCRIPTIONS, EVENTS, URL_FORMS } from "../../channels/kinds.ts";
import type { ChannelConfig } from "../../channels/record.ts";
import { CHANNELS_PATH, channelPath } from "../common/api.ts";
import { LabeledInput, Select, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";

/** The response to a change. Its config has the secret only if it is new, and else [redacted]. */
export type SavedChannel = ChannelView & { readonly message?: string };

export interface FormProps {
  /** The channel to change; undefined to create one. */
  readonly channel?: ChannelView;
  readonly channels: readonly ChannelView[];
  /** Called with the saved channel, or without one if the form was cancelled. */
  readonly onClose: (saved?: SavedChannel) => void;
}

// Tests are sent regardless of `events`.
const SELECTABLE_EVENTS = EVENTS.filter((name) => name !== "channel.test");
/** Labels of the fields of a config. */
const LABELS: Readonly<Record<string, string>> = { address: "Address", url: "URL", headers: "Headers" };

export const NO_MAIL =
  "This daemon can't send mail, so the address can't be verified: set ADDRSIFT_SMTP_URL and ADDRSIFT_SMTP_FROM.";

const focusOnce = (field: HTMLElement | null): void => field?.focus();

export function ChannelForm({ channel, channels, onClose }: FormProps): ComponentChildren {
  const { api } = useSession();
  const [type, setType] = useState(channel?.type ?? "email");
  const [name, setName] = useState(channel?.name ?? "");
  const { problem, busy, run, clearProblem } = useTask<void>();
  const config = (channel?.config ?? {}) as ChannelConfig;
  const target = type === "email" ? "address" : "url";
  const isTaken = channels.some((other) => other.id !== channel?.id && other.name === name.trim());
  const save = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (busy) return;
    const data = new FormData(event.currentTarget);
    void run(async () => {
      const body = { name, config: readConfig(data, target, config) };
      const saved = await (channel === undefined
        ? api.json<SavedChannel>("POST", CHANNELS_PATH, { body: { ...body, type } })
        : api.json<SavedChannel>("PATCH", channelPath(channel.id), { body }));
      onClose(saved);
    });
  };
  return (
    <form onSubmit={save} onInput={clearProblem}>
      <div class="fields">
        <label>
          Name
          <input
            ref={focusOnce}
            required
            maxLength={100}
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
          <span class="note" role="status">
            {isTaken && "Another channel has this name."}
          </span>
        </label>
        {channel === undefined && (
          <Select
            label="Type"
            value={type}
            options={CHANNEL_TYPES.map((name) => [name, CHANNEL_TYPE_NAMES[name]])}
            onChange={setType}
          />
        )}
        <ConfigFields type={type} target={target} config={config} />
      </div>
      <p class="row">
        <button type="submit" class="main">
          {channel === undefined ? "Create the channel" : "Save"}
        </button>
        <button type="button" onClick={() => onClose()}>
          Cancel
        </button>
      </p>
      <p role="status" class={problem && "problem"}>
        {problem?.replace(/^config\.(\w+)/, (field, name) => LABELS[name] ?? field)}
      </p>
    </form>
  );
}

type ConfigProps = Readonly<{ type: string; target: "address" | "url"; config: ChannelConfig }>;

function ConfigFields({ type, target, config }: ConfigProps): ComponentChildren {
  const { facts } = useSession();
  const headers = Object.entries(config.headers ?? {}).map((header) => header.join(": "));
  return (
    <>
      <label class="across">
        {LABELS[target]} <span class="note">{type === "email" && !facts.canMail ? NO_MAIL : URL_FORMS[type]}</span>
        <input
          name="target"
          required
          inputMode={target === "url" ? "url" : "email"}
          autocomplete="off"
          spellcheck={false}
          defaultValue={config[target] ?? ""}
        />
      </label>
      {type === "webhook" && (
        <label class="across">
          {LABELS["headers"]} <span class="note">One per line, such as X-Key: VALUE</span>
          <textarea name="headers" rows={2} spellcheck={false} defaultValue={headers.join("\n")} />
        </label>
      )}
      {config.url !== undefined && (
        <p class="across note">
          A [redacted] value stays the same.
          {type === "webhook" && " A URL of another origin replaces the secret and removes [redacted] headers."}
        </p>
      )}
      <EventFields selected={config.events ?? SELECTABLE_EVENTS} />
    </>
  );
}

function EventFields({ selected }: { readonly selected: readonly string[] }): ComponentChildren {
  return (
    <fieldset class="across">
      <legend>Events</legend>
      {SELECTABLE_EVENTS.map((name) => (
        <LabeledInput key={name} type="checkbox" name="event" value={name} defaultChecked={selected.includes(name)}>
          <span>
            {name} <span class="note">{EVENT_DESCRIPTIONS[name].replaceAll("`", "")}</span>
          </span>
        </LabeledInput>
      ))}
    </fieldset>
  );
}

/** Returns the form's config as a merge patch of `stored`. */
function readConfig(data: FormData, target: string, stored: ChannelConfig) {
  const events = data.getAll("event");
  if (events.length === 0) throw new Error("Select at least one event.");
  const lines = String(data.get("headers") ?? "").match(/.*\S.*/g) ?? [];
  const faulty = lines.find((line) => !/^[^:\s]+:/.test(line));
  if (faulty !== undefined) throw new Error(`Headers has the line "${faulty}": write NAME: VALUE.`);
  const headers = lines.map((line) => [line.replace(/:.*/, ""), line.replace(/^[^:]*:/, "").trim()] as const);
  const names = headers.map(([name]) => name.toLowerCase());
  const removed = Object.keys(stored.headers ?? {}).filter((name) => !names.includes(name.toLowerCase()));
  const changes = [...removed.map((name) => [name, null] as const), ...headers];
  return {
    [target]: data.get("target"),
    events: events.length === SELECTABLE_EVENTS.length ? null : events,
    ...(data.has("headers") && { headers: Object.fromEntries(changes) }),
  };
}
