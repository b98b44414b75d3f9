// All rows of an opened input through a pipeline, with live DNS or without.

import type { Classifier } from "../../detection/classifier.ts";
import type { FieldScope } from "../../detection/fields.ts";
import { createAccelerator } from "../kernel/accelerator.ts";
import type { Pipeline } from "../pipeline.ts";
import { type InputBuffer, readRows, type Watch } from "../reader.ts";
import type { FormatFacts } from "../render/formats.ts";
import { createScanner } from "../rows/layout.ts";
import type { Scanner } from "../rows/row.ts";
import { type Inquiries, RowsAhead } from "./inquiries.ts";
import type { OpenedRows } from "./open-rows.ts";

export interface RowRun {
  readonly pipeline: Pipeline;
  readonly format: FormatFacts;
  /** What decides the answer to a row. */
  readonly scope: FieldScope;
  /** DNS, and what reports about which domains it is asked; undefined: it is not asked. */
  readonly live: { readonly inquiries: Inquiries; readonly classifier: Classifier } | undefined;
  readonly watch: Watch;
}

/** `name` is that of a file, or `-`. */
export async function readHere(name: string, opened: OpenedRows, run: RowRun): Promise<void> {
  const { buffer, layout } = opened;
  const { pipeline, format, live, watch } = run;
  pipeline.beginInput(name, opened);
  // Writes the header before more input arrives.
  await pipeline.settle();
  const createRowScanner = (): Scanner => createScanner(layout, format.isInput === true);
  const scanner = createRowScanner();
  if (live === undefined) {
    const accelerator =
      format.hasIndependentRows === true ? createAccelerator(scanner, pipeline, layout, run.scope) : undefined;
    return readRows(buffer, accelerator ?? scanner, pipeline, watch).finally(() => accelerator?.addCounts());
  }
  const ahead = new RowsAhead(live.classifier, live.inquiries, pipeline.setup.timeSlice);
  return readRowsLive(buffer, { scanner, pipeline, ahead, aheadScanner: createRowScanner() }, watch);
}

/** Bytes read ahead at most: enough to keep all questions busy behind a slow one. */
const AHEAD_BYTES = 1024 * 1024;

export interface LiveRun {
  readonly scanner: Scanner;
  readonly pipeline: Pipeline;
  readonly ahead: RowsAhead;
  /** Finds rows ahead of time; of the same kind as the scanner that takes them. */
  readonly aheadScanner: Scanner;
}

/**
 * Takes all rows of the input like `readRows`, each after DNS has answered for its domain. While a row waits, more are
 * read and asked about.
 */
export async function readRowsLive(input: InputBuffer, run: LiveRun, watch: Watch): Promise<void> {
  const { scanner, pipeline, ahead, aheadScanner } = run;
  pipeline.answers = ahead;
  // Bytes whose rows were asked about and not taken yet, from `input.start` on.
  let asked = 0;
  let isReadable = true;
  let filling: Promise<void> | undefined;
  let failure: unknown;
  // Asked after each wait, because a cancelled stream looks like one that ended.
  while (!watch()) {
    const last = input.ended && input.start + asked === input.end;
    const next = scanner.take(input.bytes, input.start, input.start + asked, last, pipeline);
    asked -= next - input.start;
    input.start = next;
    const isDone = !pipeline.full;
    if (isDone) pipeline.pause();
    // Finished rows are written before we wait.
    await pipeline.flush();
    if (isDone && last) break;
    const hasRoom = isReadable && asked <= AHEAD_BYTES;
    try {
      if (hasRoom)
        asked = aheadScanner.take(input.bytes, input.start + asked, input.end, input.ended, ahead) - input.start;
    } catch {
      // Taking these rows fails at the same place, and reports the fault after everything before it is written.
      isReadable = false;
      asked = input.end - input.start;
    }
    const { awaited } = ahead;
    if (pipeline.setup.timeSlice?.expired === true || (awaited === undefined && (asked > 0 || !isDone))) continue;
    if (awaited === undefined && failure !== undefined) throw failure;
    if (hasRoom && isReadable && !ahead.full && !input.ended && failure === undefined) {
      filling ??= input
        .fill()
        .catch((error: unknown) => {
          failure = error;
        })
        .finally(() => {
          filling = undefined;
        });
    }
    await (awaited === undefined ? filling : Promise.race([awaited.arrived, filling ?? awaited.arrived]));
  }
  pipeline.answers = undefined;
  await pipeline.settle();
}
