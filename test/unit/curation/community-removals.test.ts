// Tests that domains removed from the community list do not count until a person decides.

import { expect, it } from "vitest";
import {
  type CommunityRemovals,
  formatRemovals,
  parseRemovals,
  updateRemovals,
} from "../../../src/curation/community-removals.ts";
import type { MaintainedLists } from "../../../src/curation/read-data.ts";
import { digestNames, type Snapshot } from "../../../src/curation/snapshot.ts";
import type { DisposableKey } from "../../../src/curation/sources.ts";

const snapshot = (key: DisposableKey, list: readonly string[], version = "2"): Snapshot => {
  const names = new Map(list.map((name) => [name, []]));
  return { key, origin: "npm:list", version, date: "2026-11-22", names, digest: digestNames(names) };
};
const BEFORE = snapshot("D", ["gone.com", "kept.com", "sub.kept-parent.com"], "1");
const WHEN = "taken off disposable-email-domains between 1 and 2";

interface Case {
  readonly d?: readonly string[];
  readonly f?: readonly string[];
  readonly t?: readonly string[];
  readonly e?: readonly string[];
  readonly maintained?: Partial<Record<keyof MaintainedLists, readonly string[]>>;
  readonly recorded?: readonly string[];
}

function update(
  { d = ["kept.com"], f = [], t = [], e = [], maintained = {}, recorded = [] }: Case,
  before?: Snapshot,
): CommunityRemovals {
  const rows = (names: readonly string[] = []) => new Map(names.map((name) => [name, [name]]));
  const lists = Object.fromEntries(
    (["additions", "removals", "protected", "public", "relays"] as const).map((name) => [name, rows(maintained[name])]),
  ) as unknown as MaintainedLists;
  const snapshots = { D: snapshot("D", d), F: snapshot("F", f), T: snapshot("T", t), E: snapshot("E", e) };
  const removals: CommunityRemovals = new Map(recorded.map((name) => [name, WHEN]));
  return updateRemovals(removals, before, { snapshots, lists });
}

it.each<[string, Case, boolean]>([
  ["is recorded while source T has it", { t: ["gone.com"] }, true],
  ["is recorded while source E has it", { e: ["gone.com"] }, true],
  ["is not recorded if no source has it", {}, false],
  ["is not recorded if source F, which has proof, has it", { t: ["gone.com"], f: ["gone.com"] }, false],
  ["is not recorded if it is our addition", { t: ["gone.com"], maintained: { additions: ["gone.com"] } }, false],
  ...(["removals", "protected", "public", "relays"] as const).map((list): [string, Case, boolean] => [
    `is not recorded if the list ${list} has a row for it`,
    { t: ["gone.com"], maintained: { [list]: ["gone.com"] } },
    false,
  ]),
])("a domain removed from the community list %s", (_, options, isRecorded) => {
  expect(update(options, BEFORE).get("gone.com")).toBe(isRecorded ? WHEN : undefined);
  // The same applies to a domain whose removal was recorded earlier.
  expect(update({ ...options, recorded: ["gone.com"] }).has("gone.com")).toBe(isRecorded);
});

it.each([
  [21, 20, 20],
  [399, 20, 20],
  [399, 21, 0],
  [420, 21, 21],
  [420, 22, 0],
])("if a community list of %i names loses %i, then %i removals are recorded", (all, lost, removalCount) => {
  const names = Array.from({ length: all }, (_, i) => `n${i}.com`);
  expect(update({ d: names.slice(lost), t: names }, snapshot("D", names, "1")).size).toBe(removalCount);
});

it("a domain is not recorded as removed if its parent is now in the community list", () => {
  expect(update({ d: ["kept-parent.com"], t: ["sub.kept-parent.com"] }, BEFORE).size).toBe(0);
  expect([...update({ d: [], t: ["sub.kept-parent.com"] }, BEFORE).keys()]).toEqual(["sub.kept-parent.com"]);
});

it("a re-added domain is no longer recorded as removed", () => {
  expect(update({ d: ["gone.com"], t: ["gone.com"], recorded: ["gone.com"] }).size).toBe(0);
});

it("formatted removals are parsed back unchanged, and damage is rejected", () => {
  const removals = new Map([["gone.com", WHEN]]);
  expect(parseRemovals(formatRemovals(removals, BEFORE), "f")).toEqual(removals);
  expect(() => parseRemovals("gone.com\n", "f")).toThrow("f is damaged: a row must have two columns");
});
