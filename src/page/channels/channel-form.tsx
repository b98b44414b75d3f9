// The form that creates or changes a channel.

import type { ComponentChildren, TargetedSubmitEvent } from "preact";
import { useState } from "preact/hooks";
import { escapeInvisible } from "../../base/format-text.ts";
import type { ChannelView } from "../../channels/config/redaction.ts";
import { CHANNEL_TYPE_NAMES, CHANNEL_TYPES, EVENT_DESCRIPTIONS, EVENTS } from "../../channels/kinds.ts";
import type { ChannelConfig } from "../../channels/record.ts";
import { CHANNELS_PATH, channelPath, toSentence } from "../common/api.ts";
import { CopyButton } from "../common/copy.tsx";
import { LabeledInput, QuietButton, Select, useSession } from "../common/session.tsx";
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
/** Labels of the fields of a config. */
const LABELS: Readonly<Record<string, string>> = { address: "Address", url: "URL", secret: "New secret" };

interface SavedChannel extends ChannelView {
  readonly message?: string;
  /** A new secret, or [redacted]. */
  readonly secret?: string | undefined;
}

export function ChannelForm({ channel, channels, onSaved }: FormProps): ComponentChildren {
  const { api, lacksScope } = useSession();
  const [type, setType] = useState(channel?.type ?? "email");
  const [saves, setSaves] = useState<readonly SavedChannel[]>([]);
  const { problem, run, clearProblem } = useTask<void>();
  const target = type === "email" ? "address" : "url";
  const [method, path, scope, label] =
    channel === undefined
      ? ["POST", CHANNELS_PATH, "create", "Create the channel"]
      : ["PATCH", channelPath(channel.id), "update", "Save"];
  const save = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    void run(async () => {
      const config = readConfig(data, target);
      const body = { name: data.get("name"), config, ...(channel === undefined && { type }) };
      const saved = await api.json<SavedChannel>(method, path, { body });
      await onSaved(saved.id);
      setSaves([{ ...saved, secret: config.secret ?? (saved.config as ChannelConfig).secret }, ...saves]);
    });
  };
  return (
    <form onSubmit={save} onInput={clearProblem}>
      {/* The new key resets the fields after each save. */}
      <div class="fields" key={saves.length}>
        <label>
          Name
          <input name="name" required maxLength={100} defaultValue={channel?.name ?? ""} />
        </label>
        {channel === undefined && (
          <Select
            label="Type"
            value={type}
            options={CHANNEL_TYPES.map((name) => [name, CHANNEL_TYPE_NAMES[name]])}
            onChange={setType}
          />
        )}
        <ConfigFields channel={channel} target={target} />
      </div>
      <button type="submit" class="main" disabled={lacksScope(`notifications:${scope}`)}>
        {label}
      </button>
      <SaveStatus saves={saves} channels={channels} problem={problem} />
    </form>
  );
}

function readConfig(data: FormData, target: string) {
  const events = data.getAll("event");
  if (events.length === 0) throw new Error("Select at least one event.");
  return {
    [target]: data.get("target"),
    events: events.length === SELECTABLE_EVENTS.length ? null : events,
    secret: (data.get("secret") as string | null) || undefined,
  };
}

interface ConfigProps {
  readonly channel: ChannelView | undefined;
  readonly target: "address" | "url";
}

function ConfigFields({ channel, target }: ConfigProps): ComponentChildren {
  const config = (channel?.config ?? {}) as ChannelConfig;
  return (
    <>
      <label class="across">
        {LABELS[target]}
        <input
          name="target"
          required
          inputMode={target === "url" ? "url" : "email"}
          autocomplete="off"
          spellcheck={false}
          defaultValue={config[target] ?? ""}
        />
      </label>
      {channel?.type === "webhook" && <SecretField />}
      <fieldset class="across">
        <legend>Events</legend>
        {SELECTABLE_EVENTS.map((name) => (
          <LabeledInput
            key={name}
            type="checkbox"
            name="event"
            value={name}
            defaultChecked={config.events?.includes(name) !== false}
          >
            <span>
              {name} <span class="note">{EVENT_DESCRIPTIONS[name].replaceAll("`", "")}</span>
            </span>
          </LabeledInput>
        ))}
      </fieldset>
    </>
  );
}

function SecretField(): ComponentChildren {
  const [secret, setSecret] = useState("");
  const generate = (): void =>
    setSecret(`whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`);
  return (
    <section class="across">
      <label>
        {LABELS["secret"]}
        <input
          name="secret"
          autocomplete="off"
          spellcheck={false}
          placeholder="unchanged"
          value={secret}
          onInput={({ currentTarget }) => setSecret(currentTarget.value)}
        />
      </label>
      <p class="row note">
        <QuietButton onClick={generate}>Generate</QuietButton>
        whsec_ and base64 of 24 to 64 bytes. For 24 hours, requests are also signed with the previous secret.
      </p>
    </section>
  );
}

interface StatusProps extends Pick<FormProps, "channels"> {
  /** Latest first. */
  readonly saves: readonly SavedChannel[];
  readonly problem: string | undefined;
}

/** Shows the outcome of the last save, and the latest new secret of each channel. */
function SaveStatus({ saves, channels, problem }: StatusProps): ComponentChildren {
  const [{ id: savedId, message } = {}] = saves;
  // The next step after saving is done once the channel is verified.
  const isPending = channels.some(({ id, is_verified: isVerified }) => id === savedId && !isVerified);
  const newSecrets = saves.filter(({ secret }) => secret?.startsWith("whsec_"));
  const latestSecrets = newSecrets.filter(({ id }, i) => newSecrets.findIndex((save) => save.id === id) === i);
  return (
    <section role="status">
      {problem !== undefined ? (
        <p class="problem">{problem.replace(/^config\.(\w+)/, (field, name) => LABELS[name] ?? field)}</p>
      ) : (
        saves.length > 0 && (
          <p class={isPending ? "verdict warn" : ""}>{isPending && message ? toSentence(message) : "Saved."}</p>
        )
      )}
      {latestSecrets.map(({ id, name, secret = "" }) => (
        <p key={id} class="verdict warn">
          <strong>
            Copy the secret of <bdi>{escapeInvisible(name)}</bdi> now, it won't be shown again:
          </strong>{" "}
          <code>{secret}</code> <CopyButton text={secret} label="Copy the secret" />
        </p>
      ))}
    </section>
  );
}
