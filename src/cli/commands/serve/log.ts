// The daemon's log on standard error by pino: JSON lines, written without holding up the daemon, or text for people.
// Lines of requests wait for each other: a write for each would cost as much as answering does.

import { type DestinationStream, pino } from "pino";
import type { Log } from "../../../server/counters.ts";
import { shownText } from "../../terminal/output.ts";
import type { ServeSettings } from "./settings.ts";

// If the reader is this far behind, lines are dropped, so that the daemon's memory stays bounded.
const BUFFERED_MAX = 8 * 1024 * 1024;
const WRITE_BYTES = 64 * 1024;
const WRITE_MS = 500;

type WriteLine = (message: string, fields?: object) => void;

export interface DaemonLog extends Log, Readonly<Record<"info" | "warn" | "error", WriteLine>> {
  readonly writes: (level: ServeSettings["logLevel"]) => boolean;
}

export function openLog({ logLevel, logFormat }: Pick<ServeSettings, "logLevel" | "logFormat">): DaemonLog {
  const lines = new WaitingLines((text) => destination.write(text));
  // Before pino's own, which writes what it has.
  process.on("exit", () => lines.flush());
  const destination = pino.destination({ fd: 2, sync: false, maxLength: BUFFERED_MAX });
  // Standard error may be a pipe that its reader closed: the daemon continues without a log.
  destination.on("error", () => {});
  const shown = logFormat === "text" ? textLine : (line: string): string => line;
  const stream: DestinationStream = {
    write: (line) => {
      lines.flush();
      destination.write(shown(line));
    },
  };
  const logger = pino({ level: logLevel, base: null }, stream);
  return {
    line: (json) => lines.add(shown(json)),
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
    writes: (name) => logger.isLevelEnabled(name),
  };
}

/** Lines that wait for each other, as bytes: strings that wait are moved by the engine again and again. */
class WaitingLines {
  private readonly bytes = Buffer.allocUnsafe(WRITE_BYTES);
  private end = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly write: (text: string) => void) {}

  add(line: string): void {
    // No line is as long as that: what callers wrote is in 16 KiB of headers.
    if (this.end + 3 * line.length > this.bytes.length) this.flush();
    this.end += this.bytes.write(line, this.end);
    this.timer ??= setTimeout(() => this.flush(), WRITE_MS).unref();
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.end > 0) this.write(this.bytes.toString("utf8", 0, this.end));
    this.end = 0;
  }
}

const LEVEL_WIDTH = 5;

/** The fields of a request, which are words in a fixed order; the other fields are `name=value`. */
interface LoggedRequest {
  readonly method: string;
  readonly route?: string;
  readonly path?: string;
  readonly status?: number;
  readonly ms: number;
  readonly peer: string;
}

/** Turns a JSON line of the log into text. The time is the machine's own. */
export function textLine(json: string): string {
  const { level, time, msg, ...fields } = JSON.parse(json) as { level: number; time: number; msg: string };
  const begin = `${clockTime(time)} ${(pino.levels.labels[level] ?? String(level)).padEnd(LEVEL_WIDTH)} `;
  const { what, rest } =
    "method" in fields ? request(fields as unknown as LoggedRequest, msg) : { what: msg, rest: fields };
  const more = Object.entries(rest).map(([name, value]) => ` ${name}=${valueText(value)}`);
  return `${begin}${shownText(what)}${more.join("")}\n`;
}

function request(fields: LoggedRequest, msg: string): { readonly what: string; readonly rest: object } {
  const { method, route, path, status, ms, peer, ...rest } = fields;
  const outcome = status === undefined ? msg : String(status);
  return { what: `${method} ${route ?? path ?? "(no such path)"} ${outcome} ${ms} ms ${peer}`, rest };
}

function valueText(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return shownText(/[\s"]/.test(text) ? JSON.stringify(text) : text);
}

function clockTime(ms: number): string {
  const at = new Date(ms);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}
