// Tests that a command line and the query of a stream accept and reject the same options about rows, in every spelling
// and for the same reason.

import fc from "fast-check";
import { expect, it } from "vitest";
import type { AddrsiftError } from "../../../../src/base/errors.ts";
import { renderMessage } from "../../../../src/bulk/messages.ts";
import type { DeclaredOption } from "../../../../src/bulk/run/option-table.ts";
import { PARAMETERS, readStreamQuery } from "../../../../src/server/routes/stream/parameters.ts";
import { HTTP_WORDING, streamSettings } from "../../../../src/server/routes/stream/settings.ts";
import { detectSettings } from "../../../helpers/in-process.ts";
import { sampleSize } from "../../../helpers/sampling.ts";

/** Options about rows. `summary` selects where counts go, for which a command line has other options. */
const OPTIONS: readonly DeclaredOption[] = PARAMETERS.filter(({ name }) => name !== "summary");
const KINDS = ["lines", "csv", "jsonl"] as const;
const FORMATS = ["ndjson", "csv"] as const;
const POLICY = { syntax: {}, minConfidence: "single" } as const;

interface Call {
  readonly kind: (typeof KINDS)[number];
  readonly format: (typeof FORMATS)[number];
  readonly options: readonly (readonly [option: DeclaredOption, text: string])[];
}

function outcomeOf(read: () => unknown): string {
  try {
    read();
    return "accepted";
  } catch (error) {
    return renderMessage(HTTP_WORDING, error as AddrsiftError);
  }
}

function expectSameOutcome({ kind, format, options }: Call, isSeparated: boolean): string {
  const words = options.flatMap(([{ name, value }, text]) => {
    if (value === undefined) return [`--${name}`];
    // On a command line, the name of an option can be a value only after "=".
    return isSeparated && text !== "--json" ? [`--${name}`, text] : [`--${name}=${text}`];
  });
  const query = new URLSearchParams(options.map(([{ name }, text]) => [name, text])).toString();
  const line = [...(kind === "lines" ? [] : [`--${kind}`]), "--format", format, ...words];
  const lineOutcome = outcomeOf(() => detectSettings(...line));
  const queryOutcome = outcomeOf(() => streamSettings(kind, format, readStreamQuery(query), POLICY));
  expect({ line, outcome: queryOutcome }).toEqual({ line, outcome: lineOutcome });
  return lineOutcome;
}

/** Returns valid, invalid and unusual texts for an option. A switch on a command line can only be true. */
function textsOf({ value, choices = [], range, time }: DeclaredOption): readonly string[] {
  if (value === undefined) return ["true"];
  const choiceTexts = [
    ...choices,
    choices.slice(0, 2).join(","),
    choices
      .slice(0, 1)
      .concat(choices[0] ?? "")
      .join(","),
  ];
  const rangeTexts = (range ?? []).flatMap((limit) => [String(limit - 1), String(limit), String(limit + 1)]);
  const otherTexts = [
    "",
    " ",
    ",",
    "nosuch",
    "email",
    "1",
    "16385",
    "a.b",
    "*",
    "é",
    "latin1",
    '"',
    ";",
    "tab",
    "-",
    "--json",
    "0x1",
  ];
  return [...choiceTexts, ...rangeTexts, ...otherTexts, ...(time === undefined ? [] : ["1ms", "2h"])];
}

const CALLS = KINDS.flatMap((kind) => FORMATS.map((format) => ({ kind, format })));

it.each(OPTIONS)("a command line and a query accept the same values of the option $name", (option) => {
  const outcomes = new Set<string>();
  for (const call of CALLS) {
    for (const text of textsOf(option)) {
      for (const times of [1, 2, 101]) {
        const options = Array.from({ length: times }, () => [option, text] as const);
        outcomes.add(expectSameOutcome({ ...call, options }, true));
        outcomes.add(expectSameOutcome({ ...call, options }, false));
      }
    }
  }
  expect(outcomes).toContain("accepted");
});

it("a command line and a query accept the same combinations of options", () => {
  const option = fc.constantFrom(...OPTIONS).chain((declared) => {
    return fc.constantFrom(...textsOf(declared)).map((text) => [declared, text] as const);
  });
  const calls = fc.constantFrom(...CALLS);
  fc.assert(
    fc.property(calls, fc.array(option, { maxLength: 4 }), fc.boolean(), (call, options, isSeparated) => {
      expectSameOutcome({ ...call, options }, isSeparated);
    }),
    { numRuns: sampleSize(5000) },
  );
});
