// The channels of a key's team.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { pluralize } from "../../base/format-text.ts";
import type { ChannelView } from "../../channels/config/redaction.ts";
import { CHANNELS_PATH } from "../common/api.ts";
import { RequireKey } from "../common/require-key.tsx";
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
  const { api, lacksScope } = useSession();
  // A failed request does not clear it: a row may show a secret that was not copied yet.
  const [list, setList] = useState<{ readonly team: string; readonly data: readonly ChannelView[] }>();
  const { problem, run } = useTask<void>();
  const [created, setCreated] = useState<SavedChannel>();
  // Until the user decides, the form is open if there are no channels.
  const [isCreating, setCreating] = useState<boolean>();
  const status = useRef<HTMLDivElement>(null);
  const load = () => run(async (signal) => setList(await api.json("GET", CHANNELS_PATH, { signal })));
  useEffect(() => void load(), [api]);
  const missingScopes = SCOPES.filter(lacksScope).join(", ");
  const closeForm = (saved?: SavedChannel): void => {
    setCreating(false);
    setCreated(saved);
    if (saved === undefined) status.current?.focus();
    else setList((previous) => previous && { ...previous, data: [...previous.data, saved] });
  };
  const count = list?.data.length ?? 0;
  const lastCount = useRef(count);
  // A deleted row takes the focus with it.
  useEffect(() => {
    if (count < lastCount.current) status.current?.focus();
    lastCount.current = count;
  }, [count]);
  const isFormOpen = !lacksScope("notifications:create") && (isCreating ?? count === 0);
  return (
    <>
      <div class="row spread">
        <div role="status" tabIndex={-1} ref={status}>
          {problem !== undefined && <p class="problem">{problem}</p>}
          {list !== undefined && (
            <p>
              {count === 0 ? "No channels yet in" : `${pluralize(count, "channel", "channels")} of`} the team{" "}
              <strong>{list.team}</strong>
            </p>
          )}
        </div>
        {problem !== undefined && <QuietButton onClick={load}>Try again</QuietButton>}
        {list !== undefined && !isFormOpen && (
          <QuietButton class="main" scope="notifications:create" onClick={() => setCreating(true)}>
            New channel
          </QuietButton>
        )}
      </div>
      {missingScopes !== "" && <p class="note">The key lacks {missingScopes}: their buttons are disabled.</p>}
      {list !== undefined && isFormOpen && (
        <div class="card">
          <h2>New channel</h2>
          <ChannelForm channels={list.data} onClose={closeForm} />
        </div>
      )}
      {count > 0 && (
        <ul class="card lines">
          {list?.data.map((channel) => (
            <ChannelRow
              key={channel.id}
              channel={channel}
              channels={list.data}
              created={channel.id === created?.id ? created : undefined}
              onChange={load}
            />
          ))}
        </ul>
      )}
    </>
  );
}
