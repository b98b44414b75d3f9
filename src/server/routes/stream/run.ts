// Runs one stream: reads the preamble before the response starts, so that an error in it is an error response; then
// runs the pipeline of the command line, in time slices.

import { createGunzip } from "node:zlib";
import { LRUCache } from "lru-cache";
import { COMMA } from "../../../base/bytes/ascii.ts";
import { encodeUtf8 } from "../../../base/bytes/bytes.ts";
import { AddrsiftError } from "../../../base/errors.ts";
import type { CountsBy } from "../../../bulk/counts-by.ts";
import { Duplicates, KEY_WORDS } from "../../../bulk/duplicates.ts";
import { renderMessage } from "../../../bulk/messages.ts";
import { formatCsvField } from "../../../bulk/render/encodings.ts";
import { createDataOutput } from "../../../bulk/render/formats.ts";
import { LINES } from "../../../bulk/rows/layout.ts";
import { createCountsBy } from "../../../bulk/run/columns.ts";
import { PendingLookups } from "../../../bulk/run/dns-lookahead.ts";
import { gunzipSource } from "../../../bulk/run/gunzip.ts";
import { detectFormat, type OpenedRows, openRows, outputPreamble } from "../../../bulk/run/open-rows.ts";
import { openRun } from "../../../bulk/run/open-run.ts";
import type { Policy } from "../../../bulk/run/options.ts";
import { processInput } from "../../../bulk/run/process-rows.ts";
import { type ByteSink, type ByteSource, meteredSource } from "../../../bulk/streams.ts";
import { Summary, type SummaryReport } from "../../../bulk/summary.ts";
import { Classifier, type ClassifierSetup } from "../../../detection/classifier.ts";
import { createMailRouter, type MailRouter } from "../../../detection/detector.ts";
import { ADDED_COLUMNS } from "../../../detection/fields.ts";
import type { MailResolver } from "../../../detection/routing.ts";
import { requireVersion } from "../../../lists/meta.ts";
import { EventLoopSlice } from "../../http/time-slice.ts";
import { DNS_LOOKUP_QUEUE } from "../detect/dns-lookup-queue.ts";
import { HTTP_WORDING, type StreamSettings } from "./settings.ts";

export interface StreamSummary extends SummaryReport {
  /** Sentences about the preamble: what was detected or converted. */
  readonly notes: readonly string[];
}

const BODY = "the body";
// For example, `fetch` without a Content-Type declares a string as text/plain.
const JSON_AS_TEXT =
  "the body is JSON but declared as text/plain: send Content-Type: application/json, or application/x-ndjson for rows";
// Small, because many streams run concurrently.
const READ_BYTES = 64 * 1024;
const WRITE_BYTES = 32 * 1024;

// Buffers of finished streams, reused to reduce garbage collection.
const bufferPool: Uint8Array[] = [];

// Guards against gzip bombs: a compressed body of 300 KB could cause a response of 60 GB. Real address lists have less
// than one row per compressed byte.
const MAX_ROWS_PER_BYTE = 10;
const ALWAYS_ALLOWED_ROWS = 1_000_000;
const MAX_MAILBOXES = 1_000_000;

interface GzipState {
  compressedBytes: number;
  /** Undefined if the body is not compressed. */
  decompressed?: ByteSource;
}

interface OpenedBody {
  readonly opened: OpenedRows;
  readonly by: CountsBy | undefined;
  readonly notes: readonly string[];
  readonly buffer: Uint8Array;
  readonly gzip: GzipState;
}

export class Stream {
  readonly summary: Summary = new Summary(true);
  private readonly startedMs = performance.now();

  private constructor(
    private readonly settings: StreamSettings,
    private readonly classifiers: ClassifierBundle,
    private readonly body: OpenedBody,
  ) {}

  /** Reads the preamble of the body. Throws AddrsiftError if it is invalid or the parameters don't fit it. */
  static async open(body: ByteSource, settings: StreamSettings, classifiers: ClassifierBundle): Promise<Stream> {
    const { setup } = classifiers;
    requireVersion(setup.lists, settings.dataVersion, "data-version");
    const notes: string[] = [];
    const buffer = bufferPool.pop() ?? new Uint8Array(2 * READ_BYTES);
    const gzip: GzipState = { compressedBytes: 0 };
    try {
      const opened = await openRows(body, settings, {
        gunzip: (compressed) => {
          const metered = meteredSource(compressed, (count) => {
            gzip.compressedBytes += count;
          });
          gzip.decompressed = gunzipSource(metered, BODY, { createGunzip });
          return gzip.decompressed;
        },
        onNote: (note) => notes.push(renderMessage(HTTP_WORDING, note)),
        encoding: settings.encoding,
        readBytes: READ_BYTES,
        memory: buffer,
      });
      if (opened.layout === LINES && !settings.part && (await detectFormat(opened.buffer)) === "jsonl")
        throw new AddrsiftError("INPUT", JSON_AS_TEXT);
      const by =
        settings.rows.by === undefined ? undefined : createCountsBy(settings.rows.by, opened, setup, settings.dns);
      return new Stream(settings, classifiers, { opened, by, notes, buffer, gzip });
    } catch (error) {
      gzip.decompressed?.close();
      bufferPool.push(buffer);
      throw error;
    }
  }

