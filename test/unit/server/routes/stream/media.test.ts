// Tests which response format an Accept header selects.

import { expect, it } from "vitest";
import { chooseFormat } from "../../../../../src/server/routes/stream/settings.ts";

it.each([
  ["csv", "", "csv"],
  ["lines", "", "ndjson"],
  ["jsonl", "*/*", "ndjson"],
  ["csv", "*/*", "csv"],
  ["csv", "application/json", "csv"],
  ["csv", "application/x-ndjson", "ndjson"],
  ["lines", "TEXT/CSV", "csv"],
  ["lines", "text/csv;q=0.4, application/x-ndjson;q=0.6", "ndjson"],
  ["lines", "text/csv; header=present; q=0.9, application/x-ndjson;q=0.6", "csv"],
  ["lines", "text/csv;q=0", "ndjson"],
  ["csv", "text/csv, application/x-ndjson", "csv"],
] as const)("a body of %s with Accept %j gets a response in %s", (kind, accept, format) => {
  expect(chooseFormat(kind, accept)).toBe(format);
});
