// A line on the terminal during a long run, which is overwritten.

import { counted } from "../../../base/shown.ts";
import type { Summary } from "../../../bulk/summary.ts";
import type { Output } from "../../terminal/output.ts";
import type { Inputs } from "./inputs.ts";

const EVERY_MS = 250;
const CLEAR_LINE = "\r\x1b[K";

/** The progress line: rows, rows a second, share of the input and time left when its size is known. */
export class Progress {
  private readonly started = performance.now();
  private last = this.started;
  private shown = false;

  constructor(
    private readonly stderr: Pick<Output, "write">,
    private readonly inputs: Pick<Inputs, "octets" | "octetsRead">,
    private readonly summary: Summary,
  ) {}

  /** Shows the line when it is time for an update. */
  show(): void {
    const { octets: bytes, octetsRead: bytesRead } = this.inputs;
    const now = performance.now();
    if (now - this.last < EVERY_MS) return;
    this.last = now;
    this.shown = true;
    const seconds = (now - this.started) / 1000;
    const { rows } = this.summary;
    const parts = [counted(rows, "row", "rows"), counted(Math.round(rows / seconds), "row/s", "rows/s")];
    if (bytes !== undefined && bytes > 0) {
      const share = Math.min(1, bytesRead / bytes);
      parts.push(`${megabytes(bytesRead)} of ${megabytes(bytes)} MB (${Math.floor(100 * share)} %)`);
      parts.push(`${Math.ceil((seconds / Math.max(share, 1e-9)) * (1 - share))} s left`);
    } else {
      parts.push(`${megabytes(bytesRead)} MB`);
    }
    this.stderr.write(`${CLEAR_LINE}addrsift: ${parts.join(", ")}`);
  }

  /** Erases the line; called before any other output to standard error. */
  clear(): void {
    if (this.shown) this.stderr.write(CLEAR_LINE);
    this.shown = false;
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
