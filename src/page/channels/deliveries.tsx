// The latest deliveries of a channel, each with its payload.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
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

// Number of rows shown at first, and added by each click.
const PAGE_ROWS = 20;

/** Tones of the texts in chips. The others are `warn`. */
export const DELIVERY_TONES: Readonly<Record<string, Tone>> = {
  delivered: "good",
  failed: "bad",
  "failing since": "bad",
};

interface DeliveriesProps extends ChannelProps {
  readonly onChange: (loadedBy?: string) => Promise<void>;
  readonly resend: (ids: readonly string[]) => Promise<void>;
}

export function Deliveries({ channel, resend, onChange }: DeliveriesProps): ComponentChildren {
  const { api } = useSession();
  const { value, problem, run } = useTask<readonly DeliveryView[]>();
  const [filter, setFilter] = useState("");
  const [maxRows, setMaxRows] = useState(PAGE_ROWS);
  const rows = useRef<HTMLUListElement>(null);
  // The first added row gets the focus, because the last click removes the button.
  useEffect(() => {
    if (maxRows > PAGE_ROWS) rows.current?.children[maxRows - PAGE_ROWS]?.querySelector("summary")?.focus();
  }, [maxRows]);
  const load = (): Promise<void> => run(() => api.data("GET", channelPath(channel.id, "/deliveries")));
  // Refreshes the channel too, so that its facts are as new as its deliveries.
  useEffect(() => void onChange(channel.id), []);
  useEffect(() => void load(), [channel]);
  const obstacle = describeObstacle(channel);
  const deliveries = value ?? [];
  const resendProps = { scope: "notifications:test", ...(obstacle !== "" && { disabled: true, title: obstacle }) };
  const withStatus = (wanted: string) =>
    deliveries.filter((delivery) => wanted === "" || statusOf(delivery) === wanted);
  const failed = withStatus("failed").filter(({ event }) => event !== "channel.test");
  const counts = ["", "pending", "failed", "delivered"].map((status) => [status, withStatus(status).length] as const);
  const filters = counts.filter(([status, count]) => count > 0 || status === filter);
  const listed = withStatus(filter);
  const note = deliveries.length === 0 ? "None in the last 30 days." : `The last 30 days. ${obstacle}`;
  return (
    <section>
      <h2 class="row spread">
        Deliveries
        <span class="row">
          {failed.length > 0 && (
            <QuietButton
              title="The oldest first, without tests, until one fails."
              {...resendProps}
              onClick={() => resend(failed.map(({ id }) => id).reverse())}
            >
              Resend {formatNumber(failed.length)} failed
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
        {problem ?? (value !== undefined && note)}
      </p>
      <ul class="lines" ref={rows}>
        {listed.slice(0, maxRows).map((delivery) => (
          <Delivery
            key={delivery.id}
            delivery={delivery}
            resendProps={resendProps}
            onResend={() => resend([delivery.id])}
          />
        ))}
      </ul>
      {listed.length > maxRows && <QuietButton onClick={() => setMaxRows(maxRows + PAGE_ROWS)}>Show more</QuietButton>}
    </section>
  );
}

/** Returns why deliveries of the channel can't be sent again, or an empty text. */
function describeObstacle({ is_verified: isVerified, config }: ChannelView): string {
  if (!isVerified) return "To resend one, verify the channel first.";
  return (config as ChannelConfig).enabled === false ? "To resend one, resume the channel first." : "";
}

/** Renders a message without line breaks in options, such as --allow-private. */
export function Message({ text = "" }: { readonly text: string | undefined }): ComponentChildren {
  const parts = escapeInvisible(text).split(/(--[\w-]+)/);
  return parts.map((part, i) => (i % 2 === 0 ? part : <span class="unbroken">{part}</span>));
}

type DeliveryProps = Readonly<{ delivery: DeliveryView; resendProps: object; onResend: () => void }>;

/** Returns the status for the chip and the filter. During an attempt, the delivery is pending. */
function statusOf(delivery: DeliveryView): string {
  const status = describeStatus(delivery);
  return status === "running" ? "pending" : status;
}

function Delivery({ delivery, resendProps, onResend }: DeliveryProps): ComponentChildren {
  const { id, event, attempt_log: log, created_at: createdAt, last_error: error, payload } = delivery;
  const { last_attempt_at: last, next_attempt_at: next } = delivery;
  const { text = "" } = payload as Partial<ChannelEvent>;
  const status = statusOf(delivery);
  // A delivered event stays so if someone sends it again and that fails.
  const problem = error !== undefined && status === "delivered" ? `resend failed: ${error}` : error;
  const summary = (
    <span class="row columns">
      <span class={`chip ${DELIVERY_TONES[status] ?? "warn"}`}>{status}</span>
      <strong>{event}</strong>
      <span class={`note cut ${problem === undefined ? "" : "bad"}`}>
        {escapeInvisible([problem ?? [], text].flat().join(" · "))}
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
        {log.map((attempt) => (
          <p key={attempt.at} class={`note ${attempt.ok === false ? "bad" : ""}`}>
            {formatTime(attempt.at)}: <Message text={describeAttempt(attempt)} />
          </p>
        ))}
        <CopyDetails title="Payload" text={JSON.stringify(payload, null, 2)} />
      </LazyDetails>
    </li>
  );
}
