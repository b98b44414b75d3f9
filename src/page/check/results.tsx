// Shows the results of a check: a single one in full, several as a list with counts.

import type { ComponentChildren } from "preact";
import { escapeInvisible, pluralize } from "../../base/format-text.ts";
import type { Detection } from "../../detection/detection.ts";
import { BarChart } from "../common/charts.tsx";
import { CopyButton, CopyDetails, DownloadLink } from "../common/copy.tsx";
import { LazyDetails, QuietButton, useSession } from "../common/session.tsx";
import { createCurlCommand } from "../common/text.ts";
import { Evidence } from "./evidence.tsx";
import { countVerdicts, describeVerdict, evidenceOf, formatCsv, listLabels } from "./verdict.ts";

interface SuggestionProps {
  readonly onSuggestion: (email: string) => void;
}

export function Results({
  results,
  onSuggestion,
}: SuggestionProps & { readonly results: readonly Detection[] }): ComponentChildren {
  const [first] = results;
  if (first === undefined) return null;
  if (results.length === 1) {
    return (
      <section class="card result" aria-label="Result">
        <Result detection={first} onSuggestion={onSuggestion} />
      </section>
    );
  }
  const csv = formatCsv(results);
  return (
    <section aria-labelledby="results-title">
      <div class="row spread">
        <h2 id="results-title">{pluralize(results.length, "address", "addresses")}</h2>
        <div class="row">
          <CopyButton text={csv} label="Copy as CSV" />
          <DownloadLink blob={new Blob([csv], { type: "text/csv" })} fileName="addresses-classified.csv" class="quiet">
            Download CSV
          </DownloadLink>
        </div>
      </div>
      <ul class="card lines">
        {results.map((detection, i) => (
          <li key={i}>
            <LazyDetails summary={<ResultLine detection={detection} />}>
              <Result detection={detection} onSuggestion={onSuggestion} />
            </LazyDetails>
          </li>
        ))}
      </ul>
      <div class="card">
        <BarChart bars={countVerdicts(results)} total={results.length} />
        <CopyDetails title="JSON" text={JSON.stringify(results, undefined, 2)} />
      </div>
    </section>
  );
}

/** Shows an address, and marks the character at `offset`, which is in UTF-16 units. */
function Address({ email, offset }: Readonly<{ email: string; offset: number | undefined }>): ComponentChildren {
  if (offset === undefined) return <bdi class="address">{escapeInvisible(email)}</bdi>;
  const before = email.slice(0, offset);
  const [character = ""] = email.slice(offset);
  return (
    <bdi class="address faulty">
      {escapeInvisible(before)}
      <mark>{character === "" ? "\u00a0" : escapeInvisible(character)}</mark>
      {escapeInvisible(email.slice(offset + character.length))}
      <span class="hidden-text">, fault at character {Array.from(before).length + 1}</span>
    </bdi>
  );
}

function ResultLine({ detection }: { readonly detection: Detection }): ComponentChildren {
  const [tone, title, sentence] = describeVerdict(detection);
  const { suggestion } = evidenceOf(detection);
  const reason = detection.syntax_validation ? undefined : sentence;
  return (
    <span class="row">
      <Address email={detection.email} offset={undefined} />
      <span class="note">{suggestion === undefined ? reason : `Did you mean ${escapeInvisible(suggestion)}?`}</span>
      <span class={`chip ${tone}`}>{title}</span>
    </span>
  );
}

function Result({ detection, onSuggestion }: SuggestionProps & { readonly detection: Detection }): ComponentChildren {
  const { facts, api } = useSession();
  const [tone, title, sentence] = describeVerdict(detection);
  const { syntax_error: fault, suggestion } = evidenceOf(detection);
  const labels = listLabels(detection);
  return (
    <>
      <p class={`verdict ${tone}`}>
        <strong>{title}</strong> {sentence}
      </p>
      <p class="shown-address">
        <Address email={detection.email} offset={fault?.offset} />
      </p>
      {suggestion !== undefined && (
        <p>
          Did you mean <bdi class="address">{escapeInvisible(suggestion)}</bdi>?{" "}
          <CopyButton text={suggestion} label="Copy" />
          <QuietButton onClick={() => onSuggestion(suggestion)}>Check it</QuietButton>
        </p>
      )}
      {labels.length > 0 && (
        <ul class="chips" aria-label="Labels">
          {labels.map((label) => (
            <li key={label} class="chip plain">
              {label}
            </li>
          ))}
        </ul>
      )}
      <Evidence detection={detection} />
      <CopyDetails title="JSON" text={JSON.stringify(detection, undefined, 2)} />
      <CopyDetails title="curl" text={createCurlCommand(detection.email, facts.allowsAnonymous, api.base)} />
    </>
  );
}
