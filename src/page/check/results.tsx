// Shows the results of a check: a single one in full, several as a list with counts.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { escapeInvisible, formatNumber, pluralize, toSentence } from "../../base/format-text.ts";
import { CopyButton, CopyDetails, DownloadLink } from "../common/copy.tsx";
import { LazyDetails, QuietButton } from "../common/session.tsx";
import { humanize } from "../common/text.ts";
import { Address, Evidence } from "./evidence.tsx";
import {
  type CheckResult,
  describeVerdict,
  evidenceOf,
  explainClass,
  formatCsv,
  groupByVerdict,
  listLabels,
} from "./verdict.ts";

/** A request and its results. A correction changes only the results. */
export type Checked = Readonly<{ request: object; results: readonly CheckResult[] }>;
type SuggestionProps = Readonly<{ onSuggestion: (email: string, suggestion: string) => void }>;
type ResultsProps = Pick<Checked, "results"> & SuggestionProps;
type ResultProps = SuggestionProps & { readonly result: CheckResult };

export function Results({ results, ...props }: ResultsProps): ComponentChildren {
  const [first] = results;
  if (first === undefined) return null;
  if (results.length > 1) return <ResultList results={results} {...props} />;
  return (
    <section class="card result" aria-label="Result">
      <Result result={first} {...props} />
    </section>
  );
}

function ResultList({ results, ...props }: ResultsProps): ComponentChildren {
  const [selected, setSelected] = useState("all");
  const groups = groupByVerdict(results);
  // A correction may remove the selected class.
  const filter = groups.has(selected) ? selected : "all";
  const shown = groups.get(filter) ?? results;
  const count = pluralize(shown.length, "address", "addresses");
  // Without a byte-order mark, Excel would garble letters such as ü.
  const csv = new Blob(["\ufeff", formatCsv(shown)], { type: "text/csv" });
  return (
    <section aria-labelledby="results-title">
      <div class="row spread">
        <h2 id="results-title">{filter === "all" ? count : `${count} of ${formatNumber(results.length)}`}</h2>
        <div class="row">
          <CopyButton text={shown.map(({ email }) => email).join("\n")} label={`Copy ${count}`} />
          <DownloadLink blob={csv} fileName={`addresses-${filter}.csv`} class="quiet">
            Download {formatNumber(shown.length)} as CSV
          </DownloadLink>
        </div>
      </div>
      <fieldset class="chips" aria-label="Show only">
        {Array.from(groups, ([name, { length }]) => (
          <QuietButton key={name} aria-pressed={name === filter} onClick={() => setSelected(name)}>
            {humanize(name)} <small>{formatNumber(length)}</small>
          </QuietButton>
        ))}
      </fieldset>
      <ul class="card lines">
        {results.map(
          (result, i) =>
            shown.includes(result) && (
              <li key={i}>
                <LazyDetails summary={<ResultLine result={result} />}>
                  <Result result={result} {...props} />
                </LazyDetails>
              </li>
            ),
        )}
      </ul>
    </section>
  );
}

function ResultLine({ result }: { readonly result: CheckResult }): ComponentChildren {
  const [tone, title, sentences] = describeVerdict(result);
  const { suggestion } = evidenceOf(result);
  const reason = result.syntax_validation ? result.duplicate_of && explainClass(result, "duplicate") : sentences;
  return (
    <span class="row">
      <Address text={result.email} />
      <span class="note">{suggestion === undefined ? reason : `Did you mean ${escapeInvisible(suggestion)}?`}</span>
      <span class={`chip ${tone}`}>{title}</span>
    </span>
  );
}

function Result({ result, onSuggestion }: ResultProps): ComponentChildren {
  const [tone, title, sentences] = describeVerdict(result);
  const { syntax_error: fault, suggestion } = evidenceOf(result);
  return (
    <>
      <p class={`verdict ${tone}`}>
        <strong>{toSentence(title)}</strong> {sentences}
      </p>
      <p class="shown-address">
        <Address text={result.email} offset={fault?.offset} />
      </p>
      {suggestion !== undefined && (
        <p>
          Did you mean <Address text={suggestion} />? <CopyButton text={suggestion} label="Copy" />
          <QuietButton onClick={() => onSuggestion(result.email, suggestion)}>Check it</QuietButton>
        </p>
      )}
      <ul class="chips" aria-label="Labels">
        {listLabels(result).map((label) => (
          <li key={label} class="chip plain">
            {label}
          </li>
        ))}
      </ul>
      <Evidence detection={result} />
      <CopyDetails title="JSON" text={JSON.stringify(result, undefined, 2)} />
    </>
  );
}
