// Tests that a command line and the query of a stream accept and reject the same options about rows, in every form and
// for the same reason.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AddrsiftError } from "../../../../src/base/errors.ts";
import { renderMessage } from "../../../../src/bulk/messages.ts";
import type { DeclaredOption } from "../../../../src/bulk/run/option-table.ts";
import { PARAMETERS, readStreamQuery } from "../../../../src/server/routes/stream/parameters.ts";
import { HTTP_WORDING, streamSettings } from "../../../../src/server/routes/stream/settings.ts";
import { detectSettings } from "../../../helpers/in-process.ts";
import { sampleSize } from "../../../helpers/sampling.ts";

/** All but where the counts go, which a command line says in another way. */
const OPTIONS: readonly DeclaredOption[] = PARAMETERS.filter(({ name }) => name !== "summary");
const KINDS = ["lines", "csv", "jsonl"] as const;
const FORMATS = ["ndjson", "csv"] as const;
const POLICY = { syntax: {}, minConfidence: "single" } as const;

interface Call {
  readonly kind: (typeof KINDS)[number];
  readonly format: (typeof FORMATS)[number];
  readonly given: readonly (readonly [option: DeclaredOption, text: string])[];
}

function outcomeOf(read: () => unknown): string {
  try {
    read();
    return "accepted";
  } catch (error) {
    return renderMessage(HTTP_WORDING, error as AddrsiftError);
  }
}

function sameOutcome({ kind, format, given }: Call, separated: boolean): string {
  const words = given.flatMap(([{ name, value }, text]) => {
    if (value === undefined) return [`--${name}`];
    return separated ? [`--${name}`, text] : [`--${name}=${text}`];
  });
  const query = new URLSearchParams(given.map(([{ name }, text]) => [name, text])).toString();
  const line = [...(kind === "lines" ? [] : [`--${kind}`]), "--format", format, ...words];
  const ofLine = outcomeOf(() => detectSettings(...line));
  const ofQuery = outcomeOf(() => streamSettings(kind, format, readStreamQuery(query), POLICY));
  expect({ line, outcome: ofQuery }).toEqual({ line, outcome: ofLine });
  return ofLine;
}

/** Texts that are right, wrong or odd for an option. A switch on a command line can only be true. */
function textsOf({ value, choices = [], range, time }: DeclaredOption): readonly string[] {
  if (value === undefined) return ["true"];
  const some = [
    ...choices,
    choices.slice(0, 2).join(","),
    choices
      .slice(0, 1)
      .concat(choices[0] ?? "")
      .join(","),
  ];
  const around = (range ?? []).flatMap((limit) => [String(limit - 1), String(limit), String(limit + 1)]);
  const odd = [
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
  return [...some, ...around, ...odd, ...(time === undefined ? [] : ["1ms", "2h"])];
}

const CALLS = KINDS.flatMap((kind) => FORMATS.map((format) => ({ kind, format })));

describe("options about rows", () => {
  it.each(OPTIONS)("$name is accepted or rejected alike on a command line and in a query", (option) => {
    const outcomes = new Set<string>();
    for (const call of CALLS) {
      for (const text of textsOf(option)) {
        for (const times of [1, 2, 101]) {
          const given = Array.from({ length: times }, () => [option, text] as const);
          outcomes.add(sameOutcome({ ...call, given }, true));
          outcomes.add(sameOutcome({ ...call, given }, false));
        }
      }
    }
    expect(outcomes).toContain("accepted");
  });

  it("any options together are accepted or rejected alike on a command line and in a query", () => {
    const given = fc.constantFrom(...OPTIONS).chain((option) => {
      return fc.constantFrom(...textsOf(option)).map((text) => [option, text] as const);
    });
    const calls = fc.constantFrom(...CALLS);
    fc.assert(
      fc.property(calls, fc.array(given, { maxLength: 4 }), fc.boolean(), (call, all, separated) => {
        sameOutcome({ ...call, given: all }, separated);
      }),
      { numRuns: sampleSize(5000) },
    );
  });
});
