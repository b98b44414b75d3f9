// Deliveries to a channel in the last 30 days, requested when the list is unfolded.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { counted, escapeInvisible } from "../../base/shown.ts";
import type { ShownDelivery } from "../../channels/delivery/record.ts";
import { problemOf } from "../common/api.ts";
import { useSession } from "../common/session.ts";
import { shownTime } from "../common/text.ts";
import type { Tone } from "../common/tone.ts";
import { channelPath } from "./paths.ts";

// A page with thousands of rows is slow, and no one reads them.
const SHOWN_MAX = 100;

const TONES: Readonly<Record<string, Tone>> = { delivered: "good", failed: "bad", pending: "warn" };

export function Deliveries({ channelId }: { readonly channelId: string }): ComponentChildren {
  const { api } = useSession();
  const [deliveries, setDeliveries] = useState<readonly ShownDelivery[]>();
  const [said, setSaid] = useState("");
  const load = async (): Promise<void> => {
    try {
      const { data } = await api.json<{ data: ShownDelivery[] }>("GET", channelPath(channelId, "/deliveries"));
      setDeliveries(data);
    } catch (failure) {
      setSaid(problemOf(failure));
    }
  };
  const replay = async (id: string): Promise<void> => {
    setSaid("Sending it again…");
    const path = channelPath(channelId, `/deliveries/${encodeURIComponent(id)}/replay`);
    try {
      setSaid((await api.json<{ message: string }>("POST", path)).message);
    } catch (failure) {
      setSaid(problemOf(failure));
    }
    await load();
  };
  return (
    <details class="fold" onToggle={({ currentTarget }) => void (currentTarget.open && load())}>
      <summary>Deliveries</summary>
      <p role="status" class="note">
        {said}
      </p>
      {deliveries?.length === 0 && <p>Nothing was sent to it in the last 30 days.</p>}
      <ul class="delivery-list">
        {deliveries?.slice(0, SHOWN_MAX).map((delivery) => (
          <li key={delivery.id}>
            <Delivery delivery={delivery} onReplay={replay} />
          </li>
        ))}
      </ul>
      {deliveries !== undefined && deliveries.length > SHOWN_MAX && (
        <p class="note">
          The latest {SHOWN_MAX} of {counted(deliveries.length, "delivery", "deliveries")}.
        </p>
      )}
    </details>
  );
}

function Delivery({
  delivery,
  onReplay,
}: {
  readonly delivery: ShownDelivery;
  readonly onReplay: (id: string) => Promise<void>;
}): ComponentChildren {
  const { id, event, status, attempts, created_at: created, next_attempt_at: next, last_error: error } = delivery;
  return (
    <>
      <span class={`chip ${TONES[status] ?? "plain"}`}>{status}</span> <strong>{event}</strong>{" "}
      <span class="note">
        {shownTime(created)}, {counted(attempts, "try", "tries")}
        {next !== undefined && `, next at ${shownTime(next)}`}
      </span>
      {error !== undefined && <p class="note">{escapeInvisible(error)}</p>}
      {status === "failed" && (
        <button
          type="button"
          class="quiet"
          aria-label={`Send ${event} of ${shownTime(created)} again`}
          onClick={() => onReplay(id)}
        >
          Send again
        </button>
      )}
    </>
  );
}
