// `detect --report`: counts rows while they pass, and writes a page when the run ends.

import { ReportCounts, withoutAddresses } from "../../../bulk/report-counts.ts";
import type { SummaryReport } from "../../../bulk/summary.ts";
import type { ClassifierSetup } from "../../../detection/classifier.ts";
import type { Runtime } from "../../runtime.ts";
import { openLateFile } from "./late-file.ts";
import type { DetectSettings } from "./settings.ts";

/** A report under way. */
export interface OpenReport {
  readonly counts: ReportCounts;
  /** Writes the page; must be called once. Throws AddrsiftError OUTPUT. */
  write(summary: SummaryReport, interrupted: boolean): void;
}

/** Opens the file of --report; undefined without it. Throws AddrsiftError OUTPUT. */
export async function openReport(
  { report, inputs }: DetectSettings,
  setup: ClassifierSetup,
  runtime: Runtime,
): Promise<OpenReport | undefined> {
  if (report === undefined) return undefined;
  const { renderReport } = await import("./report/page.ts");
  const writeFile = openLateFile(report.file, "report");
  const counts = new ReportCounts(report.addresses);
  return {
    counts,
    write: (summary, interrupted) => {
      const typed = (text: string): string => (report.addresses ? text : withoutAddresses(text));
      const options = report.options.map((words) => words.map(typed).join(" "));
      const names = inputs.map(typed);
      const shown = { summary, counts, setup, inputs: names, options, interrupted, endedMs: runtime.now() };
      writeFile(renderReport(shown));
    },
  };
}
