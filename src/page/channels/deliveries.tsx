// The latest deliveries of a channel, each with its payload.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { escapeInvisible, pluralize, toSentence } from "../../base/format-text.ts";
import { describeAttempt, describeStatus } from "../../channels/delivery/describe-attempt.ts";
import type { DeliveryView } from "../../channels/delivery/record.ts";
import type { ChannelConfig } from "../../channels/record.ts";
import { channelPath } from "../common/api.ts";
import { CopyDetails } from "../common/copy.tsx";
import { QuietButton, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { formatTime, type Tone } from "../common/text.ts";
import type { Act, ActProps } from "./channel-actions.tsx";

// More rows would make the page slow.
const MAX_DELIVERIES = 100;

/** Tones of the texts in chips. The others are `warn`. */
export const DELIVERY_TONES: Readonly<Record<string, Tone>> = {
  delivered: "good",
  failed: "bad",
  "failing since": "bad",
};

const TO_RESEND = "verify or resume the channel first.";

type DeliveriesProps = ActProps & Readonly<Record<"onOpen" | "onRefresh", () => Promise<void>>>;

export function Deliveries({ channel, act, onOpen, onRefresh }: DeliveriesProps): ComponentChildren {
  const { api } = useSession();
  const { value: deliveries, problem, run } = useTask<readonly DeliveryView[]>();
  const [openedChannel] = useState(channel);
  const load = (): Promise<void> => run(() => api.data("GET", channelPath(channel.id, "/deliveries")));
  // First refreshes the channel, so that its facts are as new as its deliveries.
  useEffect(() => void (channel === openedChannel ? onOpen() : load()), [channel]);
  const { is_verified: isVerified, config } = channel;
  const isSendable = isVerified && (config as ChannelConfig).enabled !== false;
  const latest = `The last 30 days, at most ${MAX_DELIVERIES}.${isSendable ? "" : ` To resend: ${TO_RESEND}`}`;
  const note = deliveries?.length === 0 ? "None in the last 30 days." : latest;
  return (
    <section>
      <h2 class="row spread">
        Deliveries
        <QuietButton onClick={onRefresh}>Refresh</QuietButton>
      </h2>
      <p role="status" class="note">
        {problem ?? (deliveries !== undefined && note)}
      </p>
      <ul class="lines">
        {deliveries?.slice(0, MAX_DELIVERIES).map((delivery) => (
          <Delivery key={delivery.id} delivery={delivery} isSendable={isSendable} act={act} />
        ))}
      </ul>
    </section>
  );
}

type DeliveryProps = Readonly<{ delivery: DeliveryView; isSendable: boolean; act: Act }>;

function Delivery({ delivery, isSendable, act }: DeliveryProps): ComponentChildren {
  const { id, event, attempts, attempt_log: log, created_at: createdAt, last_error: error } = delivery;
  const { last_attempt_at: last, next_attempt_at: next } = delivery;
  const status = describeStatus(delivery);
  const history = log.map((attempt) => `${formatTime(attempt.at)}: ${describeAttempt(attempt)}`);
  const nextNote = next && `, next at ${formatTime(next)}`;
  return (
    <li>
      <div class="row columns">
        <span class={`chip ${DELIVERY_TONES[status] ?? "warn"}`}>{status}</span>
        <span>
          <strong>{event}</strong> <code class="note">{id}</code>
          {error !== undefined && <p class="note">{escapeInvisible(error)}</p>}
        </span>
        <span class="note">
          {formatTime(last ?? createdAt)}
          {nextNote}
        </span>
        <QuietButton
          scope="notifications:test"
          aria-label={`Resend ${event} ${id}`}
          {...(!isSendable && { disabled: true, title: toSentence(TO_RESEND) })}
          onClick={() => act("POST", `/deliveries/${encodeURIComponent(id)}/replay`)}
        >
          Resend
        </QuietButton>
      </div>
      <CopyDetails title={`Log of ${pluralize(attempts, "attempt", "attempts")}`} text={history.join("\n")} />
      <CopyDetails title="Payload" text={JSON.stringify(delivery.payload, null, 2)} />
    </li>
  );
}
