// The results of a check: one in full, or many as counts and a list that unfolds.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { counted } from "../../base/shown.ts";
import type { Detection } from "../../detection/detection.ts";
import { Bars } from "../common/bars.tsx";
import { CopyFold } from "../common/copy.tsx";
import { classBars } from "../common/tone.ts";
import { Result, ResultLine } from "./result.tsx";
import { classCounts } from "./verdict.ts";

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
      <div class="card">
        <h2 id="results-title">{counted(results.length, "address", "addresses")}</h2>
        <Bars bars={classBars(classCounts(results))} total={results.length} />
        <CopyFold title="JSON" text={JSON.stringify(results, undefined, 2)} button={running} />
      </div>
      <ul class="result-list card">
        {results.map((detection, i) => (
          <li key={i}>
            <Folded {...parts(detection)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

type FoldedProps = Parameters<typeof Result>[0];

/** One of many. Its inside is made when it is opened, because a thousand of them take time; without a script at once. */
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
