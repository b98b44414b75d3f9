// Counts all rows of a run: by class, by fault, and by the most frequent disposable domains and relays.

import type { SyntaxCode } from "../address/faults.ts";
import { decodeAsciiLowercase } from "../base/bytes/bytes.ts";
import { formatNumber, pluralize } from "../base/format-text.ts";
import { isSelected, ROW_CLASS, type RowClass, rowsByClass, type Selection } from "../detection/classes.ts";
import type { Classifier } from "../detection/classifier.ts";
import type { DomainVerdict } from "../detection/verdict.ts";
import type { CountsBy, CountsByReport } from "./counts-by.ts";
import type { DuplicateReport, Duplicates } from "./duplicates.ts";
import { increment, type NameCount, NameCounts } from "./name-counts.ts";
import type { Row } from "./rows/row.ts";
import { type IrregularRows, RowWarnings } from "./rows/row-warnings.ts";

/** The result of a run, as written to --summary-file. */
export interface SummaryReport {
  readonly rows: number;
  /** Rows in the output. Without --select too, findings and --scan have rows of some classes only. */
  readonly rows_written: number;
  readonly classes: Readonly<Record<RowClass, number>>;
  readonly faults: Readonly<Partial<Record<SyntaxCode, number>>>;
  /** Valid rows by what decided about their domain. */
  readonly settled_by: Readonly<Record<SettledBy, number>>;
  readonly top_disposable_domains: readonly NameCount[];
  readonly top_relays: readonly NameCount[];
  /** Set if duplicate detection is on. */
  readonly duplicates?: DuplicateReport;
  /** Set with --by. */
  readonly by?: CountsByReport;
  readonly irregular: IrregularRows;
  readonly duration_ms: number;
  readonly data_version: string;
}

/** Faults of text that was probably not meant to be an address. */
const NON_ADDRESS_FAULTS: readonly SyntaxCode[] = [
  "missing_at",
  "not_an_object",
  "empty",
  "invalid_utf8",
  "control_character",
  "line_too_long",
];

/** Reports whether hardly any row looks like an address: the file or the column is probably the wrong one. */
export function hasNoAddress({ rows, classes, faults }: Pick<SummaryReport, "rows" | "classes" | "faults">): boolean {
  const nonAddressRows = NON_ADDRESS_FAULTS.reduce((sum, code) => sum + (faults[code] ?? 0), classes.blank);
  return rows > 1 && classes.valid === 0 && nonAddressRows >= 0.9 * rows;
}

/** Formats the number of rows, and of written ones if not all are. Classes of the format may select rows, too. */
export function formatRowCounts({ rows, rows_written: written }: SummaryReport): string {
  return pluralize(rows, "row", "rows") + (written < rows ? `, ${formatNumber(written)} written` : "");
}

/** Formats a number of rows, or of addresses if rows have several. */
export function formatDuplicateRows(rows: number, { unit }: Pick<DuplicateReport, "unit">): string {
  return unit === undefined ? pluralize(rows, "row", "rows") : pluralize(rows, "address", "addresses");
}

/** Formats how many rows share their mailbox with another or known row. */
export function formatSharedMailboxes(duplicates: DuplicateReport): string {
  const { rows, mailboxes, known_rows: knownRows } = duplicates;
  const verb = rows === 1 ? "shares" : "share";
  const others = knownRows === undefined ? "" : " with another row or --known";
  return `${formatDuplicateRows(rows, duplicates)} ${verb} ${pluralize(mailboxes, "mailbox", "mailboxes")}${others}`;
}

/** `lists`: a list or an override; `live`: DNS; `unknown`: DNS did not answer; `unsettled`: DNS was not queried. */
export const SETTLED_BY = ["lists", "live", "unknown", "unsettled"] as const;
export type SettledBy = (typeof SETTLED_BY)[number];

export function formatDnsCounts({ live, unknown, unsettled }: SummaryReport["settled_by"]): string[] {
  const counts = [
    [live, "decided by DNS"],
    [unknown, "unknown: DNS did not answer"],
    [unsettled, "at unlisted domains (--dns on looks them up)"],
  ] as const;
  return counts.filter(([rows]) => rows > 0).map(([rows, label]) => `${pluralize(rows, "row", "rows")} ${label}`);
}

