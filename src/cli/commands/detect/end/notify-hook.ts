// `detect --notify`: the hook that notifies a channel when a run ends. The code that sends is in a file of its own, loaded when
// needed.

import type { SummaryReport } from "../../../../bulk/summary.ts";
import type { Runtime } from "../../../runtime.ts";
import type { DetectSettings } from "../settings.ts";

/** Sends the channel the report and the exit status; gives the exit status after that. */
export type Notify = (report: SummaryReport, exitStatus: number) => Promise<number>;

/** The file of the build that sends. */
export interface NotifyBundle {
  openCompletion(settings: DetectSettings, runtime: Runtime, channel: string): Promise<Notify>;
}

/**
 * The hook for --notify; undefined without it. Throws AddrsiftError USAGE before the run starts for wrong settings, and with
 * --notify-required for a channel that can't be notified.
 */
export async function openNotify(settings: DetectSettings, runtime: Runtime): Promise<Notify | undefined> {
  if (settings.notify === undefined) return undefined;
  return await (runtime.bundle("records") as NotifyBundle).openCompletion(settings, runtime, settings.notify);
}
