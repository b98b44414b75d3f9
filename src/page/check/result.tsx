// The result for one address, with its evidence, and as JSON and curl to copy.

import type { ComponentChildren } from "preact";
import { escapeInvisible } from "../../base/shown.ts";
import type { Detection } from "../../detection/detection.ts";
import { CopyButton, CopyFold } from "../common/copy.tsx";
import { Address } from "./address.tsx";
import { Evidence } from "./evidence.tsx";
import { evidenceOf, labelsOf, verdictOn } from "./verdict.ts";

interface ResultProps {
  readonly detection: Detection;
  /** Whether the page can copy and ask again. */
  readonly running: boolean;
  readonly curl: string | undefined;
  readonly onSuggestion: ((email: string) => void) | undefined;
}

/** The verdict in one line, for a list. */
export function ResultLine({ detection }: { readonly detection: Detection }): ComponentChildren {
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
export function Result({ detection, ...others }: ResultProps): ComponentChildren {
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
