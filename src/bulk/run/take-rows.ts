// All rows of an opened input through a pipeline on this thread, with live DNS or without.

import { Classifier, type ClassifierSetup } from "../../detection/classifier.ts";
import type { Inquiries } from "../live/inquiries.ts";
import { readRowsLive } from "../live/reader.ts";
import { QuestionCollector } from "../live/rows.ts";
import type { Pipeline } from "../pipeline.ts";
import { readRows, type Watch } from "../reader.ts";
import { createScanner } from "../row-layout.ts";
import type { Scanner } from "../rows/scanner.ts";
import type { OpenedRows } from "./open-rows.ts";

/** An input, and the format that its rows are shown in. */
export type Rows = Pick<OpenedRows, "buffer" | "layout"> & { readonly scanner: Scanner; readonly format: string };

/** What taking rows needs besides the input. */
export interface Taking {
  readonly pipeline: Pipeline;
  readonly setup: ClassifierSetup;
  /** Undefined: DNS is not asked. */
  readonly inquiries: Inquiries | undefined;
  readonly watch: Watch;
}

/** Classifies all rows on this thread. With live DNS as well, because name servers are slower than any thread. */
export function readHere(input: Rows, { pipeline, setup, inquiries, watch }: Taking): Promise<void> {
  const { buffer, scanner } = input;
  if (inquiries === undefined) return readRows(buffer, scanner, pipeline, watch);
  const collector = new QuestionCollector(new Classifier(setup), inquiries);
  return readRowsLive(
    buffer,
    scanner,
    pipeline,
    { inquiries, collector, ahead: createScanner(input.layout, input.format) },
    watch,
  );
}
