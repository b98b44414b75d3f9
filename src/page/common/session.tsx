// Parts that views share: facts, API and key, and pieces of forms. The key stays in the memory of this page only.

import { type ComponentChildren, createContext, type JSX } from "preact";
import { useContext, useId, useState } from "preact/hooks";
import type { PageFacts } from "../facts.ts";
import type { Api } from "./api.ts";

interface SessionValue {
  readonly facts: PageFacts;
  readonly api: Api;
  readonly key: string | undefined;
  readonly setKey: (key: string | undefined) => void;
}

export const Session = createContext<SessionValue | undefined>(undefined);

export function useSession(): SessionValue {
  return useContext(Session) as SessionValue;
}

interface ChildrenProps {
  readonly children: ComponentChildren;
}

interface DnsProps extends ChildrenProps {
  readonly dns: boolean;
  readonly onChange: (dns: boolean) => void;
}

export function DnsCheckbox({ dns, onChange, children }: DnsProps): ComponentChildren {
  if (!useSession().facts.dns) return <p class="note">This daemon never asks DNS.</p>;
  return (
    <LabeledCheckbox type="checkbox" checked={dns} onChange={({ currentTarget }) => onChange(currentTarget.checked)}>
      {children}
    </LabeledCheckbox>
  );
}

/** A box or a choice with its text. */
export function LabeledCheckbox({ children, ...input }: JSX.IntrinsicElements["input"]): ComponentChildren {
  return (
    <label class="tick">
      <input {...input} /> {children}
    </label>
  );
}

/** The children: where detection is not open, only with a key. */
export function RequireDetectionKey({ children }: ChildrenProps): ComponentChildren {
  if (useSession().facts.allowsAnonymous) return children;
  return <RequireKey why="This daemon asks for an API key with the scope emails:detect.">{children}</RequireKey>;
}

/** The children when there is a key, else the form that takes one. `why` says what the key is needed for. */
export function RequireKey({ why, children }: ChildrenProps & { readonly why: string }): ComponentChildren {
  const { key, setKey } = useSession();
  const [typed, setTyped] = useState("");
  const id = useId();
  if (key !== undefined) {
    return (
      <>
        <p class="row">
          <span>
            Using the key <code>{maskKey(key)}</code>
          </span>
          <button type="button" class="quiet" onClick={() => setKey(undefined)}>
            Forget the key
          </button>
        </p>
        {children}
      </>
    );
  }
  const take = (event: Event): void => {
    event.preventDefault();
    if (typed.trim() !== "") setKey(typed.trim());
    setTyped("");
  };
  return (
    <form class="card" onSubmit={take}>
      <p>{why}</p>
      <label>
        API key
        <input
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          aria-describedby={id}
        />
      </label>
      <button type="submit">Use this key</button>
      <p class="note" id={id}>
        The key stays in this page's memory only, and is gone when you close or reload the page. An operator makes one
        with <code>addrsift keys create</code>.
      </p>
    </form>
  );
}

/** The beginning and end of a key. */
function maskKey(key: string): string {
  return `${key.slice(0, 5)}…${key.length > 20 ? key.slice(-4) : ""}`;
}
