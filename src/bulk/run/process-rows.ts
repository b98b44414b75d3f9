// Passes all rows of an opened input through a pipeline, with or without DNS lookups.

import type { Classifier } from "../../detection/classifier.ts";
import type { FieldScope } from "../../detection/fields.ts";
import { createAccelerator } from "../kernel/accelerator.ts";
import type { Pipeline } from "../pipeline.ts";
import { type InputBuffer, processRows, type ShouldStop } from "../reader.ts";
import type { FormatFacts } from "../render/format-facts.ts";
import { createScanner } from "../rows/layout.ts";
import type { Scanner } from "../rows/row.ts";
import { DnsLookahead, type PendingLookups } from "./dns-lookahead.ts";
import type { OpenedRows } from "./open-rows.ts";

export interface ProcessOptions {
  readonly pipeline: Pipeline;
  readonly format: FormatFacts;
  /** How much of an address determines its output row: the verdict, the domain, or the whole address. */
  readonly scope: FieldScope;
  /** DNS lookups, and the classifier that decides which domains need one; undefined without DNS. */
  readonly dns: { readonly lookups: PendingLookups; readonly classifier: Classifier } | undefined;
  readonly shouldStop: ShouldStop;
}

/** Processes one input. If it fails, writes the rows before the error. `name` is a file name or `-`. */
export async function processInput(name: string, opened: OpenedRows, run: ProcessOptions): Promise<void> {
  const { buffer, layout, preambleRows: rows, preambleLines: lines } = opened;
  const { pipeline, format, dns, shouldStop } = run;
  const hasLines = (): boolean => opened.arrayPath === undefined && opened.isConverted?.() !== true;
  pipeline.beginInput(name, { rows, lines }, hasLines);
  // Writes the header before more input arrives.
  await pipeline.drain();
  const createRowScanner = (): Scanner =>
    createScanner(layout, format.echoesOnly === true, pipeline.setup.classifier.lists);
  const scanner = createRowScanner();
  try {
    if (dns === undefined) {
      const accelerator =
        format.hasIndependentRows === true ? createAccelerator(scanner, pipeline, layout, run.scope) : undefined;
      await processRows(buffer, accelerator ?? scanner, pipeline, shouldStop).finally(() => accelerator?.addCounts());
    } else {
      const lookahead = new DnsLookahead(dns.classifier, dns.lookups, pipeline.setup.timeSlice);
      const dnsRun = { scanner, pipeline, lookahead, lookaheadScanner: createRowScanner() };
      await processRowsWithDns(buffer, dnsRun, shouldStop);
    }
  } finally {
    await pipeline.drain();
  }
}

/** Maximum bytes of lookahead: enough rows to keep all lookups busy while a slow one is pending. */
const MAX_LOOKAHEAD_BYTES = 1024 * 1024;

export interface DnsRun {
  readonly scanner: Scanner;
  readonly pipeline: Pipeline;
  readonly lookahead: DnsLookahead;
  /** Finds rows for the lookahead; of the same kind as `scanner`. */
  readonly lookaheadScanner: Scanner;
}

/**
 * Processes all rows of the input like `processRows`, each row after the lookup of its domain. While a row waits, the
 * lookahead starts the lookups of later rows.
 */
export async function processRowsWithDns(input: InputBuffer, run: DnsRun, shouldStop: ShouldStop): Promise<void> {
  const { scanner, pipeline, lookahead, lookaheadScanner } = run;
  pipeline.nextRouting = () => lookahead.nextRouting();
  // Number of bytes from `input.start` on that the lookahead has read. Their rows are not processed yet.
  let aheadBytes = 0;
  let isReadable = true;
  let filling: Promise<void> | undefined;
  let failure: unknown;
  // Check again after each await, because cancellation looks like the end of input.
  while (!shouldStop()) {
    const isLast = input.ended && input.start + aheadBytes === input.end;
    pipeline.rowLimit = pipeline.rowNumber + lookahead.readyRows;
    const next = scanner.scan(input.bytes, input.start, input.start + aheadBytes, isLast, pipeline);
    aheadBytes -= next - input.start;
    input.start = next;
    const isDone = !pipeline.isFull;
    if (isDone) pipeline.flushRenderer();
    // Write finished rows before waiting.
    await pipeline.flush();
    if (isDone && isLast) break;
    const hasRoom = isReadable && aheadBytes <= MAX_LOOKAHEAD_BYTES;
    try {
      if (hasRoom)
        aheadBytes =
          lookaheadScanner.scan(input.bytes, input.start + aheadBytes, input.end, input.ended, lookahead) - input.start;
    } catch {
      // Ignore the error: after the rows before it, the main scan throws it again.
      isReadable = false;
      aheadBytes = input.end - input.start;
    }
    const { pendingLookup } = lookahead;
    if (pipeline.setup.timeSlice?.expired === true || (pendingLookup === undefined && (aheadBytes > 0 || !isDone)))
      continue;
    if (pendingLookup === undefined && failure !== undefined) throw failure;
    if (hasRoom && isReadable && !lookahead.isFull && !input.ended && failure === undefined) {
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
}
