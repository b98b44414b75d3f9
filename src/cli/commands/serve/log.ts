// The daemon's log on standard error by pino, as JSON lines or text. Writes are asynchronous, and lines of requests are
// buffered: a write per request would cost as much as the response.

import { pino } from "pino";
import { escapeInvisible } from "../../../base/format-text.ts";
import type { ServeSettings } from "./settings.ts";

// If the reader falls this far behind, lines are dropped to bound memory.
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;
// Request lines are written at this many bytes or milliseconds.
const WRITE_BYTES = 64 * 1024;
const WRITE_MS = 500;

type LogMessage = (message: string, fields?: object) => void;

export interface DaemonLog extends Readonly<Record<"notice" | "info" | "warn" | "error", LogMessage>> {
  /** Writes a JSON line, buffered. */
  readonly writeJson: (json: string) => void;
  readonly isLevelEnabled: (level: ServeSettings["logLevel"]) => boolean;
}

export function openLog({ logLevel, logAsText }: Pick<ServeSettings, "logLevel" | "logAsText">): DaemonLog {
  // Before pino's exit listener, which would not wait for an asynchronous write. The type lacks `sync`.
  process.once("exit", () => {
    Object.assign(destination, { sync: true });
    flush();
  });
  const destination = pino.destination({
    fd: 2,
    sync: false,
    maxLength: MAX_BUFFERED_BYTES,
    maxWrite: 2 * WRITE_BYTES,
    // V8 would copy buffered strings again and again.
    contentMode: "buffer",
  });
  // If standard error is closed, the daemon continues without a log.
  destination.on("error", () => {});
  // Lines are encoded into one buffer: as strings, they would survive garbage collections.
  const buffer = Buffer.allocUnsafe(4 * WRITE_BYTES);
  let length = 0;
  const add = (line: string): void => {
    const text = logAsText ? formatText(line) : line;
    length += buffer.write(text, length);
    if (length >= WRITE_BYTES) flush();
  };
  const flush = (): void => {
    // The type allows only strings.
    if (length > 0) destination.write(Buffer.from(buffer.subarray(0, length)) as unknown as string);
    length = 0;
  };
  setInterval(flush, WRITE_MS).unref();
  const write = (line: string): void => {
    add(line);
    flush();
  };
  const logger = pino({ level: logLevel, base: null }, { write });
  // At level warn too, so that the log shows starts and stops.
  const noticeLogger = logLevel === "warn" ? logger.child({}, { level: "info" }) : logger;
  return {
    writeJson: add,
    notice: (message, fields = {}) => noticeLogger.info(fields, message),
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
    isLevelEnabled: (name) => logger.isLevelEnabled(name),
  };
}

const REPEAT_MS = 60_000;

/** Returns a function that logs at most once a minute. */
export function limitRepeats(log: LogMessage): LogMessage {
  let nextMs = 0;
  return (message, fields) => {
    if (performance.now() < nextMs) return;
    nextMs = performance.now() + REPEAT_MS;
    log(message, fields);
  };
}

const LEVEL_WIDTH = 5;

/** Converts a JSON line of the log to text, in local time. The fields of a request become words in a fixed order. */
export function formatText(json: string): string {
  const { level, time, msg, ...fields } = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const { method, route, path, status, ms, peer, ...others } = fields;
  const isRequest = method !== undefined;
  const text = isRequest
    ? `${method} ${route ?? path ?? "(no such path)"} ${status ?? msg} ${ms} ms ${peer}`
    : String(msg);
  const more = Object.entries(isRequest ? others : fields).map(([name, value]) => ` ${name}=${formatValue(value)}`);
  const label = (pino.levels.labels[Number(level)] ?? String(level)).padEnd(LEVEL_WIDTH);
  const clockTime = new Date(Number(time)).toTimeString().slice(0, "hh:mm:ss".length);
  return `${clockTime} ${label} ${escapeInvisible(text)}${more.join("")}\n`;
}

function formatValue(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return escapeInvisible(/[\s"]/.test(text) ? JSON.stringify(text) : text);
}
