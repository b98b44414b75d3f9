// Shows the progress of long runs in one line on standard error.

import { formatNumber, pluralize } from "../../base/format-text.ts";
import type { Output } from "./output.ts";

const UPDATE_INTERVAL_MS = 250;
const CLEAR_LINE = "\r\x1b[K";

/** A line on standard error that the next one overwrites. */
export class StatusLine {
  private isShown = false;

  constructor(private readonly stderr: Pick<Output, "write">) {}

  show(text: string): void {
    this.isShown = true;
    this.stderr.write(`${CLEAR_LINE}addrsift: ${text}`);
  }

  /** Erases the line. Call it before other output to standard error. */
  clear(): void {
    if (this.isShown) this.stderr.write(CLEAR_LINE);
    this.isShown = false;
  }
}

/**
 * Shows rows, rows per second, and, if the input's size is known, the percentage and the time left. With DNS, rows are
 * read before they are processed.
 */
export class Progress extends StatusLine {
  private readonly startMs = performance.now();
  private lastUpdateMs = this.startMs;

  constructor(
    stderr: Pick<Output, "write">,
    private readonly inputs: { readonly bytes: number | undefined; readonly bytesRead: number },
    private readonly summary: { readonly rows: number },
    private readonly lookups: { readonly rowsLookedAhead: number } | undefined,
  ) {
    super(stderr);
  }

  /** Updates the line, at most every UPDATE_INTERVAL_MS. */
  update(): void {
    const { bytes = 0, bytesRead } = this.inputs;
    const now = performance.now();
    if (now - this.lastUpdateMs < UPDATE_INTERVAL_MS) return;
    this.lastUpdateMs = now;
    const seconds = (now - this.startMs) / 1000;
    const { rows } = this.summary;
    const readShare = bytes === 0 ? undefined : Math.min(1, bytesRead / bytes);
    const rowsAhead = Math.max(rows, this.lookups?.rowsLookedAhead ?? 0);
    const totalRows =
      this.lookups && readShare && `${readShare < 1 ? "about " : ""}${formatNumber(Math.round(rowsAhead / readShare))}`;
    const parts = [
      totalRows === undefined ? pluralize(rows, "row", "rows") : `${formatNumber(rows)} of ${totalRows} rows`,
    ];
    parts.push(pluralize(Math.round(rows / seconds), "row/s", "rows/s"));
    if (readShare === undefined) parts.push(`${megabytes(bytesRead)} MB`);
    else {
      const doneShare = readShare * (rowsAhead === 0 ? 0 : rows / rowsAhead);
      const percent = `${Math.floor(100 * doneShare)} %`;
      parts.push(totalRows === undefined ? `${megabytes(bytesRead)} of ${megabytes(bytes)} MB (${percent})` : percent);
      if (doneShare > 0) parts.push(`${Math.ceil((seconds / doneShare) * (1 - doneShare))} s left`);
    }
    this.show(parts.join(", "));
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
