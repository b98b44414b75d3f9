// The channels of a key's team.

import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { pluralize } from "../../base/format-text.ts";
import type { ChannelView } from "../../channels/config/redaction.ts";
import { CHANNELS_PATH } from "../common/api.ts";
import { RequireKey, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { ChannelForm } from "./channel-form.tsx";
import { ChannelRow } from "./channel-row.tsx";

export function ChannelsView(): ComponentChildren {
  return (
    <section aria-labelledby="channels-title">
      <h1 id="channels-title">Channels</h1>
      <p class="lead">Notify your team of events by email, webhook or chat.</p>
      <RequireKey why="Channels belong to a team: enter an API key with the notification scopes.">
        <ChannelList />
      </RequireKey>
    </section>
  );
}

function ChannelList(): ComponentChildren {
  const { api } = useSession();
  const { value: channels, problem, run } = useTask<readonly ChannelView[]>();
  const load = useCallback(() => run(() => api.data("GET", CHANNELS_PATH)), [api]);
  useEffect(() => void load(), [load]);
  return (
    <>
      <div role="status">
        {problem !== undefined && <p class="problem">{problem}</p>}
        {channels !== undefined && (
          <p>
            {channels.length === 0
              ? "No channels yet: create the first one below, then send it a test."
              : pluralize(channels.length, "channel", "channels")}
          </p>
        )}
      </div>
      {channels !== undefined && channels.length > 0 && (
        <ul class="card lines">
          {channels.map((channel) => (
            <li key={channel.id}>
              <ChannelRow channel={channel} onChange={load} />
            </li>
          ))}
        </ul>
      )}
      {channels !== undefined && <NewChannel isOpen={channels.length === 0} onSaved={load} />}
    </>
  );
}

/** Only the first `isOpen` counts: the form stays open to show the result of creating the first channel. */
function NewChannel({ isOpen, onSaved }: { readonly isOpen: boolean; readonly onSaved: () => Promise<void> }) {
  const [open] = useState(isOpen);
  return (
    <details class="card" open={open}>
      <summary>
        <strong>New channel</strong>
      </summary>
      <ChannelForm onSaved={onSaved} />
    </details>
  );
}
