// The channels of a key's team: what they are, a test of each, and what was sent to them.

import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { counted } from "../../base/shown.ts";
import type { ShownChannel } from "../../channels/config/redaction.ts";
import { problemOf } from "../common/api.ts";
import { KeyBox } from "../common/key-box.tsx";
import { useSession } from "../common/session.ts";
import { ChannelCard } from "./channel-card.tsx";
import { NewChannel } from "./new-channel.tsx";
import { CHANNELS_PATH } from "./paths.ts";

export function ChannelsView(): ComponentChildren {
  const { key } = useSession();
  return (
    <section aria-labelledby="channels-title">
      <h1 id="channels-title">Channels</h1>
      <p class="lead">A channel is where your team receives event notifications: an address, a webhook or a chat.</p>
      <KeyBox why="Channels belong to a team, so this view needs an API key with scopes for notifications." />
      {key !== undefined && <ChannelList />}
    </section>
  );
}

function ChannelList(): ComponentChildren {
  const { api } = useSession();
  const [channels, setChannels] = useState<readonly ShownChannel[]>();
  const [problem, setProblem] = useState<string>();
  const load = useCallback(async (): Promise<void> => {
    try {
      const { data } = await api.json<{ data: ShownChannel[] }>("GET", CHANNELS_PATH);
      setChannels(data);
      setProblem(undefined);
    } catch (failure) {
      setChannels(undefined);
      setProblem(problemOf(failure));
    }
  }, [api]);
  useEffect(() => void load(), [load]);
  return (
    <>
      <div role="status">
        {problem !== undefined && <p class="problem">{problem}</p>}
        {channels !== undefined && (
          <p>
            {channels.length === 0 ? "There are no channels yet." : counted(channels.length, "channel", "channels")}
          </p>
        )}
      </div>
      {channels?.map((channel) => (
        <ChannelCard key={channel.id} channel={channel} onChange={load} />
      ))}
      {channels !== undefined && <NewChannel onChange={load} />}
    </>
  );
}
