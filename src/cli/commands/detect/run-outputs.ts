// What a run produces besides its rows: duplicate detection, the summary, the files of --summary-file and --report, and
// the notification. Checks before the first row that the files are writable; a failed run leaves no empty file.

import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import { domainToUnicode } from "../../../address/domain/idna.ts";
import { formatAlternatives } from "../../../base/closest-names.ts";
import { AddrsiftError, describeSystemError } from "../../../base/errors.ts";
import { escapeInvisible, formatNumber, formatPercent, pluralize, shortenTexts } from "../../../base/format-text.ts";
import { describeConcentration } from "../../../bulk/concentration.ts";
import {
  BY_CLASSES,
  type CountsByReport,
  formatClassRows,
  formatCountsByHeading,
  mapValues,
  topValues,
} from "../../../bulk/counts-by.ts";
import { Duplicates, KEY_WORDS, MAILBOX_BYTES } from "../../../bulk/duplicates.ts";
import { increment, type NameCount } from "../../../bulk/name-counts.ts";
import { ReportCounts, redactAddresses } from "../../../bulk/report-counts.ts";
import { formatRowNumbers } from "../../../bulk/rows/row-warnings.ts";
import { ALLOW_COMMENT } from "../../../bulk/rows/scan.ts";
import type { OpenedRows } from "../../../bulk/run/open-rows.ts";
import {
  formatDnsCounts,
  formatDuplicateRows,
  formatRowCounts,
  formatSharedMailboxes,
  Summary,
  type SummaryReport,
} from "../../../bulk/summary.ts";
import { classNames, ROW_CLASS } from "../../../detection/classes.ts";
import type { ClassifierSetup } from "../../../detection/classifier.ts";
import { MAX_MEMORY_MB } from "../../options/detect.ts";
import type { Runtime } from "../../runtime.ts";
import { warn } from "../../terminal/output.ts";
import { displayWidth, wrapLine } from "../../terminal/text-table.ts";
import { openOutput } from "./formats.ts";
import type { ReportInput } from "./report.ts";
import type { DetectSettings } from "./settings.ts";

export async function openRunOutputs(settings: DetectSettings, runtime: Runtime, printsSummary = settings.summary) {
  const reporting = await openReporting(settings, runtime, printsSummary);
  return { output: await openOutput(settings, runtime), reporting, duplicates: createDuplicates(settings) };
}

const ALLOW_HINT = `: to allow one, write "${ALLOW_COMMENT}" in its line, or list it in an allow file`;

/** Formats the number of rows of the --fail-on classes, and their first numbers or how to allow addresses. */
function formatFailingRows(
  { warnings, rows: total }: Summary,
  { rows: { failOn }, scan }: DetectSettings,
  hasHeader: boolean,
): string | undefined {
  const failing = warnings.byKind.get("failing");
  if (failing === undefined) return undefined;
  const problem = `${failing.rows === 1 ? "is" : "are"} ${formatAlternatives(classNames(failOn))}`;
  // With --scan, rows are addresses, which have locations instead of numbers. Their total would count reserved ones.
  if (scan) {
    const hint = (failOn & ROW_CLASS.unreserved) === 0 ? "" : ALLOW_HINT;
    return `${pluralize(failing.rows, "address", "addresses")} ${problem}${hint}`;
  }
  const count = `${pluralize(failing.rows, "row", "rows")} of ${formatNumber(total)}`;
  return `${count} ${problem} (${formatRowNumbers(failing)}${hasHeader ? ", counting the header" : ""})`;
}

/**
 * Creates the index of mailboxes, limited to --memory; undefined if no option needs it. The report alone does with an
 * index of the first mailboxes.
 */
