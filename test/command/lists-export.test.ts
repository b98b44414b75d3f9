// Tests the formats of `addrsift lists export`. warehouse.test.ts compares a lookup in the exported table with detect.

import { expect, it } from "vitest";
import { linesOf, run } from "../helpers/run.ts";

it("lists export prints as many rows in CSV and SQL as in NDJSON, and --class selects rows", async () => {
  const [csv, sql, ndjson, relays] = (await Promise.all(
    [["csv"], ["sql"], ["ndjson"], ["csv", "--class", "relay"]].map(async ([format, ...more]) => {
      const { stdout } = await run(["lists", "export", "--format", format as string, ...more]);
      return linesOf(stdout);
    }),
  )) as [string[], string[], string[], string[]];
  expect(csv[0]).toBe("entry,class,match_type,kind,provider,confidence,sources");
  expect(csv).toHaveLength(ndjson.length + 1);
  expect(sql.filter((line) => line.startsWith("('"))).toHaveLength(ndjson.length);
  const keys = ndjson.map((line) => JSON.parse(line)).map(({ entry, class: name }) => `${entry} ${name}`);
  expect(new Set(keys).size).toBe(keys.length);
  expect(relays).toEqual(csv.filter((line, i) => i === 0 || line.split(",")[1] === "relay"));
  expect(relays).toContainEqual(expect.stringMatching(/^duck\.com,relay,exact,,duckduckgo,,addrsift relays\.tsv /));
});
