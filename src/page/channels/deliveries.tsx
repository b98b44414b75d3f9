// The latest deliveries of a channel, each with its payload.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { capitalize, escapeInvisible, formatNumber } from "../../base/format-text.ts";
import type { ChannelView } from "../../channels/config/redaction.ts";
import { describeAttempt, describeStatus } from "../../channels/delivery/describe-attempt.ts";
import type { DeliveryView } from "../../channels/delivery/record.ts";
import type { ChannelEvent } from "../../channels/events.ts";
import type { ChannelConfig } from "../../channels/record.ts";
import { channelPath } from "../common/api.ts";
import { CopyDetails } from "../common/copy.tsx";
import { LazyDetails, QuietButton, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { formatTime, type Tone } from "../common/text.ts";
import type { ChannelProps } from "./channel-actions.tsx";

/** Returns the tone of a chip: "failed", "failing since" and "resend failed" are bad. */
export function toneOf(status: string): Tone {
  if (status === "pending") return "warn";
  return status === "delivered" ? "good" : "bad";
}

interface DeliveriesProps extends ChannelProps {
  /** IDs of the deliveries that the latest action sent again, joined by commas. */
  readonly resent: string;
  /** Result of that action. */
  readonly outcome: ComponentChildren;
  readonly onChange: (loadedBy?: string) => Promise<void>;
  readonly resend: (deliveries: readonly DeliveryView[]) => Promise<void>;
}

export function Deliveries({ channel, resend, resent, outcome, onChange }: DeliveriesProps): ComponentChildren {
  const { api } = useSession();
  const { value, problem, run } = useTask<readonly DeliveryView[]>();
  const [filter, setFilter] = useState("");
  const load = (): Promise<void> => run(() => api.data("GET", channelPath(channel.id, "/deliveries")));
  // Refreshes the channel too, so that its facts are as new as its deliveries.
  useEffect(() => void onChange(channel.id), []);
  useEffect(() => void load(), [channel]);
  const obstacle = describeObstacle(channel);
  const deliveries = value ?? [];
  const resendProps = { scope: "notifications:test", ...(obstacle !== "" && { disabled: true }) };
  const withStatus = (wanted: string) =>
    deliveries.filter((delivery) => wanted === "" || statusOf(delivery) === wanted);
  const isUndelivered = (delivery: DeliveryView): boolean =>
    delivery.event !== "channel.test" && ["pending", "failed"].includes(describeStatus(delivery));
  const undelivered = deliveries.filter(isUndelivered);
  const counts = ["", "pending", "failed", "delivered"].map((status) => [status, withStatus(status).length] as const);
  const filters = counts.filter(([status, count]) => count > 0 || status === filter);
  const listed = withStatus(filter);
  const resentRow = listed.find(({ id }) => id === resent);
  const note = deliveries.length === 0 ? "None in the last 30 days." : "The last 30 days.";
  return (
    <section>
      <h2 class="row spread">
        Deliveries
        <span class="row">
          {undelivered.length > 0 && (
            <QuietButton {...resendProps} onClick={() => resend(undelivered.toReversed())}>
              Resend {formatNumber(undelivered.length)} undelivered
            </QuietButton>
          )}
          <QuietButton onClick={() => onChange()}>Refresh</QuietButton>
        </span>
      </h2>
      {(filters.length > 2 || filter !== "") && (
        <p class="row">
          {filters.map(([status, count]) => (
            <QuietButton key={status} aria-pressed={status === filter} onClick={() => setFilter(status)}>
              {capitalize(status || "all")} {formatNumber(count)}
            </QuietButton>
          ))}
        </p>
      )}
      <p role="status" class="note">
        {problem ?? (value && note)} {deliveries.length > 0 && obstacle}
      </p>
      {resentRow === undefined && outcome}
      <ul class="lines">
        {listed.map((delivery) => (
          <Delivery
            key={delivery.id}
            delivery={delivery}
            resendProps={resendProps}
            onResend={() => resend([delivery])}
            outcome={delivery === resentRow && outcome}
          />
        ))}
      </ul>
    </section>
  );
}

/** Returns why deliveries of the channel can't be sent again, or an empty text. */
function describeObstacle({ is_verified: isVerified, config }: ChannelView): string {
  if (isVerified && (config as ChannelConfig).enabled !== false) return "";
  return `To resend one, ${isVerified ? "resume" : "verify"} the channel first.`;
}

interface DeliveryProps {
  readonly delivery: DeliveryView;
  readonly resendProps: object;
  readonly onResend: () => void;
  /** The result of the resend. */
  readonly outcome: ComponentChildren;
}

/** Returns the status for the chip and the filter. During an attempt, the delivery is pending. */
function statusOf(delivery: DeliveryView): string {
  const status = describeStatus(delivery);
  return status === "running" ? "pending" : status;
}

function Delivery({ delivery, resendProps, onResend, outcome }: DeliveryProps): ComponentChildren {
  const { id, event, attempt_log: log, created_at: createdAt, last_error: error, payload } = delivery;
  const { last_attempt_at: last, next_attempt_at: next, retries_left: left } = delivery;
  const { text = "", data } = payload as Partial<ChannelEvent>;
  const { label = [] } = (data ?? {}) as { readonly label?: string };
  const status = statusOf(delivery);
  // A delivered event stays so if someone sends it again and that fails.
  const problem = error !== undefined && status === "delivered" ? `resend failed: ${error}` : error;
  const summary = (
    <span class="row columns">
      <span class={`chip ${toneOf(status)}`}>{status}</span>
      <strong>{event}</strong>
      <span class={`note cut ${problem === undefined ? "" : "bad"}`}>
        {escapeInvisible([label, problem ?? [], text].flat().join(" · "))}
      </span>
      <span class="note">{next === undefined ? formatTime(last ?? createdAt) : `next at ${formatTime(next)}`}</span>
    </span>
  );
  return (
    <li>
      <LazyDetails summary={summary}>
        <div class="row spread">
          <span>
            {escapeInvisible(text)} <code class="note">{id}</code>
          </span>
          <QuietButton {...resendProps} aria-label={`Resend ${event} ${id}`} onClick={onResend}>
            Resend
          </QuietButton>
        </div>
        {outcome}
        {log.map((attempt) => (
          <p key={attempt.at} class={`note ${attempt.ok === false ? "bad" : ""}`}>
            {formatTime(attempt.at)}: {escapeInvisible(describeAttempt(attempt))}
          </p>
        ))}
        {status !== "delivered" && <p class="note">Retries left: {left}</p>}
        <CopyDetails title="Payload" text={JSON.stringify(payload, null, 2)} />
      </LazyDetails>
    </li>
  );
}
