// Query parameters of a stream: the row options of `addrsift detect`, and `summary`.

import type { Fields } from "../../../base/shapes.ts";
import {
  BY,
  DATA_VERSION,
  type DeclaredOption,
  INPUT_OPTIONS,
  OUTPUT_OPTIONS,
  STREAM_CONFIDENCE,
  SYNTAX_OPTIONS,
} from "../../../bulk/run/option-table.ts";
import { queryFields, readQuery } from "../query.ts";

export const PARAMETERS = [
  ...INPUT_OPTIONS,
  ...OUTPUT_OPTIONS,
  {
    name: "dns",
    value: "MODE",
    choices: ["auto", "on", "off"],
    help: "whether to look up unlisted domains in DNS (default: auto, which is the same as off)",
  },
  STREAM_CONFIDENCE,
  DATA_VERSION,
  BY,
  ...SYNTAX_OPTIONS,
  {
    name: "summary",
    value: "WHERE",
    choices: ["trailer", "row"],
    excludes: { part: "a part's counts are not those of the whole" },
    help:
      "where the counts go: into the trailer field `Addrsift-Summary`, or into a last row, " +
      '`{"summary":{...}}` (default: into the trailer when the request has `TE: trailers`)',
  },
] as const satisfies readonly DeclaredOption[];

/** The parsed values of the query, and in `explicitOptions` the names of its parameters. */
export type StreamQuery = ReturnType<typeof readStreamQuery>;

export const STREAM_PARAMETERS: Fields = queryFields(PARAMETERS);

/** Parses the part after the `?`. Throws AddrsiftError USAGE. */
export function readStreamQuery(query: string) {
  return readQuery(PARAMETERS, query);
}
