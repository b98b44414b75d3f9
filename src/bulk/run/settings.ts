// Settings of a run over rows: how its input is read, what counts as valid and as disposable, what becomes of each row.
// Plain values that were checked before.

import type { ClassifierSetup } from "../../detection/classifier.ts";
import type { Field } from "../../detection/fields.ts";
import type { TableChoice } from "../rows/csv-header.ts";
import type { JsonlChoice } from "../rows/json/beginning.ts";
import type { ScanLayout } from "../rows/scan.ts";

/** Rules for what counts as valid and as disposable. */
export type Policy = Required<Pick<ClassifierSetup, "syntax" | "minConfidence">> & Pick<ClassifierSetup, "subject">;

export interface RowSettings {
  readonly policy: Policy;
  /** The fields that rows carry; undefined: those of each detection. */
  readonly fields: readonly Field[] | undefined;
  readonly explain: boolean;
  /** Class bits of rows to keep; 0 keeps all. */
  readonly select: number;
  /** Class bits of rows to drop; beats `select`. */
  readonly reject: number;
  /** Class bits that make the exit status 1. */
  readonly failOn: number;
  readonly spreadsheetSafe: boolean;
  /** Rows are compared, because a field or a class asks for it. */
  readonly duplicates: boolean;
  /** The column, or the path of a key, by whose values rows are counted. */
  readonly by: string | undefined;
}

/** How an input is read, and what is done with its rows. */
export interface InputSettings {
  /** How CSV or TSV is read, or JSON Lines; the input is lines where both are undefined. */
  readonly csv: TableChoice | undefined;
  readonly jsonl: JsonlChoice | undefined;
  /** The part of a text that is looked at for addresses. */
  readonly scan?: ScanLayout | undefined;
  readonly part: boolean;
  readonly rows: RowSettings;
}
