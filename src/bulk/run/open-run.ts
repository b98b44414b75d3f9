// A run: rows of one form through one classifier and one renderer, for arguments, inputs and requests alike. How rows are
// found and taken is in open-rows.ts and take-rows.ts.

import { Classifier, type ClassifierSetup } from "../../detection/classifier.ts";
import { CountsBy } from "../counts-by.ts";
import { DomainTally } from "../domain-tally.ts";
import { usage } from "../face.ts";
import { Pipeline, type PipelineSetup } from "../pipeline.ts";
import { fieldOf, type RowOutput } from "../row-layout.ts";
import { columnNumber, namedColumn } from "../rows/csv-header.ts";
import { readPath } from "../rows/json/keys.ts";
import { JsonValue } from "../rows/json/lines.ts";
import type { OpenedRows } from "./open-rows.ts";
import type { RowSettings } from "./settings.ts";

/** Everything that a run is made from. */
export interface RunSetup
  extends Pick<PipelineSetup, "summary" | "sink" | "report" | "duplicates" | "writeOctets" | "turns"> {
  readonly setup: ClassifierSetup;
  readonly rows: RowSettings;
  readonly output: RowOutput;
  /** How all rows are found, and the header of their input. */
  readonly opened: Pick<OpenedRows, "layout"> & Partial<Pick<OpenedRows, "csv">>;
  /** A classifier of that setup which other runs use too. Default: one of its own. */
  readonly classifier?: Classifier;
}

/** Opens a run. Nothing is written yet. */
export function openRun({ setup, rows, output, opened, classifier: shared, ...others }: RunSetup): Pipeline {
  const { summary, report } = others;
  const by = rows.by === undefined ? undefined : countsBy(rows.by, opened);
  summary.duplicates = others.duplicates;
  summary.by = by;
  const classifier = shared ?? new Classifier(setup);
  return new Pipeline({
    ...(output.writeOctets === undefined ? {} : { writeOctets: output.writeOctets }),
    ...others,
    classifier,
    renderer: output.createRenderer(setup, opened.layout, opened.csv?.header),
    explain: output.createExplain?.(setup),
    select: rows.select,
    reject: rows.reject,
    failOn: rows.failOn,
    by,
    // It counts at the domains that its classifier remembers.
    tally:
      shared === undefined && summary.withNames ? new DomainTally(classifier, summary, report?.domains) : undefined,
  });
}

/** The counts by a column of such rows. Throws AddrsiftError USAGE for one that is not there, or that has the addresses. */
function countsBy(
  column: string,
  { layout, csv }: Pick<OpenedRows, "layout"> & Partial<Pick<OpenedRows, "csv">>,
): CountsBy {
  const refuse = (why: string): Error => usage(({ option }) => `${option("by", column)} ${why}`);
  if (layout.kind !== "csv" && layout.kind !== "tsv") {
    const { path, several } = layout.kind === "jsonl" ? layout : {};
    const wanted = readPath(column);
    const isAddress = [path, ...(several?.paths ?? [])].some((each) => each?.join("\0") === wanted.join("\0"));
    if (isAddress) throw refuse("names the addresses: name another key");
    return new CountsBy(column, new JsonValue(wanted));
  }
  const { names } = csv ?? {};
  const number = columnNumber(column);
  if (names === undefined && number === undefined) throw refuse("is a name, and there is no header: give its number");
  const delimiter = layout.kind === "csv" ? layout.delimiter : 0x09;
  const index =
    names === undefined ? (number as number) - 1 : namedColumn(names, column, { hasHeader: true, delimiter });
  if ([layout.column, ...(layout.others ?? [])].includes(index)) {
    throw refuse("is the column of the addresses: name another one");
  }
  return new CountsBy(names?.[index]?.trim() ?? column, fieldOf(layout, index));
}
