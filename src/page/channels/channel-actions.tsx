// What can be done with a channel: its verification, and a row of buttons.

import type { ComponentChildren, TargetedSubmitEvent } from "preact";
import { useRef } from "preact/hooks";
import { escapeInvisible, toSentence } from "../../base/format-text.ts";
import type { ChannelView } from "../../channels/config/redaction.ts";
import type { ChannelConfig } from "../../channels/record.ts";
import { QuietButton, useSession } from "../common/session.tsx";
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
  const { type, verification_error: mailError, verification_failed_at: failedAt } = channel;
  const { last_delivery: last, last_success: success } = channel;
  const isMailed = type === "email";
  const missingTarget = findMissingTarget(channel);
  const mailStep = mailError === undefined ? OPEN_LINK : toSentence(mailError);
  const nextStep = isMailed ? mailStep : SEND_TEST;
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("token")).trim();
    const token = /[0-9a-f]{64}/.exec(text)?.[0] ?? text;
    void perform(async () => {
      await api.send("POST", `verify/${encodeURIComponent(token)}`, {});
      focus();
      return "The address is verified.";
    });
  };
  if (missingTarget) return <p class="verdict warn">The channel has no {missingTarget}: edit it.</p>;
  return (
    <div class="verdict warn row spread">
      <span>
        <strong>Not verified, so it gets no events.</strong>{" "}
        {escapeInvisible(isMailed && !canMail ? NO_MAIL : nextStep)} {failedAt && `Tried at ${formatTime(failedAt)}.`}
        {!isMailed && success && last?.error && escapeInvisible(`Last attempt: ${last.error}.`)}
      </span>
      {isMailed && mailError === undefined && (
        <form class="row" onSubmit={submit}>
          <input name="token" aria-label="Token or link" placeholder="Token or link" required autocomplete="off" />
          <QuietButton type="submit">Verify</QuietButton>
        </form>
      )}
      <Action label={isMailed ? "Email a link" : "Send a test"} scope="test" onClick={() => act("POST", "/test")} />
    </div>
  );
}

const OPEN_LINK = "Open the link in the message to its address, or enter its token.";
const SEND_TEST = "If the receiver accepts a test, the channel is verified.";

/** Returns what a channel lacks that was created without config. */
export function findMissingTarget({ type, config }: ChannelView): string | undefined {
  const { address, url } = config as ChannelConfig;
  const target = type === "email" ? "address" : "URL";
  return (address ?? url) === undefined ? target : undefined;
}

type ActionsProps = ActProps & { readonly onEdit: () => void };

export function Actions({ channel, act, onEdit }: ActionsProps): ComponentChildren {
  const { name, is_verified: isVerified, previous_secret_until: previousUntil } = channel;
  const { enabled = true, secret } = channel.config as ChannelConfig;
  const shownName = escapeInvisible(name);
  const change = (config: object, done: string) => act("PATCH", "", { config }, done);
  return (
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
  );
}

const ROTATION = "Requests have both signatures for 24 hours.";
const ROTATED = "Rotated. Give the receiver the new secret within 24 hours, then revoke the previous one.";
const REVOCATION = "Receivers that verify with one of them will reject requests.";

interface ActionProps {
  readonly label: string;
  readonly scope?: "test" | "update" | "delete";
  /** Asked in a dialog first. When it closes, the browser returns the focus to the button. */
  readonly question?: string;
  readonly onClick: () => unknown;
}

function Action({ label, scope = "update", question, onClick }: ActionProps): ComponentChildren {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <QuietButton
        scope={`notifications:${scope}`}
        class={scope === "delete" ? "quiet bad" : "quiet"}
        onClick={question === undefined ? onClick : () => dialog.current?.showModal()}
      >
        {label}
      </QuietButton>
      {question !== undefined && (
        <dialog ref={dialog} class="card" aria-label={label}>
          <form method="dialog">
            <p>{question}</p>
            <p class="row">
              <button type="submit" class="bad" onClick={onClick}>
                {label}
              </button>
              <button type="submit">Cancel</button>
            </p>
          </form>
        </dialog>
      )}
    </>
  );
}
