// A row of the channel list. It opens to show the channel's facts, actions and deliveries, or the form that changes it.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { escapeInvisible, toSentence } from "../../base/format-text.ts";
import type { ChannelView } from "../../channels/config/redaction.ts";
import { describeLastDelivery } from "../../channels/delivery/describe-attempt.ts";
import type { DeliveryView } from "../../channels/delivery/record.ts";
import type { ChannelEvent } from "../../channels/events.ts";
import { CHANNEL_TYPE_NAMES, type ChannelType } from "../../channels/kinds.ts";
import type { ChannelConfig } from "../../channels/record.ts";
import { channelPath, errorMessage } from "../common/api.ts";
import { Fact } from "../common/charts.tsx";
import { CopyButton } from "../common/copy.tsx";
import { LazyDetails, QuietButton, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { formatTime } from "../common/text.ts";
import { type Act, Actions, type ChannelProps, Verification } from "./channel-actions.tsx";
import { ChannelForm, type SavedChannel } from "./channel-form.tsx";
import { Deliveries, toneOf } from "./deliveries.tsx";

interface RowProps extends ChannelProps {
  /** The response that created the channel, if this page created it. */
  readonly created: SavedChannel | undefined;
  readonly canMail: boolean;
  /** Whether this row asked for the last load of the list. Otherwise the row's message may be outdated. */
  readonly isOwnLoad: boolean;
  /** Loads the list again. `loadedBy` is the ID of the channel whose row asks for it. */
  readonly onChange: (loadedBy?: string) => Promise<void>;
  /** Called when the row is removed with the focus in it. */
  readonly onRemove: () => void;
}

export function ChannelRow({ channel, created, canMail, isOwnLoad, onChange, onRemove }: RowProps): ComponentChildren {
  const { api } = useSession();
  const { value, problem, busy, run, clear } = useTask<string>();
  const [secret, setFresh] = useNewSecret(channel);
  const [isEditing, setEditing] = useState(false);
  // IDs of the deliveries that the latest action sent again, joined by commas; empty after another action.
  const [resent, setResent] = useState("");
  const row = useRef<HTMLLIElement>(null);
  const focus = (): void => row.current?.querySelector("summary")?.focus();
  const show = (saved: SavedChannel, done: string): string => {
    // Only the response of a failed resend has it.
    if ("last_error" in saved) throw new Error(saved.message);
    const newSecret = (saved.config as ChannelConfig | undefined)?.secret;
    if (newSecret?.startsWith("whsec_")) setFresh(saved);
    return toSentence(saved.message ?? done);
  };
  const perform = async (work: (signal: AbortSignal) => Promise<string>, ids = "") => {
    if (busy) return;
    setResent(ids);
    await run(work);
    await onChange(channel.id);
  };
  const act: Act = (method, subpath, body, done = "") =>
    perform(async () => show(await api.json(method, channelPath(channel.id, subpath), { body }), done));
  const resend = (deliveries: readonly DeliveryView[]): Promise<void> => {
    const ids = deliveries.map(({ id }) => id).join();
    const send = async (id: string, signal: AbortSignal): Promise<string> =>
      show(await api.json("POST", channelPath(channel.id, `/deliveries/${id}/replay`), { signal }), "");
    return perform((signal) => resendInTurn(deliveries, (id) => send(id, signal)), ids);
  };
  const finishEditing = async (saved?: SavedChannel): Promise<void> => {
    setEditing(false);
    focus();
    if (saved !== undefined) await perform(async () => show(saved, "Saved."));
  };
  useEffect(() => {
    if (!isOwnLoad) clear();
  }, [JSON.stringify(channel)]);
  useEffect(() => {
    if (created !== undefined) {
      row.current?.querySelector("summary")?.click();
      void finishEditing(created);
    }
    return () => void (row.current?.contains(document.activeElement) && onRemove());
  }, []);
  const dismissSecret = (): void => {
    setFresh(undefined);
    focus();
  };
  const message = problem ?? value ?? "";
  // The box about the verification shows the message.
  const isInBox = message.includes(channel.verification_error?.slice(1) ?? "\0");
  const status = (
    <p role="status" class={problem === undefined || isInBox ? "note" : "problem"}>
      {busy ? "Please wait…" : !isInBox && escapeInvisible(message)}
    </p>
  );
  return (
    <li ref={row} id={channel.id}>
      <LazyDetails name="channel" summary={<Summary channel={channel} />}>
        {isEditing ? (
          <ChannelForm channel={channel} onClose={finishEditing} />
        ) : (
          <>
            {secret !== undefined && <NewSecret secret={secret} onDismiss={dismissSecret} />}
            {!channel.is_verified && <Verification {...{ channel, act, canMail, perform, focus }} />}
            <Actions channel={channel} act={act} onEdit={() => setEditing(true)} />
            {resent === "" && status}
            <Facts channel={channel} />
            <Deliveries {...{ channel, resend, resent, onChange }} outcome={resent !== "" && status} />
          </>
        )}
      </LazyDetails>
    </li>
  );
}

/** Stops at a failure, because the receiver would probably reject the other events too. */
async function resendInTurn(
  deliveries: readonly DeliveryView[],
  resend: (id: string) => Promise<unknown>,
): Promise<string> {
  const count = deliveries.length;
  for (const [i, delivery] of deliveries.entries()) {
    await resend(delivery.id).catch((failure) => {
      if (count === 1) throw failure;
      const { text } = delivery.payload as Partial<ChannelEvent>;
      const progress = `${i} of ${count} events delivered, ${count - i - 1} not tried after “${text}” failed.`;
      throw new Error(`${progress} ${errorMessage(failure)}`);
    });
  }
  return count === 1 ? "The event was delivered." : `${count} events were delivered.`;
}

function Summary({ channel }: ChannelProps): ComponentChildren {
  const { name, type, is_verified: isVerified } = channel;
  const { address, url = "", events, enabled } = channel.config as ChannelConfig;
  return (
    <span class="row columns">
      <strong>
        <bdi>{escapeInvisible(name)}</bdi>
      </strong>
      <span class="note">
        {CHANNEL_TYPE_NAMES[type as ChannelType] ?? type}
        {"\u00a0· "}
        <bdi>{escapeInvisible(address ?? URL.parse(url)?.host ?? "no destination")}</bdi>
        {`\u00a0· ${events?.join(", ") ?? "all events"}`}
      </span>
      <span class="row">
        <Health channel={channel} />
        {enabled === false && <span class="chip warn">paused</span>}
        <span class={`chip ${isVerified ? "good" : "warn"}`}>{isVerified ? "verified" : "not verified"}</span>
      </span>
    </span>
  );
}

function Health({ channel }: ChannelProps): ComponentChildren {
  const { last_delivery: last, failing_since: failing, pending_deliveries: pending } = channel;
  const status = failing ? "failing since" : last ? describeLastDelivery(last) : "pending";
  return (
    <>
      {pending && <span class="chip warn">{pending} pending</span>}
      {status !== "pending" && (
        <span class={`chip ${toneOf(status)}`}>
          {status} {formatTime((failing ?? last?.at) as string)}
        </span>
      )}
    </>
  );
}

/** Returns the channel's new secret until it is dismissed or replaced elsewhere, and the setter of the saved channel. */
function useNewSecret({ secret_digest: digest }: ChannelView) {
  const [saved, setSaved] = useState<SavedChannel>();
  useEffect(() => {
    if (digest !== saved?.secret_digest) setSaved(undefined);
  }, [digest]);
  return [(saved?.config as ChannelConfig | undefined)?.secret, setSaved] as const;
}

const preventDefault = (event: Event): void => event.preventDefault();

type SecretProps = Readonly<{ secret: string; onDismiss: () => void }>;

function NewSecret({ secret, onDismiss }: SecretProps): ComponentChildren {
  useEffect(() => {
    addEventListener("beforeunload", preventDefault);
    return () => removeEventListener("beforeunload", preventDefault);
  }, []);
  return (
    <div class="verdict warn row">
      <strong>Copy the signing secret now, it won't be shown again:</strong> <code>{secret}</code>
      <CopyButton text={secret} label="Copy the secret" />
      <QuietButton onClick={onDismiss}>Done</QuietButton>
    </div>
  );
}

function Facts({ channel }: ChannelProps): ComponentChildren {
  const { id, type, last_success: success, previous_secret_until: previousUntil } = channel;
  const { headers = {} } = channel.config as ChannelConfig;
  return (
    <dl class="lines">
      <Fact name="ID">
        <code>{id}</code> <CopyButton text={id} label="Copy the ID" />
      </Fact>
      {type === "webhook" && <Fact name="Headers">{Object.keys(headers).join(", ") || "none"}</Fact>}
      {success !== undefined && <Fact name="Last success">{formatTime(success)}</Fact>}
      {previousUntil !== undefined && (
        <Fact name="Previous secret">Signs requests until {formatTime(previousUntil)}.</Fact>
      )}
    </dl>
  );
}
