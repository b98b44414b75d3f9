// All rows of an opened input through a pipeline, with live DNS or without.

import type { Classifier } from "../../detection/classifier.ts";
import { KnownRows } from "../known-rows.ts";
import type { Inquiries } from "../live/inquiries.ts";
import { readRowsLive } from "../live/reader.ts";
import { QuestionCollector } from "../live/rows.ts";
import type { Pipeline } from "../pipeline.ts";
import type { Turns } from "../ports.ts";
import { readRows, type Watch } from "../reader.ts";
import { createScanner } from "../rows/layout.ts";
import type { OpenedRows } from "./open-rows.ts";
import type { RowSettings } from "./settings.ts";

/** Parts that taking rows needs besides the input. */
export interface Taking {
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

export function readHere({ buffer, layout }: OpenedRows, taking: Taking): Promise<void> {
  const { pipeline, format, live, watch, turns } = taking;
  const scanner = createScanner(layout, format);
  if (live === undefined) {
    const known = new KnownRows(scanner, pipeline, { layout, ...taking });
    return readRows(buffer, known, pipeline, watch).finally(() => known.count());
  }
  const { inquiries, classifier } = live;
  const collector = new QuestionCollector(classifier, inquiries, turns);
  const ahead = createScanner(layout, format);
  return readRowsLive(buffer, scanner, pipeline, { inquiries, collector, ahead, turns }, watch);
}
