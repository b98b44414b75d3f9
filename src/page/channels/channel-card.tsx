// One channel: its facts, its test and its deliveries.

import type { ComponentChildren } from "preact";
import { escapeInvisible, pluralize } from "../../base/format-text.ts";
import type { ChannelView } from "../../channels/config/redaction.ts";
import type { DeliveryView } from "../../channels/delivery/record.ts";
import { CHANNEL_TYPE_NAMES, type ChannelType } from "../../channels/kinds.ts";
import { channelPath } from "../common/api.ts";
import { Fact } from "../common/charts.tsx";
import { useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { formatTime, type Tone } from "../common/text.ts";

interface CardProps {
  readonly channel: ChannelView;
  readonly onChange: () => Promise<void>;
}

export function ChannelCard({ channel, onChange }: CardProps): ComponentChildren {
  const { id, name, type, config, is_verified: verified, created_at: created } = channel;
  const { events, enabled } = config as { readonly events?: readonly string[]; readonly enabled?: boolean };
  return (
    <article class="card" aria-labelledby={id}>
      <h2 id={id}>
        <bdi>{escapeInvisible(name)}</bdi>
      </h2>
      <ul class="chips" aria-label="State">
        <li class="chip plain">{CHANNEL_TYPE_NAMES[type as ChannelType] ?? type}</li>
        <li class={`chip ${verified ? "good" : "warn"}`}>{verified ? "verified" : "not verified"}</li>
        {enabled === false && <li class="chip warn">paused</li>}
      </ul>
      <dl class="lines">
        <Fact name="Sends to">
          <bdi class="address">{escapeInvisible(targetOf(channel))}</bdi>
        </Fact>
        <Fact name="Events">{events === undefined ? "all" : events.join(", ")}</Fact>
        <Fact name="Since">{formatTime(created)}</Fact>
      </dl>
      <Actions channel={channel} onChange={onChange} />
      <Deliveries channelId={id} />
    </article>
  );
}

/** The address, or the host of a URL: what follows it is a secret. */
function targetOf({ config }: ChannelView): string {
  const { address, url } = config as { readonly address?: string; readonly url?: string };
  if (address !== undefined) return address;
  return url === undefined ? "nothing yet: its config is missing" : (URL.parse(url)?.origin ?? url);
}

function Actions({ channel, onChange }: CardProps): ComponentChildren {
  const { api } = useSession();
  const { value, problem, busy, run: begin } = useTask<string>();
  const run = async (method: string, path: string): Promise<void> => {
    if (busy) return;
    await begin(() => api.message(method, path));
    await onChange();
  };
  const { id, name, type, is_verified: verified } = channel;
  const remove = async (): Promise<void> => {
    if (confirm(`Delete the channel ${escapeInvisible(name)} for good?`)) await run("DELETE", channelPath(id));
  };
  return (
    <>
      <div class="row">
        <button type="button" onClick={() => run("POST", channelPath(id, "/test"))}>
          Send a test
        </button>
        {type === "email" && !verified && (
          <button type="button" class="quiet" onClick={() => run("POST", channelPath(id, "/verification"))}>
            Mail the link again
          </button>
        )}
        <button type="button" class="quiet" onClick={remove}>
          Delete
        </button>
      </div>
      <p role="status" class={problem === undefined ? "note" : "problem"}>
        {busy ? "Please wait…" : (problem ?? value)}
      </p>
    </>
  );
}

// More rows would make the page slow.
const DELIVERIES_MAX = 100;

const TONES: Readonly<Record<string, Tone>> = { delivered: "good", failed: "bad", pending: "warn" };

function Deliveries({ channelId }: { readonly channelId: string }): ComponentChildren {
  const { api } = useSession();
  const list = useTask<readonly DeliveryView[]>();
  const sending = useTask<string>();
  const load = (): Promise<void> => list.run(() => api.data("GET", channelPath(channelId, "/deliveries")));
  const replay = async (id: string): Promise<void> => {
    const path = channelPath(channelId, `/deliveries/${encodeURIComponent(id)}/replay`);
    await sending.run(() => api.message("POST", path));
    await load();
  };
  const deliveries = list.value;
  return (
    <details class="fold" onToggle={({ currentTarget }) => void (currentTarget.open && load())}>
      <summary>Deliveries</summary>
      <p role="status" class="note">
        {list.problem ?? (sending.busy ? "Sending it again…" : (sending.problem ?? sending.value))}
      </p>
      {deliveries?.length === 0 && <p>Nothing was sent to it in the last 30 days.</p>}
      <ul class="lines">
        {deliveries?.slice(0, DELIVERIES_MAX).map((delivery) => (
          <li key={delivery.id}>
            <Delivery delivery={delivery} onReplay={replay} />
          </li>
        ))}
      </ul>
      {deliveries !== undefined && deliveries.length > DELIVERIES_MAX && (
        <p class="note">
          The latest {DELIVERIES_MAX} of {pluralize(deliveries.length, "delivery", "deliveries")}.
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
  const { id, event, status, attempts, created_at: created, next_attempt_at: next, last_error: error } = delivery;
  return (
    <>
      <span class={`chip ${TONES[status] ?? "plain"}`}>{status}</span> <strong>{event}</strong>{" "}
      <span class="note">
        {formatTime(created)}, {pluralize(attempts, "try", "tries")}
        {next !== undefined && `, next at ${formatTime(next)}`}
      </span>
      {error !== undefined && <p class="note">{escapeInvisible(error)}</p>}
      {status === "failed" && (
        <button
          type="button"
          class="quiet"
          aria-label={`Send ${event} of ${formatTime(created)} again`}
          onClick={() => onReplay(id)}
        >
          Send again
        </button>
      )}
    </>
  );
}
