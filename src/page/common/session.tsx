// The session (facts, API and key) and form elements that views share. The key is kept in this page's memory only.

import { type ComponentChildren, createContext, type JSX } from "preact";
import { useContext, useId, useState } from "preact/hooks";
import type { PageFacts } from "../facts.ts";
import type { Api } from "./api.ts";

interface SessionValue {
  readonly facts: PageFacts;
  readonly api: Api;
  readonly key: string | undefined;
  readonly setKey: (key: string | undefined) => void;
  /** Why the daemon rejected the key. */
  readonly keyProblem: string | undefined;
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
  if (!useSession().facts.dns) return <p class="note">This daemon makes no DNS lookups.</p>;
  return (
    <LabeledInput type="checkbox" checked={dns} onChange={({ currentTarget }) => onChange(currentTarget.checked)}>
      {children}
    </LabeledInput>
  );
}

/** A button for an action that is not the main one. */
export function QuietButton(props: Omit<JSX.IntrinsicElements["button"], "ref">): ComponentChildren {
  return <button type="button" class="quiet" {...props} />;
}

interface SelectProps extends Readonly<Record<"label" | "value", string>> {
  readonly options: readonly (readonly [value: string, title: string])[];
  readonly onChange: (value: string) => void;
}

export function Select({ label, value, options, onChange }: SelectProps): ComponentChildren {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([option, title]) => (
          <option key={option} value={option}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A checkbox or radio button with its text. */
export function LabeledInput({ children, ...input }: JSX.IntrinsicElements["input"]): ComponentChildren {
  return (
    <label class="tick">
      <input {...input} /> {children}
    </label>
  );
}

interface DetailsProps extends ChildrenProps {
  readonly summary: ComponentChildren;
  readonly class?: string;
  /** Whether it is open at first. */
  readonly open?: boolean;
}

/** A `<details>` whose content is created when it is first opened, because a list may have a thousand of them. */
export function LazyDetails({ summary, class: name, open = false, children }: DetailsProps): ComponentChildren {
  const [wasOpened, setWasOpened] = useState(open);
  return (
    <details class={name} open={open} onToggle={({ currentTarget }) => currentTarget.open && setWasOpened(true)}>
      <summary>{summary}</summary>
      {wasOpened && <div class="result">{children}</div>}
    </details>
  );
}

/** Shows the children, or the form for a key if detection needs one. */
export function RequireDetectionKey({ children }: ChildrenProps): ComponentChildren {
  if (useSession().facts.allowsAnonymous) return children;
  return (
    <RequireKey reason="This daemon requires an API key with the scope emails:detect." scopes="emails:detect">
      {children}
    </RequireKey>
  );
}

interface KeyFormProps {
  readonly reason: string;
  /** Comma-separated. */
  readonly scopes: string;
}

/** Shows the children if there is a key, or else the form for one with the `reason`. */
export function RequireKey({ reason, scopes, children }: ChildrenProps & KeyFormProps): ComponentChildren {
  const { key, setKey, keyProblem } = useSession();
  if (key === undefined || keyProblem !== undefined) return <KeyForm reason={reason} scopes={scopes} />;
  return (
    <>
      <p class="row">
        <span>
          Using the key <code>{maskKey(key)}</code>
        </span>
        <QuietButton onClick={() => setKey(undefined)}>Forget the key</QuietButton>
      </p>
      {children}
    </>
  );
}

/** A rejected key stays in the field, so that it can be corrected. */
function KeyForm({ reason, scopes }: KeyFormProps): ComponentChildren {
  const { key = "", setKey, keyProblem } = useSession();
  const [text, setText] = useState(key);
  const id = useId();
  const submit = (event: Event): void => {
    event.preventDefault();
    if (text.trim() !== "") setKey(text.trim());
  };
  return (
    <form class="card" onSubmit={submit}>
      <p>{reason}</p>
      <label>
        API key
        <input
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          aria-describedby={id}
        />
      </label>
      <div role="status">{keyProblem !== undefined && <p class="problem">{keyProblem}</p>}</div>
      <button type="submit" class="main">
        Use this key
      </button>
      <p class="note" id={id}>
        The key is kept in this page's memory until you close or reload it. An operator creates one with{" "}
        <code>addrsift keys create --name page --scopes {scopes}</code>.
      </p>
    </form>
  );
}

/** Returns the first and the last characters of a key. */
function maskKey(key: string): string {
  return `${key.slice(0, 5)}…${key.length > 20 ? key.slice(-4) : ""}`;
}
