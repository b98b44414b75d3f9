// The channels of a key's team, and the form of a new one.

import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useId, useState } from "preact/hooks";
import { pluralize } from "../../base/format-text.ts";
import type { ChannelView } from "../../channels/config/redaction.ts";
import { CHANNEL_TYPE_NAMES, CHANNEL_TYPES, type ChannelType } from "../../channels/kinds.ts";
import { CHANNELS_PATH, toSentence } from "../common/api.ts";
import { CopyButton } from "../common/copy.tsx";
import { RequireKey, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { ChannelCard } from "./channel-card.tsx";

export function ChannelsView(): ComponentChildren {
  return (
    <section aria-labelledby="channels-title">
      <h1 id="channels-title">Channels</h1>
      <p class="lead">A channel is where your team receives event notifications: an address, a webhook or a chat.</p>
      <RequireKey why="Channels belong to a team, so this view needs an API key with scopes for notifications.">
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
            {channels.length === 0 ? "There are no channels yet." : pluralize(channels.length, "channel", "channels")}
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

interface CreatedChannel {
  readonly message?: string;
  readonly config: { readonly secret?: string };
}

function NewChannel({ onChange }: { readonly onChange: () => Promise<void> }): ComponentChildren {
  const { api } = useSession();
  const id = useId();
  const [name, setName] = useState("");
  const [type, setType] = useState<ChannelType>("email");
  const [target, setTarget] = useState("");
  const { value: made, problem, run } = useTask<CreatedChannel>();
  const isMail = type === "email";

  const create = (event: Event): void => {
    event.preventDefault();
    const config = isMail ? { address: target } : { url: target };
    void run(async () => {
      const answer = await api.json<CreatedChannel>("POST", CHANNELS_PATH, { body: { name, type, config } });
      setName("");
      setTarget("");
      await onChange();
      return answer;
    });
  };
  return (
    <form class="card" onSubmit={create} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>New channel</h2>
      <div class="fields">
        <label>
          Name
          <input required maxLength={100} value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </label>
        <label>
          Type
          <select value={type} onChange={({ currentTarget }) => setType(currentTarget.value as ChannelType)}>
            {CHANNEL_TYPES.map((kind) => (
              <option key={kind} value={kind}>
                {CHANNEL_TYPE_NAMES[kind]}
              </option>
            ))}
          </select>
        </label>
        <label class="across">
          {isMail ? "Address" : "URL"}
          <input
            required
            inputMode={isMail ? "email" : "url"}
            autocomplete="off"
            spellcheck={false}
            value={target}
            onInput={({ currentTarget }) => setTarget(currentTarget.value)}
          />
        </label>
      </div>
      <button type="submit">Create the channel</button>
      <div role="status">
        {problem !== undefined && <p class="problem">{problem}</p>}
        {made !== undefined && (
          <p>{made.message === undefined ? "The channel was created." : toSentence(made.message)}</p>
        )}
        {made?.config.secret !== undefined && (
          <p class="verdict warn">
            <strong>Its secret is shown this once:</strong> <code>{made.config.secret}</code>{" "}
            <CopyButton text={made.config.secret} label="Copy the secret" />
          </p>
        )}
      </div>
    </form>
  );
}
