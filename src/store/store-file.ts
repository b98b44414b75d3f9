// One file of records and its previous copy: the adapter between lowdb and the disk. A damaged file is never overwritten: it is kept
// aside, the previous copy takes its place, and when that is damaged too everything stays as it is.

import { join } from "node:path";
import type { Adapter } from "lowdb";
import { makeFolder } from "../durable/folder.ts";
import { fileState, readDurable, sameState } from "../durable/read.ts";
import { type FileState, keepAs, writeDurably } from "../durable/write.ts";
import { AddrsiftError } from "../errors.ts";
import type { Collection } from "./collection.ts";
import { Damage, type Document, EMPTY, formatDocument, Newer, parseDocument } from "./document.ts";

/** Where records are kept. */
export interface Place {
  /** The home; made when the first record is written. */
  readonly folder: string;
  /** Such as `store.json`. */
  readonly file: string;
  /** Takes a line about something that was mended, for a log or a person. */
  readonly warn: (line: string) => void;
}

/** What was read, with the state of the file by which a later change is seen. */
export interface Loaded {
  readonly document: Document;
  readonly state: FileState | undefined;
  /** The file itself can't be used; the document is its previous copy's. */
  readonly damaged: boolean;
}

/** Reads and writes one file. Writing needs the lock, which is the caller's. */
export class StoreFile implements Adapter<Document> {
  readonly path: string;
  private readonly place: Place;
  private readonly collections: readonly Collection<unknown>[];
  private readonly previous: string;
  private warnedOf: { readonly state: FileState | undefined } | undefined;
  /** What the last reading or writing came to. */
  loaded: Loaded | undefined;

  constructor(place: Place, collections: readonly Collection<unknown>[]) {
    this.place = place;
    this.collections = collections;
    this.path = join(place.folder, place.file);
    this.previous = `${this.path}.previous`;
  }

  get lockPath(): string {
    return `${this.path}.lock`;
  }

  /** Makes the folder. Throws AddrsiftError OPERATION. */
  prepare(): void {
    makeFolder(this.place.folder, this.place.file);
  }

  /** Reads the file. Throws AddrsiftError OPERATION, and DATA for damage without a good copy, and for a file of a later version. */
  private load(): Loaded {
    const content = readDurable(this.path);
    if (content === undefined) {
      const copy = this.copy();
      if (copy !== undefined) this.warn(undefined, "is gone");
      this.loaded = { document: copy ?? EMPTY, state: undefined, damaged: copy !== undefined };
      return this.loaded;
    }
    const { octets, state } = content;
    const read = this.parse(octets, this.path);
    if (read instanceof Damage) {
      const document = this.copy();
      if (document === undefined) {
        throw new AddrsiftError(
          "DATA",
          `${this.path} is damaged (${read.message}), and there is no good previous copy: put a backup in its place, or move it away to begin anew`,
        );
      }
      this.warn(state, `is damaged (${read.message})`);
      this.loaded = { document, state, damaged: true };
    } else {
      this.loaded = { document: read, state, damaged: false };
    }
    return this.loaded;
  }

  /** The document as it is on the disk; what has not changed since it was loaded is not read again. */
  async read(): Promise<Document> {
    return this.current().document;
  }

  async write(document: Document): Promise<void> {
    const { state, damaged } = this.current();
    // A name of its own for each, so that none replaces another.
    const aside = `${this.path}.damaged-${Math.floor(state?.modifiedMs ?? 0)}-${state?.inode ?? 0}`;
    if (damaged && state !== undefined) await keepAs(this.path, aside);
    const text = formatDocument(document, this.collections);
    // A damaged file must not take the place of the good copy.
    const written = await writeDurably(this.path, text, state, damaged ? undefined : this.previous);
    this.loaded = { document, state: written, damaged: false };
  }

  /** What is on the disk now; one stat when nothing changed. Throws AddrsiftError OPERATION or DATA. */
  current(): Loaded {
    return this.loaded === undefined || !sameState(this.loaded.state, fileState(this.path)) ? this.load() : this.loaded;
  }

  private copy(): Document | undefined {
    const content = readDurable(this.previous);
    if (content === undefined) return undefined;
    const read = this.parse(content.octets, this.previous);
    return read instanceof Damage ? undefined : read;
  }

  private parse(octets: Uint8Array, path: string): Document | Damage {
    try {
      return parseDocument(octets, this.collections);
    } catch (error) {
      if (error instanceof Damage) return error;
      if (!(error instanceof Newer)) throw error;
      throw new AddrsiftError(
        "DATA",
        `${path} is from a later addrsift (${error.message}): install that version again`,
      );
    }
  }

  private warn(state: FileState | undefined, what: string): void {
    if (this.warnedOf !== undefined && sameState(this.warnedOf.state, state)) return;
    this.warnedOf = { state };
    this.place.warn(`${this.path} ${what}: its previous copy is used, without what was changed last; look through it`);
  }
}
