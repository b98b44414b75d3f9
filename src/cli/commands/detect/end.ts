// The end of a run: its summary for people, the files of --summary-file and --report, and the channel of --notify.
// Before the first row it is tried whether the files can be written, so that a path that can't be written fails then; a
// run that fails leaves no empty file.

import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import { AddrsiftError, remedyOf } from "../../../base/errors.ts";
import { counted, shareOf, shownNumber } from "../../../base/shown.ts";
import { BY_CLASSES, type ReportBy, shownBy, titleOf } from "../../../bulk/counts-by.ts";
import { ReportCounts, withoutAddresses } from "../../../bulk/report-counts.ts";
import type { Counted, SummaryReport } from "../../../bulk/summary.ts";
import type { ClassifierSetup } from "../../../detection/classifier.ts";
import type { Notify } from "../../open/tell.ts";
import type { Output } from "../../terminal/output.ts";
import { shownText } from "../../terminal/say.ts";
import type { DetectSettings } from "./settings.ts";

export interface EndSetup extends Pick<DetectSettings, "summaryFile" | "report" | "inputs"> {
  /** The summary is printed on standard error. */
  readonly printsSummary: boolean;
  /** The page of --report looks domains up again. Addresses have none. */
  readonly setup?: ClassifierSetup;
  readonly notify: Notify | undefined;
  readonly stderr: Pick<Output, "write">;
  readonly now: () => number;
}

// The exit status that `run` gives to an exception.
const FAILED = 2;

export type RunEnd = Awaited<ReturnType<typeof openEnd>>;

/** Opens the end of a run. Throws AddrsiftError OUTPUT for a file that can't be written. */
export async function openEnd(end: EndSetup) {
  const { printsSummary, summaryFile, notify, stderr } = end;
  const writeSummary = summaryFile === undefined ? undefined : openLateFile(summaryFile, "summary");
  const report = await openReport(end);
  return {
    /** Domains are counted by name too. */
    withNames: printsSummary || writeSummary !== undefined || report !== undefined,
    report: report?.counts,
    /** Gives the exit status after that. `failing` is the line about the rows that --fail-on looks for. */
    finish: async (
      counts: SummaryReport,
      status: number,
      run?: { interrupted: boolean; failing: string | undefined },
    ) => {
      const { interrupted, failing } = run ?? { interrupted: false, failing: undefined };
      if (printsSummary) stderr.write(summaryText(counts, interrupted));
      if (failing !== undefined) stderr.write(`addrsift: ${shownText(failing)}\n`);
      writeSummary?.(`${JSON.stringify({ ...counts, exit_status: status }, null, 2)}\n`);
      report?.write(counts, interrupted);
      return (await notify?.(counts, status)) ?? status;
    },
    /** Tells of a run that failed after its first row. */
    fail: async (counts: SummaryReport) => {
      await notify?.(counts, FAILED);
    },
  };
}

/** Opens the page of --report: counts for it, and what writes it, to be called once. */
async function openReport({ report, inputs, setup, now }: EndSetup) {
  if (report === undefined || setup === undefined) return undefined;
  const { renderReport } = await import("./report/page.ts");
  const writeFile = openLateFile(report.file, "report");
  const counts = new ReportCounts(report.addresses);
  const typed = (text: string): string => (report.addresses ? text : withoutAddresses(text));
  const options = report.options.flat().map(typed);
  const shown = { counts, setup, inputs: inputs.map(typed), options };
  return {
    counts,
    write: (summary: SummaryReport, interrupted: boolean) =>
      writeFile(renderReport({ ...shown, summary, interrupted, endedMs: now() })),
  };
}

// With fewer rows, how fast they went and by which lists says nothing.
const MANY_ROWS = 1000;

