// The overrides that a home keeps: what is acknowledged is in force for every reader, and damage is a warning, never a crash.

import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { allOverrides, overridesInPieces } from "../../../src/overrides/compiled-file.ts";
import { readRecords } from "../../../src/overrides/from-records.ts";
import { readOverrides } from "../../../src/overrides/in-force.ts";
import { KeptOverrides } from "../../../src/overrides/kept.ts";
import type { OverrideRecord } from "../../../src/overrides/record.ts";
import { scratch } from "../../helpers/run.ts";

const files = scratch();
afterAll(files.remove);
const NOW = Date.parse("2026-11-22T12:00:00Z");
let homes = 0;

function openHome(): { folder: string; json: string; bin: string; kept: KeptOverrides; warnings: string[] } {
  homes += 1;
  const folder = join(files.path, `home${homes}`);
  const warnings: string[] = [];
  const kept = new KeptOverrides({ folder, warn: (line) => void warnings.push(line), adopts: "look at them" });
  return { folder, json: join(folder, "overrides.json"), bin: join(folder, "overrides.bin"), kept, warnings };
}

function record(entry: string, action: "allow" | "deny", more: Partial<OverrideRecord> = {}): OverrideRecord {
  return { entry, action, created_at: "2026-11-22T08:00:00.000Z", ...more };
}

/** What both readers say: the look-up in pieces, where it can be used, and the whole. */
function inForce(folder: string, entry: string): unknown {
  const { overrides, readable } = readOverrides(folder, NOW, readRecords);
  const whole = overrides.get(entry)?.disposable;
  const pieces = overridesInPieces(folder, NOW);
  if (pieces.usable) expect(pieces.content.get(entry)?.disposable).toBe(whole);
  return readable ? whole : "unreadable";
}

describe("kept overrides", () => {
  it("are in force once they are set, until they are removed or expire", async () => {
    const { folder, kept } = openHome();
    expect(inForce(folder, "a.example")).toBeUndefined();
    expect(existsSync(folder)).toBe(false);
    await kept.set([record("a.example", "deny"), record("b.example", "allow", { expires_at: "2026-11-22T11:59:59Z" })]);
    expect(inForce(folder, "a.example")).toBe(true);
    expect(inForce(folder, "b.example")).toBeUndefined();
    const before = await kept.set([record("a.example", "allow")]);
    expect(before.get("a.example")?.action).toBe("deny");
    expect(inForce(folder, "a.example")).toBe(false);
    expect(await kept.remove(["a.example", "c.example"])).toBe("c.example");
    expect(inForce(folder, "a.example")).toBe(false);
    expect(await kept.removeExpired(NOW)).toBe(1);
    expect(await kept.remove(["a.example"])).toBeUndefined();
    expect(inForce(folder, "a.example")).toBeUndefined();
    expect(kept.list()).toEqual([]);
  });

  it("are replaced as a whole where that is asked", async () => {
    const { folder, kept } = openHome();
    await kept.set([record("a.example", "deny"), record("b.example", "deny")]);
    await kept.set([record("b.example", "allow"), record("c.example", "deny")], true);
    expect(kept.list().map(({ entry, action }) => [entry, action])).toEqual([
      ["b.example", "allow"],
      ["c.example", "deny"],
    ]);
    expect(inForce(folder, "a.example")).toBeUndefined();
  });

  it("of many writers at once are all kept, in records and table", async () => {
    const { folder } = openHome();
    const names = Array.from({ length: 24 }, (_, i) => `d${i}.example`);
    const writers = Array.from({ length: 4 }, () => new KeptOverrides({ folder, warn: () => {} }));
    await Promise.all(names.map((name, i) => (writers[i % 4] as KeptOverrides).set([record(name, "deny")])));
    const table = allOverrides(folder);
    expect(table.usable && table.content.map(({ entry }) => entry).sort()).toEqual([...names].sort());
  });

  it("are read from the records where the table was not made of them, without a word", async () => {
    const { folder, json, bin, kept } = openHome();
    await kept.set([record("a.example", "deny")]);
    const old = readFileSync(bin);
    await kept.set([record("b.example", "deny")]);
    // A process that dies before it has written the table leaves the old one, or none.
    writeFileSync(bin, old);
    expect([inForce(folder, "b.example"), readOverrides(folder, NOW, readRecords).warnings]).toEqual([true, []]);
    rmSync(bin);
    expect([inForce(folder, "b.example"), readOverrides(folder, NOW, readRecords).warnings]).toEqual([true, []]);
    utimesSync(json, new Date(), new Date(statSync(json).mtimeMs + 5000));
    await kept.publish();
    expect(overridesInPieces(folder, NOW)).toMatchObject({ usable: true });
  });

  it("are read from the records with a warning where the table is damaged, and publish makes it again", async () => {
    const { folder, bin, kept } = openHome();
    await kept.set([record("a.example", "deny")]);
    const good = readFileSync(bin);
    for (const damaged of [good.subarray(0, 100), Buffer.from("gmail.com\n"), good.map((octet) => octet ^ 1)]) {
      writeFileSync(bin, damaged);
      expect(inForce(folder, "a.example")).toBe(true);
      expect(readOverrides(folder, NOW, readRecords).warnings).toEqual([
        expect.stringMatching(/overrides\.bin can't be used \(.*\), so .*overrides\.json is read.*: addrsift lists /),
      ]);
    }
    await kept.publish();
    expect(readOverrides(folder, NOW, readRecords).warnings).toEqual([]);
    expect(overridesInPieces(folder, NOW).usable).toBe(true);
  });

  it("are those of the previous copy where the records are damaged, with a warning, and a change continues from it", async () => {
    const { folder, json, kept, warnings } = openHome();
    await kept.set([record("a.example", "deny")]);
    await kept.set([record("b.example", "deny")]);
    writeFileSync(json, "{");
    expect([inForce(folder, "a.example"), inForce(folder, "b.example")]).toEqual([true, undefined]);
    expect(readOverrides(folder, NOW, readRecords).warnings.join()).toMatch(
      /overrides\.json is damaged .*previous copy/,
    );
    await kept.publish();
    expect(readOverrides(folder, NOW, readRecords).warnings).toHaveLength(1);
    await kept.set([record("c.example", "deny")]);
    expect(["a.example", "b.example", "c.example"].map((name) => inForce(folder, name))).toEqual([
      true,
      undefined,
      true,
    ]);
    expect(warnings.join()).toContain("look at them");
  });

  it("are none, with a warning, where nothing can be read", async () => {
    const { folder, json, kept } = openHome();
    await kept.set([record("a.example", "deny")]);
    writeFileSync(json, "{");
    rmSync(`${json}.previous`, { force: true });
    const { warnings, readable, overrides } = readOverrides(folder, NOW, readRecords);
    expect([readable, overrides.size]).toEqual([false, 0]);
    expect(warnings).toEqual([expect.stringMatching(/^no overrides are in use, because .*overrides\.json is damaged/)]);
    expect(readOverrides(folder, NOW, readRecords, { instead: "the old ones stay" }).warnings[0]).toMatch(
      /^the old ones stay, /,
    );
  });
});
