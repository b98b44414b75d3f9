// The first view: typed or pasted addresses. Without JavaScript the server draws the results.

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { addressLines } from "../../base/names.ts";
import type { Detection } from "../../detection/detection.ts";
import type { FormResult } from "../../server/routes/page.ts";
import { KeyBox, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { DETECT_PATH } from "../common/text.ts";
import { Results } from "./results.tsx";

// The limit of one request.
const ADDRESSES_MAX = 1000;
const TOO_MANY = "These are more than 1,000 addresses: save them as a file, and use Files.";

export function CheckView({ asked }: { readonly asked: FormResult | undefined }): ComponentChildren {
  const { facts, key, running, api } = useSession();
  const [text, setText] = useState(asked?.text ?? "");
  const [dns, setDns] = useState(asked?.dns ?? facts.dns);
  const { value: results = [], problem, busy, run } = useTask({ value: asked?.results, problem: asked?.problem });
  const form = useRef<HTMLFormElement>(null);
  const locked = !facts.open && (!running || key === undefined);

  const check = (text: string): Promise<void> =>
    run(async (signal) => {
      const emails = addressLines(text);
      if (emails.length === 0) throw new Error("Type an address first.");
      if (emails.length > ADDRESSES_MAX) throw new Error(TOO_MANY);
      const body = { emails, explain: true, dns: dns ? "on" : "off" };
      return api.data<Detection[]>("POST", DETECT_PATH, { body, signal });
    });
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    void check(text);
  };
  const onSuggestion = (email: string): void => {
    setText(email);
    void check(email);
  };
  return (
    <section aria-labelledby="check-title">
      <h1 id="check-title">Check addresses</h1>
      <p class="lead">Shows whether an address is valid, disposable, a relay or a shared inbox, and why.</p>
      {!facts.open &&
        (running ? <KeyBox why="This daemon asks for an API key with the scope emails:detect." /> : <NeedsScript />)}
      {!locked && (
        <form ref={form} class="card" method="post" onSubmit={onSubmit}>
          <label>
            E-mail addresses, one a line
            <textarea
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
          </label>
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
            <button type="submit" class="main" aria-disabled={busy}>
              {busy ? "Checking…" : "Check"}
            </button>
          </div>
          <p class="note" id="emails-note">
            {running ? "Ctrl+Enter checks. Up to 1,000 addresses; for more, use Files." : "Up to 100 addresses."}{" "}
            Nothing is sent to the addresses.
          </p>
        </form>
      )}
      <div role="status">
        {problem !== undefined && <p class="problem">{problem}</p>}
        {results.length > 0 && <p class="hidden-text">{`Results for ${results.length} below.`}</p>}
      </div>
      <Results results={results} onSuggestion={onSuggestion} />
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
