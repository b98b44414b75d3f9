// All rows of an opened input through a pipeline, with live DNS or without.

import type { Classifier } from "../../detection/classifier.ts";
import type { FieldScope } from "../../detection/fields.ts";
import { createAccelerator } from "../kernel/accelerator.ts";
import type { Pipeline } from "../pipeline.ts";
import { type InputBuffer, processRows, type ShouldStop } from "../reader.ts";
import type { FormatFacts } from "../render/formats.ts";
import { createScanner } from "../rows/layout.ts";
import type { Scanner } from "../rows/row.ts";
import { DnsLookahead, type PendingLookups } from "./dns-lookahead.ts";
import type { OpenedRows } from "./open-rows.ts";

export interface ProcessOptions {
  readonly pipeline: Pipeline;
  readonly format: FormatFacts;
  /** What decides the answer to a row. */
  readonly scope: FieldScope;
  /** DNS, and what reports about which domains it is asked; undefined: it is not asked. */
  readonly dns: { readonly lookups: PendingLookups; readonly classifier: Classifier } | undefined;
  readonly shouldStop: ShouldStop;
}

/** `name` is that of a file, or `-`. */
export async function processInput(name: string, opened: OpenedRows, run: ProcessOptions): Promise<void> {
  const { buffer, layout } = opened;
  const { pipeline, format, dns, shouldStop } = run;
  pipeline.beginInput(name, opened);
  // Writes the header before more input arrives.
  await pipeline.drain();
  const createRowScanner = (): Scanner => createScanner(layout, format.isInput === true);
  const scanner = createRowScanner();
  if (dns === undefined) {
    const accelerator =
      format.hasIndependentRows === true ? createAccelerator(scanner, pipeline, layout, run.scope) : undefined;
    return processRows(buffer, accelerator ?? scanner, pipeline, shouldStop).finally(() => accelerator?.addCounts());
  }
  const lookahead = new DnsLookahead(dns.classifier, dns.lookups, pipeline.setup.timeSlice);
  return processRowsWithDns(buffer, { scanner, pipeline, lookahead, lookaheadScanner: createRowScanner() }, shouldStop);
}

/** Bytes read ahead at most: enough to keep all questions busy behind a slow one. */
const MAX_LOOKAHEAD_BYTES = 1024 * 1024;

export interface DnsRun {
  readonly scanner: Scanner;
  readonly pipeline: Pipeline;
  readonly lookahead: DnsLookahead;
  /** Finds rows ahead of time; of the same kind as the scanner that takes them. */
  readonly lookaheadScanner: Scanner;
}

/**
 * Takes all rows of the input like `readRows`, each after DNS has answered for its domain. While a row waits, more are
 * read and asked about.
 */
export async function processRowsWithDns(input: InputBuffer, run: DnsRun, shouldStop: ShouldStop): Promise<void> {
  const { scanner, pipeline, lookahead, lookaheadScanner } = run;
  pipeline.lookahead = lookahead;
  // Bytes whose rows were asked about and not taken yet, from `input.start` on.
  let aheadBytes = 0;
  let isReadable = true;
  let filling: Promise<void> | undefined;
  let failure: unknown;
  // Asked after each wait, because a cancelled stream looks like one that ended.
  while (!shouldStop()) {
    const last = input.ended && input.start + aheadBytes === input.end;
    const next = scanner.take(input.bytes, input.start, input.start + aheadBytes, last, pipeline);
    aheadBytes -= next - input.start;
    input.start = next;
    const isDone = !pipeline.full;
    if (isDone) pipeline.flushRenderer();
    // Finished rows are written before we wait.
    await pipeline.flush();
    if (isDone && last) break;
    const hasRoom = isReadable && aheadBytes <= MAX_LOOKAHEAD_BYTES;
    try {
      if (hasRoom)
        aheadBytes =
          lookaheadScanner.take(input.bytes, input.start + aheadBytes, input.end, input.ended, lookahead) - input.start;
    } catch {
      // Taking these rows fails at the same place, and reports the fault after everything before it is written.
      isReadable = false;
      aheadBytes = input.end - input.start;
    }
    const { pendingLookup } = lookahead;
    if (pipeline.setup.timeSlice?.expired === true || (pendingLookup === undefined && (aheadBytes > 0 || !isDone)))
      continue;
    if (pendingLookup === undefined && failure !== undefined) throw failure;
    if (hasRoom && isReadable && !lookahead.full && !input.ended && failure === undefined) {
      filling ??= input
        .fill()
        .catch((error: unknown) => {
          failure = error;
        })
        .finally(() => {
          filling = undefined;
        });
    }
    await (pendingLookup === undefined
      ? filling
      : Promise.race([pendingLookup.promise, filling ?? pendingLookup.promise]));
  }
  pipeline.lookahead = undefined;
  await pipeline.drain();
}