const MAX_TOP_NAMES = 10;

export class Summary {
  rows = 0;
  /** Class bits of all rows so far. */
  seenClassBits = 0;
  private readonly byClassBits = new Map<number, number>();
  private readonly faults = new Map<SyntaxCode, number>();
  private readonly decidedBy = new Map<SettledBy, number>();
  readonly disposableNames: NameCounts = new NameCounts();
  readonly relays: NameCounts = new NameCounts();
  duplicates: Pick<Duplicates, "report"> | undefined;
  by: Pick<CountsBy, "report"> | undefined;
  selection: Selection = { select: 0, reject: 0 };
  /** Warnings of all inputs so far, and items that were skipped. */
  readonly warnings: RowWarnings = new RowWarnings();

  constructor(
    /** Whether to count domains by name, which takes time for each disposable row. */
    readonly withNames: boolean,
  ) {}

  addRow(classes: number): void {
    this.rows += 1;
    this.seenClassBits |= classes;
    increment(this.byClassBits, classes);
  }

  /** Counts the classifier's current address, which is one of a row's addresses. */
  addAddress(classes: number, classifier: Classifier, { bytes, end }: Pick<Row, "bytes" | "end">): void {
    if ((classes & ROW_CLASS.invalid) !== 0) increment(this.faults, classifier.fault as SyntaxCode);
    if (!this.withNames || (classes & ROW_CLASS.valid) === 0) return;
    this.addVerdict(classifier.verdict, 1);
    if ((classes & ROW_CLASS.disposable) !== 0) {
      const { provider, domainBytes, domainStart, domainEnd } = classifier;
      const hasNames = provider.canonicalDomain !== undefined;
      // Counts each domain of a provider by its own name, not by the canonical domain.
      this.disposableNames.add(
        hasNames ? classifier.domainName(bytes, end) : decodeAsciiLowercase(domainBytes, domainStart, domainEnd),
      );
    }
  }

  /** Counts the classes of well-formed rows at domains with equal verdicts. The caller has added them to `rows`. */
  addClasses(classes: number, verdict: DomainVerdict, rows: number): void {
    this.seenClassBits |= classes;
    increment(this.byClassBits, classes, rows);
    if (this.withNames) this.addVerdict(verdict, rows);
  }

  private addVerdict(verdict: DomainVerdict, rows: number): void {
    increment(this.decidedBy, settledBy(verdict), rows);
    if (verdict.relayProvider !== undefined) this.relays.add(verdict.relayProvider, rows);
  }

  report(durationMs: number, dataVersion: string): SummaryReport {
    const counts = this.rowsByClassBits();
    const written = counts.filter(([classes]) => isSelected(this.selection, classes));
    const settled = SETTLED_BY.map((by) => [by, this.decidedBy.get(by) ?? 0]);
    return {
      rows: this.rows,
      rows_written: written.reduce((sum, [, rows]) => sum + rows, 0),
      classes: rowsByClass(counts),
      faults: Object.fromEntries([...this.faults].sort(([, a], [, b]) => b - a)),
      settled_by: Object.fromEntries(settled) as Record<SettledBy, number>,
      top_disposable_domains: this.disposableNames.top(MAX_TOP_NAMES),
      top_relays: this.relays.top(MAX_TOP_NAMES),
      ...(this.duplicates && { duplicates: this.duplicates.report() }),
      ...(this.by && { by: this.by.report() }),
      irregular: this.warnings.irregular,
      duration_ms: durationMs,
      data_version: dataVersion,
    };
  }

  /** Returns the number of rows with each combination of class bits. */
  rowsByClassBits(): [classes: number, rows: number][] {
    return [...this.byClassBits].filter(([, rows]) => rows > 0);
  }
}

function settledBy(verdict: DomainVerdict): SettledBy {
  if (verdict.isUnanswered) return "unknown";
  if (verdict.source === "live_dns") return "live";
  return verdict.isDecided ? "lists" : "unsettled";
}
