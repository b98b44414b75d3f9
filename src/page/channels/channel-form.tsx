// The form that creates or changes a channel.

import type { ComponentChildren, TargetedSubmitEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { toSentence } from "../../base/format-text.ts";
import type { ChannelView } from "../../channels/config/redaction.ts";
import { CHANNEL_TYPE_NAMES, CHANNEL_TYPES, EVENT_DESCRIPTIONS, EVENTS, URL_FORMS } from "../../channels/kinds.ts";
import type { ChannelConfig } from "../../channels/record.ts";
import { CHANNELS_PATH, channelPath } from "../common/api.ts";
import { type ChildrenProps, LabeledInput, Select, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";

/** The response to a change. Its config has the secret only if it is new, and else [redacted]. */
export type SavedChannel = ChannelView & { readonly message?: string };

export interface FormProps {
  /** The channel to change; undefined to create one. */
  readonly channel?: ChannelView;
  /** Whether the daemon can mail the link of a new channel. */
  readonly canMail?: boolean;
  /** Called with the saved channel, or without one if the form was cancelled. */
  readonly onClose: (saved?: SavedChannel) => void;
}

// Tests are sent regardless of `events`.
const SELECTABLE_EVENTS = EVENTS.filter((name) => name !== "channel.test");

export const NO_MAIL =
  "This daemon can't send mail: for email channels, set ADDRSIFT_SMTP_URL and ADDRSIFT_SMTP_FROM and restart it.";

export function ChannelForm({ channel, canMail = false, onClose }: FormProps): ComponentChildren {
  const { api } = useSession();
  const [type, setType] = useState(channel?.type ?? (canMail ? "email" : "webhook"));
  const [target, setTarget] = useState("");
  const { problem, busy, run, clear } = useTask<void>();
  const fault = parseFault(problem);
  const form = useRef<HTMLFormElement>(null);
  const focus = (field: string): void => form.current?.querySelector<HTMLElement>(`[name="${field}"]`)?.focus();
  useEffect(() => focus("name"), []);
  useEffect(() => focus(fault.field), [problem]);
  const config = (channel?.config ?? {}) as ChannelConfig;
  const update = (event: InputEvent): void => {
    clear();
    const { name, value } = event.target as HTMLInputElement;
    if (name === "url" || name === "address") setTarget(value.trim());
  };
  const save = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (busy) return;
    const data = new FormData(event.currentTarget);
    void run(async () => {
      const changes = { name: data.get("name"), config: readConfig(data, config) };
      // An unchanged field may have been changed elsewhere since.
      const body = changes.name === channel?.name ? { config: changes.config } : changes;
      const saved = await (channel === undefined
        ? api.json<SavedChannel>("POST", CHANNELS_PATH, { body: { ...body, type } })
        : api.json<SavedChannel>("PATCH", channelPath(channel.id), { body }));
      onClose(saved);
    });
  };
  return (
    <form ref={form} onSubmit={save} onInput={update}>
      <div class="fields">
        <Field name="name" label="Name" fault={fault}>
          <input name="name" required maxLength={100} defaultValue={channel?.name} />
        </Field>
        {channel === undefined && <TypeField type={type} canMail={canMail} onChange={setType} />}
        <ConfigFields type={type} config={config} fault={fault} />
      </div>
      <div role="status">
        {channel !== undefined && target !== "" && target !== config.address && (
          <p class="verdict warn">
            After Save, the channel gets no events until you verify it. {type === "webhook" && ORIGIN_NOTE}
          </p>
        )}
        {problem !== undefined && fault.field === "" && <p class="problem">{problem}</p>}
      </div>
      <p class="row">
        <button type="submit" class="main">
          {channel === undefined ? "Create the channel" : "Save"}
        </button>
        <button type="button" onClick={() => onClose()}>
          Cancel
        </button>
      </p>
    </form>
  );
}

/** A problem of a field, or of the whole form if `field` is empty. */
interface Fault {
  readonly field: string;
  readonly text: string;
}

/** Splits a problem into the field at its start, such as `config.url`, and the rest as a sentence. */
function parseFault(problem = ""): Fault {
  const [path = "", name = ""] = /^(?:config\.)?(name|address|url|headers|events)\b\W/i.exec(problem) ?? [];
  return { field: name.toLowerCase(), text: toSentence(problem.slice(path.length).trim()) };
}

interface FaultProps {
  readonly fault: Fault;
}

interface FieldProps extends ChildrenProps, FaultProps {
  readonly name: string;
  readonly label: string;
  readonly note?: ComponentChildren;
}

/** A labeled field. Its problem is in the label, so that it is read with the field. */
function Field({ name, label, note, fault, children }: FieldProps): ComponentChildren {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the field is in the children
    <label class={name === "name" ? "" : "across"}>
      {label} <span class="note">{note}</span>
      {children}
      {fault.field === name && <span class="problem">{fault.text}</span>}
    </label>
  );
}

