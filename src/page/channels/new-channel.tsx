// A new channel: its name, its type, and the one field that its type needs. A secret that the daemon makes is shown once.

import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { CHANNEL_TYPES, type ChannelType } from "../../channels/kinds.ts";
import { problemOf, sentence } from "../common/api.ts";
import { CopyButton } from "../common/copy.tsx";
import { useSession } from "../common/session.ts";
import { CHANNELS_PATH } from "./paths.ts";

interface Made {
  readonly message?: string;
  readonly config: { readonly secret?: string };
}

export function NewChannel({ onChange }: { readonly onChange: () => Promise<void> }): ComponentChildren {
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
              <option key={kind}>{kind}</option>
            ))}
          </select>
        </div>
        <div class="wide-field">
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
