// The daemon's log: JSON lines on standard error by pino, written without holding up the daemon.

import type { Log } from "../../../server/metrics/access-log.ts";
import type { Runtime } from "../../runtime.ts";

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

// A reader who falls behind this far loses lines; the daemon loses no memory.
const BUFFERED_MAX = 8 * 1024 * 1024;

/** The daemon's log. Lines under way when the daemon ends are written before the process does. */
export interface DaemonLog extends Log {
  /** Whether lines of that weight are written. */
  readonly writes: (level: LogLevel) => boolean;
}

/** Opens the log on standard error. */
export function openLog(runtime: Runtime, level: LogLevel): DaemonLog {
  const { pino } = runtime.load("pino");
  const destination = pino.destination({ fd: 2, sync: false, maxLength: BUFFERED_MAX });
  // Standard error may be a pipe whose reader went away: the daemon goes on without a log.
  destination.on("error", () => {});
  const logger = pino({ level, base: null }, destination);
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    writes: (name) => logger.isLevelEnabled(name),
  };
}
