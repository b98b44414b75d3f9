// A row of the channel list. It opens to show the channel's facts, actions, deliveries and edit form.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { escapeInvisible, pluralize } from "../../base/format-text.ts";
import type { ChannelView } from "../../channels/config/redaction.ts";
import type { DeliveryView } from "../../channels/delivery/record.ts";
import { CHANNEL_TYPE_NAMES, type ChannelType } from "../../channels/kinds.ts";
import type { ChannelConfig } from "../../channels/record.ts";
import { channelPath } from "../common/api.ts";
import { Fact } from "../common/charts.tsx";
import { CopyButton } from "../common/copy.tsx";
import { LazyDetails, QuietButton, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { formatTime, type Tone } from "../common/text.ts";
import { ChannelForm } from "./channel-form.tsx";

interface ActionsProps {
  readonly channel: ChannelView;
  readonly onChange: () => Promise<void>;
}

export function ChannelRow({ channel, open, onChange }: ActionsProps & { readonly open: boolean }): ComponentChildren {
  const { id, name, type, is_verified: isVerified, created_at: createdAt, last_delivery: last } = channel;
  const { previous_secret_until: previousUntil } = channel;
  const config = channel.config as ChannelConfig;
  const [saves, setSaves] = useState(0);
  const onSaved = (): Promise<void> => {
    setSaves(saves + 1);
    return onChange();
  };
  const target =
    config.address ?? (config.url === undefined ? "no target" : (URL.parse(config.url)?.host ?? config.url));
  return (
    <LazyDetails
      open={open}
      summary={
        <span class="row">
          <strong>
            <bdi>{escapeInvisible(name)}</bdi>
          </strong>
          <span class="note">
            {CHANNEL_TYPE_NAMES[type as ChannelType] ?? type} · <bdi>{escapeInvisible(target)}</bdi>
            {` ·\u00a0${config.events?.join(", ") ?? "all events"}`}
          </span>
          <code class="note">{id}</code>
          <span class="row">
            <span class={`chip ${isVerified ? "good" : "warn"}`}>{isVerified ? "verified" : "not verified"}</span>
            {config.enabled === false && <span class="chip warn">paused</span>}
            {last !== undefined && last.status !== "delivered" && (
              <span class={`chip ${TONES[last.status] ?? "warn"}`}>last delivery {last.status}</span>
            )}
          </span>
        </span>
      }
    >
      <dl class="lines">
        <Fact name="ID">
          <code>{id}</code> <CopyButton text={id} label="Copy the ID" />
        </Fact>
        <Fact name="Created">{formatTime(createdAt)}</Fact>
        {last !== undefined && (
          <Fact name="Last delivery">
            {last.status}, {formatTime(last.at)}
            {last.error !== undefined && <bdi>: {escapeInvisible(last.error)}</bdi>}
          </Fact>
        )}
        {type === "email" && !isVerified && (
          <Fact name="Verification">
            Open the link in the message to the address, or run the command in it. No message? Email a new link.
          </Fact>
        )}
        {previousUntil !== undefined && (
          <Fact name="Previous secret">Requests carry both signatures until {formatTime(previousUntil)}.</Fact>
        )}
      </dl>
      <Actions key={saves} channel={channel} isPaused={config.enabled === false} onChange={onChange} />
      <Deliveries channelId={id} onLoad={onChange} />
      <LazyDetails class="fold" summary="Edit">
        <ChannelForm channel={channel} channels={[channel]} onSaved={onSaved} />
        {type !== "email" && (
          <p class="note">A URL that ends with [redacted] stays the same. To change headers, use the API.</p>
        )}
      </LazyDetails>
    </LazyDetails>
  );
}

function Actions({ channel, isPaused, onChange }: ActionsProps & { readonly isPaused: boolean }): ComponentChildren {
  const { api } = useSession();
  const { value, problem, busy, run: startTask } = useTask<string>();
  const { id, name, type, is_verified: isVerified, previous_secret_until: previousUntil } = channel;
  const run = async (method: string, subpath = "", body?: object, done?: string): Promise<void> => {
    if (busy) return;
    await startTask(() => api.message(method, channelPath(id, subpath), { body }, done));
    await onChange();
  };
  const remove = async (): Promise<void> => {
    if (confirm(`Delete the channel ${escapeInvisible(name)} permanently?`)) await run("DELETE");
  };
  const pauseOrResume = (): Promise<void> =>
    run("PATCH", "", { config: { enabled: isPaused } }, isPaused ? "Resumed." : "Paused.");
  const revoke = (): Promise<void> =>
    run("PATCH", "", { config: { revoke_previous: true } }, "The previous secret is revoked.");
  return (
    <>
      <div class="row">
        <QuietButton scope="notifications:test" onClick={() => run("POST", "/test")}>
          {type === "email" && !isVerified ? "Email a new link" : "Send a test"}
        </QuietButton>
        <QuietButton scope="notifications:update" onClick={pauseOrResume}>
          {isPaused ? "Resume" : "Pause"}
        </QuietButton>
        {previousUntil !== undefined && (
          <QuietButton scope="notifications:update" onClick={revoke}>
            Revoke the previous secret now
          </QuietButton>
        )}
        <QuietButton scope="notifications:delete" class="quiet bad" onClick={remove}>
          Delete
        </QuietButton>
      </div>
      <p role="status" class={problem === undefined ? "note" : "problem"}>
        {busy ? "Please wait…" : (problem ?? value)}
      </p>
    </>
  );
}

// More rows would make the page slow.
const MAX_DELIVERIES = 100;

const TONES: Readonly<Record<string, Tone>> = { delivered: "good", failed: "bad", pending: "warn" };

interface DeliveriesProps {
  readonly channelId: string;
  /** Reloads the channels: their last delivery has probably changed. */
  readonly onLoad: () => Promise<void>;
}

function Deliveries({ channelId, onLoad }: DeliveriesProps): ComponentChildren {
  const { api } = useSession();
  const listTask = useTask<readonly DeliveryView[]>();
  const replayTask = useTask<string>();
  const load = async (): Promise<void> => {
    await Promise.all([listTask.run(() => api.data("GET", channelPath(channelId, "/deliveries"))), onLoad()]);
  };
  const replay = async (id: string): Promise<void> => {
    const path = channelPath(channelId, `/deliveries/${encodeURIComponent(id)}/replay`);
    await replayTask.run(() => api.message("POST", path));
    await load();
  };
  const deliveries = listTask.value;
  return (
    <details class="fold" onToggle={({ currentTarget }) => void (currentTarget.open && load())}>
      <summary>Deliveries</summary>
      <p role="status" class="note">
        {listTask.problem ?? (replayTask.busy ? "Sending…" : (replayTask.problem ?? replayTask.value))}
      </p>
      {deliveries?.length === 0 && <p>No deliveries in the last 30 days: send a test to try the channel.</p>}
      {deliveries !== undefined && <QuietButton onClick={load}>Refresh</QuietButton>}
      <ul class="lines">
        {deliveries?.slice(0, MAX_DELIVERIES).map((delivery) => (
          <li key={delivery.id}>
            <Delivery delivery={delivery} onReplay={replay} />
          </li>
        ))}
      </ul>
      {deliveries !== undefined && deliveries.length > MAX_DELIVERIES && (
        <p class="note">
          The latest {MAX_DELIVERIES} of {pluralize(deliveries.length, "delivery", "deliveries")}.
        </p>
      )}
    </details>
  );
}

interface DeliveryProps {
  readonly delivery: DeliveryView;
  readonly onReplay: (id: string) => Promise<void>;
}

function Delivery({ delivery, onReplay }: DeliveryProps): ComponentChildren {
  const { id, event, status, attempts, created_at: createdAt, last_error: error } = delivery;
  const { last_attempt_at: last, next_attempt_at: next } = delivery;
  return (
    <>
      <p class="row">
        <span class={`chip ${TONES[status] ?? "plain"}`}>{status}</span> <strong>{event}</strong>
        <span class="note">
          {formatTime(createdAt)}, {pluralize(attempts, "attempt", "attempts")}
          {attempts > 1 && last !== undefined && `, the last at ${formatTime(last)}`}
          {next !== undefined && `, next at ${formatTime(next)}`}
        </span>
        <code class="note">{id}</code>
        <QuietButton scope="notifications:test" aria-label={`Resend ${event} ${id}`} onClick={() => onReplay(id)}>
          Resend
        </QuietButton>
      </p>
      {error !== undefined && <p class="note">{escapeInvisible(error)}</p>}
    </>
  );
}
