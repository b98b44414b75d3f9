// A source's list at one time, as text: a head that says where it comes from, then sorted names, one a line, each with
// its first day if known and, in a daily list, its last. The digest in the head finds a change by hand and a cut file.

import { createHash } from "node:crypto";
import { defined } from "../base/result.ts";
import { CurationError, DISPOSABLE_KEYS, SOURCE_KEYS, SOURCES, type SourceKey } from "./sources.ts";

export interface Snapshot {
  readonly key: SourceKey;
  /** The place that it was taken from: a URL, or a package with its registry's name. */
  readonly origin: string;
  /** The package's version, or the day of the content. */
  readonly version: string;
  readonly taken: string;
  readonly names: Names;
  /** ISO date from which on first days are known. */
  readonly history?: string | undefined;
  readonly digest: string;
  readonly validators?: Validators | undefined;
}

/** Validators of a server's answer (RFC 9110 §8.8). */
export interface Validators {
  readonly url: string;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

/** Host names in lower-case A-labels, or labels, with their days; sorted. */
export type Names = ReadonlyMap<string, Days>;

/** ISO dates on which the source first had a name, if that is known, and on which a daily list last had it. */
export type Days = readonly string[];

export function digestOf(names: Names): string {
  return digestOfBody(bodyOf(names));
}

/** The snapshot after `before`: new names are of the day on which it was taken. */
export function nextSnapshot(
  before: Snapshot,
  names: readonly string[],
  place: Pick<Snapshot, "origin" | "version" | "taken" | "validators">,
): Snapshot {
  const aged = agedNames(before, names, place.taken);
  return { ...before, validators: undefined, ...place, names: aged, digest: digestOf(aged) };
}

/** The names of a source on a day: new ones are of that day, and a daily list keeps what it no longer names. */
export function agedNames({ key, names: before }: Snapshot, names: readonly string[], day: string): Names {
  if (SOURCES[key].daily === true) return joinedDays(before, new Map(names.map((name) => [name, [day, day]])));
  // Only snapshots of disposable domains keep days.
  const ofNew: Days = (DISPOSABLE_KEYS as readonly SourceKey[]).includes(key) ? [day] : [];
  return new Map(names.map((name) => [name, before.get(name) ?? ofNew]));
}

/** The names of two snapshots of a daily list. */
export function joinedDays(one: Names, other: Names): Names {
  const joined = new Map(one);
  for (const [name, [since = "", last = ""]] of other) {
    const [knownSince = since, knownLast = last] = joined.get(name) ?? [];
    joined.set(name, [since < knownSince ? since : knownSince, last > knownLast ? last : knownLast]);
  }
  return new Map([...joined].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The days on which a daily list was taken, in order. A day that changed nothing leaves no trace, and ages nothing. */
export function daysTaken(names: Names): string[] {
  return [...new Set([...names.values()].flat())].sort();
}

/** The number of names that a source itself had when it was last taken: of a daily list, those of its newest day. */
export function sizeOf({ key, names }: Snapshot): number {
  if (SOURCES[key].daily !== true) return names.size;
  const newest = daysTaken(names).at(-1);
  return [...names.values()].filter(([, last]) => last === newest).length;
}

function digestOfBody(body: string): string {
  return `sha256:${createHash("sha256").update(body).digest("hex")}`;
}

/** The name of a snapshot in evidence: the package, or the source, and the version. */
export function snapshotLabel({ key, origin, version }: Snapshot): string {
  const packaged = /^(?:npm|pypi):(.*)$/.exec(origin)?.[1];
  return `${packaged ?? SOURCES[key].name}@${version}`;
}

export function snapshotText(snapshot: Snapshot): string {
  const { key, origin, version, taken, history, digest, validators } = snapshot;
  const { holds, licence } = SOURCES[key];
  const { url, etag, lastModified } = validators ?? {};
  const fields = { origin, version, taken, licence, history, digest, url, etag, "last-modified": lastModified };
  const head = Object.entries(defined(fields)).map(([name, value]) => `# ${name}: ${value}\n`);
  return `# Source ${key}: ${holds}. Generated; do not edit.\n${head.join("")}${bodyOf(snapshot.names)}`;
}

/** Reads a snapshot. `file` is its name in messages. Throws CurationError, also when the digest is not its names'. */
export function parseSnapshot(text: string, file: string): Snapshot {
  const head = /^(?:#[^\n]*\n)+/.exec(text)?.[0] ?? "";
  const body = text.slice(head.length);
  const key = SOURCE_KEYS.find((known) => head.startsWith(`# Source ${known}: `));
  const fields = new Map(
    Array.from(head.matchAll(/^# ([a-z-]+): (.*)$/gm), ([, name = "", value = ""]) => [name, value]),
  );
  const [origin, version, taken, digest] = ["origin", "version", "taken", "digest"].map((name) => fields.get(name));
  if (!key || origin === undefined || version === undefined || taken === undefined || digest === undefined)
    throw new CurationError(`${file} is not a snapshot of a source`);
  if (digest !== digestOfBody(body) || !(body === "" || body.endsWith("\n")))
    throw new CurationError(`${file} is damaged or was changed by hand: its digest is not that of its names`);
  const url = fields.get("url");
  const validators =
    url === undefined ? undefined : { url, etag: fields.get("etag"), lastModified: fields.get("last-modified") };
  const lines = body === "" ? [] : body.slice(0, -1).split("\n");
  const names = new Map(lines.map((line) => line.split("\t")).map(([name = "", ...days]) => [name, days]));
  return { key, origin, version, taken, names, history: fields.get("history"), digest, validators };
}

function bodyOf(names: Names): string {
  return Array.from(names, ([name, days]) => `${[name, ...days].join("\t")}\n`).join("");
}
