// The first view: typed or pasted addresses. Without JavaScript the server draws the results.

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { addressLines } from "../../base/names.ts";
import type { Detection } from "../../detection/detection.ts";
import type { FormResult } from "../../server/routes/page.ts";
import { problemOf } from "../common/api.ts";
import { KeyBox, useSession } from "../common/session.tsx";
import { Results } from "./results.tsx";

// The limit of one request.
const ADDRESSES_MAX = 1000;

export function CheckView({ asked }: { readonly asked: FormResult | undefined }): ComponentChildren {
  const { facts, key, running } = useSession();
  const [text, setText] = useState(asked?.text ?? "");
  const [dns, setDns] = useState(asked?.dns ?? facts.dns);
  const check = useCheck(asked);
  const form = useRef<HTMLFormElement>(null);
  const locked = !facts.open && (!running || key === undefined);

  const onSubmit = (event: Event): void => {
    event.preventDefault();
    check.run(text, dns);
  };
  const onSuggestion = (email: string): void => {
    setText(email);
    check.run(email, dns);
  };
  return (
    <section aria-labelledby="check-title">
      <h1 id="check-title">Check addresses</h1>
      <p class="lead">Shows whether an address is valid, disposable, a relay or a shared inbox, and why.</p>
      {!facts.open &&
        (running ? <KeyBox why="This daemon asks for an API key with the scope emails:detect." /> : <NeedsScript />)}
      {!locked && (
        <form ref={form} class="card" method="post" onSubmit={onSubmit}>
          <label for="emails">E-mail addresses, one a line</label>
          <textarea
            id="emails"
            name="emails"
            rows={Math.min(12, Math.max(2, text.split("\n").length))}
            autocapitalize="off"
            autocomplete="off"
            spellcheck={false}
            required
            aria-describedby="emails-note"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
            }}
          />
          <div class="row spread">
            {facts.dns ? (
              <label class="tick">
                <input
                  type="checkbox"
                  name="dns"
                  value="on"
                  checked={dns}
                  onChange={({ currentTarget }) => setDns(currentTarget.checked)}
                />{" "}
                Ask DNS about domains that no list knows
              </label>
            ) : (
              <span class="note">This daemon never asks DNS.</span>
            )}
            <button type="submit" class="main" aria-disabled={check.busy}>
              {check.busy ? "Checking…" : "Check"}
            </button>
          </div>
          <p class="note" id="emails-note">
            {running ? "Ctrl+Enter checks. Up to 1,000 addresses; for more, use Files." : "Up to 100 addresses."}{" "}
            Nothing is sent to the addresses.
          </p>
        </form>
      )}
      <div role="status">
        {check.problem !== undefined && <p class="problem">{check.problem}</p>}
        {check.results.length > 0 && <p class="hidden-text">{`Results for ${check.results.length} below.`}</p>}
      </div>
      <Results results={check.results} onSuggestion={onSuggestion} />
    </section>
  );
}

function NeedsScript(): ComponentChildren {
  return (
    <p class="card">
      This daemon asks for an API key, which this page can send only with JavaScript. Switch JavaScript on, or ask with
      curl and <code>Authorization: Bearer</code>.
    </p>
  );
}

interface Check {
  readonly results: readonly Detection[];
  readonly problem: string | undefined;
  readonly busy: boolean;
  readonly run: (text: string, dns: boolean) => void;
}

function useCheck(asked: FormResult | undefined): Check {
  const { api } = useSession();
  const [results, setResults] = useState<readonly Detection[]>(asked?.results ?? []);
  const [problem, setProblem] = useState(asked?.problem);
  const [busy, setBusy] = useState(false);
  // A later question replaces an earlier one.
  const last = useRef<AbortController>(undefined);
  const run = async (text: string, dns: boolean): Promise<void> => {
    last.current?.abort();
    const mine = new AbortController();
    last.current = mine;
    setBusy(true);
    setProblem(undefined);
    try {
      const emails = addressLines(text);
      if (emails.length === 0) throw new Error("Type an address first.");
      if (emails.length > ADDRESSES_MAX) throw new Error(TOO_MANY);
      const body = { emails, explain: true, dns: dns ? "on" : "off" };
      const path = "api/v1/emails/detect";
      const { data } = await api.json<{ data: Detection[] }>("POST", path, { body, signal: mine.signal });
      setResults(data);
    } catch (failure) {
      if (mine.signal.aborted) return;
      setResults([]);
      setProblem(problemOf(failure));
    }
    setBusy(false);
  };
  return { results, problem, busy, run: (text, dns) => void run(text, dns) };
}

const TOO_MANY = "These are more than 1,000 addresses: save them as a file, and use Files.";
