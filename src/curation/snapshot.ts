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
  /** Host names in lower-case A-labels, or labels; sorted, each once. */
  readonly names: readonly string[];
  /** ISO date on which the source first had each name; empty for before `history`, or where nothing shows. */
  readonly since: readonly string[];
  /** ISO date on which a daily list last had each name; empty for other lists. */
  readonly last: readonly string[];
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

export type SnapshotNames = Pick<Snapshot, "names" | "since" | "last">;

export function digestOf(content: SnapshotNames): string {
  return digestOfBody(bodyOf(content));
}

/** The names of a source on a day: new ones are of that day, and a daily list keeps what it no longer names. */
export function agedNames(before: Snapshot, names: readonly string[], day: string): SnapshotNames {
  if (!isDated(before.key)) return { names, since: [], last: [] };
  const days = names.map(() => day);
  if (SOURCES[before.key].daily === true) return joinedDays(before, { names, since: days, last: days });
  const known = new Map(before.names.map((name, index) => [name, before.since[index] ?? ""]));
  return { names, since: names.map((name) => known.get(name) ?? day), last: [] };
}

export function joinedDays(one: SnapshotNames, other: SnapshotNames): SnapshotNames {
  const days = new Map<string, readonly [since: string, last: string]>();
  for (const { names, since, last } of [one, other]) {
    for (const [index, name] of names.entries()) {
      const [first, newest] = [since[index] as string, last[index] as string];
      const [knownFirst, knownLast] = days.get(name) ?? [first, newest];
      days.set(name, [first < knownFirst ? first : knownFirst, newest > knownLast ? newest : knownLast]);
    }
  }
  const rows = [...days].sort(([a], [b]) => (a < b ? -1 : 1));
  const column = (index: 0 | 1): string[] => rows.map(([, row]) => row[index]);
  return { names: rows.map(([name]) => name), since: column(0), last: column(1) };
}

/** True for a list of disposable domains: its snapshots keep days. */
function isDated(key: SourceKey): boolean {
  return (DISPOSABLE_KEYS as readonly SourceKey[]).includes(key);
}

/** The days on which a daily list was taken, in order. A day that changed nothing leaves no trace, and ages nothing. */
export function daysTaken({ since, last }: Pick<Snapshot, "since" | "last">): string[] {
  return [...new Set([...since, ...last])].sort();
}

/** The number of names that a source itself had when it was last taken: of a daily list, those of its newest day. */
export function sizeOf(snapshot: Snapshot): number {
  if (SOURCES[snapshot.key].daily !== true) return snapshot.names.length;
  const newest = daysTaken(snapshot).at(-1);
  return snapshot.last.filter((day) => day === newest).length;
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
  return `# Source ${key}: ${holds}. Generated; do not edit.\n${head.join("")}${bodyOf(snapshot)}`;
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
  return { key, origin, version, taken, ...readLines(lines, key), history: fields.get("history"), digest, validators };
}

function readLines(lines: readonly string[], key: SourceKey): SnapshotNames {
  if (!isDated(key)) return { names: lines, since: [], last: [] };
  const rows = lines.map((line) => line.split("\t"));
  return {
    names: rows.map(([name]) => name as string),
    since: rows.map(([, since]) => since ?? ""),
    last: SOURCES[key].daily === true ? rows.map(([, , last]) => last ?? "") : [],
  };
}

function bodyOf({ names, since, last }: SnapshotNames): string {
  const lineOf = (name: string, index: number): string => {
    const days = [since[index] ?? "", last[index] ?? ""].filter((day) => day !== "");
    return `${[name, ...days].join("\t")}\n`;
  };
  return names.map(lineOf).join("");
}
