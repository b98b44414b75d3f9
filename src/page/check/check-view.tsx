// The view that checks typed or pasted addresses.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { splitAddressLines } from "../../base/user-input.ts";
import { RequireDetectionKey } from "../common/require-key.tsx";
import { DnsCheckbox, QuietButton, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { DETECT_PATH } from "../common/text.ts";
import { type Checked, Results } from "./results.tsx";
import { type CheckResult, markDuplicates } from "./verdict.ts";

// Limit of one request.
const MAX_ADDRESSES = 1000;
const TOO_MANY = "There are more than 1,000 addresses: save them as a file, and use Files.";
const EXAMPLES = "jane.doe+news@gmail.com\ninfo@example.org\njoe@mailinator.com\njane@gmial.com\njane..doe@gmail.com";

export function CheckView(): ComponentChildren {
  const [text, setText] = useState("");
  return (
    <section aria-labelledby="check-title">
      <h1 id="check-title">Check addresses</h1>
      <p class="lead">Shows whether an address is valid, disposable, a relay, public or a role, and why.</p>
      <RequireDetectionKey>
        <Check text={text} onText={setText} />
      </RequireDetectionKey>
    </section>
  );
}

const NOTHING: Checked = { request: {}, results: [] };

type TextProps = Readonly<{ text: string; onText: (text: string) => void }>;

function Check({ text, onText }: TextProps): ComponentChildren {
  const { facts, api } = useSession();
  const [dns, setDns] = useState(facts.dns);
  const { value: { request, results } = NOTHING, problem, busy, run } = useTask<Checked>();

  const detect = (body: object, signal: AbortSignal): Promise<CheckResult[]> =>
    api.data("POST", DETECT_PATH, { body, signal });
  const check = (text: string): void => {
    onText(text);
    void run(async (signal) => {
      const emails = splitAddressLines(text);
      if (emails.length === 0) throw new Error("Type an address first.");
      if (emails.length > MAX_ADDRESSES) throw new Error(TOO_MANY);
      const request = { emails, explain: true, classes: true, dns: dns ? "on" : "off" };
      return { request, results: await detect(request, signal) };
    });
  };
  const correct = (email: string, suggestion: string): void => {
    const lines = splitAddressLines(text).map((line) => (line === email ? suggestion : line));
    onText(lines.join("\n"));
    void run(async (signal) => {
      const corrected = await detect({ ...request, emails: [suggestion] }, signal);
      return { request, results: results.flatMap((result) => (result.email === email ? corrected : result)) };
    });
  };
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    check(text);
  };
  return (
    <>
      <form class="card" onSubmit={onSubmit}>
        <AddressField text={text} onText={onText} />
        <div class="row spread">
          <DnsCheckbox dns={dns} onChange={setDns}>
            Look up unlisted domains in DNS
          </DnsCheckbox>
          <button type="submit" class="main" aria-disabled={busy}>
            {busy ? "Checking…" : "Check"}
          </button>
        </div>
        <p class="note" id="emails-note">
          At most 1,000 addresses; for more, use Files. Ctrl+Enter checks them. No mail is sent.
        </p>
      </form>
      <CheckStatus problem={problem} count={results.length} />
      {results.length === 0 && problem === undefined && (
        <p class="row note">
          Nothing checked yet.
          <QuietButton onClick={() => check(EXAMPLES)}>Check five examples</QuietButton>
        </p>
      )}
      <Results key={request} request={request} results={markDuplicates(results)} onSuggestion={correct} />
    </>
  );
}

type StatusProps = Readonly<{ problem: string | undefined; count: number }>;

function CheckStatus({ problem, count }: StatusProps): ComponentChildren {
  return (
    <div role="status">
      {problem !== undefined && (
        <p class="problem">
          {problem} {count > 0 && "The results below are from the previous check."}
        </p>
      )}
      {problem === undefined && count > 0 && <p class="hidden-text">{`Results for ${count} below.`}</p>}
    </div>
  );
}

function AddressField({ text, onText }: TextProps): ComponentChildren {
  return (
    <label>
      Email addresses, one per line
      <textarea
        rows={Math.min(12, Math.max(2, text.split("\n").length))}
        autocapitalize="off"
        autocomplete="off"
        spellcheck={false}
        required
        aria-describedby="emails-note"
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
        onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) => {
          if (key === "Enter" && (ctrlKey || metaKey)) currentTarget.form?.requestSubmit();
        }}
      />
    </label>
  );
}
