// Creates the pipeline of a run from its settings, for arguments, files and requests.

import { Classifier, type ClassifierSetup } from "../../detection/classifier.ts";
import { Pipeline, type PipelineSetup } from "../pipeline.ts";
import type { RowOutput } from "../render/formats.ts";
import type { OpenedRows } from "./open-rows.ts";
import type { RowSettings } from "./options.ts";

export interface RunSetup
  extends Pick<
    PipelineSetup,
    "summary" | "sink" | "report" | "duplicates" | "by" | "allowsBlank" | "writeBytes" | "timeSlice"
  > {
  readonly setup: ClassifierSetup;
  readonly rows: RowSettings;
  readonly output: RowOutput;
  /** The row layout of all inputs, and the header of the first one. */
  readonly opened: Pick<OpenedRows, "layout"> & Partial<Pick<OpenedRows, "header">>;
  /** A classifier with this setup, shared with other runs. Default: a new one. */
  readonly classifier?: Classifier;
}

/** Creates the pipeline, and adds duplicates, the counts of --by and the selection of rows to the summary. */
export function openRun({ setup, rows, output, opened, classifier, ...others }: RunSetup): Pipeline {
  const { summary, duplicates, by } = others;
  summary.duplicates = duplicates;
  summary.by = by;
  summary.selection = rows;
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
