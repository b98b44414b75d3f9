// The latest deliveries of a channel, each with its payload.

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { escapeInvisible, formatNumber, pluralize } from "../../base/format-text.ts";
import type { DeliveryView } from "../../channels/delivery/record.ts";
import { channelPath } from "../common/api.ts";
import { CopyDetails } from "../common/copy.tsx";
import { QuietButton, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { formatTime, type Tone } from "../common/text.ts";
import type { Act, ChannelProps } from "./channel-actions.tsx";

// More rows would make the page slow.
const MAX_DELIVERIES = 100;

export const DELIVERY_TONES: Readonly<Record<string, Tone>> = { delivered: "good", failed: "bad", pending: "warn" };

type DeliveriesProps = ChannelProps & { readonly act: Act; readonly onRefresh: () => Promise<void> };

export function Deliveries({ channel, act, onRefresh }: DeliveriesProps): ComponentChildren {
  const { api } = useSession();
  const { value: deliveries, problem, run } = useTask<readonly DeliveryView[]>();
  const { id, last_delivery: last } = channel;
  const load = (): Promise<void> => run(() => api.data("GET", channelPath(id, "/deliveries")));
  useEffect(() => void load(), [last?.at, last?.status]);
  const note = deliveries?.length === 0 ? "None in the last 30 days." : `The last 30 days, at most ${MAX_DELIVERIES}.`;
  return (
    <section>
      <h2 class="row spread">
        Deliveries
        <QuietButton onClick={() => Promise.all([load(), onRefresh()])}>Refresh</QuietButton>
      </h2>
      <p role="status" class="note">
        {problem ?? (deliveries !== undefined && note)}
      </p>
      <ul class="lines">
        {deliveries?.slice(0, MAX_DELIVERIES).map((delivery) => (
          <Delivery key={delivery.id} delivery={delivery} act={act} />
        ))}
      </ul>
    </section>
  );
}

function Delivery({ delivery, act }: { readonly delivery: DeliveryView; readonly act: Act }): ComponentChildren {
  const { id, event, status, attempts, created_at: createdAt, last_error: error, payload } = delivery;
  const { last_attempt_at: last, last_http_status: httpStatus, last_duration_ms: ms, next_attempt_at: next } = delivery;
  const facts = [
    formatTime(last ?? createdAt),
    pluralize(attempts, "attempt", "attempts"),
    httpStatus !== undefined && `HTTP ${httpStatus}`,
    ms !== undefined && `${formatNumber(ms)} ms`,
    next !== undefined && `next at ${formatTime(next)}`,
  ];
  return (
    <li>
      <div class="row columns">
        <span class={`chip ${DELIVERY_TONES[status]}`}>{status}</span>
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
      </div>
      <CopyDetails title="Payload" text={JSON.stringify(payload, null, 2)} />
    </li>
  );
}
