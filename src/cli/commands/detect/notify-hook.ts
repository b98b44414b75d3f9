// `detect --notify`: the hook that tells a channel that a run has ended. What sends is in a file of its own, loaded when it is asked for.

import type { SummaryReport } from "../../../bulk/summary.ts";
import type { Runtime } from "../../runtime.ts";
import type { DetectSettings } from "./settings.ts";

/** Tells the channel what the run came to, and its exit status. Throws AddrsiftError as the store does. */
export type Notify = (report: SummaryReport, exitStatus: number) => Promise<void>;

/** The file of the build that sends. */
export interface NotifyBundle {
  openCompletion(settings: DetectSettings, runtime: Runtime, channel: string): Notify;
}

/** The hook for --notify, undefined without it. Throws AddrsiftError USAGE when the channel can't be told: before the work, not after. */
export function openNotify(settings: DetectSettings, runtime: Runtime): Notify | undefined {
  if (settings.notify === undefined) return undefined;
  return (runtime.bundle("records") as NotifyBundle).openCompletion(settings, runtime, settings.notify);
}
