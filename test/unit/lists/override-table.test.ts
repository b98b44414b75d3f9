// Overrides in a compiled table: found as they were given, until they expire; any damage is noticed or does no harm.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAddrsiftError } from "../../../src/base/errors.ts";
import {
  CompiledOverrides,
  compileOverrides,
  nextExpiry,
  overridesAt,
  type TimedOverride,
} from "../../../src/lists/override-table.ts";

const STATE = { modifiedMs: 1_795_000_000_123.25, octets: 640 };
const GIVEN: readonly TimedOverride[] = [
  { entry: "mailinator.com", disposable: false, detail: "allowed by jane on 2026-11-22: ours" },
  { entry: "gmail.com", disposable: true, expiresMs: 1000, detail: "denied" },
  { entry: "josé@yopmail.com", disposable: true, expiresMs: 2000 },
];

function open(octets: Uint8Array, nowMs = 0): CompiledOverrides {
  return new CompiledOverrides({ name: "the table", length: octets.length, octets, locate: (offset) => offset }, nowMs);
}

describe("a table of overrides", () => {
  const octets = compileOverrides(GIVEN, STATE);

  it("finds what it was given, and nothing else", () => {
    const table = open(octets);
    expect(table.size).toBe(3);
    expect(table.get("mailinator.com")).toEqual({ disposable: false });
    expect(table.get("gmail.com")).toEqual({ disposable: true });
    expect(table.get("josé@yopmail.com")).toEqual({ disposable: true });
    for (const name of ["x.mailinator.com", "yopmail.com", "", `${"x".repeat(300)}.com`])
      expect(table.get(name)).toBeUndefined();
    expect(table.readAll()).toEqual(GIVEN);
  });

  it("does not count what has expired", () => {
    expect(open(octets, 999).get("gmail.com")).toEqual({ disposable: true });
    expect(open(octets, 1000).get("gmail.com")).toBeUndefined();
    expect(open(octets, 1e15).get("mailinator.com")).toEqual({ disposable: false });
    expect([...overridesAt(1000, GIVEN).entries.keys()]).toEqual(["mailinator.com", "josé@yopmail.com"]);
    expect([0, 1000, 2000].map((nowMs) => nextExpiry(nowMs, GIVEN))).toEqual([1000, 2000, Number.POSITIVE_INFINITY]);
  });

  it("tells the state of the records that it was made from", () => {
    const table = open(octets);
    expect(table.isOf(STATE)).toBe(true);
    expect(table.isOf({ ...STATE, octets: 641 })).toBe(false);
    expect(table.isOf({ ...STATE, modifiedMs: STATE.modifiedMs + 0.25 })).toBe(false);
  });

  it("finds any names, or is empty", () => {
    const name = fc.stringMatching(/^[a-z0-9-]{1,20}(\.[a-z0-9-]{1,20}){1,4}$/);
    fc.assert(
      fc.property(fc.dictionary(name, fc.boolean(), { maxKeys: 50 }), (given) => {
        const all = Object.entries(given).map(([entry, disposable]) => ({ entry, disposable }));
        const table = open(compileOverrides(all, STATE));
        expect(table.size).toBe(all.length);
        for (const { entry, disposable } of all) expect(table.get(entry)).toEqual({ disposable });
      }),
      { numRuns: 50 },
    );
  });

  it("never says anything wrong after a flipped bit: it is right, or throws AddrsiftError", () => {
    for (let at = 0; at < octets.length; at += 7) {
      const damaged = octets.slice();
      damaged[at] = (damaged[at] as number) ^ (1 << (at % 8));
      const found = attempt(() => open(damaged).get("gmail.com"));
      if (found !== "refused") expect(found).toEqual({ disposable: true });
      expect(attempt(() => open(damaged).readAll())).toBe("refused");
    }
  });
});

function attempt<T>(work: () => T): T | "refused" {
  try {
    return work();
  } catch (error) {
    if (isAddrsiftError(error)) return "refused";
    throw error;
  }
}
