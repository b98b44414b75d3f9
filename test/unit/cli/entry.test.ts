// Tests the entry module: it parses common `detect` options without loading the option table, and runs a call once.

import { expect, it } from "vitest";
import { AddrsiftError } from "../../../src/base/errors.ts";
import { OutputClosedError } from "../../../src/bulk/streams.ts";
import { OPTION_VARIABLES, runCommandLine } from "../../../src/cli/entry.ts";
import { DETECT } from "../../../src/cli/options/detect.ts";
import type { OptionSpec } from "../../../src/cli/options/table.ts";
import { memoryRuntime } from "../../helpers/in-process.ts";

it("OPTION_VARIABLES lists each environment variable that sets an option of detect", () => {
  const options: readonly OptionSpec[] = DETECT.options;
  expect(options.flatMap(({ environment = [] }) => environment).sort()).toEqual([...OPTION_VARIABLES]);
});

it.each([
  [new AddrsiftError("OUTPUT", "can't write to standard output: the disk is full"), 2],
  [new OutputClosedError(), 0],
])("a detect call whose output fails with %s exits with status %i, and is not run again", async (failure, status) => {
  const runtime = memoryRuntime();
  let writes = 0;
  runtime.stdout.write = () => {
    writes += 1;
    throw failure;
  };
  expect([await runCommandLine(["detect", "--offline", "a@gmail.com"], runtime), writes]).toEqual([status, 1]);
});
