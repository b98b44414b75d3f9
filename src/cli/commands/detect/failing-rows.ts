// The rows that --fail-on looks for: the exit status, and a line with their number and the places of the first ones.

import { choiceOf } from "../../../base/near-names.ts";
import { counted, shownNumber } from "../../../base/shown.ts";
import { classNames } from "../../../bulk/classes.ts";
import { type IrregularRows, placesOf } from "../../../bulk/rows/irregularities.ts";
import type { Summary } from "../../../bulk/summary.ts";

const INPUTS_SHOWN = 5;

export function detectStatus({ seen }: Summary, failOn: number): number {
  return (seen & failOn) === 0 ? 0 : 1;
}

/** Collects the rows of each input; memory is bounded. */
export class FailingRows {
  private count = 0;
  private readonly places: string[] = [];
  private left = false;
  private countsHeader = false;

  /** `named` is the input with a colon, where there are several. A header is counted in its rows' numbers. */
  add(named: string, rows: IrregularRows | undefined, hasHeader: boolean): void {
    if (rows === undefined) return;
    this.count += rows.count;
    if (hasHeader) this.countsHeader = true;
    if (this.places.length < INPUTS_SHOWN) this.places.push(named + placesOf(rows));
    else this.left = true;
  }

  text(failOn: number, rows: number): string | undefined {
    if (this.count === 0) return undefined;
    const classes = choiceOf(classNames(failOn));
    const places = [...this.places, ...(this.left ? ["…"] : [])].join("; ");
    const are = this.count === 1 ? "is" : "are";
    const counting = this.countsHeader ? ", counting the header" : "";
    return `${counted(this.count, "row", "rows")} of ${shownNumber(rows)} ${are} ${classes} (${places}${counting})`;
  }
}
