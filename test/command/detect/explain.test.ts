// Tests --explain: the evidence for each verdict, in every format that can contain it.

import { expect, it } from "vitest";
import { objectsOf, run } from "../../helpers/run.ts";

const ADDRESSES = ["Info+eu@sub.mailinator.com", "ada@gmial.com", "a😀 b@example.org", "ada＠example.org"];

it("--explain changes no other field, in NDJSON and JSON, for arguments and lines", async () => {
  const stdin = ADDRESSES.join("\n");
  const [bare, explained, array] = await Promise.all([
    run(["detect"], { stdin }),
    run(["detect", "--explain"], { stdin }),
    run(["detect", "--explain", "--format", "json", ...ADDRESSES]),
  ]);
  const rows = objectsOf(explained.stdout);
  expect(rows.map(({ explain, ...rest }) => rest)).toEqual(objectsOf(bare.stdout));
  expect(rows.every((row) => typeof row.explain === "object")).toBe(true);
  expect(JSON.parse(array.stdout.toString())).toEqual(rows);
});

it("--format table --explain adds evidence", async () => {
  const { status, stdout } = await run(["detect", "--explain", "-f", "table", ...ADDRESSES], {
    env: { COLUMNS: "200" },
  });
  expect(status).toBe(0);
  expect(stdout.toString()).toMatch(/registrable domain mailinator\.com/);
  expect(stdout.toString()).toMatch(/did you mean ada@gmail\.com\?/);
  expect(stdout.toString()).toMatch(/data \d{4}-/);
});
