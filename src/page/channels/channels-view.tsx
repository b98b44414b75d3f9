// The channels of a key's team, and the form of a new one.

import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useId, useState } from "preact/hooks";
import { counted } from "../../base/shown.ts";
import type { ShownChannel } from "../../channels/config/redaction.ts";
import { CHANNEL_TYPES, type ChannelType, TYPE_NAMES } from "../../channels/kinds.ts";
import { CHANNELS_PATH, problemOf, sentence } from "../common/api.ts";
import { CopyButton } from "../common/copy.tsx";
import { KeyBox, useSession } from "../common/session.tsx";
import { ChannelCard } from "./channel-card.tsx";

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

interface Made {
  readonly message?: string;
  readonly config: { readonly secret?: string };
}

function NewChannel({ onChange }: { readonly onChange: () => Promise<void> }): ComponentChildren {
  const { api } = useSession();
  const id = useId();
  const [name, setName] = useState("");
  const [type, setType] = useState<ChannelType>("email");
  const [target, setTarget] = useState("");
  const [made, setMade] = useState<Made>();
  const [problem, setProblem] = useState<string>();
  const isMail = type === "email";

  const create = async (event: Event): Promise<void> => {
    event.preventDefault();
    setMade(undefined);
    setProblem(undefined);
    const config = isMail ? { address: target } : { url: target };
    try {
      setMade(await api.json<Made>("POST", CHANNELS_PATH, { body: { name, type, config } }));
      setName("");
      setTarget("");
      await onChange();
    } catch (failure) {
      setProblem(problemOf(failure));
    }
  };
  return (
    <form class="card" onSubmit={create} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>New channel</h2>
      <div class="fields">
        <div>
          <label for={`${id}-name`}>Name</label>
          <input
            id={`${id}-name`}
            required
            maxLength={100}
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </div>
        <div>
          <label for={`${id}-type`}>Type</label>
          <select
            id={`${id}-type`}
            value={type}
            onChange={({ currentTarget }) => setType(currentTarget.value as ChannelType)}
          >
            {CHANNEL_TYPES.map((kind) => (
              <option key={kind} value={kind}>
                {TYPE_NAMES[kind]}
              </option>
            ))}
          </select>
        </div>
        <div class="across">
          <label for={`${id}-target`}>{isMail ? "Address" : "URL"}</label>
          <input
            id={`${id}-target`}
            required
            inputMode={isMail ? "email" : "url"}
            autocomplete="off"
            spellcheck={false}
            value={target}
            onInput={({ currentTarget }) => setTarget(currentTarget.value)}
          />
        </div>
      </div>
      <button type="submit">Create the channel</button>
      <div role="status">
        {problem !== undefined && <p class="problem">{problem}</p>}
        {made !== undefined && (
          <p>{made.message === undefined ? "The channel was created." : sentence(made.message)}</p>
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
