// The channels of a key's team.

import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { pluralize } from "../../base/format-text.ts";
import type { ChannelView } from "../../channels/config/redaction.ts";
import { CHANNELS_PATH } from "../common/api.ts";
import { RequireKey } from "../common/require-key.tsx";
import { LazyDetails, QuietButton, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { ChannelForm } from "./channel-form.tsx";
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
  const { api, setKey, lacksScope } = useSession();
  // A failed request does not clear it: the form may show a secret that was not copied yet.
  const [channels, setChannels] = useState<readonly ChannelView[]>();
  const { problem, run } = useTask<void>();
  const [createdId, setCreatedId] = useState<string>();
  const load = useCallback(() => run(async () => setChannels(await api.data("GET", CHANNELS_PATH))), [api]);
  useEffect(() => void load(), [load]);
  const missingScopes = SCOPES.filter(lacksScope).join(", ");
  return (
    <>
      <div role="status">
        {problem !== undefined && <p class="problem">{problem}</p>}
        {channels !== undefined && (
          <p>{channels.length === 0 ? "No channels yet." : pluralize(channels.length, "channel", "channels")}</p>
        )}
      </div>
      {problem !== undefined && (
        <p class="row">
          <QuietButton onClick={load}>Try again</QuietButton>
          <QuietButton onClick={() => setKey(undefined)}>Use another key</QuietButton>
        </p>
      )}
      {missingScopes !== "" && <p class="note">The key lacks {missingScopes}. Buttons that need them are disabled.</p>}
      {channels !== undefined && channels.length > 0 && (
        <ul class="card lines">
          {channels.map((channel) => (
            <li key={channel.id}>
              <ChannelRow channel={channel} open={channel.id === createdId} onChange={load} />
            </li>
          ))}
        </ul>
      )}
      {channels !== undefined && (
        <LazyDetails class="card" summary={<strong>New channel</strong>} open={channels.length === 0}>
          <ChannelForm
            channels={channels}
            onSaved={(id) => {
              setCreatedId(id);
              return load();
            }}
          />
        </LazyDetails>
      )}
    </>
  );
}
