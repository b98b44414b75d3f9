// A source's list at one time, as text: a header, then sorted names, one per line, with the first day if known and, in
// a daily list, the last. The header's digest detects manual edits and truncation.

import { createHash } from "node:crypto";
import { omitUndefined } from "../base/result.ts";
import { CurationError, DISPOSABLE_KEYS, SOURCE_KEYS, SOURCES, type SourceKey } from "./sources.ts";

export interface Snapshot {
  readonly key: SourceKey;
  /** A URL, or a package with its registry, such as `npm:tlds`. */
  readonly origin: string;
  /** The package's version, or the day of the list. */
  readonly version: string;
  /** ISO date on which the list was read; `taken` in the header. */
  readonly date: string;
  readonly names: DatedNames;
  /** ISO date since which first days are recorded. */
  readonly history?: string | undefined;
  readonly digest: string;
  readonly validators?: Validators | undefined;
}

/** Validators of an HTTP response (RFC 9110 §8.8). */
export interface Validators {
  readonly url: string;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

/** Sorted host names or labels, in lower-case A-labels, with their days. */
export type DatedNames = ReadonlyMap<string, Days>;

/** ISO dates on which the source first had a name, if known, and on which a daily list last had it. */
export type Days = readonly string[];

export function digestNames(names: DatedNames): string {
  return digestBody(formatBody(names));
}

/**
 * Returns the snapshot that follows `previous`. New names get the day of the snapshot as their first day, but a name that
 * `released` has keeps that first day: if a source lost old names for a day, they must not return as recent ones.
 */
export function nextSnapshot(
  previous: Snapshot,
  names: readonly string[],
  metadata: Pick<Snapshot, "origin" | "version" | "date" | "validators">,
  released: Snapshot = previous,
): Snapshot {
  const datedNames = withFirstSeen(previous, names, metadata.date, released);
  return { ...previous, validators: undefined, ...metadata, names: datedNames, digest: digestNames(datedNames) };
}

/** Adds days to a source's names: new names get `day`. A daily list also keeps the names that it has dropped. */
function withFirstSeen(
  { key, names: previousNames }: Snapshot,
  names: readonly string[],
  day: string,
  released: Snapshot,
): DatedNames {
  if (SOURCES[key].daily === true)
    return mergeSeenDates(previousNames, new Map(names.map((name) => [name, [day, day]])));
  // Only snapshots of disposable domains keep days.
  const newDays: Days = (DISPOSABLE_KEYS as readonly SourceKey[]).includes(key) ? [day] : [];
  return new Map(names.map((name) => [name, previousNames.get(name) ?? released.names.get(name) ?? newDays]));
}

/** Merges two snapshots of a daily list, keeping each name's earliest and latest day. */
export function mergeSeenDates(one: DatedNames, other: DatedNames): DatedNames {
  const merged = new Map(one);
  for (const [name, [since = "", last = ""]] of other) {
    const [earliest = since, latest = last] = merged.get(name) ?? [];
    merged.set(name, [since < earliest ? since : earliest, last > latest ? last : latest]);
  }
  return new Map([...merged].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Lists the days of a daily list in order. Days without a change are missing, so they do not age entries. */
export function listDays(names: DatedNames): string[] {
  return [...new Set([...names.values()].flat())].sort();
}

/** Returns the names in the source's last text: in a daily list, those of its latest day. */
export function latestNamesOf({ key, names }: Snapshot): string[] {
  if (SOURCES[key].daily !== true) return [...names.keys()];
  const newest = listDays(names).at(-1);
  return [...names.keys()].filter((name) => names.get(name)?.[1] === newest);
}

/** Returns the digest of a source's text. Unlike a snapshot's digest, it does not depend on the day. */
export function digestText(names: readonly string[]): string {
  return digestNames(new Map(names.map((name) => [name, []])));
}

function digestBody(body: string): string {
  return `sha256:${createHash("sha256").update(body).digest("hex")}`;
}

/** Formats `NAME@VERSION` for the evidence. */
export function formatSnapshotLabel({ key, version }: Snapshot): string {
  return `${SOURCES[key].name}@${version}`;
}

export function formatSnapshot(snapshot: Snapshot): string {
  const { key, origin, version, date, history, digest, validators } = snapshot;
  const { description, license } = SOURCES[key];
  const { url, etag, lastModified } = validators ?? {};
  const fields = { origin, version, taken: date, license, history, digest, url, etag, "last-modified": lastModified };
  const header = Object.entries(omitUndefined(fields)).map(([name, value]) => `# ${name}: ${value}\n`);
  return `# Source ${key}: ${description}. Generated; do not edit.\n${header.join("")}${formatBody(snapshot.names)}`;
}

/** Parses a snapshot and checks its digest. `file` is its name in messages. Throws CurationError. */
export function parseSnapshot(text: string, file: string): Snapshot {
  const header = /^(?:#[^\n]*\n)+/.exec(text)?.[0] ?? "";
  const body = text.slice(header.length);
  const key = SOURCE_KEYS.find((candidate) => header.startsWith(`# Source ${candidate}: `));
  const fields = new Map(
    Array.from(header.matchAll(/^# ([a-z-]+): (.*)$/gm), ([, name = "", value = ""]) => [name, value]),
  );
  const [origin, version, date, digest] = ["origin", "version", "taken", "digest"].map((name) => fields.get(name));
  if (!key || origin === undefined || version === undefined || date === undefined || digest === undefined)
    throw new CurationError(`${file} is not a snapshot of a source`);
  if (digest !== digestBody(body) || !(body === "" || body.endsWith("\n")))
    throw new CurationError(`${file} is damaged or was changed by hand: its digest is not that of its names`);
  const url = fields.get("url");
  const validators =
    url === undefined ? undefined : { url, etag: fields.get("etag"), lastModified: fields.get("last-modified") };
  const lines = body === "" ? [] : body.slice(0, -1).split("\n");
  const names = new Map(lines.map((line) => line.split("\t")).map(([name = "", ...days]) => [name, days]));
  return { key, origin, version, date, names, history: fields.get("history"), digest, validators };
}

function formatBody(names: DatedNames): string {
  return Array.from(names, ([name, days]) => `${[name, ...days].join("\t")}\n`).join("");
}
