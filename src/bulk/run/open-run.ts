// A run: rows of one form through one classifier and one renderer, for arguments, inputs and requests alike. How rows
// are found and taken is in open-rows.ts and process-rows.ts, which a run of arguments does without.

import { Classifier, type ClassifierSetup } from "../../detection/classifier.ts";
import { Pipeline, type PipelineSetup } from "../pipeline.ts";
import type { RowOutput } from "../render/formats.ts";
import type { OpenedRows } from "./open-rows.ts";
import type { RowSettings } from "./options.ts";

export interface RunSetup
  extends Pick<PipelineSetup, "summary" | "sink" | "report" | "duplicates" | "by" | "writeBytes" | "timeSlice"> {
  readonly setup: ClassifierSetup;
  readonly rows: RowSettings;
  readonly output: RowOutput;
  /** How all rows are found, and the header of their input. */
  readonly opened: Pick<OpenedRows, "layout"> & Partial<Pick<OpenedRows, "header">>;
  /** A classifier of that setup which other runs use too. Default: a new one. */
  readonly classifier?: Classifier;
}

export function openRun({ setup, rows, output, opened, classifier, ...others }: RunSetup): Pipeline {
  const { summary, duplicates, by } = others;
  summary.duplicates = duplicates;
  summary.by = by;
  return new Pipeline({
    ...others,
    classifier: classifier ?? new Classifier(setup),
    renderer: output.createRenderer(setup, opened.layout, opened.header),
    explain: output.createExplain?.(setup),
    select: rows.select,
    reject: rows.reject,
    failOn: rows.failOn,
  });
}
