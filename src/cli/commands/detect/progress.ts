// Shown on a terminal during a long run: one line that is overwritten, and a note about irregular rows at the end.

import { counted } from "../../../base/shown.ts";
import type { Irregularities, Irregularity } from "../../../bulk/rows/irregularities.ts";
import type { Summary } from "../../../bulk/summary.ts";
import type { Runtime } from "../../runtime.ts";
import { shownText } from "../../terminal/escape.ts";

const EVERY_MS = 250;
const CLEAR_LINE = "\r\x1b[K";

/** The progress line: rows, rows a second, share of the input and time left when its size is known. */
export class Progress {
  private readonly started = performance.now();
  private last = this.started;
  private shown = false;

  constructor(
    private readonly runtime: Pick<Runtime, "stderr">,
    private readonly bytes: number | undefined,
    private readonly summary: Summary,
  ) {}

  /** Shows the line when it is time for an update. */
  show(bytesRead: number): void {
    const now = performance.now();
    if (now - this.last < EVERY_MS) return;
    this.last = now;
    this.shown = true;
    const seconds = (now - this.started) / 1000;
    const { rows } = this.summary;
    const parts = [counted(rows, "row", "rows"), counted(Math.round(rows / seconds), "row/s", "rows/s")];
    if (this.bytes !== undefined && this.bytes > 0) {
      const share = Math.min(1, bytesRead / this.bytes);
      parts.push(`${megabytes(bytesRead)} of ${megabytes(this.bytes)} MB (${Math.floor(100 * share)} %)`);
      parts.push(`${Math.ceil((seconds / Math.max(share, 1e-9)) * (1 - share))} s left`);
    } else {
      parts.push(`${megabytes(bytesRead)} MB`);
    }
    this.runtime.stderr.write(`${CLEAR_LINE}addrsift: ${parts.join(", ")}`);
  }

  /** Erases the line; called before any other output to standard error. */
  clear(): void {
    if (this.shown) this.runtime.stderr.write(CLEAR_LINE);
    this.shown = false;
  }
}

/** Each kind's name in the singular and plural, and what is wrong. */
const KINDS: Readonly<Record<Exclude<Irregularity, "failing">, readonly [one: string, several: string, what: string]>> =
  {
    no_object: ["line", "lines", "not a JSON object, treated as invalid"],
    key_taken: [
      "object",
      "objects",
      "with an added key already: the added one comes last, or is renamed with --prefix or --into",
    ],
    ragged: ["record", "records", "with more or fewer fields than the header"],
    too_long: ["line or field", "lines or fields", "over 64 KiB, treated as invalid"],
    not_utf8: ["address", "addresses", "not in UTF-8, treated as invalid"],
    bare_cr: [
      "row",
      "rows",
      "with CR inside, treated as invalid: if lines end in CR only, convert the input with tr '\\r' '\\n'",
    ],
  };

/** A line for each kind of irregular row: how many, and where the first ones are. `named` is the input, with a colon. */
export function irregularText(irregularities: Irregularities, named = ""): string {
  return [...irregularities.byKind]
    .map(([kind, { count, first }]) => {
      // Not irregular: what --fail-on looks for is told at the end.
      if (kind === "failing") return "";
      const more = count > first.length ? ", …" : "";
      const [one, several, what] = KINDS[kind];
      const places = `${count === 1 ? "row" : "rows"} ${first.join(", ")}${more}`;
      return `addrsift: ${shownText(named)}${counted(count, one, several)} ${what} (${places})\n`;
    })
    .join("");
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
