// Lines about rows of an input: those that --fail-on looks for, and irregular ones. How many there are, and where the first ones are.

import { choiceOf } from "../../../base/near-names.ts";
import { counted, shownNumber } from "../../../base/shown.ts";
import { classNames } from "../../../bulk/classes.ts";
import type { Irregularity, IrregularRows } from "../../../bulk/rows/irregularities.ts";

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
    this.count += rows.count;
    if (this.places.length < INPUTS_SHOWN) this.places.push(named + placesOf(rows));
    else this.left = true;
  }

  /** A line for a person; undefined when there are none. */
  text(failOn: number, rows: number): string | undefined {
    if (this.count === 0) return undefined;
    const classes = choiceOf(classNames(failOn));
    const places = [...this.places, ...(this.left ? ["…"] : [])].join("; ");
    const are = this.count === 1 ? "is" : "are";
    return `${counted(this.count, "row", "rows")} of ${shownNumber(rows)} ${are} ${classes} (${places})`;
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
    several: ["line or cell", "lines or cells", "with several addresses, treated as invalid: split them first"],
    ragged: ["record", "records", "with more or fewer fields than the header"],
    too_long: ["line or field", "lines or fields", "over 64 KiB, treated as invalid"],
    not_utf8: [
      "address",
      "addresses",
      "not in UTF-8, treated as invalid: if the input is Latin-1, run iconv -f LATIN1 -t UTF-8 FILE | addrsift detect",
    ],
    bare_cr: [
      "row",
      "rows",
      "with CR inside, treated as invalid: if lines end in CR only, convert the input with tr '\\r' '\\n'",
    ],
  };

/** A line for each kind of irregular row, without those that --fail-on looks for. */
export function irregularLines(byKind: ReadonlyMap<Irregularity, IrregularRows>): string[] {
  return [...byKind].flatMap(([kind, rows]) => {
    if (kind === "failing") return [];
    const [one, several, what] = KINDS[kind];
    return [`${counted(rows.count, one, several)} ${what} (${placesOf(rows)})`];
  });
}

function placesOf({ count, first }: IrregularRows): string {
  return `${count === 1 ? "row" : "rows"} ${first.join(", ")}${count > first.length ? ", …" : ""}`;
}
