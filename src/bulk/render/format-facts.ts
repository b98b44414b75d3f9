// Capabilities of the data formats. They have their own file, so that checking options does not load the renderers.
// Formats for people and for CI are in src/cli.

import type { RowLayout } from "../rows/layout.ts";

/** Capabilities of a format. Options that need a missing capability are rejected. */
export interface FormatFacts {
  /** Input kinds whose rows are echoed with fields added. */
  readonly echoes?: readonly RowLayout["kind"][];
  readonly hasFields?: true;
  readonly hasExplain?: true;
  /** Supports --scan. */
  readonly hasLocations?: true;
  /** Rows don't depend on each other, and nothing follows the last row, so outputs of parts can be concatenated. */
  readonly hasIndependentRows?: true;
  /** Rows have columns, separated by a delimiter. */
  readonly hasColumns?: true;
  /** Spreadsheets open the format and evaluate formulas in it. */
  readonly hasFormulas?: true;
  /** Output begins with the byte-order mark of the input. */
  readonly echoesByteOrderMark?: true;
  /** Rows are echoed without added fields. */
  readonly echoesOnly?: true;
  /** Shows only rows of the classes of --fail-on, each with its location. */
  readonly isFindings?: true;
}

export const DATA_FORMATS = ["ndjson", "json", "csv", "tsv", "plain"] as const;
export type DataFormat = (typeof DATA_FORMATS)[number];

export const FORMAT_FACTS: Readonly<Record<DataFormat, FormatFacts>> = {
  ndjson: {
    echoes: ["jsonl"],
    hasFields: true,
    hasExplain: true,
    hasLocations: true,
    hasIndependentRows: true,
  },
  json: {
    echoes: ["jsonl"],
    hasFields: true,
    hasExplain: true,
    hasLocations: true,
  },
  csv: {
    echoes: ["csv"],
    hasFields: true,
    hasLocations: true,
    hasIndependentRows: true,
    hasColumns: true,
    hasFormulas: true,
    echoesByteOrderMark: true,
  },
  tsv: {
    echoes: ["tsv"],
    hasFields: true,
    hasIndependentRows: true,
    hasColumns: true,
  },
  plain: {
    echoes: ["csv", "tsv", "jsonl"],
    hasLocations: true,
    hasIndependentRows: true,
    echoesByteOrderMark: true,
    echoesOnly: true,
  },
};

/** Returns the format that echoes rows of this kind with fields added. */
export function sameFormatAsInput(kind: RowLayout["kind"]): DataFormat {
  return DATA_FORMATS.find((name) => FORMAT_FACTS[name].echoes?.includes(kind)) ?? "ndjson";
}
