// Formats sizes, times and class counts.

import { pluralize } from "../../base/format-text.ts";
import { DAY_MS } from "../../bulk/days.ts";
import { CLASS_MEANINGS, type RowClass } from "../../detection/classes.ts";

const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;

export function formatSize(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** unit;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

export function formatDuration(seconds: number): string {
  if (seconds < 90) return pluralize(Math.round(seconds), "second", "seconds");
  if (seconds < 90 * 60) return pluralize(Math.round(seconds / 60), "minute", "minutes");
  if (seconds < 36 * 3600) return pluralize(Math.round(seconds / 3600), "hour", "hours");
  return pluralize(Math.round(seconds / 86_400), "day", "days");
}

/** Formats an ISO 8601 time to the second, in UTC. */
export function formatTime(time: string): string {
  return `${time.slice(0, 19).replace("T", " ")} UTC`;
}

// Older lists lack many new services.
const STALE_DAYS = 14;

/** Describes the age of the lists. Their version starts with the day of their sources. */
export function describeListsAge(dataVersion: string, nowMs: number): string {
  const age = Math.max(0, Math.floor((nowMs - Date.parse(dataVersion.slice(0, 10))) / DAY_MS));
  if (Number.isNaN(age)) return `The daemon's lists: ${dataVersion}.`;
  const sentence = `The daemon's lists were built ${pluralize(age, "day", "days")} ago (${dataVersion.slice(0, 10)}).`;
  return age > STALE_DAYS ? `${sentence} Update them with addrsift lists update.` : sentence;
}

/** Turns a name of the API into words: `google_workspace` into "google workspace", `missing_at` into "missing @". */
export function humanize(name: string): string {
  return name.replace(/_at$/, "_@").replaceAll("_", " ");
}

export const DETECT_PATH = "api/v1/emails/detect";

export type Tone = "good" | "bad" | "warn" | "plain";

export function classBars(classes: Readonly<Record<string, number>>) {
  return Object.entries(classes)
    .filter(([id, count]) => count > 0 && id !== "unreserved")
    .map(([id, count]) => ({ name: humanize(id), count, meaning: CLASS_MEANINGS[id as RowClass] }));
}
