// Counts the rows of a run: in the summary, in the report and by the values of a column. Records which rows need a warning.

import { AT, CLOSE_ANGLE, CR } from "../base/bytes/ascii.ts";
import { decodeUtf8, findByte } from "../base/bytes/bytes.ts";
import type { Classifier } from "../detection/classifier.ts";
import type { CountsBy } from "./counts-by.ts";
import type { ReportCounts } from "./report-counts.ts";
import type { Row } from "./rows/row.ts";
import { PLACEHOLDER, type RowWarnings } from "./rows/row-warnings.ts";
import type { Summary } from "./summary.ts";

export interface RowCountsSetup {
  readonly classifier: Classifier;
  readonly summary: Summary;
  readonly report?: ReportCounts | undefined;
  readonly by?: CountsBy | undefined;
  /** Class bits of rows whose numbers are recorded for --fail-on. */
  readonly failOn?: number;
}

export class RowCounts {
  constructor(
    private readonly setup: RowCountsSetup,
    private readonly warnings: RowWarnings,
  ) {}

  /** Counts the classifier's current address, which is an address of the row; `classes` are its class bits. */
  addAddress(row: Row, classes: number): void {
    const { classifier, summary, report } = this.setup;
    summary.addAddress(classes, classifier, row);
    report?.add(classes, classifier, row, row.number);
    this.addWarnings(row);
  }

  /** Counts a row; `classes` are the class bits of all its addresses. */
  addRow(row: Row, classes: number): void {
    const { classifier, summary, by, failOn = 0 } = this.setup;
    summary.addRow(classes);
    by?.add(row, classes, classifier);
    if ((classes & failOn) !== 0) this.warnings.add("failing", row.number);
  }

  private addWarnings(row: Row): void {
    const { warnings } = this;
    const { fault, faultIndex } = this.setup.classifier;
    if (row.isNested) warnings.add("nested", row.number);
    else if (fault === "line_too_long") {
      warnings.add("too_long", row.number);
      if (looksLikeLines(row, findByte(row.bytes, CR, row.start, row.end))) warnings.add("bare_cr", row.number);
    } else if (fault === "invalid_utf8") warnings.add("not_utf8", row.number);
    else if (fault === "missing_at" && isPlaceholder(row)) warnings.add("placeholder", row.number);
    else if ((fault === "white_space" || fault === "several_addresses") && looksLikeLines(row, faultIndex))
      warnings.add("bare_cr", row.number);
    else if (fault === "several_addresses") warnings.add("several", row.number);
    else if (fault !== undefined && hasName(row)) warnings.add("named", row.number);
  }
}

/** Reports whether the field ends with an address in angle brackets. */
function hasName({ bytes, start, end }: Row): boolean {
  return bytes[end - 1] === CLOSE_ANGLE && findByte(bytes, AT, start, end) < end;
}

function isPlaceholder({ bytes, start, end }: Row): boolean {
  return end - start <= 6 && PLACEHOLDER.test(decodeUtf8(bytes, start, end));
}

/** Reports whether there is an `@` on both sides of the CR at `index`: then lines probably end in CR only. */
function looksLikeLines({ bytes, start, end }: Row, index: number): boolean {
  if (index >= end || bytes[index] !== CR) return false;
  return findByte(bytes, AT, start, index) < index && findByte(bytes, AT, index, end) < end;
}
