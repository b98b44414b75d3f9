// Tests the progress line, with a clock that the test sets.

import { expect, it, onTestFinished, vi } from "vitest";
import { Progress } from "../../../../src/cli/terminal/progress.ts";

it.each([
  ["half of a file", 2e6, 1e6, 3000, undefined, "3,000 rows, 300 rows/s, 1.0 of 2.0 MB (50 %), 10 s left"],
  ["a tenth of a file", 1e7, 1e6, 1, undefined, "1 row, 0 rows/s, 1.0 of 10.0 MB (10 %), 90 s left"],
  ["a pipe", undefined, 1e6, 20, undefined, "20 rows, 2 rows/s, 1.0 MB"],
  ["DNS lookups ahead of the rows", 2e6, 1e6, 500, 1000, "500 of about 2,000 rows, 50 rows/s, 25 %, 30 s left"],
  ["a file read to its end, with DNS", 2e6, 3e6, 10, 40, "10 of 40 rows, 1 row/s, 25 %, 30 s left"],
  ["nothing yet", 2e6, 0, 0, undefined, "0 rows, 0 rows/s, 0.0 of 2.0 MB (0 %)"],
])("the progress line shows rows, rate and time left: %s", (_, bytes, bytesRead, rows, rowsLookedAhead, text) => {
  const now = vi.spyOn(performance, "now").mockReturnValue(1000);
  onTestFinished(() => now.mockRestore());
  const stderr = { write: vi.fn() };
  const lookups = rowsLookedAhead === undefined ? undefined : { rowsLookedAhead };
  const progress = new Progress(stderr, { bytes, bytesRead }, { rows }, lookups);
  for (const at of [1249, 11_000, 11_249]) {
    now.mockReturnValue(at);
    progress.update();
  }
  progress.clear();
  progress.clear();
  expect(stderr.write.mock.calls).toEqual([[`\r\x1b[Kaddrsift: ${text}`], ["\r\x1b[K"]]);
});
