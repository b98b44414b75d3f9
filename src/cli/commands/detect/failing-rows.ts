// The rows that --fail-on looks for: how many, and where the first ones are.

import { choiceOf } from "../../../base/near-names.ts";
import { counted, shownNumber } from "../../../base/shown.ts";
import { classNames } from "../../../bulk/classes.ts";
import type { IrregularRows } from "../../../bulk/rows/irregularities.ts";
import { shownText } from "../../terminal/escape.ts";

// Inputs whose rows are named.
const INPUTS_SHOWN = 5;

/** Collects the rows of each input; memory is bounded. */
export class FailingRows {
  private count = 0;
  private readonly places: string[] = [];
  private left = false;

  /** `named` is the input with a colon, where there are several. */
  add(named: string, rows: IrregularRows | undefined): void {
    if (rows === undefined) return;
    const { count, first } = rows;
    this.count += count;
    const more = count > first.length ? ", …" : "";
    const text = `${shownText(named)}${count === 1 ? "row" : "rows"} ${first.join(", ")}${more}`;
    if (this.places.length < INPUTS_SHOWN) this.places.push(text);
    else this.left = true;
  }

  /** A line for standard error, empty when there are none. */
  text(failOn: number, rows: number): string {
    if (this.count === 0) return "";
    const classes = choiceOf(classNames(failOn));
    const places = [...this.places, ...(this.left ? ["…"] : [])].join("; ");
    const are = this.count === 1 ? "is" : "are";
    return `addrsift: ${counted(this.count, "row", "rows")} of ${shownNumber(rows)} ${are} ${classes} (${places})\n`;
  }
}
