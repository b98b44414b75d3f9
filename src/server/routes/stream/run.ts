// One stream: its beginning is read before the answer begins, so that what is wrong there is a fault; then rows go through the
// pipeline of the command line, in turns with other requests.

import { createGunzip } from "node:zlib";
import { encodeUtf8 } from "../../../base/bytes/octets.ts";
import { AddrsiftError } from "../../../base/errors.ts";
import { inWordsOf } from "../../../bulk/face.ts";
import { Inquiries } from "../../../bulk/live/inquiries.ts";
import type { Pipeline } from "../../../bulk/pipeline.ts";
import type { ByteSink, ByteSource } from "../../../bulk/ports.ts";
import { csvField } from "../../../bulk/render/forms.ts";
import { dataOutput } from "../../../bulk/row-layout.ts";
import { GunzipSource } from "../../../bulk/run/gunzip.ts";
import { type OpenedRows, openingOf, openRows } from "../../../bulk/run/open-rows.ts";
import { openRun } from "../../../bulk/run/open-run.ts";
import { readHere } from "../../../bulk/run/take-rows.ts";
import { Summary, type SummaryReport } from "../../../bulk/summary.ts";
import { ADDED_COLUMNS } from "../../../detection/fields.ts";
import type { Router } from "../../../detection/router.ts";
import { requireVersion } from "../../../lists/meta.ts";
import { TimedTurns } from "../../http/turns.ts";
import { ROOM } from "../detect/batch-queries.ts";
import type { Classifying } from "./ground.ts";
import { REQUEST, type StreamSettings } from "./settings.ts";

/** What a stream answers at its end. */
export interface StreamSummary extends SummaryReport {
  /** What was found or converted at the beginning, in sentences. */
  readonly notes: readonly string[];
  /** Rows with something odd, by what it is: how many, and the numbers of the first ones. */
  readonly irregular: Readonly<Record<string, { readonly rows: number; readonly first: readonly number[] }>>;
}

const BODY = "the body";
const COMMA = 0x2c;
// Less than the command line takes at once: many streams run side by side, and sockets give no more.
const READ_OCTETS = 64 * 1024;
const WRITE_OCTETS = 32 * 1024;

// What streams have read into, for the next ones: as many as ran at once. With new memory for each, short streams one after another would
// make the engine collect garbage all the time, for which all requests wait.
const spareMemory: Uint8Array[] = [];

// A body that is not packed has at most a row for each of its octets, and an answer of some hundred octets for each row. A packed one
// could have a thousand times as many: 300 KB of blank lines are 60 GB of answer. Lists of addresses take two octets a row and more,
// columns of few domains a tenth.
const ROWS_EACH_OCTET = 10;
// What short bodies may have in any case.
const ROWS_ALWAYS = 1_000_000;

/** What the beginning of a body showed. */
interface Beginning {
  readonly opened: OpenedRows;
  readonly notes: readonly string[];
  /** Where the body is read into. */
  readonly memory: Uint8Array;
  /** What unpacks the body. */
  readonly gzip: GunzipSource | undefined;
}

/** A stream whose beginning was read. */
export class Stream {
  readonly summary: Summary = new Summary(true);
  private readonly started = performance.now();

  private constructor(
    private readonly settings: StreamSettings,
    private readonly ground: Classifying,
    private readonly beginning: Beginning,
  ) {}

  /** Reads the beginning of the body. Throws AddrsiftError for one that can't be read, and for parameters that do not fit it or the lists. */
  static async open(body: ByteSource, settings: StreamSettings, ground: Classifying): Promise<Stream> {
    requireVersion(ground.setup.lists, settings.dataVersion, "data-version");
    const notes: string[] = [];
    const memory = spareMemory.pop() ?? new Uint8Array(2 * READ_OCTETS);
    let gzip: GunzipSource | undefined;
    try {
      const opened = await openRows(body, settings, {
        gunzip: (packed) => {
          gzip = new GunzipSource(packed, BODY, { createGunzip });
          return gzip;
        },
        tell: (note) => notes.push(inWordsOf(REQUEST, note)),
        readOctets: READ_OCTETS,
        memory,
      });
      return new Stream(settings, ground, { opened, notes, memory, gzip });
    } catch (error) {
      gzip?.close();
      spareMemory.push(memory);
      throw error;
    }
  }

  /** Writes a row for each row; gives the summary. The signal ends waiting for DNS. */
  async run(sink: ByteSink, signal: AbortSignal): Promise<StreamSummary> {
    const { settings, ground, summary } = this;
    const { opened, memory, gzip } = this.beginning;
    const { rows, format } = settings;
    const { setup, classifier, router } = ground;
    const output = dataOutput(format, rows);
    const where = { summary, sink, writeOctets: WRITE_OCTETS, turns: new TimedTurns() };
    const pipeline = openRun({ setup, classifier, rows, output, opened, ...where });
    pipeline.passThrough(openingOf(opened, format), false);
    if (!settings.part) pipeline.begin();
    pipeline.beginInput("-", opened);
    const inquiries = settings.dns && router !== undefined ? openInquiries(router, signal) : undefined;
    try {
      // Writes the header before more input is awaited.
      await pipeline.settle();
      await readHere(opened, {
        pipeline,
        format,
        live: inquiries && { inquiries, classifier },
        watch: () => {
          if (gzip !== undefined) refuseManyRows(pipeline.rowNumber, gzip.packedOctets);
          return signal.aborted;
        },
        turns: new TimedTurns(),
      });
      signal.throwIfAborted();
      await pipeline.end();
    } finally {
      inquiries?.stop();
      gzip?.close();
      // What reads ahead of DNS may still read when this ends early.
      if (inquiries === undefined) spareMemory.push(memory);
    }
    return this.report(pipeline);
  }

  /** The summary as a row after the last one. In CSV it is the first field of a record. */
  rowOf(summary: StreamSummary): Uint8Array {
    const { format, rows } = this.settings;
    const { layout } = this.beginning.opened;
    const text = JSON.stringify({ summary });
    if (format !== "csv") return encodeUtf8(`${text}\n`);
    const added = (rows.fields ?? ADDED_COLUMNS).length;
    const [delimiter, others] =
      layout.kind === "csv"
        ? [layout.delimiter, layout.width - 1 + added * (1 + (layout.others?.length ?? 0))]
        : [COMMA, added];
    return encodeUtf8(`${csvField(text, delimiter)}${String.fromCharCode(delimiter).repeat(others)}\n`);
  }

  private report({ irregularities }: Pipeline): StreamSummary {
    const durationMs = Math.round(performance.now() - this.started);
    const odd = Array.from(
      irregularities.byKind,
      ([kind, { count, first }]) => [kind, { rows: count, first }] as const,
    );
    return {
      ...this.summary.report(durationMs, this.ground.setup.lists.meta.dataVersion),
      notes: this.beginning.notes,
      irregular: Object.fromEntries(odd),
    };
  }
}

function refuseManyRows(rows: number, packedOctets: number): void {
  if (rows <= ROWS_ALWAYS || rows <= ROWS_EACH_OCTET * packedOctets) return;
  throw new AddrsiftError(
    "INPUT",
    `the gzip body has more than ${ROWS_EACH_OCTET} rows for each of its octets: send it without Content-Encoding`,
  );
}

/** DNS for one stream. Its questions wait for their turn as long as it takes. */
function openInquiries(router: Router, signal: AbortSignal): Inquiries {
  const questions = ROOM.open(signal, "unbounded");
  return new Inquiries({ route: (domain) => questions.ask(() => router(domain)), stop: () => questions.close() });
}
