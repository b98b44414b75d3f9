// A definition without a handler: a step that its author forgot, reported in plain words.

import { expect, it } from "vitest";
import { COMMANDS } from "../../../src/cli/options/commands.ts";
import type { CommandSpec } from "../../../src/cli/options/table.ts";
import { run } from "../../helpers/run.ts";

it("a command without a handler is reported with the file to add it to", async () => {
  const table = COMMANDS as CommandSpec[];
  table.push({ name: "lists no-handler", summary: "count", options: [], examples: {} });
  try {
    const { status, stderr } = await run(["lists", "no-handler"]);
    expect([status, stderr.toString()]).toEqual([
      2,
      "addrsift: lists no-handler has no handler: add its line to HANDLERS in src/cli/run.ts\n",
    ]);
  } finally {
    table.pop();
  }
});
