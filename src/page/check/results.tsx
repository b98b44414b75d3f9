// Shows the results of a check: a single one in full, several as a list with counts.

import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { escapeInvisible, formatNumber, pluralize, toSentence } from "../../base/format-text.ts";
import { CopyButton, CopyDetails, DownloadLink } from "../common/copy.tsx";
import { type ChildrenProps, LabeledInput, LazyDetails, QuietButton } from "../common/session.tsx";
import { humanize } from "../common/text.ts";
import { Address, Evidence } from "./evidence.tsx";
import type { FoundAddresses } from "./read-unit.ts";
import {
  type CheckResult,
  describeGroup,
  describeVerdict,
  evidenceOf,
  formatCsv,
  groupByVerdict,
  nameList,
} from "./verdict.ts";

/** A text, its request and the results. A correction changes only text and results. */
export type Checked = Readonly<{
  text: string;
  request: { readonly dns?: string };
  results: readonly CheckResult[];
  skipped: FoundAddresses["skipped"];
}>;
/** If the text has changed since the check, its results are stale. */
type SuggestionProps = Readonly<{
  isStale: boolean;
  onCorrections: (corrections: ReadonlyMap<string, string>) => void;
}>;
type ResultsProps = SuggestionProps & { readonly results: readonly (CheckResult | undefined)[] };
type ResultProps = SuggestionProps & { readonly result: CheckResult };

export function Results({ results, ...props }: ResultsProps): ComponentChildren {
  const [first] = results;
  if (first === undefined) return null;
  if (results.length > 1) return <ResultList results={results} {...props} />;
  return (
    <section class="card result" aria-label="Result" tabIndex={-1}>
      <Result result={first} {...props} />
      <CsvLink results={[first]} fileName="address.csv" />
    </section>
  );
}

function CsvLink({ results, fileName }: Pick<Checked, "results"> & { readonly fileName: string }): ComponentChildren {
  // Without a byte-order mark, Excel would garble letters such as ü.
  const csv = useMemo(() => new Blob(["\ufeff", formatCsv(results)], { type: "text/csv" }), [results]);
  return (
    <DownloadLink blob={csv} fileName={fileName} class="quiet">
      Download {formatNumber(results.length)} as CSV
    </DownloadLink>
  );
}

type CorrectButtonProps = ChildrenProps & SuggestionProps & { readonly corrections: ReadonlyMap<string, string> };

function CorrectButton({ corrections, isStale, onCorrections, children }: CorrectButtonProps): ComponentChildren {
  const correct = ({ currentTarget }: { readonly currentTarget: Element }): void => {
    // The button is removed, so the focus moves to the summary of its result, or to all results.
    const summary = currentTarget.closest("li")?.querySelector("summary");
    (summary ?? currentTarget.closest<HTMLElement>("section"))?.focus();
    onCorrections(corrections);
  };
  return (
    <QuietButton disabled={isStale} onClick={correct}>
      {children}
    </QuietButton>
  );
}

function ResultList({ results, ...props }: ResultsProps): ComponentChildren {
  const [selected, setSelected] = useState("all");
  const [withoutRoles, setWithoutRoles] = useState(false);
  const all = results.filter((result) => result !== undefined);
  const groups = groupByVerdict(all);
  // A correction may remove the selected class.
  const filter = groups.has(selected) ? selected : "all";
  const group = groups.get(filter) ?? all;
  const others = group.filter(({ classes }) => !classes.includes("role"));
  const roles = ["all", "clean"].includes(filter) ? group.length - others.length : 0;
  const shown = withoutRoles && roles > 0 ? others : group;
  const count = pluralize(shown.length, "address", "addresses");
  const corrections = new Map(
    shown.flatMap((result) => {
      const { suggestion } = evidenceOf(result);
      return suggestion === undefined ? [] : [[result.email, suggestion] as const];
    }),
  );
  return (
    <section aria-labelledby="results-title" tabIndex={-1}>
      <fieldset class="chips" aria-label="Show only">
        {Array.from(groups, ([name, { length }]) => (
          <QuietButton key={name} aria-pressed={name === filter} onClick={() => setSelected(name)}>
            {humanize(name)} <small>{formatNumber(length)}</small>
          </QuietButton>
        ))}
      </fieldset>
      <div class="row spread">
        <h2 id="results-title">{shown.length === all.length ? count : `${count} of ${formatNumber(all.length)}`}</h2>
        <div class="row">
          {corrections.size > 0 && (
            <CorrectButton corrections={corrections} {...props}>
              Apply {pluralize(corrections.size, "suggestion", "suggestions")}
            </CorrectButton>
          )}
          <CopyButton text={shown.map(({ email }) => email).join("\n")} label={`Copy ${count}`} />
          <CsvLink results={shown} fileName={`addresses-${filter}.csv`} />
        </div>
      </div>
      <p class="note">{describeGroup(filter)}</p>
      {roles > 0 && (
        <LabeledInput
          type="checkbox"
          checked={withoutRoles}
          onChange={({ currentTarget }) => setWithoutRoles(currentTarget.checked)}
        >
          Leave out {pluralize(roles, "role address", "role addresses")} such as info@
        </LabeledInput>
      )}
      <ul class="card lines">
        {results.map(
          (result, i) =>
            result !== undefined &&
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
  const reason = nameList(result) !== "clean" && sentences;
  return (
    <span class="row">
      <Address text={result.email} />
      <span class="note">{suggestion === undefined ? reason : `Did you mean ${escapeInvisible(suggestion)}?`}</span>
      <span class={`chip ${tone}`}>{title}</span>
    </span>
  );
}

function Result({ result, ...props }: ResultProps): ComponentChildren {
  const [tone, title, sentences] = describeVerdict(result);
  const { syntax_error: fault, suggestion, warnings = [] } = evidenceOf(result);
  const list = nameList(result);
  return (
    <>
      <p class={`verdict ${tone}`}>
        <strong>{toSentence(`${list}: ${title}`.replace(/: ok\b/, ""))}</strong> {sentences}
      </p>
      <p class="shown-address">
        <Address text={result.email} offset={fault?.offset} />
      </p>
      {suggestion !== undefined && (
        <p class="row">
          <span>
            Did you mean <Address text={suggestion} />?
            {warnings.includes("confusable_domain") &&
              " It looks similar, but has letters of another script or accents."}
          </span>
          <CorrectButton corrections={new Map([[result.email, suggestion]])} {...props}>
            Use it
          </CorrectButton>
          <CopyButton text={suggestion} label="Copy the suggestion" />
        </p>
      )}
      <p class="row">
        <CopyButton text={result.email} label="Copy the address" />
      </p>
      <Evidence result={result} />
      <CopyDetails title="JSON" text={JSON.stringify(result, undefined, 2)} />
    </>
  );
}
