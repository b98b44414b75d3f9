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

export interface DaemonLog extends Readonly<Record<"info" | "warn" | "error", LogMessage>> {
  /** Writes a JSON line, buffered. */
  readonly writeJson: (json: string) => void;
  readonly isLevelEnabled: (level: ServeSettings["logLevel"]) => boolean;
}

export function openLog({ logLevel, logAsText }: Pick<ServeSettings, "logLevel" | "logAsText">): DaemonLog {
  // Registered before pino's exit listener, which writes what its buffer has.
  process.once("exit", () => flush());
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
  return {
    writeJson: add,
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
    isLevelEnabled: (name) => logger.isLevelEnabled(name),
  };
}

const LEVEL_WIDTH = 5;

/** Fields of a request that become words in a fixed order. Other fields become `name=value`. */
interface LoggedRequest {
  readonly method: string;
  readonly route?: string;
  readonly path?: string;
  readonly status?: number;
  readonly ms: number;
  readonly peer: string;
}

/** Converts a JSON line of the log to text, in local time. */
export function formatText(json: string): string {
  const { level, time, msg, ...fields } = JSON.parse(json) as { level: number; time: number; msg: string };
  const prefix = `${clockTime(time)} ${(pino.levels.labels[level] ?? String(level)).padEnd(LEVEL_WIDTH)} `;
  const { text, rest } =
    "method" in fields ? formatRequest(fields as unknown as LoggedRequest, msg) : { text: msg, rest: fields };
  const more = Object.entries(rest).map(([name, value]) => ` ${name}=${formatValue(value)}`);
  return `${prefix}${escapeInvisible(text)}${more.join("")}\n`;
}

function formatRequest(fields: LoggedRequest, msg: string): { readonly text: string; readonly rest: object } {
  const { method, route, path, status, ms, peer, ...rest } = fields;
  const outcome = status === undefined ? msg : String(status);
  return { text: `${method} ${route ?? path ?? "(no such path)"} ${outcome} ${ms} ms ${peer}`, rest };
}

function formatValue(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return escapeInvisible(/[\s"]/.test(text) ? JSON.stringify(text) : text);
}

function clockTime(ms: number): string {
  const date = new Date(ms);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}
