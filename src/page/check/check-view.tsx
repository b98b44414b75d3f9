// The view that checks typed or pasted addresses.

import type { ComponentChildren, RefObject } from "preact";
import { type Dispatch, type StateUpdater, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { escapeInvisible, formatNumber, pluralize } from "../../base/format-text.ts";
import type { Api } from "../common/api.ts";
import { CopyDetails } from "../common/copy.tsx";
import { RequireDetectionKey } from "../common/require-key.tsx";
import { DnsCheckbox, QuietButton, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { DETECT_PATH } from "../common/text.ts";
import { findAddresses, replaceAddresses, replaceLines } from "./find-addresses.ts";
import { mayHaveAddress, type Place } from "./read-unit.ts";
import { type Checked, Results } from "./results.tsx";
import { type CheckResult, markDuplicates } from "./verdict.ts";

// Limit of one request.
const MAX_ADDRESSES = 1000;
/** Addresses of one request if DNS is asked, so that the page shows progress. */
const DNS_CHUNK = 200;
const TOO_MANY = "There are more than 1,000 addresses: save them as a file for Files.";
const NO_ADDRESS = "There is no address.";
const EXAMPLES = "jane.doe+news@gmail.com\ninfo@example.org\njoe@mailinator.com\njane@gmial.com\njane..doe@gmail.com";

export function CheckView(): ComponentChildren {
  const [text, setText] = useState("");
  return (
    <section aria-labelledby="check-title">
      <h1 id="check-title">Check addresses</h1>
      <RequireDetectionKey>
        <Check text={text} onText={setText} />
      </RequireDetectionKey>
    </section>
  );
}

const NOTHING: Checked = { text: "", request: {}, results: [], skipped: [] };

/** `revert` returns a text, which may have changed since, with the lines from before the correction. */
type Correction = Readonly<{ text: string; count: number; revert: (text: string) => string; undo: () => void }>;
type TextProps = Readonly<{ text: string; onText: Dispatch<StateUpdater<string>> }>;

function Check({ text, onText }: TextProps): ComponentChildren {
  const { facts, api } = useSession();
  const [dns, setDns] = useState(facts.dns);
  const task = useCheck(api);
  const { checked, problem, busy, progress, check, stop } = task;
  const { request, results, skipped } = checked;
  const isStale = !busy && text !== checked.text;
  const area = useRef<HTMLTextAreaElement>(null);
  const { correction, setCorrections, onCorrections } = useCorrections(task, area, onText);
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    const { top } = (list.current as Element).getBoundingClientRect();
    if (results.length > 0 && top > innerHeight / 2) list.current?.scrollIntoView();
  }, [request]);
  const start = (text: string): void => {
    onText(text);
    setCorrections([]);
    check(text, dns);
  };
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    start(text);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!event.ctrlKey && !event.metaKey) return;
    if (event.key === "Enter") onSubmit(event);
    if (event.key !== "z" || correction?.text !== text) return;
    // The browser can't undo a correction.
    event.preventDefault();
    correction.undo();
  };
  // Typing renders the form for each key, but not a thousand results.
  const content = useMemo(
    () => <Results key={request} results={markDuplicates(results)} {...{ isStale, onCorrections }} />,
    [checked, api, isStale],
  );
  return (
    <>
      <form class="card" onSubmit={onSubmit}>
        <label>
          Email addresses
          <textarea
            ref={area}
            rows={4}
            autofocus
            autocapitalize="off"
            spellcheck={false}
            aria-describedby="emails-note"
            value={text}
            onInput={({ currentTarget }) => onText(currentTarget.value)}
            onKeyDown={onKeyDown}
          />
        </label>
        <div class="row spread">
          <DnsCheckbox dns={dns} onChange={setDns}>
            Look up unlisted domains in DNS
          </DnsCheckbox>
          <div class="row">
            {busy && <QuietButton onClick={stop}>Stop</QuietButton>}
            <button type="submit" class="main" aria-disabled={busy}>
              {busy ? `Checking…${progress}` : "Check"}
            </button>
          </div>
        </div>
        <p class="note" id="emails-note">
          One per line, or a pasted list or table; Ctrl+Enter checks it. For more than 1,000, or to keep other columns,
          use Files. No mail is sent, so the mailbox may not exist.
        </p>
      </form>
      <CheckStatus {...{ problem }} count={results.length} />
      {results.length > 0 && isStale && !problem && (
        <p class="note">The text has changed since this check: check it again.</p>
      )}
      {results.length === 0 && problem === undefined && !busy && (
        <p class="row note">
          Nothing checked yet.
          <QuietButton onClick={() => start(EXAMPLES)}>Check five examples</QuietButton>
        </p>
      )}
      <section ref={list}>
        <Skipped title="Not checked" places={skipped.filter(mayHaveAddress)} />
        <Skipped title="Text without an address" places={skipped.filter((place) => !mayHaveAddress(place))} />
        <div aria-busy={busy}>{content}</div>
        {correction && correction.revert(text) !== text && (
          <p class="row note bottom">
            Corrected {pluralize(correction.count, "address", "addresses")}.
            <QuietButton onClick={correction.undo}>Undo</QuietButton>
          </p>
        )}
      </section>
    </>
  );
}

