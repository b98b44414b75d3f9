// The first code knows some options of `detect` without loading their table.

import { expect, it } from "vitest";
import { OPTION_VARIABLES } from "../../../src/cli/entry.ts";
import { DETECT } from "../../../src/cli/options/detect.ts";
import type { OptionSpec } from "../../../src/cli/options/table.ts";

it("a call is plain only without the variables that are options of detect", () => {
  const options: readonly OptionSpec[] = DETECT.options;
  expect(options.flatMap(({ environment = [] }) => environment).sort()).toEqual([...OPTION_VARIABLES]);
});
