// Texts for people: sizes, times, counts of classes with their colour, and lines for a shell.

import { pluralize } from "../../base/format-text.ts";

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

/** To the second, in UTC; empty for none. */
export function formatTime(time: string | undefined): string {
  return time === undefined ? "" : `${time.slice(0, 19).replace("T", " ")} UTC`;
}

// After this, lists lack many new services.
const STALE_DAYS = 14;

/** The lists with their age. A version begins with the day of its sources. */
export function describeListsAge(dataVersion: string, nowMs: number): string {
  const age = Math.max(0, Math.floor((nowMs - Date.parse(dataVersion.slice(0, 10))) / 86_400_000));
  if (Number.isNaN(age)) return `Its lists: ${dataVersion}.`;
  const shown = `Its lists of ${dataVersion.slice(0, 10)} are ${pluralize(age, "day", "days")} old.`;
  return age > STALE_DAYS ? `${shown} addrsift lists update gets newer ones.` : shown;
}

/** Words of the API for people: `google_workspace` as "google workspace". */
export function humanize(name: string): string {
  return name === "no_mail" ? "takes no mail" : name.replaceAll("_", " ");
}

/** The text as one argument in a POSIX shell. */
export function quoteForShell(text: string): string {
  return /^[\w./,:=@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export const DETECT_PATH = "api/v1/emails/detect";

/** `base` is the daemon's URL with a slash at its end. */
export function createCurlCommand(email: string, open: boolean, base: string): string {
  const body = JSON.stringify({ emails: [email], explain: true });
  return [
    `curl -s ${quoteForShell(base + DETECT_PATH)}`,
    "-H 'Content-Type: application/json'",
    ...(open ? [] : ['-H "Authorization: Bearer $API_KEY"']),
    `-d ${quoteForShell(body)}`,
  ].join(" \\\n  ");
}

/** The rows of a day, in ISO form. */
export interface Day {
  readonly value: string;
  readonly rows: number;
  readonly disposable: number;
}

export type Tone = "good" | "bad" | "warn" | "plain" | "accent";

export interface Bar {
  /** The class. */
  readonly id: string;
  readonly name: string;
  readonly count: number;
  readonly tone: Tone;
}

const TONES: Readonly<Record<string, Tone>> = {
  valid: "good",
  invalid: "bad",
  disposable: "bad",
  no_mail: "bad",
  relay: "warn",
  role: "warn",
  mistyped: "warn",
  suspicious: "warn",
};

/** The classes that were seen, as bars. */
export function classBars(classes: Readonly<Record<string, number>>): Bar[] {
  return Object.entries(classes)
    .filter(([id, count]) => count > 0 && id !== "unreserved")
    .map(([id, count]) => ({ id, name: humanize(id), count, tone: TONES[id] ?? "plain" }));
}