/** Replaces addresses in the text, and undoes that. */
function useCorrections(
  { checked, correct, run }: ReturnType<typeof useCheck>,
  area: RefObject<HTMLTextAreaElement | null>,
  onText: TextProps["onText"],
) {
  const [corrections, setCorrections] = useState<readonly Correction[]>([]);
  const onCorrections = async (replacements: ReadonlyMap<string, string>): Promise<void> => {
    const field = area.current as HTMLTextAreaElement;
    const before = field.value;
    const text = await replaceAddresses(before, replacements);
    const revert = (changed: string): string => replaceLines(changed, text, before);
    const undo = (): void => {
      field.focus();
      onText(revert);
      void run(async () => checked);
      setCorrections((all) => all.slice(0, -1));
    };
    onText(text);
    const count = checked.results.filter(({ email }) => replacements.has(email)).length;
    setCorrections((earlier) => [...earlier, { text, count, revert, undo }]);
    correct(replacements, text);
  };
  return { correction: corrections.at(-1), setCorrections, onCorrections };
}

/** Checks addresses, and replaces the results of a corrected one. */
function useCheck(api: Api) {
  const { value: checked = NOTHING, problem, busy = false, run, stop } = useTask<Checked>("Stopped.");
  const [progress, setProgress] = useState("");
  const detect = async (request: Checked["request"], emails: readonly string[], signal: AbortSignal) => {
    const results: CheckResult[] = [];
    const size = request.dns === "on" ? DNS_CHUNK : MAX_ADDRESSES;
    while (results.length < emails.length) {
      setProgress(emails.length > size ? ` ${results.length} of ${formatNumber(emails.length)}` : "");
      const body = { ...request, emails: emails.slice(results.length, results.length + size) };
      results.push(...(await api.data<CheckResult[]>("POST", DETECT_PATH, { body, signal })));
    }
    return results;
  };
  const check = (text: string, dns: boolean): void => {
    void run(async (signal) => {
      if (text.trim() === "") return NOTHING;
      const { places, skipped } = await findAddresses(text);
      const found = places.filter(({ isRepeated = false }) => !isRepeated);
      const emails = found.map(({ address }) => address);
      if (emails.length === 0) throw new Error(NO_ADDRESS);
      if (emails.length > MAX_ADDRESSES) throw new Error(TOO_MANY);
      const request = { explain: true, classes: true, dns: dns ? "on" : "off" };
      const results = await detect(request, emails, signal);
      return {
        text,
        request,
        skipped,
        results: results.map((result, i) => ({ ...result, word_before: found[i]?.wordBefore })),
      };
    });
  };
  const correct = (corrections: ReadonlyMap<string, string>, text: string): void => {
    void run(async (signal) => {
      const corrected = await detect(checked.request, [...corrections.values()], signal);
      const byEmail = new Map([...corrections.keys()].map((email, i) => [email, corrected[i] as CheckResult]));
      const results = checked.results.map((result) => {
        const other = byEmail.get(result.email);
        const { word_before, corrected_from = result.email } = result;
        return other === undefined ? result : { ...other, word_before, corrected_from };
      });
      return { ...checked, text, results };
    });
  };
  return { checked, problem, busy, progress, check, correct, run, stop };
}

function Skipped({ title, places }: { readonly title: string; readonly places: readonly Place[] }): ComponentChildren {
  const lines = places.map(({ address }) => escapeInvisible(address.replace(/\s+/g, " ")));
  return lines.length > 0 && <CopyDetails title={`${title}: ${formatNumber(lines.length)}`} text={lines.join("\n")} />;
}

function CheckStatus({ problem, count }: Readonly<{ problem?: string | undefined; count: number }>): ComponentChildren {
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
