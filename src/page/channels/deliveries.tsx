// The latest deliveries of a channel, each with its payload.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { capitalize, escapeInvisible, formatNumber, pluralize } from "../../base/format-text.ts";
import type { ChannelView } from "../../channels/config/redaction.ts";
import { describeAttempt, describeStatus } from "../../channels/delivery/describe-attempt.ts";
import type { DeliveryView } from "../../channels/delivery/record.ts";
import type { ChannelEvent } from "../../channels/events.ts";
import type { ChannelConfig } from "../../channels/record.ts";
import { channelPath } from "../common/api.ts";
import { CopyDetails } from "../common/copy.tsx";
import { QuietButton, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { formatTime, type Tone } from "../common/text.ts";
import type { ChannelProps } from "./channel-actions.tsx";

// More rows would make the page slow.
const MAX_DELIVERIES = 100;

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
  const [openedChannel] = useState(channel);
  const [filter, setFilter] = useState("");
  const load = (): Promise<void> => run(() => api.data("GET", channelPath(channel.id, "/deliveries")));
  // First refreshes the channel, so that its facts are as new as its deliveries.
  useEffect(() => void (channel === openedChannel ? onChange(channel.id) : load()), [channel]);
  const obstacle = describeObstacle(channel);
  const deliveries = value ?? [];
  const resendProps = { scope: "notifications:test", ...(obstacle !== "" && { disabled: true, title: obstacle }) };
  const withStatus = (wanted: string) => deliveries.filter(({ status }) => wanted === "" || status === wanted);
  const failed = withStatus("failed").filter(({ event }) => event !== "channel.test");
  const counts = ["", "pending", "failed", "delivered"].map((status) => [status, withStatus(status).length] as const);
  const filters = counts.filter(([status, count]) => count > 0 || status === filter);
  const listed = withStatus(filter);
  const period = listed.length > MAX_DELIVERIES ? `The latest ${MAX_DELIVERIES} of the` : "The";
  const note = deliveries.length === 0 ? "None in the last 30 days." : `${period} last 30 days. ${obstacle}`;
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
      <ul class="lines">
        {listed.slice(0, MAX_DELIVERIES).map((delivery) => (
          <Delivery
            key={delivery.id}
            delivery={delivery}
            resendProps={resendProps}
            onResend={() => resend([delivery.id])}
          />
        ))}
      </ul>
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

function Delivery({ delivery, resendProps, onResend }: DeliveryProps): ComponentChildren {
  const { id, event, attempts, attempt_log: log, created_at: createdAt, last_error: error, payload } = delivery;
  const { last_attempt_at: last, next_attempt_at: next, last_http_status: httpStatus } = delivery;
  const { text = "" } = payload as Partial<ChannelEvent>;
  const status = describeStatus(delivery);
  const history = log.map((attempt) => `${formatTime(attempt.at)}: ${describeAttempt(attempt)}`);
  const notes = [httpStatus && `HTTP\u00a0${httpStatus}`, next && `next at ${formatTime(next)}`].filter(Boolean);
  return (
    <li>
      <div class="row columns">
        <span class={`chip ${DELIVERY_TONES[status] ?? "warn"}`}>{status}</span>
        <span>
          <strong>{event}</strong> <code class="note">{id}</code>
          {[text, error].map((line) => (
            <p class="note">
              <Message text={line} />
            </p>
          ))}
        </span>
        <span class="note">{[formatTime(last ?? createdAt), ...notes].join(", ")}</span>
        <QuietButton {...resendProps} aria-label={`Resend ${event} ${id}`} onClick={onResend}>
          Resend
        </QuietButton>
      </div>
      <CopyDetails title={`Log of ${pluralize(attempts, "attempt", "attempts")}`} text={history.join("\n")} />
      <CopyDetails title="Payload" text={JSON.stringify(payload, null, 2)} />
    </li>
  );
}
