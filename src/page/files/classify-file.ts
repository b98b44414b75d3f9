// Sends a file to the daemon in parts, and collects the answers in their order as blobs, which browsers keep on disk.

import { COMMA, LF } from "../../base/bytes/ascii.ts";
import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import { daysIn } from "../../bulk/counts-by.ts";
import type { Irregularity, IrregularRows } from "../../bulk/rows/irregularities.ts";
import { ADDED_COLUMNS } from "../../detection/fields.ts";
import { type Api, ApiError } from "../common/api.ts";
import type { Day } from "../common/text.ts";
import { cutAtRecords, takeSummary } from "./cut.ts";
import { dayColumn, look, type OpenedFile } from "./look.ts";
import { fieldsFor, RowList, type RowsForm, type Wanted } from "./row-lists.ts";

// The daemon reads a body of up to 1 MiB before it answers, because a browser reads nothing while it sends.
const PART_MAX = 768 * 1024;
// Parts begin small, so that a slow line shows progress too; they grow while they take less than a second.
const PART_FIRST = 32 * 1024;
const PART_MS = 1000;
// The daemon works on one part while another is sent.
const AT_ONCE = 2;
const TRIES = 4;
const FIRST_PAUSE_SECONDS = 1;

export interface FileJob extends OpenedFile {
  readonly dns: boolean;
  readonly wanted: Wanted;
  readonly signal: AbortSignal;
  /** Called after each part. */
  readonly onProgress: (progress: FileProgress) => void;
}

export interface FileProgress {
  readonly bytes: number;
  readonly rows: number;
  readonly classes: Readonly<Record<string, number>>;
}

export interface FileResult {
  readonly blob: Blob;
  /** Rows that are not in a clean list. */
  readonly takenOut: Blob | undefined;
  readonly irregular: ReadonlyMap<Irregularity, IrregularRows>;
  /** Rows by day, where a column has days. */
  readonly days: readonly Day[];
  /** Not all rows were compared. */
  readonly isPartial: boolean;
}

export async function classifyFile(api: Api, job: FileJob): Promise<FileResult> {
  let bytesRead = 0;
  const onRead = (count: number): void => {
    bytesRead += count;
  };
  // From the beginning, because a file may be classified again.
  const looked = await look(job.file, job.choice, onRead, fieldsFor(job.wanted));
  const { buffer, layout } = looked.opened;
  const run = new Run(api, { ...job, ...looked });
  const under: Promise<() => void>[] = [];
  try {
    for await (const part of cutAtRecords(buffer, layout, () => run.partBytes)) {
      const answered = run.answer(part, bytesRead);
      // It is met when its turn comes.
      answered.catch(() => {});
      under.push(answered);
      // Rows are taken in their order.
      if (under.length === AT_ONCE) (await under.shift())?.();
    }
    for (const answered of under) (await answered)();
    return run.result();
  } finally {
    run.ended.abort();
  }
}

/** A blank row begins each part, so that no row is taken for the beginning of a file. It is removed from the answer. */
class Run {
  partBytes = PART_FIRST;
  readonly ended: AbortController = new AbortController();
  private readonly form: RowsForm;
  private readonly blank: Uint8Array;
  private readonly path: string;
  private readonly list: RowList;
  private rows = 0;
  private classes: Readonly<Record<string, number>> = {};
  private readonly days: Map<string, Day> = new Map();
  private readonly irregular: Map<Irregularity, IrregularRows> = new Map();

  constructor(
    private readonly api: Api,
    private readonly job: FileJob,
  ) {
    const { wanted, choice, opened } = job;
    const { layout } = opened;
    const isJson = layout.kind === "jsonl";
    const { delimiter, width } = layout.kind === "csv" ? layout : { delimiter: COMMA, width: 1 };
    this.blank = encodeUtf8(`${isJson ? "{}" : String.fromCharCode(delimiter).repeat(width - 1)}\n`);
    const day = wanted === "all" ? dayColumn(job) : undefined;
    this.path = `api/v1/emails/stream?${queryOf(job, day)}`;
    // The daemon's header of lines is left out of each answer.
    const header =
      choice.kind === "lines"
        ? encodeUtf8(`${["email", ...(fieldsFor(wanted) ?? ADDED_COLUMNS)].join()}\n`)
        : opened.header;
    const prefix = isJson ? layout.prefix : (choice.prefix ?? "");
    const before = opened.names === undefined ? 0 : 1;
    const form = { isJson, prefix, delimiter, added: width, before, header };
    this.form = form;
    this.list = new RowList(form, wanted);
  }

  /** Sends a part; what is returned takes the answer. */
  async answer(part: Uint8Array<ArrayBuffer>, bytes: number): Promise<() => void> {
    const begun = performance.now();
    const answer = await this.tried(new Blob([this.blank as BlobPart, part]));
    if (performance.now() - begun < PART_MS) this.partBytes = Math.min(PART_MAX, 2 * this.partBytes);
    return () => this.take(answer, bytes);
  }