function createDuplicates({ rows, countsDuplicates, memoryMb: megabytes }: DetectSettings): Duplicates | undefined {
  if (!countsDuplicates) return undefined;
  const key = crypto.getRandomValues(new Int32Array(KEY_WORDS));
  const limitError = (rows: number): Error => {
    const memoryHint =
      megabytes < MAX_MEMORY_MB ? `give more with --memory ${Math.min(2 * megabytes, MAX_MEMORY_MB)}, or ` : "";
    const message =
      `--memory (${formatNumber(megabytes)} MB) is full after ${formatNumber(rows)} rows: ${memoryHint}leave ` +
      `duplicate and duplicate_of out`;
    return new AddrsiftError("OPERATION", message);
  };
  const limit = Math.floor((1e6 * megabytes) / MAILBOX_BYTES);
  return new Duplicates(key, limit, rows.duplicates ? limitError : undefined);
}

const OUTPUT_CLOSED = "the reader of the output closed it before the end, so later rows were not classified";
const ENCODING_HINT = "try --encoding windows-1252, or the encoding that the input is in";

async function openReporting(settings: DetectSettings, runtime: Runtime, printsSummary: boolean) {
  const { notification, summaryFile, global, rows } = settings;
  const writeSummary = summaryFile === undefined ? undefined : openDeferredFile(summaryFile, "summary");
  const report = await openReport(settings, runtime);
  const summary = new Summary(printsSummary || writeSummary !== undefined || report !== undefined);
  if (notification !== undefined) notification.summary = summary;
  const startMs = performance.now();
  const summarize = ({ lists }: ClassifierSetup): SummaryReport =>
    summary.report(Math.round(performance.now() - startMs), lists.meta.dataVersion);
  return {
    summary,
    summarize,
    report: report?.counts,
    /**
     * Writes the outputs and returns the exit status: `interruptStatus` if a signal ended the run. `opened` is
     * undefined if a signal or the reader of the output ended the run.
     */
    finish: async (setup: ClassifierSetup, opened: Partial<OpenedRows> | undefined, interruptStatus?: number) => {
      const counts = summarize(setup);
      const interrupted = interruptStatus !== undefined;
      const endedEarly = interrupted || opened === undefined;
      const status = interruptStatus ?? ((summary.seenClassBits & rows.failOn) === 0 ? 0 : 1);
      const shownCounts = counts.by ? { ...counts, by: mapValues(counts.by, showDomain) } : counts;
      if (printsSummary && (opened !== undefined || interrupted))
        runtime.stderr.write(formatSummary(shownCounts, summary, interrupted, runtime.stderr.columns));
      else if (interrupted && !global.quiet) warn(runtime, `interrupted after ${formatRowCounts(counts)}`);
      if (!global.quiet && counts.by?.values.some(({ value }) => value.includes("\u{fffd}")))
        warn(runtime, `values of --by ${rows.by} are not in UTF-8: ${ENCODING_HINT}`);
      if (!global.quiet && counts.rows > 0 && counts.by?.values.every(({ value }) => value === ""))
        warn(runtime, `no row has a value of --by ${rows.by}`);
      const isShown = !global.quiet && opened !== undefined;
      const line = isShown ? formatFailingRows(summary, settings, opened.names !== undefined) : undefined;
      if (line !== undefined) warn(runtime, line);
      writeSummary?.(
        `${JSON.stringify({ ...counts, ended_early: endedEarly || undefined, exit_status: status }, null, 2)}\n`,
      );
      const { names, keys = [] } = opened ?? {};
      const table = { hasHeader: names !== undefined, names: names ?? keys };
      const rowsByClassBits = summary.rowsByClassBits();
      report?.write({ summary: shownCounts, rowsByClassBits, setup, interrupted: endedEarly, ...table });
      const error = endedEarly && !interrupted ? OUTPUT_CLOSED : undefined;
      return (await notification?.send(counts, status, error)) ?? status;
    },
  };
}

/** Converts a value of --by to Unicode if it is a domain. */
function showDomain(value: string): string {
  return /^[a-z\d.-]+$/.test(value) ? domainToUnicode(value) : value;
}

