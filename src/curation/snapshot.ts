// A source's list at one time, as text: a head that says where it comes from, then sorted names, one a line. The digest in the head
// finds a change by hand and a file that is cut off.

import { createHash } from "node:crypto";
import { CurationError, SOURCE_KEYS, SOURCES, type SourceKey } from "./sources.ts";

/** Names of one source, and where they come from. */
export interface Snapshot {
  readonly key: SourceKey;
  /** The place that it was taken from: a URL, or a package with its registry's name. */
  readonly origin: string;
  /** The package's version, or the day of the content. */
  readonly version: string;
  /** ISO date on which the content was taken. */
  readonly taken: string;
  /** Host names in lower-case A-labels, or labels; sorted, each once. */
  readonly names: readonly string[];
  /** The digest of the names, as in the head. */
  readonly digest: string;
  readonly validators?: Validators | undefined;
}

/** Validators of a server's answer, sent back to it to ask whether there is a newer one. */
export interface Validators {
  readonly url: string;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

const FIELDS = ["origin", "version", "taken", "licence", "digest", "url", "etag", "last-modified"] as const;
type Field = (typeof FIELDS)[number];

/** The digest of sorted names. */
export function digestOf(names: readonly string[]): string {
  return digestOfBody(bodyOf(names));
}

function digestOfBody(body: string): string {
  return `sha256:${createHash("sha256").update(body).digest("hex")}`;
}

/** The name of a snapshot in evidence: the package, or the source, and the version. */
export function snapshotLabel({ key, origin, version }: Snapshot): string {
  const packaged = /^(?:npm|pypi):(.*)$/.exec(origin)?.[1];
  return `${packaged ?? SOURCES[key].name}@${version}`;
}

/** The text of a snapshot. */
export function snapshotText(snapshot: Snapshot): string {
  const { key, origin, version, taken, digest, validators } = snapshot;
  const { holds, licence } = SOURCES[key];
  const values: Readonly<Record<Field, string | undefined>> = {
    origin,
    version,
    taken,
    licence,
    digest,
    url: validators?.url,
    etag: validators?.etag,
    "last-modified": validators?.lastModified,
  };
  const told = FIELDS.filter((field) => values[field] !== undefined).map((field) => `# ${field}: ${values[field]}\n`);
  return `# Source ${key}: ${holds}. Generated; do not edit.\n${told.join("")}${bodyOf(snapshot.names)}`;
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
  const names = body === "" ? [] : body.slice(0, -1).split("\n");
  const url = field("url");
  const validators = url === undefined ? undefined : { url, etag: field("etag"), lastModified: field("last-modified") };
  return { key, origin, version, taken, names, digest: field("digest") as string, validators };
}

/** The head of a snapshot, and its names as sorted lines. Throws CurationError when they are not those of the digest in the head. */
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

function bodyOf(names: readonly string[]): string {
  return names.length === 0 ? "" : `${names.join("\n")}\n`;
}