  private take(answer: Uint8Array<ArrayBuffer>, bytes: number): void {
    const { choice, wanted, onProgress } = this.job;
    const { isJson, delimiter, before } = this.form;
    const { rows, summary } = takeSummary(answer, isJson ? undefined : delimiter);
    const header = choice.kind === "lines" ? this.form.header.length : 0;
    const hasBlank = typeof wanted === "string" || wanted.classes.includes("blank") !== wanted.but;
    this.list.take(rows.subarray(hasBlank ? rows.indexOf(LF, header) + 1 : header));
    for (const { value, rows, classes } of summary.by?.values ?? []) {
      const { rows: known = 0, disposable = 0 } = this.days.get(value) ?? {};
      this.days.set(value, { value, rows: known + rows, disposable: disposable + classes.disposable });
    }
    for (const [name, found] of Object.entries(summary.irregular)) {
      const { count, first } = this.irregular.get(name as Irregularity) ?? { count: 0, first: [] };
      const numbers = found.first.map((row) => row - 1 + before + this.rows);
      const sum = { count: count + found.rows, first: [...first, ...numbers].slice(0, 5) };
      this.irregular.set(name as Irregularity, sum);
    }
    this.rows += summary.rows - 1;
    const counts = Object.entries(summary.classes).map(([name, count]) => {
      return [name, (this.classes[name] ?? 0) + count - (name === "blank" ? 1 : 0)];
    });
    this.classes = { ...Object.fromEntries(counts), duplicate: this.list.duplicates };
    onProgress({ bytes, rows: this.rows, classes: this.classes });
  }

  result(): FileResult {
    const { irregular, list } = this;
    const { choice, opened, wanted } = this.job;
    // Only CSV keeps its byte-order mark.
    const mark = choice.kind === "csv" ? opened.mark : "";
    const blobOf = (rows: readonly BlobPart[]): Blob =>
      new Blob([mark as BlobPart, ...rows], { type: this.form.isJson ? TYPES.jsonl : TYPES.csv });
    const { rows, isPartial, takenOut } = list;
    const blobs = { blob: blobOf(rows), takenOut: wanted === "clean" ? blobOf(takenOut) : undefined };
    return { ...blobs, irregular, days: daysIn([...this.days.values()]), isPartial };
  }

  /** Tries again after limits and lost connections. */
  private async tried(data: Blob): Promise<Uint8Array<ArrayBuffer>> {
    const signal = AbortSignal.any([this.job.signal, this.ended.signal]);
    const bytes = { data, type: TYPES[this.job.choice.kind], accept: this.form.isJson ? TYPES.jsonl : TYPES.csv };
    for (let tries = 1; ; tries += 1) {
      try {
        const response = await this.api.send("POST", this.path, { bytes, signal });
        return new Uint8Array(await response.arrayBuffer().catch(wasCut));
      } catch (failure) {
        if (signal.aborted || tries === TRIES || !passes(failure)) throw failure;
        const { retryAfterSeconds: seconds = FIRST_PAUSE_SECONDS * 2 ** (tries - 1) } = failure as Partial<ApiError>;
        await pause(seconds * 1000, signal);
      }
    }
  }
}

const TYPES = { lines: "text/plain", csv: "text/csv", jsonl: "application/x-ndjson" } as const;

function wasCut(failure: unknown): never {
  if (!(failure instanceof TypeError)) throw failure;
  throw new ApiError("the daemon cut the connection; its log says why.", 0);
}

/** Whether to try again. */
function passes(failure: unknown): boolean {
  return failure instanceof ApiError && [0, 408, 429, 502, 503, 504].includes(failure.status);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** Browsers read no trailers, so the counts are a row. */
function queryOf({ opened, dns, wanted }: FileJob, day: string | undefined): URLSearchParams {
  const { layout } = opened;
  const query = new URLSearchParams({ dns: dns ? "on" : "off", summary: "row" });
  const fields = fieldsFor(wanted);
  if (fields !== undefined) query.set("fields", fields.join(","));
  if (day !== undefined) query.set("by", day);
  if (typeof wanted !== "string") query.set(wanted.but ? "reject" : "select", wanted.classes.join(","));
  if (layout.kind === "csv") {
    query.set("column", String(layout.column + 1));
    query.set("delimiter", layout.delimiter === 0x09 ? "tab" : String.fromCharCode(layout.delimiter));
    query.set("no-header", "true");
  } else if (layout.kind === "jsonl") {
    query.set("column", (layout.path ?? ["email"]).map((key) => key.replaceAll(".", "\\.")).join("."));
    if (layout.prefix !== "") query.set("prefix", layout.prefix);
  }
  return query;
}
