// The view that checks typed or pasted addresses.

import type { ComponentChildren } from "preact";
import { type Dispatch, type StateUpdater, useMemo, useState } from "preact/hooks";
import type { Api } from "../common/api.ts";
import { RequireDetectionKey } from "../common/require-key.tsx";
import { DnsCheckbox, QuietButton, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { DETECT_PATH } from "../common/text.ts";
import { type Checked, Results } from "./results.tsx";
import { splitAddresses } from "./split-addresses.ts";
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

type TextProps = Readonly<{ text: string; onText: Dispatch<StateUpdater<string>> }>;

function Check({ text, onText }: TextProps): ComponentChildren {
  const { facts, api } = useSession();
  const [dns, setDns] = useState(facts.dns);
  const { checked, problem, busy, check, correct } = useCheck(api);
  const { request, results } = checked;
  const start = (text: string): void => {
    onText(text);
    check(text, dns);
  };
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    start(text);
  };
  const onSuggestion = (email: string, suggestion: string): void => {
    onText((text) => replaceLines(text, email, suggestion));
    correct(email, suggestion);
  };
  // Typing renders the form for each key, but not a thousand results.
  const list = useMemo(
    () => <Results key={request} results={markDuplicates(results)} onSuggestion={onSuggestion} />,
    [checked, api],
  );
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
          One per line, or a pasted list or table. At most 1,000; for more, use Files. No mail is sent.
        </p>
      </form>
      <CheckStatus problem={problem} count={results.length} />
      {results.length === 0 && problem === undefined && (
        <p class="row note">
          Nothing checked yet.
          <QuietButton onClick={() => start(EXAMPLES)}>Check five examples</QuietButton>
        </p>
      )}
      {list}
    </>
  );
}

/** Checks addresses, and replaces the results of a corrected one. */
function useCheck(api: Api) {
  const { value: checked = NOTHING, problem, busy, run } = useTask<Checked>();
  const detect = (request: object, signal: AbortSignal): Promise<CheckResult[]> =>
    api.data("POST", DETECT_PATH, { body: request, signal });
  const check = (text: string, dns: boolean): void => {
    void run(async (signal) => {
      const emails = splitAddresses(text);
      if (emails.length === 0) throw new Error("Type an address first.");
      if (emails.length > MAX_ADDRESSES) throw new Error(TOO_MANY);
      const request = { emails, explain: true, classes: true, dns: dns ? "on" : "off" };
      return { request, results: await detect(request, signal) };
    });
  };
  const correct = (email: string, suggestion: string): void => {
    void run(async (signal) => {
      const { request, results } = checked;
      const corrected = await detect({ ...request, emails: [suggestion] }, signal);
      return { request, results: results.flatMap((result) => (result.email === email ? corrected : result)) };
    });
  };
  return { checked, problem, busy, check, correct };
}

function replaceLines(text: string, email: string, replacement: string): string {
  const lines = splitAddresses(text).map((line) => (line === email ? replacement : line));
  return lines.join("\n");
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
      Email addresses
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
