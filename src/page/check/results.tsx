// The results of a check: one in full, or many as counts and a list that unfolds.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { counted, escapeInvisible } from "../../base/shown.ts";
import type { Detection } from "../../detection/detection.ts";
import { Bars, CopyButton, CopyFold } from "../common/copy.tsx";
import { classBars } from "../common/text.ts";
import { Evidence } from "./evidence.tsx";
import { classCounts, evidenceOf, labelsOf, verdictOn } from "./verdict.ts";

interface ResultsProps {
  readonly results: readonly Detection[];
  readonly running: boolean;
  readonly curl: (email: string) => string;
  readonly onSuggestion: ((email: string) => void) | undefined;
}

export function Results({ results, running, curl, onSuggestion }: ResultsProps): ComponentChildren {
  const [only] = results;
  if (only === undefined) return null;
  const parts = (detection: Detection) => ({
    detection,
    running,
    curl: running ? curl(detection.email) : undefined,
    onSuggestion,
  });
  if (results.length === 1) {
    return (
      <section class="card result" aria-label="Result">
        <Result {...parts(only)} />
      </section>
    );
  }
  return (
    <section aria-labelledby="results-title">
      <h2 id="results-title">{counted(results.length, "address", "addresses")}</h2>
      <ul class="result-list card">
        {results.map((detection, i) => (
          <li key={i}>
            <Folded {...parts(detection)} />
          </li>
        ))}
      </ul>
      <div class="card">
        <Bars bars={classBars(classCounts(results))} total={results.length} />
        <CopyFold title="JSON" text={JSON.stringify(results, undefined, 2)} button={running} />
      </div>
    </section>
  );
}

type FoldedProps = Parameters<typeof Result>[0];

/**
 * One of many. Its inside is made when it is opened, because a thousand of them take time; without a script at once.
 */
function Folded(props: FoldedProps): ComponentChildren {
  const [opened, setOpened] = useState(!props.running);
  return (
    <details onToggle={({ currentTarget }) => currentTarget.open && setOpened(true)}>
      <summary>
        <ResultLine detection={props.detection} />
      </summary>
      {opened && (
        <div class="result">
          <Result {...props} />
        </div>
      )}
    </details>
  );
}

/** `offset` in UTF-16 units. */
export function Address({
  email,
  offset,
}: {
  readonly email: string;
  readonly offset: number | undefined;
}): ComponentChildren {
  if (offset === undefined) return <bdi class="address">{escapeInvisible(email)}</bdi>;
  const before = email.slice(0, offset);
  const [at = ""] = email.slice(offset);
  return (
    <bdi class="address faulty">
      {escapeInvisible(before)}
      <mark>{at === "" ? "\u00a0" : escapeInvisible(at)}</mark>
      {escapeInvisible(email.slice(offset + at.length))}
      <span class="hidden-text">, wrong at character {Array.from(before).length + 1}</span>
    </bdi>
  );
}

interface ResultProps {
  readonly detection: Detection;
  /** Whether the page can copy and ask again. */
  readonly running: boolean;
  readonly curl: string | undefined;
  readonly onSuggestion: ((email: string) => void) | undefined;
}

/** The verdict in one line, for a list. */
function ResultLine({ detection }: { readonly detection: Detection }): ComponentChildren {
  const { tone, title, sentence } = verdictOn(detection);
  const { suggestion } = evidenceOf(detection);
  const why = detection.syntax_validation ? undefined : sentence;
  return (
    <>
      <Address email={detection.email} offset={undefined} />
      <span class={`chip ${tone}`}>{title}</span>
      <span class="note"> {suggestion === undefined ? why : `Probably meant: ${escapeInvisible(suggestion)}`}</span>
    </>
  );
}

/** Everything about an address. */
function Result({ detection, ...others }: ResultProps): ComponentChildren {
  const { tone, title, sentence } = verdictOn(detection);
  const { syntax_error: fault } = evidenceOf(detection);
  return (
    <>
      <p class={`verdict ${tone}`}>
        <strong>{title}</strong> {sentence}
      </p>
      <p class="shown-address">
        <Address email={detection.email} offset={fault?.offset} />
      </p>
      <ResultBody detection={detection} {...others} />
    </>
  );
}

function ResultBody({ detection, running, curl, onSuggestion }: ResultProps): ComponentChildren {
  const { suggestion } = evidenceOf(detection);
  const labels = labelsOf(detection);
  return (
    <>
      {suggestion !== undefined && (
        <p class="suggestion">
          Did you mean <bdi class="address">{escapeInvisible(suggestion)}</bdi>?{" "}
          {running && <CopyButton text={suggestion} label="Copy it" />}
          {onSuggestion !== undefined && (
            <button type="button" class="quiet" onClick={() => onSuggestion(suggestion)}>
              Check it
            </button>
          )}
        </p>
      )}
      {labels.length > 0 && (
        <ul class="chips" aria-label="What it is">
          {labels.map((label) => (
            <li key={label} class="chip plain">
              {label}
            </li>
          ))}
        </ul>
      )}
      <Evidence detection={detection} />
      <CopyFold title="JSON" text={JSON.stringify(detection, undefined, 2)} button={running} />
      {curl !== undefined && <CopyFold title="curl" text={curl} button={running} />}
    </>
  );
}
