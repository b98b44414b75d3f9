// The first view: typed or pasted addresses.

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { splitAddressLines } from "../../base/user-input.ts";
import type { Detection } from "../../detection/detection.ts";
import { DnsCheckbox, RequireDetectionKey, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { DETECT_PATH } from "../common/text.ts";
import { Results } from "./results.tsx";

// The limit of one request.
const ADDRESSES_MAX = 1000;
const TOO_MANY = "These are more than 1,000 addresses: save them as a file, and use Files.";

export function CheckView(): ComponentChildren {
  const { facts, api } = useSession();
  const [text, setText] = useState("");
  const [dns, setDns] = useState(facts.dns);
  const { value: results = [], problem, busy, run } = useTask<readonly Detection[]>();
  const form = useRef<HTMLFormElement>(null);

  const check = (text: string): Promise<void> =>
    run(async (signal) => {
      const emails = splitAddressLines(text);
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
      <RequireDetectionKey>
        <form ref={form} class="card" onSubmit={onSubmit}>
          <label>
            E-mail addresses, one a line
            <textarea
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
            <DnsCheckbox dns={dns} onChange={setDns}>
              Ask DNS about domains that no list knows
            </DnsCheckbox>
            <button type="submit" class="main" aria-disabled={busy}>
              {busy ? "Checking…" : "Check"}
            </button>
          </div>
          <p class="note" id="emails-note">
            Ctrl+Enter checks. Up to 1,000 addresses; for more, use Files. Nothing is sent to the addresses.
          </p>
        </form>
      </RequireDetectionKey>
      <div role="status">
        {problem !== undefined && <p class="problem">{problem}</p>}
        {results.length > 0 && <p class="hidden-text">{`Results for ${results.length} below.`}</p>}
      </div>
      <Results results={results} onSuggestion={onSuggestion} />
    </section>
  );
}