function summaryText(report: SummaryReport, interrupted: boolean): string {
  const seconds = Math.max(report.duration_ms, 1) / 1000;
  const isLong = report.rows >= MANY_ROWS;
  const speed = ` in ${seconds.toFixed(1)} s (${shownNumber(Math.round(report.rows / seconds))} rows/s)`;
  const lines = [
    `addrsift: ${interrupted ? "interrupted after " : ""}${counted(report.rows, "row", "rows")}${isLong ? speed : ""}`,
  ];
  // Unreserved rows are the valid ones without the reserved.
  const classes = Object.entries(report.classes).filter(([name, rows]) => rows > 0 && name !== "unreserved");
  for (const [name, rows] of classes) {
    lines.push(`  ${name.padEnd(13)}${shownNumber(rows).padStart(12)}${shareOf(rows, report.rows).padStart(10)}`);
  }
  lines.push(...duplicateLine(report.duplicates), ...dnsLines(report.settled_by));
  lines.push(...topLine("top disposable domains", report.top_disposable_domains));
  lines.push(...topLine("relays", report.top_relays));
  const faults = Object.entries(report.faults)
    .slice(0, 5)
    .map(([name, rows]) => ({ name, rows }));
  lines.push(...topLine("faults", faults), ...byLines(report.by));
  if (isLong) lines.push(`  lists: ${report.data_version}`);
  return `${lines.join("\n")}\n`;
}

function duplicateLine(duplicates: SummaryReport["duplicates"]): string[] {
  if (duplicates === undefined || duplicates.rows === 0) return [];
  const { rows, mailboxes, largest } = duplicates;
  const most = largest.map(({ first_row, rows }) => `row ${shownText(String(first_row))} (${shownNumber(rows)} rows)`);
  const are = `${shownNumber(rows)} rows are ${counted(mailboxes, "mailbox", "mailboxes")}`;
  return [`  same mailbox: ${are}; the largest begin at ${most.join(", ")}`];
}

/** The rows that DNS decided, and those that it would be asked about. */
function dnsLines({ live, unknown, unsettled }: SummaryReport["settled_by"]): string[] {
  const at = (rows: number, what: string): string[] =>
    rows === 0 ? [] : [`  ${counted(rows, "row", "rows")} at domains ${what}`];
  return [
    ...at(live, "that DNS answered about"),
    ...at(unknown, "that DNS gave no answer about"),
    ...at(unsettled, "in no list (--dns on asks)"),
  ];
}

function byLines(by: ReportBy | undefined): string[] {
  if (by === undefined) return [];
  const { values, left } = shownBy(by);
  const classes = BY_CLASSES.filter((name) => values.some((each) => each.classes[name] > 0));
  const names = values.map(({ value }) => shownText(value).slice(0, 24));
  const title = `by ${shownText(titleOf(by))}`;
  const width = Math.max(title.length, ...names.map((name) => name.length));
  const lines = values.map(({ rows, classes: counts }, i) => {
    const shares = classes.map((name) => shareOf(counts[name], rows).padStart(Math.max(9, name.length + 2)));
    return `  ${(names[i] as string).padEnd(width)}${shownNumber(rows).padStart(12)}${shares.join("")}`;
  });
  const titles = classes.map((name) => name.padStart(Math.max(9, name.length + 2))).join("");
  const head = `  ${title.padEnd(width)}${"rows".padStart(12)}${titles}`;
  return [
    head,
    ...lines,
    ...(left === 0 ? [] : [`  … ${counted(left, "value", "values")} more: --summary-file has all`]),
  ];
}

function topLine(title: string, most: readonly Counted[]): string[] {
  if (most.length === 0) return [];
  return [`  ${title}: ${most.map(({ name, rows }) => `${shownText(name)} (${shownNumber(rows)})`).join(", ")}`];
}

/**
 * Tries the file; its old content stays until the text is written, once. `what` names it in errors. Throws
 * AddrsiftError OUTPUT.
 */
function openLateFile(file: string, what: string): (text: string) => void {
  const orFail = <Value>(act: () => Value): Value => {
    try {
      return act();
    } catch (error) {
      throw new AddrsiftError("OUTPUT", `can't write the ${what} to ${file}: ${remedyOf(error)}`, error);
    }
  };
  const kept = orFail(() => openOrTry(file));
  return (text) => {
    orFail(() => {
      const descriptor = kept ?? openSync(file, "a");
      if (fstatSync(descriptor).isFile()) ftruncateSync(descriptor);
      writeFileSync(descriptor, text);
      closeSync(descriptor);
    });
  };
}

/**
 * Opens a file that is there: the reader of a named pipe treats the first close as the end. Another one is made and
 * removed.
 */
function openOrTry(file: string): number | undefined {
  if (existsSync(file)) return openSync(file, "a");
  closeSync(openSync(file, "ax"));
  unlinkSync(file);
  return undefined;
}