/** Prepares the report: its counts, and `write`, which is called once at the end. */
async function openReport({ report, inputs }: DetectSettings, runtime: Runtime) {
  if (report === undefined) return undefined;
  const { file, addresses, options, readOptions, duplicateOptions, prefix } = report;
  const { renderReport } = await import("./report.ts");
  const writeFile = openDeferredFile(file, "report");
  const counts = new ReportCounts(addresses);
  const redact = (text: string): string => (addresses ? text : redactAddresses(text));
  // The values and the name of --by can be addresses; file names can contain them.
  const mask = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value), (_, each: unknown) => (typeof each === "string" ? redact(each) : each));
  const commandWords = { inputs, readOptions, duplicateOptions, prefix };
  const hidesCommands = JSON.stringify(mask(commandWords)) !== JSON.stringify(commandWords);
  const words = { ...mask({ ...commandWords, options }), hidesCommands };
  return {
    counts,
    write: ({ summary, ...run }: Omit<ReportInput, "counts" | keyof typeof words | "endedMs">) => {
      const masked = mask(summary);
      const by = masked.by && { ...masked.by, values: distinguishValues(masked.by.values) };
      const facts = { ...words, ...run, summary: { ...masked, ...(by && { by }) }, endedMs: runtime.now() };
      // A command can't repeat a part of the run.
      const shownOptions = run.interrupted || hidesCommands ? undefined : readOptions;
      writeFile(renderReport({ counts, ...facts, readOptions: shownOptions }, runtime));
    },
  };
}

/** Maximum characters of a value of --by, outside of the summary's table. */
const MAX_TEXT_VALUE_CHARS = 80;

/** Numbers equal values, which differ in a hidden part, and shortens long ones. */
function distinguishValues(values: CountsByReport["values"]): CountsByReport["values"] {
  const counts = new Map<string, number>();
  const names = values.map(({ value }) => {
    increment(counts, value);
    const number = counts.get(value) as number;
    return number === 1 ? value : `${value} (${number})`;
  });
  const shortNames = shortenTexts(names, MAX_TEXT_VALUE_CHARS);
  return values.map((each, i) => ({ ...each, value: shortNames[i] as string }));
}

// For fewer rows, the summary omits the speed and the version of the lists.
const MIN_ROWS_FOR_SPEED = 1000;

function formatSummary(
  report: SummaryReport,
  { disposableNames, relays }: Pick<Summary, "disposableNames" | "relays">,
  interrupted: boolean,
  columns = Number.POSITIVE_INFINITY,
): string {
  const seconds = Math.max(report.duration_ms, 1) / 1000;
  const isLong = report.rows >= MIN_ROWS_FOR_SPEED;
  const speed = ` in ${seconds.toFixed(1)} s (${formatNumber(Math.round(report.rows / seconds))} rows/s)`;
  const rows = formatRowCounts(report) + (isLong ? speed : "");
  const lines = [`addrsift: ${interrupted ? "interrupted after " : ""}${rows}`];
  // The number of unreserved rows follows from valid, reserved and hidden.
  const classes = Object.entries(report.classes).filter(([name, rows]) => rows > 0 && name !== "unreserved");
  for (const [name, rows] of classes) {
    lines.push(
      `  ${name.padEnd(13)}${formatNumber(rows).padStart(12)}${formatPercent(rows, report.rows).padStart(10)}`,
    );
  }
  const faults = Object.entries(report.faults).map(([name, rows]) => ({ name, rows }));
  const by = report.by && { ...report.by, values: distinguishValues(report.by.values) };
  const concentration = by && describeConcentration(by);
  const prose = [
    ...formatDuplicates(report.duplicates),
    ...formatDnsCounts(report.settled_by).map((line) => `  ${line}`),
    ...formatTopCounts("top disposable domains", report.top_disposable_domains, disposableNames.size),
    ...formatTopCounts("relays", report.top_relays, relays.size),
    ...formatTopCounts("faults", faults.slice(0, 5), faults.length),
    ...(concentration ? [`  ${concentration.text}`] : []),
  ];
  lines.push(...prose.map((line) => wrapLine(line, columns)), ...formatCountsBy(by, concentration?.values));
  if (isLong) lines.push(`  lists: ${report.data_version}`);
  return `${lines.join("\n")}\n`;
}

