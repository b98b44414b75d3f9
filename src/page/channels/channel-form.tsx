// The form that creates or changes a channel.

import type { ComponentChildren, TargetedSubmitEvent } from "preact";
import { useState } from "preact/hooks";
import type { ChannelView } from "../../channels/config/redaction.ts";
import { CHANNEL_TYPE_NAMES, CHANNEL_TYPES, type ChannelType, EVENTS } from "../../channels/kinds.ts";
import type { ChannelConfig } from "../../channels/record.ts";
import { CHANNELS_PATH, channelPath, toSentence } from "../common/api.ts";
import { CopyButton } from "../common/copy.tsx";
import { LabeledInput, Select, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";

interface FormProps {
  /** The channel to change; undefined to create one. */
  readonly channel?: ChannelView;
  /** The current state of the channels that the form may have saved. */
  readonly channels: readonly ChannelView[];
  readonly onSaved: (id: string) => Promise<void>;
}

// Tests are sent regardless of `events`.
const SELECTABLE_EVENTS = EVENTS.filter((name) => name !== "channel.test");
const SECRET_LABEL = "New secret";

interface SavedChannel {
  readonly id: string;
  readonly message?: string;
  readonly config: ChannelConfig;
}

export function ChannelForm({ channel, channels, onSaved }: FormProps): ComponentChildren {
  const { api } = useSession();
  const [type, setType] = useState(channel?.type ?? "email");
  const { value: saved, problem, run } = useTask<SavedChannel>();
  // The next step after saving is done once the channel is verified.
  const current = channels.find(({ id }) => id === saved?.id);
  const nextStep = current?.is_verified === false ? saved?.message : undefined;
  const isMail = type === "email";
  const targetLabel = isMail ? "Address" : "URL";
  const labels: Readonly<Record<string, string>> = { address: targetLabel, url: targetLabel, secret: SECRET_LABEL };
  const { address, url, events = EVENTS, secret } = (saved ?? channel ?? { config: {} }).config as ChannelConfig;
  const save = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const selectedEvents = data.getAll("event");
    const config = {
      [isMail ? "address" : "url"]: data.get("target"),
      events: selectedEvents.length === SELECTABLE_EVENTS.length ? null : selectedEvents,
      secret: data.get("secret") || undefined,
    };
    const name = data.get("name");
    void run(async () => {
      if (selectedEvents.length === 0) throw new Error("Select at least one event.");
      const result =
        channel === undefined
          ? await api.json<SavedChannel>("POST", CHANNELS_PATH, { body: { name, type, config } })
          : await api.json<SavedChannel>("PATCH", channelPath(channel.id), { body: { name, config } });
      await onSaved(result.id);
      return result;
    });
  };
  return (
    <form onSubmit={save}>
      {/* The new key clears the fields after a channel is created. */}
      <div class="fields" key={saved?.id}>
        <label>
          Name
          <input name="name" required maxLength={100} defaultValue={channel?.name ?? ""} />
        </label>
        {channel === undefined && (
          <Select
            label="Type"
            value={type}
            options={CHANNEL_TYPES.map((name) => [name, CHANNEL_TYPE_NAMES[name]])}
            onChange={(name) => setType(name as ChannelType)}
          />
        )}
        <label class="across">
          {targetLabel}
          <input
            name="target"
            required
            inputMode={isMail ? "email" : "url"}
            autocomplete="off"
            spellcheck={false}
            defaultValue={(channel && (address ?? url)) ?? ""}
          />
        </label>
        {channel?.type === "webhook" && (
          <label class="across">
            {SECRET_LABEL}
            <input name="secret" autocomplete="off" spellcheck={false} placeholder="unchanged" />
          </label>
        )}
        <EventCheckboxes checked={channel === undefined ? EVENTS : events} />
      </div>
      <button type="submit">{channel === undefined ? "Create the channel" : "Save"}</button>
      <div role="status">
        {problem !== undefined && (
          <p class="problem">{problem.replace(/^config\.(\w+)/, (field, name) => labels[name] ?? field)}</p>
        )}
        {saved !== undefined && <p>{nextStep === undefined ? "Saved." : toSentence(nextStep)}</p>}
        {secret?.startsWith("whsec_") === true && (
          <p class="verdict warn">
            <strong>Copy its secret now, it won't be shown again:</strong> <code>{secret}</code>{" "}
            <CopyButton text={secret} label="Copy the secret" />
          </p>
        )}
      </div>
    </form>
  );
}

function EventCheckboxes({ checked }: { readonly checked: readonly string[] }): ComponentChildren {
  return (
    <fieldset class="row across">
      <legend>Events</legend>
      {SELECTABLE_EVENTS.map((name) => (
        <LabeledInput key={name} type="checkbox" name="event" value={name} defaultChecked={checked.includes(name)}>
          {name}
        </LabeledInput>
      ))}
    </fieldset>
  );
}
