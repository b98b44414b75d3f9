// The channels of a key's team.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { escapeInvisible, pluralize } from "../../base/format-text.ts";
import type { ChannelView } from "../../channels/config/redaction.ts";
import { type ApiError, CHANNELS_PATH } from "../common/api.ts";
import { KeyCommand, RequireKey } from "../common/require-key.tsx";
import { QuietButton, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { ChannelForm, type SavedChannel } from "./channel-form.tsx";
import { ChannelRow } from "./channel-row.tsx";

const SCOPES = ["create", "read", "update", "delete", "test"].map((action) => `notifications:${action}`);

export function ChannelsView(): ComponentChildren {
  return (
    <section aria-labelledby="channels-title">
      <h1 id="channels-title">Channels</h1>
      <p class="lead">Notify your team of events by email, webhook or chat.</p>
      <RequireKey
        reason="Channels belong to a team: enter an API key with the notification scopes."
        scopes={SCOPES.join()}
      >
        <ChannelList />
      </RequireKey>
    </section>
  );
}

function ChannelList(): ComponentChildren {
  const { lacksScope } = useSession();
  const { list, problem, isForbidden, load, add } = useChannels();
  const [created, setCreated] = useState<SavedChannel>();
  // Until the user decides, the form is open if there are no channels.
  const [isCreating, setCreating] = useState<boolean>();
  const status = useRef<HTMLDivElement>(null);
  const focusStatus = (): void => status.current?.focus();
  const missingScopes = SCOPES.filter(lacksScope).join(", ");
  const closeForm = (saved?: SavedChannel): void => {
    setCreating(false);
    setCreated(saved);
    if (saved === undefined) focusStatus();
    else add(saved);
  };
  const count = list?.data.length ?? 0;
  const isFormOpen = !lacksScope("notifications:create") && (isCreating ?? count === 0);
  return (
    <>
      <div class="row spread">
        <div role="status" tabIndex={-1} ref={status}>
          {problem !== undefined && <p class="problem">{problem}</p>}
          {list?.deleted && <p>Deleted: {escapeInvisible(list.deleted)}</p>}
          {list !== undefined && (
            <p>
              {count === 0 ? "No channels yet in" : `${pluralize(count, "channel", "channels")} of`} the team{" "}
              <strong>{list.team}</strong>
            </p>
          )}
        </div>
        <span class="row">
          {!isForbidden && <QuietButton onClick={() => load()}>Refresh the list</QuietButton>}
          {list !== undefined && !isFormOpen && (
            <QuietButton class="main" scope="notifications:create" onClick={() => setCreating(true)}>
              New channel
            </QuietButton>
          )}
        </span>
      </div>
      {(missingScopes !== "" || isForbidden) && (
        <div class="note">
          {missingScopes !== "" && `The key lacks ${missingScopes}: their buttons are disabled.`}
          <KeyCommand scopes={SCOPES.join()} team={list?.team} />
        </div>
      )}
      {list !== undefined && isFormOpen && (
        <div class="card" onInput={() => setCreating(true)}>
          <h2>New channel</h2>
          <ChannelForm canMail={list.can_mail} onClose={closeForm} />
        </div>
      )}
      {count > 0 && (
        <ul class="card lines">
          {list?.data.map((channel) => (
            <ChannelRow
              key={channel.id}
              channel={channel}
              created={channel.id === created?.id ? created : undefined}
              canMail={list.can_mail}
              isOwnLoad={list.loadedBy === channel.id}
              onChange={load}
              onRemove={focusStatus}
            />
          ))}
        </ul>
      )}
    </>
  );
}

interface TeamChannels {
  readonly team: string;
  readonly can_mail: boolean;
  readonly data: readonly ChannelView[];
}

const REFRESH_MS = 4000;

/** Reports whether a channel has a pending delivery, or waits for the verification of an address. */
function isWaiting({ type, is_verified, last_delivery: last, pending_deliveries: pending = 0 }: ChannelView): boolean {
  return last?.status === "pending" || pending > 0 || (type === "email" && !is_verified);
}

function useChannels() {
  const { api } = useSession();
  // A failed request does not clear it: a row may show a secret that was not copied yet.
  const [list, setList] = useState<TeamChannels & Readonly<Record<"deleted" | "loadedBy", string | undefined>>>();
  const { problem, failure, busy, run } = useTask<void>();
  const isForbidden = (failure as ApiError | undefined)?.status === 403;
  const load = (loadedBy?: string, isAutomatic = false) =>
    run(async (signal) => {
      const loaded = await api.json<TeamChannels>("GET", CHANNELS_PATH, { signal });
      setList((previous) => {
        const gone = previous?.data.filter(({ id }) => !loaded.data.some((channel) => channel.id === id)) ?? [];
        const kept = isAutomatic ? previous?.deleted : "";
        // A row loads its deliveries for each new channel object. Automatic loads keep the objects of unchanged channels.
        const unchanged = new Map(
          isAutomatic ? previous?.data.map((channel) => [JSON.stringify(channel), channel]) : [],
        );
        const data = loaded.data.map((channel) => unchanged.get(JSON.stringify(channel)) ?? channel);
        return { ...loaded, data, loadedBy, deleted: gone.map(({ name }) => name).join(", ") || kept };
      });
    });
  const reload = (): void => void (location.hash === "#channels" && !document.hidden && load(undefined, true));
  useEffect(() => {
    void load();
    // A channel may have been verified in another tab, or notified while another view was shown.
    const causes = ["focus", "hashchange", "visibilitychange"];
    for (const cause of causes) addEventListener(cause, reload);
    return () => {
      for (const cause of causes) removeEventListener(cause, reload);
    };
  }, [api]);
  useEffect(() => {
    if (busy || problem !== undefined || !list?.data.some(isWaiting)) return;
    const timer = setTimeout(reload, REFRESH_MS);
    return () => clearTimeout(timer);
  }, [list, busy]);
  const add = (channel: ChannelView): void =>
    setList((previous) => previous && { ...previous, deleted: "", data: [...previous.data, channel] });
  return { list, problem, isForbidden, load, add };
}