function formatDuplicates(duplicates: SummaryReport["duplicates"]): string[] {
  if (duplicates === undefined) return [];
  const { rows, largest, known_rows: knownRows } = duplicates;
  if (rows === 0) return knownRows === undefined ? [] : ["  no row has a mailbox of --known"];
  const known = knownRows === undefined ? "" : `, ${formatDuplicateRows(knownRows, duplicates)} with --known`;
  const largestMailboxes = largest.map(
    ({ first_row, rows }) => `row ${escapeInvisible(String(first_row))} (${formatDuplicateRows(rows, duplicates)})`,
  );
  const shared = `${formatSharedMailboxes(duplicates)}${known}`;
  return [`  same mailbox: ${shared}; the largest begin at ${largestMailboxes.join(", ")}`];
}

/** Maximum characters of a value of --by in the summary's table. */
const MAX_VALUE_CHARS = 24;

/** Formats the table of the counts, always with the `required` values. */
function formatCountsBy(by: CountsByReport | undefined, required?: readonly string[]): string[] {
  if (by === undefined) return [];
  const { values, omittedCount } = topValues(by, required);
  const classes = BY_CLASSES.filter((name) => values.some(({ classes }) => classes[name] > 0));
  const title = `by ${escapeInvisible(formatCountsByHeading(by))}`;
  const texts = values.map(({ value }) => escapeInvisible(value));
  const names = [title, ...shortenTexts(texts, MAX_VALUE_CHARS)];
  const columns = [
    ["rows", ...values.map(({ rows }) => formatNumber(rows))],
    ...classes.map((name) => [name, ...values.map((value) => formatClassRows(value, name))]),
  ].map(alignRight);
  const width = Math.max(...names.map(displayWidth));
  const lines = names.map((name, row) => {
    const padding = " ".repeat(width - displayWidth(name));
    return `  ${name}${padding}${columns.map((cells) => cells[row]).join("")}`;
  });
  const omittedNote =
    omittedCount === 0 ? [] : [`  … ${pluralize(omittedCount, "value", "values")} more: --summary-file has all`];
  return [...lines, ...omittedNote];
}

/** Pads the cells of a column to the same width, two wider than the widest one. */
function alignRight(cells: readonly string[]): string[] {
  const width = 2 + Math.max(...cells.map((cell) => cell.length));
  return cells.map((cell) => cell.padStart(width));
}

function formatTopCounts(title: string, counts: readonly NameCount[], total: number): string[] {
  if (counts.length === 0) return [];
  const names = counts.map(({ name, rows }) => `${escapeInvisible(name)} (${formatNumber(rows)})`).join(", ");
  const more = total > counts.length ? ` and ${formatNumber(total - counts.length)} more` : "";
  return [`  ${title}: ${names}${more}`];
}

/** Checks that a file is writable. Returns a function that replaces its content, once. Throws AddrsiftError OUTPUT. */
function openDeferredFile(file: string, description: string): (text: string) => void {
  const withOutputError = <Value>(action: () => Value): Value => {
    try {
      return action();
    } catch (error) {
      const message = `can't write the ${description} to ${file}: ${describeSystemError(error)}`;
      throw new AddrsiftError("OUTPUT", message, error);
    }
  };
  const existing = withOutputError(() => openOrProbe(file));
  return (text) => {
    withOutputError(() => {
      const descriptor = existing ?? openSync(file, "a");
      if (fstatSync(descriptor).isFile()) ftruncateSync(descriptor);
      writeFileSync(descriptor, text);
      closeSync(descriptor);
    });
  };
}

/**
 * Opens a file if it exists, and returns its descriptor: if it is a named pipe, closing it would send end of file to the
 * reader. Otherwise, creates the file and removes it.
 */
function openOrProbe(file: string): number | undefined {
  if (existsSync(file)) return openSync(file, "a");
  closeSync(openSync(file, "ax"));
  unlinkSync(file);
  return undefined;
}
