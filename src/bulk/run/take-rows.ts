// All rows of an opened input through a pipeline, with live DNS or without.

import type { Classifier } from "../../detection/classifier.ts";
import { KernelScanner } from "../kernel/scanner.ts";
import type { Inquiries } from "../live/inquiries.ts";
import { readRowsLive } from "../live/reader.ts";
import { QuestionCollector } from "../live/rows.ts";
import type { Pipeline } from "../pipeline.ts";
import type { Turns } from "../ports.ts";
import { readRows, type Watch } from "../reader.ts";
import { createScanner } from "../rows/layout.ts";
import type { OpenedRows } from "./open-rows.ts";
import type { RowSettings } from "./settings.ts";

/** A run over an input, as far as its rows are taken. */
export interface RowRun {
  readonly pipeline: Pipeline;
  readonly format: string;
  readonly rows: RowSettings;
  /** Domains that the kernel keeps, a power of two. */
  readonly kernelEntries: number;
  /** DNS, and what tells about which domains it is asked; undefined: it is not asked. */
  readonly live: { readonly inquiries: Inquiries; readonly classifier: Classifier } | undefined;
  readonly watch: Watch;
  /** For reading ahead of DNS's answers; the pipeline has its own. */
  readonly turns?: Turns | undefined;
}

export function readHere({ buffer, layout }: OpenedRows, run: RowRun): Promise<void> {
  const { pipeline, format, live, watch, turns } = run;
  const scanner = createScanner(layout, format);
  if (live === undefined) {
    const fast = new KernelScanner(scanner, pipeline, { layout, ...run });
    return readRows(buffer, fast, pipeline, watch).finally(() => fast.count());
  }
  const { inquiries, classifier } = live;
  const collector = new QuestionCollector(classifier, inquiries, turns);
  const ahead = createScanner(layout, format);
  return readRowsLive(buffer, scanner, pipeline, { inquiries, collector, ahead, turns }, watch);
}
