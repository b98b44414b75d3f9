// The channels of a key's team.

import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { pluralize } from "../../base/format-text.ts";
import type { ChannelView } from "../../channels/config/redaction.ts";
import { CHANNELS_PATH } from "../common/api.ts";
import { LazyDetails, RequireKey, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { ChannelForm } from "./channel-form.tsx";
import { ChannelRow } from "./channel-row.tsx";

export function ChannelsView(): ComponentChildren {
  return (
    <section aria-labelledby="channels-title">
      <h1 id="channels-title">Channels</h1>
      <p class="lead">Notify your team of events by email, webhook or chat.</p>
      <RequireKey
        reason="Channels belong to a team: enter an API key with the notification scopes."
        scopes={["create", "read", "update", "delete", "test"].map((action) => `notifications:${action}`).join()}
      >
        <ChannelList />
      </RequireKey>
    </section>
  );
}

function ChannelList(): ComponentChildren {
  const { api } = useSession();
  const { value: channels, problem, run } = useTask<readonly ChannelView[]>();
  const [createdId, setCreatedId] = useState<string>();
  const load = useCallback(() => run(() => api.data("GET", CHANNELS_PATH)), [api]);
  useEffect(() => void load(), [load]);
  return (
    <>
      <div role="status">
        {problem !== undefined && <p class="problem">{problem}</p>}
        {channels !== undefined && (
          <p>
            {channels.length === 0
              ? "No channels yet: open New channel, create one, then send it a test."
              : pluralize(channels.length, "channel", "channels")}
          </p>
        )}
      </div>
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
        <LazyDetails class="card" summary={<strong>New channel</strong>}>
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
