// The summary of a run, for people.

import { counted, shownNumber } from "../../../base/shown.ts";
import type { Counted, SummaryReport } from "../../../bulk/summary.ts";
import { shownText } from "../../terminal/escape.ts";

/** A few lines for standard error. */
export function summaryText(report: SummaryReport, interrupted = false): string {
  const seconds = Math.max(report.duration_ms, 1) / 1000;
  const lines = [
    `addrsift: ${interrupted ? "interrupted after " : ""}${counted(report.rows, "row", "rows")} in ${seconds.toFixed(1)} s (${shownNumber(Math.round(report.rows / seconds))} rows/s)`,
  ];
  const classes = Object.entries(report.classes).filter(([, rows]) => rows > 0);
  for (const [name, rows] of classes) {
    lines.push(
      `  ${name.padEnd(13)}${shownNumber(rows).padStart(12)}${`${((100 * rows) / report.rows).toFixed(1)} %`.padStart(10)}`,
    );
  }
  lines.push(...settledLine(report.settled_by));
  lines.push(...topLine("top disposable domains", report.top_disposable_domains));
  lines.push(...topLine("relays", report.top_relays));
  const faults = Object.entries(report.faults)
    .slice(0, 5)
    .map(([name, rows]) => ({ name, rows }));
  lines.push(...topLine("faults", faults));
  lines.push(`  lists: ${report.data_version}`);
  return `${lines.join("\n")}\n`;
}

/** How many rows each source settled. Without DNS, "unsettled" counts the rows that DNS would be asked about. */
function settledLine({ lists, live, unknown, unsettled }: SummaryReport["settled_by"]): string[] {
  const parts = [
    `${shownNumber(lists)} by lists`,
    ...(live > 0 ? [`${shownNumber(live)} by DNS`] : []),
    ...(unknown > 0 ? [`${shownNumber(unknown)} unknown`] : []),
    ...(unsettled > 0 ? [`${shownNumber(unsettled)} unsettled (DNS was not asked)`] : []),
  ];
  return lists + live + unknown + unsettled === 0 ? [] : [`  settled: ${parts.join(", ")}`];
}

function topLine(title: string, most: readonly Counted[]): string[] {
  if (most.length === 0) return [];
  return [`  ${title}: ${most.map(({ name, rows }) => `${shownText(name)} (${shownNumber(rows)})`).join(", ")}`];
}
