// A source's list at one time, as text: a head that says where it comes from, then sorted names, one a line, each with
// its first day where that is known and, in a list of days, its last. The digest in the head finds a change by hand and
// a file that is cut off.

import { createHash } from "node:crypto";
import { CurationError, DISPOSABLE_KEYS, SOURCE_KEYS, SOURCES, type SourceKey } from "./sources.ts";

/** Names of one source, and where they come from. */
export interface Snapshot {
  readonly key: SourceKey;
  /** The place that it was taken from: a URL, or a package with its registry's name. */
  readonly origin: string;
  /** The package's version, or the day of the content. */
  readonly version: string;
  readonly taken: string;
  /** Host names in lower-case A-labels, or labels; sorted, each once. */
  readonly names: readonly string[];
  /** ISO date on which the source first had each name; empty for before `history`, or where nothing tells. */
  readonly since: readonly string[];
  /** ISO date on which a daily list last had each name; empty for other lists. */
  readonly last: readonly string[];
  /** ISO date from which on first days are known. */
  readonly history?: string | undefined;
  /** The digest of the names and days, as in the head. */
  readonly digest: string;
  readonly validators?: Validators | undefined;
}

/** Validators of a server's answer, sent back to it to ask whether there is a newer one. */
export interface Validators {
  readonly url: string;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

const FIELDS = ["origin", "version", "taken", "licence", "history", "digest", "url", "etag", "last-modified"] as const;
type Field = (typeof FIELDS)[number];

/** The names and days of a snapshot. */
export type SnapshotNames = Pick<Snapshot, "names" | "since" | "last">;

export function digestOf(content: SnapshotNames): string {
  return digestOfBody(bodyOf(content));
}

/**
 * The names of a source on a day, with their days: those that it has for the first time are of that day. A daily list
 * keeps what it no longer names.
 */
export function agedNames(before: Snapshot, names: readonly string[], day: string): SnapshotNames {
  if (!isDated(before.key)) return { names, since: [], last: [] };
  const days = names.map(() => day);
  if (SOURCES[before.key].daily === true) return joinedDays(before, { names, since: days, last: days });
  const known = new Map(before.names.map((name, index) => [name, before.since[index] ?? ""]));
  return { names, since: names.map((name) => known.get(name) ?? day), last: [] };
}

/** The names of a daily list that was taken in two places, each with the first and the last of its days. */
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

/** True for a list whose snapshots keep days: those of disposable domains. */
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
  const values: Readonly<Record<Field, string | undefined>> = {
    origin,
    version,
    taken,
    licence,
    history,
    digest,
    url: validators?.url,
    etag: validators?.etag,
    "last-modified": validators?.lastModified,
  };
  const told = FIELDS.filter((field) => values[field] !== undefined).map((field) => `# ${field}: ${values[field]}\n`);
  return `# Source ${key}: ${holds}. Generated; do not edit.\n${told.join("")}${bodyOf(snapshot)}`;
}

/** Reads a snapshot. `file` is how messages call it. Throws CurationError. */
export function parseSnapshot(text: string, file: string): Snapshot {
  const { head, body } = snapshotParts(text, file);
  const key = SOURCE_KEYS.find((known) => head.startsWith(`# Source ${known}: `));
  const field = (name: Field): string | undefined => fieldIn(head, name);
  const [origin, version, taken] = [field("origin"), field("version"), field("taken")];
  if (key === undefined || origin === undefined || version === undefined || taken === undefined) {
    throw new CurationError(`${file} is not a snapshot of a source`);
  }
  const lines = body === "" ? [] : body.slice(0, -1).split("\n");
  const url = field("url");
  const validators = url === undefined ? undefined : { url, etag: field("etag"), lastModified: field("last-modified") };
  const history = field("history");
  return {
    key,
    origin,
    version,
    taken,
    ...readLines(lines, key),
    history,
    digest: field("digest") as string,
    validators,
  };
}

/** The head of a snapshot, and its names as sorted lines. Throws CurationError when the digest is not theirs. */
export function snapshotParts(text: string, file: string): { readonly head: string; readonly body: string } {
  const head = /^(?:#[^\n]*\n)+/.exec(text)?.[0] ?? "";
  const body = text.slice(head.length);
  const digest = fieldIn(head, "digest");
  if (digest === undefined) throw new CurationError(`${file} is not a snapshot of a source`);
  if (digest !== digestOfBody(body) || !(body === "" || body.endsWith("\n"))) {
    throw new CurationError(`${file} is damaged or was changed by hand: its digest is not that of its names`);
  }
  return { head, body };
}

function fieldIn(head: string, name: Field): string | undefined {
  return new RegExp(`^# ${name}: (.*)$`, "m").exec(head)?.[1];
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
