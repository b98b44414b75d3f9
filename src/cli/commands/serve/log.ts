// The daemon's log on standard error by pino: JSON lines, written without holding up the daemon, or text for people.

import { type DestinationStream, pino } from "pino";
import type { Log } from "../../../server/counters.ts";
import { textLine } from "./log-text.ts";

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

// If the reader is this far behind, lines are dropped, so that the daemon's memory stays bounded.
const BUFFERED_MAX = 8 * 1024 * 1024;

/** What is logged, and how. */
export interface LogSettings {
  readonly logLevel: LogLevel;
  readonly logFormat: "json" | "text";
}

/** The daemon's log. Buffered lines are written before the process ends. */
export interface DaemonLog extends Log {
  /** Whether lines of this level are written. */
  readonly writes: (level: LogLevel) => boolean;
}

/** Opens the log on standard error. */
export function openLog({ logLevel, logFormat }: LogSettings): DaemonLog {
  const destination = pino.destination({ fd: 2, sync: false, maxLength: BUFFERED_MAX });
  // Standard error may be a pipe that its reader closed: the daemon continues without a log.
  destination.on("error", () => {});
  const readable: DestinationStream = { write: (line) => destination.write(textLine(line)) };
  const logger = pino({ level: logLevel, base: null }, logFormat === "text" ? readable : destination);
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    writes: (name) => logger.isLevelEnabled(name),
  };
}
