// A line of the daemon's log as text for people: time, level, what happened, and the fields behind it.

import { shownText } from "../../terminal/escape.ts";

const LEVELS: Readonly<Record<number, string>> = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "fatal",
};
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
  const begin = `${clockTime(time)} ${(LEVELS[level] ?? String(level)).padEnd(LEVEL_WIDTH)} `;
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