type TypeProps = Readonly<{ type: string; canMail: boolean; onChange: (type: string) => void }>;

function TypeField({ type, canMail, onChange }: TypeProps): ComponentChildren {
  const isUsable = (name: string): boolean => canMail || name !== "email";
  const options = CHANNEL_TYPES.map((name) => [name, CHANNEL_TYPE_NAMES[name], isUsable(name)] as const);
  return (
    <>
      <Select label="Type" value={type} options={options} onChange={onChange} />
      {!canMail && <p class="across note">{NO_MAIL}</p>}
    </>
  );
}

type ConfigProps = FaultProps & Readonly<{ type: string; config: ChannelConfig }>;

function ConfigFields({ type, config, fault }: ConfigProps): ComponentChildren {
  const { address = "", url, headers = {}, events = SELECTABLE_EVENTS } = config;
  const isMailed = type === "email";
  const target = isMailed ? "address" : "url";
  const lines = Object.entries(headers).map((header) => header.join(": "));
  return (
    <>
      <Field
        name={target}
        label={isMailed ? "Address" : "URL"}
        fault={fault}
        note={url === undefined ? URL_FORMS[type] : "Leave empty to keep the URL."}
      >
        <input
          name={target}
          required={url === undefined}
          inputMode={isMailed ? "email" : "url"}
          autocomplete="off"
          spellcheck={false}
          defaultValue={isMailed ? address : ""}
          placeholder={url}
        />
      </Field>
      {type === "webhook" && (
        <Field
          name="headers"
          label="Headers"
          fault={fault}
          note={lines.length === 0 ? HEADER_FORM : `${HEADER_FORM} Leave [redacted] to keep a value.`}
        >
          <textarea name="headers" rows={2} spellcheck={false} defaultValue={lines.join("\n")} />
        </Field>
      )}
      <EventFields selected={events} fault={fault} />
    </>
  );
}

const HEADER_FORM = "One per line: X-Key: VALUE.";
const ORIGIN_NOTE = "Another scheme, host or port also replaces the secret and removes headers left [redacted].";

function EventFields({ selected, fault }: FaultProps & { readonly selected: readonly string[] }): ComponentChildren {
  return (
    <fieldset class="across">
      <legend>Events</legend>
      {SELECTABLE_EVENTS.map((name) => (
        <LabeledInput key={name} type="checkbox" name="events" value={name} defaultChecked={selected.includes(name)}>
          <span>
            {name} <span class="note">{EVENT_DESCRIPTIONS[name].replaceAll("`", "")}</span>
          </span>
        </LabeledInput>
      ))}
      {fault.field === "events" && <p class="problem">{fault.text}</p>}
    </fieldset>
  );
}

/** Returns the fields that differ from `stored`, as a merge patch. An empty URL keeps the stored one. */
function readConfig(data: FormData, { events: storedEvents = SELECTABLE_EVENTS, ...stored }: ChannelConfig) {
  const events = SELECTABLE_EVENTS.filter((name) => data.getAll("events").includes(name));
  const hasNewEvents = SELECTABLE_EVENTS.some((name) => events.includes(name) !== storedEvents.includes(name));
  if (events.length === 0 && hasNewEvents) throw new Error("events: select at least one.");
  const targetName = data.has("url") ? "url" : "address";
  const target = String(data.get(targetName)).trim();
  return {
    ...(target !== "" && target !== stored[targetName] && { [targetName]: target }),
    ...(hasNewEvents && { events: events.length === SELECTABLE_EVENTS.length ? null : events }),
    ...(data.has("headers") && { headers: readHeaders(String(data.get("headers")), stored.headers ?? {}) }),
  };
}

/** Returns the headers that differ from `stored`; null for removed ones. */
function readHeaders(text: string, stored: NonNullable<ChannelConfig["headers"]>) {
  const headers = new Map<string, readonly [name: string, value: string]>();
  for (const line of text.match(/.*\S.*/g) ?? []) {
    const [, name = "", value = ""] = /^([^:\s]+):(.*)/.exec(line) ?? [];
    if (name === "") throw new Error(`headers: the line "${line}" is not NAME: VALUE.`);
    if (headers.has(name.toLowerCase())) throw new Error(`headers: ${name} is given twice.`);
    headers.set(name.toLowerCase(), [name, value.trim()]);
  }
  const removed = Object.keys(stored).filter((name) => !headers.has(name.toLowerCase()));
  const changed = [...headers.values()].filter(([name, value]) => stored[name] !== value);
  return Object.fromEntries([...removed.map((name) => [name, null] as const), ...changed]);
}
