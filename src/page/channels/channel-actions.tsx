// What can be done with a channel: its verification, and a row of buttons.

import type { ComponentChildren, TargetedSubmitEvent } from "preact";
import { useEffect } from "preact/hooks";
import { escapeInvisible, toSentence } from "../../base/format-text.ts";
import type { ChannelView } from "../../channels/config/redaction.ts";
import type { ChannelConfig } from "../../channels/record.ts";
import { QuietButton, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { formatTime } from "../common/text.ts";
import { NO_MAIL } from "./channel-form.tsx";

export interface ChannelProps {
  readonly channel: ChannelView;
}

/** Sends a request about the channel, and shows the message of the response, or else `done`. */
export type Act = (method: string, subpath: string, body?: object, done?: string) => Promise<void>;

export type ActProps = ChannelProps & { readonly act: Act };

interface VerificationProps extends ActProps {
  readonly canMail: boolean;
  readonly perform: (work: () => Promise<string>) => Promise<void>;
  /** Moves the focus to the channel's row. */
  readonly focus: () => void;
}

/** Says how to verify the channel, with the button for that, and a field for the token of a mail. */
export function Verification({ channel, act, canMail, perform, focus }: VerificationProps): ComponentChildren {
  const { api } = useSession();
  const { problem, run, clear } = useTask<void>();
  const { verification_failed_at: failedAt, verification_expires_at: end } = channel;
  const { last_delivery: last, last_success: success } = channel;
  const isMailed = channel.type === "email";
  // Without an attempt that failed, the error is that the token has expired.
  const isValid = end !== undefined && (failedAt ?? channel.verification_error === undefined);
  useEffect(clear, [channel]);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("token")).trim();
    const token = /[0-9a-f]{64}/.exec(text)?.[0] ?? text;
    void run(async () => {
      await api.send("POST", `verify/${encodeURIComponent(token)}?channel=${channel.id}`, {});
      focus();
      await perform(async () => "The address is verified.");
    });
  };
  return (
    <div class="verdict warn row">
      <span>
        <strong>Not verified: events wait for up to three days.</strong>{" "}
        {escapeInvisible(describeNextStep(channel, canMail))} {failedAt && `Tried at ${formatTime(failedAt)}.`}{" "}
        {isValid && `Open the emailed link, or enter its token, until ${formatTime(end)}.`}
        {!isMailed && success && last?.error && escapeInvisible(`Last attempt: ${last.error}.`)}
      </span>
      {isValid && (
        <form class="row" onSubmit={submit} onInput={clear}>
          <input name="token" aria-label="Token or link" placeholder="Token or link" required autocomplete="off" />
          <QuietButton type="submit">Verify</QuietButton>
        </form>
      )}
      <Action label={isMailed ? "Email a link" : "Send a test"} scope="test" onClick={() => act("POST", "/test")} />
      <div role="status">{problem !== undefined && <p class="problem">{problem}</p>}</div>
    </div>
  );
}

function describeNextStep(channel: ChannelView, canMail: boolean): string {
  const { type, verification_error: mailError } = channel;
  const { address, url } = channel.config as ChannelConfig;
  if ((address ?? url) === undefined) return "It has no destination: edit it.";
  if (type !== "email") return SEND_TEST;
  if (!canMail) return NO_MAIL;
  return mailError === undefined ? "" : toSentence(mailError);
}

const SEND_TEST = "If the receiver accepts a test, the channel is verified.";

type ActionsProps = ActProps & { readonly onEdit: () => void };

export function Actions({ channel, act, onEdit }: ActionsProps): ComponentChildren {
  const { name, is_verified: isVerified, previous_secret_until: previousUntil } = channel;
  const { enabled = true, secret } = channel.config as ChannelConfig;
  const shownName = escapeInvisible(name);
  const change = (config: object, done: string) => act("PATCH", "", { config }, done);
  return (
    <>
      {!enabled && <p class="verdict warn">Paused: new events are dropped.</p>}
      <div class="row">
        {isVerified && <Action label="Send a test" scope="test" onClick={() => act("POST", "/test")} />}
        <Action label="Edit" onClick={onEdit} />
        <Action
          label={enabled ? "Pause" : "Resume"}
          onClick={() => change({ enabled: !enabled }, enabled ? "Paused." : "Resumed.")}
        />
        {secret !== undefined && (
          <Action
            label="Rotate the secret"
            question={`Rotate the secret of ${shownName}? ${ROTATION}`}
            onClick={() => change({ secret: null }, ROTATED)}
          />
        )}
        {previousUntil !== undefined && (
          <Action
            label="Revoke previous secrets"
            question={`Revoke the previous secrets of ${shownName}? ${REVOCATION}`}
            onClick={() => change({ revoke_previous: true }, "Only the current secret signs requests now.")}
          />
        )}
        <Action
          label="Delete"
          scope="delete"
          question={`Delete the channel ${shownName} and its deliveries permanently?`}
          onClick={() => act("DELETE", "")}
        />
      </div>
    </>
  );
}

const ROTATION = "Requests have both signatures for 24 hours.";
const ROTATED = "Rotated. Give the receiver the new secret, then revoke the previous one.";
const REVOCATION = "Receivers that verify with one of them will reject requests.";

interface ActionProps {
  readonly label: string;
  readonly scope?: "test" | "update" | "delete";
  /** Asked before `onClick`. */
  readonly question?: string;
  readonly onClick: () => unknown;
}

function Action({ label, scope = "update", question, onClick }: ActionProps): ComponentChildren {
  return (
    <QuietButton
      scope={`notifications:${scope}`}
      class={scope === "delete" ? "quiet bad" : "quiet"}
      onClick={() => (question === undefined || confirm(question)) && onClick()}
    >
      {label}
    </QuietButton>
  );
}
