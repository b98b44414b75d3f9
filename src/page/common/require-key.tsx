// Asks for an API key where the daemon requires one.

import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { quoteForShell } from "../../base/format-text.ts";
import { CopyDetails } from "./copy.tsx";
import { type ChildrenProps, QuietButton, useSession } from "./session.tsx";

/** Shows the children, or the form for a key if detection needs one. */
export function RequireDetectionKey({ children }: ChildrenProps): ComponentChildren {
  const { facts, lacksScope } = useSession();
  if (facts.allowsAnonymous) return children;
  return (
    <RequireKey reason="This daemon requires an API key with the scope emails:detect." scopes="emails:detect">
      {lacksScope("emails:detect") && <p class="problem">The key lacks the scope emails:detect.</p>}
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
  const forget = (): void => {
    const isSaved = dispatchEvent(new Event("beforeunload", { cancelable: true }));
    if (isSaved || confirm("Discard what is not saved?")) setKey(undefined);
  };
  if (key === undefined || keyProblem !== undefined) return <KeyForm reason={reason} scopes={scopes} />;
  return (
    <>
      <p class="row" tabIndex={-1} ref={focus}>
        <span>
          Using the key <code>{maskKey(key)}</code>
        </span>
        <QuietButton onClick={forget}>Forget the key</QuietButton>
      </p>
      {children}
    </>
  );
}

const focus = (element: HTMLElement | null): void => element?.focus();

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
          required
          pattern="[\s!-~]+"
          title="A key has only letters, digits and _."
          ref={keyProblem === undefined ? null : focus}
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
        The key is kept in this page's memory until you close or reload it.
      </p>
      <KeyCommand scopes={scopes} />
    </form>
  );
}

type CommandProps = Readonly<{ scopes: string; team?: string | undefined }>;

/** The command that creates a key, which is run on the daemon's machine. */
export function KeyCommand({ scopes, team = "default" }: CommandProps): ComponentChildren {
  const teamOption = team === "default" ? "" : ` --team ${quoteForShell(team)}`;
  const text = `addrsift keys create --name page${teamOption} \\\n  --scopes ${scopes}`;
  return <CopyDetails title="Command that creates a key" text={text} />;
}

/** Returns the first and the last characters of a key. */
function maskKey(key: string): string {
  return `${key.slice(0, 5)}…${key.length > 20 ? key.slice(-4) : ""}`;
}
