// Tests the log's text format.

import { expect, it } from "vitest";
import { formatText } from "../../../../../src/cli/commands/serve/log.ts";

const time = new Date(2026, 10, 22, 9, 5, 7).getTime();
const line = (fields: object): string => formatText(JSON.stringify({ level: 30, time, ...fields }));

it.each([
  [
    { id: "a-1", method: "GET", route: "/healthz", status: 200, ms: 0.2, peer: "::1", msg: "request" },
    "09:05:07 info  GET /healthz 200 0.2 ms ::1 id=a-1\n",
  ],
  [
    { method: "GET", ms: 3, peer: "127.0.0.1", msg: "client disconnected" },
    "09:05:07 info  GET (no such path) client disconnected 3 ms 127.0.0.1\n",
  ],
  [{ level: 40, msg: "watch out" }, "09:05:07 warn  watch out\n"],
  [
    { url: "http://x", home: "/a b", count: 3, msg: "listening" },
    '09:05:07 info  listening url=http://x home="/a b" count=3\n',
  ],
  [
    { level: 50, failure: "Error: x\n  at y\u001b[2J", msg: "failed" },
    '09:05:07 error failed failure="Error: x\\n  at y\\u001b[2J"\n',
  ],
])("a log record is formatted as text: %j", (fields, text) => {
  expect(line(fields)).toBe(text);
});
