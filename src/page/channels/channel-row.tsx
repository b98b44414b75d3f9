// A row of the channel list. It opens to show the channel's facts, actions and deliveries, or the form that changes it.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { escapeInvisible, formatNumber, pluralize } from "../../base/format-text.ts";
import type { DeliveryView } from "../../channels/delivery/record.ts";
import { CHANNEL_TYPE_NAMES, type ChannelType } from "../../channels/kinds.ts";
import type { ChannelConfig } from "../../channels/record.ts";
import { channelPath, toSentence } from "../common/api.ts";
import { Fact } from "../common/charts.tsx";
import { CopyButton } from "../common/copy.tsx";
import { LazyDetails, QuietButton, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { formatTime, type Tone } from "../common/text.ts";
import { ChannelForm, type FormProps, NO_MAIL, type SavedChannel } from "./channel-form.tsx";

interface RowProps extends Required<Pick<FormProps, "channel" | "channels">> {
  /** The response that created the channel, if this page created it. */
  readonly created: SavedChannel | undefined;
  readonly onChange: () => Promise<void>;
}

type ChannelProps = Pick<RowProps, "channel">;

/** Sends a request about the channel, and shows the message of the response, or else `done`. */
type Act = (method: string, subpath: string, body?: object, done?: string) => Promise<void>;

export function ChannelRow({ channel, channels, created, onChange }: RowProps): ComponentChildren {
  const { api } = useSession();
  const { value, problem, busy, run } = useTask<string>();
  const [secret, setSecret] = useState<string>();
  const [isEditing, setEditing] = useState(false);
  const row = useRef<HTMLLIElement>(null);
  const focus = (): void => row.current?.querySelector("summary")?.focus();
  const show = ({ config, message }: SavedChannel, done: string): string => {
    const newSecret = (config as ChannelConfig | undefined)?.secret;
    if (newSecret?.startsWith("whsec_")) setSecret(newSecret);
    return toSentence(message ?? done);
  };
  const act: Act = async (method, subpath, body, done = "") => {
    if (busy) return;
    await run(async () => show(await api.json(method, channelPath(channel.id, subpath), { body }), done));
    await onChange();
  };
  const finishEditing = async (saved?: SavedChannel): Promise<void> => {
    setEditing(false);
    focus();
    if (saved === undefined) return;
    await run(async () => show(saved, "Saved."));
    await onChange();
  };
  const dismissSecret = (): void => {
    setSecret(undefined);
    focus();
  };
  useEffect(() => {
    if (created === undefined) return;
    row.current?.querySelector("summary")?.click();
    void finishEditing(created);
  }, []);
  return (
    <li ref={row}>
      <LazyDetails name="channel" summary={<Summary channel={channel} />}>
        {isEditing ? (
          <ChannelForm channel={channel} channels={channels} onClose={finishEditing} />
        ) : (
          <>
            <Facts channel={channel} />
            <Actions channel={channel} act={act} onEdit={() => setEditing(true)} />
            <p role="status" class={problem === undefined ? "note" : "problem"}>
              {busy ? "Please wait…" : (problem ?? value)}
            </p>
            {secret !== undefined && (
              <div class="verdict warn row">
                <strong>Copy the secret now, it won't be shown again:</strong> <code>{secret}</code>
                <CopyButton text={secret} label="Copy the secret" />
                <QuietButton onClick={dismissSecret}>Done</QuietButton>
                Receivers check signatures with it: see man addrsift-channels.
              </div>
            )}
            <Deliveries channel={channel} act={act} onRefresh={onChange} />
          </>
        )}
      </LazyDetails>
    </li>
  );
}

function Summary({ channel }: ChannelProps): ComponentChildren {
  const { name, type, is_verified: isVerified, last_delivery: last } = channel;
  const { address, url = "", events, enabled } = channel.config as ChannelConfig;
  return (
    <span class="row columns">
      <strong>
        <bdi>{escapeInvisible(name)}</bdi>
      </strong>
      <span class="note">
        {CHANNEL_TYPE_NAMES[type as ChannelType] ?? type}
        {"\u00a0· "}
        <bdi>{escapeInvisible(address ?? URL.parse(url)?.host ?? "no target")}</bdi>
        {`\u00a0· ${events?.join(", ") ?? "all events"}`}
      </span>
      <span class="row">
        {last !== undefined && last.status !== "delivered" && (
          <span class={`chip ${TONES[last.status] ?? "warn"}`}>last delivery {last.status}</span>
        )}
        {enabled === false && <span class="chip warn">paused</span>}
        <span class={`chip ${isVerified ? "good" : "warn"}`}>{isVerified ? "verified" : "not verified"}</span>
      </span>
    </span>
  );
}

function Facts({ channel }: ChannelProps): ComponentChildren {
  const { id, type, is_verified: isVerified, previous_secret_until: previousUntil } = channel;
  const { headers = {} } = channel.config as ChannelConfig;
  const { canMail } = useSession().facts;
  return (
    <dl class="lines">
      <Fact name="ID">
        <code>{id}</code> <CopyButton text={id} label="Copy the ID" />
      </Fact>
      {type === "webhook" && <Fact name="Headers">{Object.keys(headers).join(", ") || "none"}</Fact>}
      {previousUntil !== undefined && (
        <Fact name="Previous secret">Requests carry both signatures until {formatTime(previousUntil)}.</Fact>
      )}
      {!isVerified && <Fact name="Verification">{type === "email" ? (canMail ? OPEN_LINK : NO_MAIL) : SEND_TEST}</Fact>}
    </dl>
  );
}

const OPEN_LINK =
  "Open the link in the message to the address, or run the command in it. No message? Email a new link.";
const SEND_TEST = "It receives only tests. Send one: if the receiver accepts it, the channel is verified.";

type ActionsProps = ChannelProps & { readonly act: Act; readonly onEdit: () => void };
type Action = readonly [label: string, scope: string, onClick: () => void];

function Actions({ channel, act, onEdit }: ActionsProps): ComponentChildren {
  const { name, type, is_verified: isVerified, previous_secret_until: previousUntil } = channel;
  const { enabled = true, secret } = channel.config as ChannelConfig;
  const change = (config: object, done: string) => act("PATCH", "", { config }, done);
  const rotate = () => confirm(ROTATION) && change({ secret: null }, "Rotated.");
  const revoke = () => confirm(REVOCATION) && change({ revoke_previous: true }, "The previous secret is revoked.");
  const remove = () =>
    confirm(`Delete the channel ${escapeInvisible(name)} and its deliveries permanently?`) && act("DELETE", "");
  const actions: readonly Action[] = [
    [type === "email" && !isVerified ? "Email a new link" : "Send a test", "test", () => act("POST", "/test")],
    ["Edit", "update", onEdit],
    [enabled ? "Pause" : "Resume", "update", () => change({ enabled: !enabled }, enabled ? "Paused." : "Resumed.")],
    ...(secret === undefined ? [] : [["Rotate the secret", "update", rotate] as const]),
    ...(previousUntil === undefined ? [] : [["Revoke the previous secret", "update", revoke] as const]),
    ["Delete", "delete", remove],
  ];
  return (
    <div class="row">
      {actions.map(([label, scope, onClick]) => (
        <QuietButton
          key={label}
          scope={`notifications:${scope}`}
          class={scope === "delete" ? "quiet bad" : "quiet"}
          onClick={onClick}
        >
          {label}
        </QuietButton>
      ))}
    </div>
  );
}

const ROTATION = "Replace the secret? For 24 hours, requests are also signed with the current one.";
const REVOCATION = "Revoke the previous secret? Receivers that use it will reject requests.";

// More rows would make the page slow.
const MAX_DELIVERIES = 100;

const TONES: Readonly<Record<string, Tone>> = { delivered: "good", failed: "bad", pending: "warn" };

type DeliveriesProps = ChannelProps & { readonly act: Act; readonly onRefresh: () => Promise<void> };

function Deliveries({ channel, act, onRefresh }: DeliveriesProps): ComponentChildren {
  const { api } = useSession();
  const { value: deliveries = [], problem, busy, run } = useTask<readonly DeliveryView[]>();
  const { id, last_delivery: last } = channel;
  const load = (): Promise<void> => run(() => api.data("GET", channelPath(id, "/deliveries")));
  useEffect(() => void load(), [last?.at, last?.status]);
  const note = deliveries.length === 0 ? "None in the last 30 days." : `The last 30 days, at most ${MAX_DELIVERIES}.`;
  return (
    <section>
      <h2 class="row spread">
        Deliveries
        <QuietButton onClick={() => Promise.all([load(), onRefresh()])}>Refresh</QuietButton>
      </h2>
      <p role="status" class="note">
        {problem ?? (!busy && note)}
      </p>
      <ul class="lines">
        {deliveries.slice(0, MAX_DELIVERIES).map((delivery) => (
          <Delivery key={delivery.id} delivery={delivery} act={act} />
        ))}
      </ul>
    </section>
  );
}

function Delivery({ delivery, act }: { readonly delivery: DeliveryView; readonly act: Act }): ComponentChildren {
  const { id, event, status, attempts, created_at: createdAt, last_error: error } = delivery;
  const { last_attempt_at: last, last_duration_ms: duration, next_attempt_at: next } = delivery;
  const facts = [
    formatTime(last ?? createdAt),
    pluralize(attempts, "attempt", "attempts"),
    duration !== undefined && `${formatNumber(duration)} ms`,
    next !== undefined && `next at ${formatTime(next)}`,
  ];
  return (
    <li class="row columns">
      <span class={`chip ${TONES[status] ?? "plain"}`}>{status}</span>
      <span>
        <strong>{event}</strong> <code class="note">{id}</code>
        {error !== undefined && <p class="note">{escapeInvisible(error)}</p>}
      </span>
      <span class="note">{facts.filter(Boolean).join(", ")}</span>
      <QuietButton
        scope="notifications:test"
        aria-label={`Resend ${event} ${id}`}
        onClick={() => act("POST", `/deliveries/${encodeURIComponent(id)}/replay`)}
      >
        Resend
      </QuietButton>
    </li>
  );
}
