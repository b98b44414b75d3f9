// Tests which sources list a domain, as found in their sorted files.

import { expect, it } from "vitest";
import { Provenance } from "../../../src/curation/provenance.ts";
import { DISPOSABLE_KEYS } from "../../../src/curation/sources.ts";
import { inputs } from "../../helpers/build-inputs.ts";
import { lists, ROOT } from "../../helpers/classify.ts";

const provenance = new Provenance({ root: ROOT, home: undefined, lists });
const { snapshots } = inputs();
const sourcesOf = (domain: string): readonly string[] =>
  provenance
    .listSources(domain)
    .filter(({ key, entry }) => key !== "H" && entry === domain)
    .map(({ key }) => key);

it.each(DISPOSABLE_KEYS)("listSources finds the names of source %s, and no unlisted names", (key) => {
  const all = snapshots[key].names;
  const names = [...all.keys()];
  const sample = [
    names[0],
    names[1],
    names.at(-2),
    names.at(-1),
    ...names.filter((_, i) => i % 1499 === 0),
  ] as string[];
  expect(sample.filter((name) => !sourcesOf(name).includes(key))).toEqual([]);
  const unlisted = sample
    .flatMap((name) => [`${name}a`, name.slice(0, -1), `a${name}`])
    .filter((name) => !all.has(name));
  expect(unlisted.length).toBeGreaterThan(20);
  expect(unlisted.filter((name) => sourcesOf(name).includes(key))).toEqual([]);
});

it("listSources finds the source of a subdomain of an entry", () => {
  const [[entry, [since]]] = [...snapshots.D.names] as [[string, readonly string[]]];
  expect(provenance.listSources(`mail.${entry}`)).toContainEqual({ key: "D", entry, since });
  expect([...provenance.unreadSources]).toEqual([]);
});

it("listSources counts the children of an entry if the daily list has only its children", () => {
  const names = [...snapshots.C.names.keys()];
  const isListed = (name: string): boolean => !snapshots.C.names.has(name) && sourcesOf(name).includes("C");
  const entry = names.map((name) => name.slice(name.indexOf(".") + 1)).find(isListed) as string;
  const childCount = names.filter((name) => name.endsWith(`.${entry}`)).length;
  expect(provenance.listSources(entry)).toContainEqual({ key: "C", entry, childCount });
});