  /** Writes the rows and returns the summary. The signal cancels DNS lookups. */
  async run(sink: ByteSink, signal: AbortSignal): Promise<StreamSummary> {
    const { settings, classifiers, summary } = this;
    const { opened, by, buffer, gzip } = this.body;
    const { rows } = settings;
    const { setup, classifier, router } = classifiers;
    const output = createDataOutput(settings.format, rows);
    const { format } = output;
    const runContext = { summary, sink, writeBytes: WRITE_BYTES, timeSlice: new EventLoopSlice() };
    const duplicates = rows.duplicates ? openDuplicates() : undefined;
    const pipeline = openRun({ setup, classifier, rows, output, opened, duplicates, by, ...runContext });
    pipeline.passThrough(outputPreamble(opened, format), false);
    if (!settings.part) pipeline.begin();
    const lookups = settings.dns && router !== undefined ? openLookups(router, signal) : undefined;
    try {
      await processInput("-", opened, {
        pipeline,
        format,
        scope: rows.scope,
        dns: lookups && { lookups, classifier },
        shouldStop: () => {
          if (gzip.decompressed !== undefined) checkExpansion(pipeline.rowNumber, gzip.compressedBytes);
          return signal.aborted;
        },
      });
      signal.throwIfAborted();
      await pipeline.end();
    } finally {
      lookups?.stop();
      gzip.decompressed?.close();
      // DNS lookahead may still be reading into the buffer.
      if (lookups === undefined) bufferPool.push(buffer);
    }
    summary.warnings.addInput(pipeline.warnings, "");
    return this.report();
  }

  /** Encodes JSON as the last row; in CSV, as the first field of a record. */
  encodeRow(text: string): Uint8Array {
    const { format, rows } = this.settings;
    const { layout } = this.body.opened;
    if (format !== "csv") return encodeUtf8(`${text}\n`);
    const added = (rows.fields ?? ADDED_COLUMNS).length;
    const [delimiter, otherColumns] =
      layout.kind === "csv"
        ? [layout.delimiter, layout.width - 1 + added * (1 + (layout.additionalColumns?.length ?? 0))]
        : [COMMA, added];
    return encodeUtf8(`${formatCsvField(text, delimiter)}${String.fromCharCode(delimiter).repeat(otherColumns)}\n`);
  }

  private report(): StreamSummary {
    const durationMs = Math.round(performance.now() - this.startedMs);
    return {
      ...this.summary.report(durationMs, this.classifiers.setup.lists.meta.dataVersion),
      notes: this.body.notes,
    };
  }
}

function checkExpansion(rows: number, compressedBytes: number): void {
  if (rows <= ALWAYS_ALLOWED_ROWS || rows <= MAX_ROWS_PER_BYTE * compressedBytes) return;
  throw new AddrsiftError(
    "INPUT",
    `the gzip body has more than ${MAX_ROWS_PER_BYTE} rows per byte: send it without Content-Encoding`,
  );
}

function openDuplicates(): Duplicates {
  const key = crypto.getRandomValues(new Int32Array(KEY_WORDS));
  return new Duplicates(key, MAX_MAILBOXES, (rows) => {
    const problem = `the first ${rows} rows have ${MAX_MAILBOXES} mailboxes, and a stream compares no more`;
    return new AddrsiftError("INPUT", `${problem}: use addrsift detect`);
  });
}

/** Lookups may stay queued without a time limit. */
function openLookups(router: MailRouter, signal: AbortSignal): PendingLookups {
  const lookup = DNS_LOOKUP_QUEUE.open(signal, "unbounded");
  return new PendingLookups({ route: (domain) => lookup(() => router(domain)), stop: () => {} });
}

interface ClassifierBundle {
  readonly setup: ClassifierSetup;
  /** Shared by all streams, because each result is used synchronously. */
  readonly classifier: Classifier;
  readonly router: MailRouter | undefined;
}

// A classifier takes some megabytes, and few policies are in use.
const MAX_CACHED_POLICIES = 4;

/** Caches classifiers by policy, for one version of the lists. */
export class StreamClassifiers {
  private readonly cache = new LRUCache<string, ClassifierBundle>({ max: MAX_CACHED_POLICIES });

  constructor(
    readonly policy: Policy,
    private readonly createSetup: (policy: Policy) => ClassifierSetup,
    private readonly resolver: MailResolver | undefined,
  ) {}

  get(policy: Policy): ClassifierBundle {
    // The cache key has every member of the policy, whatever the order of its keys.
    const key = JSON.stringify(Object.entries({ ...policy, syntax: Object.entries(policy.syntax).sort() }).sort());
    const cached = this.cache.get(key);
    if (cached !== undefined) return cached;
    const setup = this.createSetup(policy);
    const router = this.resolver && createMailRouter(this.resolver, setup);
    const created = { setup, classifier: new Classifier(setup), router };
    this.cache.set(key, created);
    return created;
  }
}
