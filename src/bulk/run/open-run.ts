// A run: rows of one form through one classifier and one renderer, for arguments, inputs and requests alike. How rows
// are found and taken is in open-rows.ts and take-rows.ts, which a run of arguments does without.

import { Classifier, type ClassifierSetup } from "../../detection/classifier.ts";
import { Pipeline, type PipelineSetup } from "../pipeline.ts";
import type { RowOutput } from "../row-layout.ts";
import { DomainTally } from "../summary.ts";
import type { OpenedRows } from "./open-rows.ts";
import type { RowSettings } from "./options.ts";

export interface RunSetup
  extends Pick<PipelineSetup, "summary" | "sink" | "report" | "duplicates" | "by" | "writeBytes" | "turns"> {
  readonly setup: ClassifierSetup;
  readonly rows: RowSettings;
  readonly output: RowOutput;
  /** How all rows are found, and the header of their input. */
  readonly opened: Pick<OpenedRows, "layout"> & Partial<Pick<OpenedRows, "header">>;
  /** A classifier of that setup which other runs use too. Default: a new one. */
  readonly classifier?: Classifier;
}

export function openRun({ setup, rows, output, opened, classifier: shared, ...others }: RunSetup): Pipeline {
  const { summary, report, duplicates, by } = others;
  summary.duplicates = duplicates;
  summary.by = by;
  const classifier = shared ?? new Classifier(setup);
  return new Pipeline({
    ...(output.writeBytes === undefined ? {} : { writeBytes: output.writeBytes }),
    ...others,
    classifier,
    renderer: output.createRenderer(setup, opened.layout, opened.header),
    explain: output.createExplain?.(setup),
    select: rows.select,
    reject: rows.reject,
    failOn: rows.failOn,
    // It counts at the domains that its classifier remembers.
    tally:
      shared === undefined && summary.withNames ? new DomainTally(classifier, summary, report?.domains) : undefined,
  });
}
