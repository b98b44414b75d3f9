// One file of records and its previous copy: the adapter between lowdb and the disk. A damaged file is never overwritten. A
// damaged or missing file is replaced only on a person's command: only a place with `adopts` continues from the previous copy.

import { join } from "node:path";
import type { Adapter } from "lowdb";
import { makeFolder } from "../durable/folder.ts";
import { fileState, readDurable, sameState } from "../durable/read.ts";
import { type FileState, keepAs, writeDurably } from "../durable/write.ts";
import { AddrsiftError } from "../errors.ts";
import type { Collection } from "./collection.ts";
import { CorruptFile, type Document, EMPTY, formatDocument, NewerVersion, parseDocument } from "./document.ts";

/** Where records are kept, and who is warned. */
export interface StoreLocation {
  /** The home; created with the first record. */
  readonly folder: string;
  /** Such as `store.json`. */
  readonly file: string;
  /** Receives a line about damage and what was done about it, for a log or a person. */
  readonly warn: (line: string) => void;
  /**
   * Set where a person starts each change and reads the warnings. A change then continues from the previous copy, and the warning
   * ends with this text, which says what to check.
   */
  readonly adopts?: string | undefined;
}

/** What was read, with the file's state, which shows a later change. */
export interface StoreSnapshot {
  readonly document: Document;
  readonly state: FileState | undefined;
  /** What is wrong with the file itself; the document is then its previous copy's. */
  readonly damage: string | undefined;
}

interface Copy {
  readonly document: Document;
  /** When it was written. */
  readonly time: string;
}

const REMEDY = "put a backup in its place, or run a command that changes it to continue from the copy";

/** Reads and writes one file. To write, the caller must hold the lock. */
export class StoreFile implements Adapter<Document> {
  readonly path: string;
  private readonly place: StoreLocation;
  private readonly collections: readonly Collection<unknown>[];
  private readonly previous: string;
  private warnedOf: { readonly state: FileState | undefined } | undefined;
  /** The file existed: from then on its absence is damage. */
  private seen = false;
  /** The result of the last read or write. */
  loaded: StoreSnapshot | undefined;

  constructor(place: StoreLocation, collections: readonly Collection<unknown>[]) {
    this.place = place;
    this.collections = collections;
    this.path = join(place.folder, place.file);
    this.previous = `${this.path}.previous`;
  }

  get lockPath(): string {
    return `${this.path}.lock`;
  }

  /** Creates the folder. Throws AddrsiftError OPERATION. */
  prepare(): void {
    makeFolder(this.place.folder, this.place.file);
  }

  /** The document as it is on the disk; read again only when it has changed. */
  async read(): Promise<Document> {
    return this.current().document;
  }

  /** Throws AddrsiftError OPERATION, and STORE for a damaged file in a place without `adopts`. */
  async write(document: Document): Promise<void> {
    if (this.place.adopts === undefined) this.assertSound();
    const { state, damage } = this.current();
    const copy = damage === undefined ? undefined : this.copy();
    // Each has a name of its own, so that none replaces another.
    const aside = `${this.path}.damaged-${Math.floor(state?.modifiedMs ?? 0)}-${state?.inode ?? 0}`;
    const kept = damage !== undefined && state !== undefined;
    if (kept) await keepAs(this.path, aside);
    const text = formatDocument(document, this.collections);
    // A damaged file must not replace the good copy.
    const written = await writeDurably(this.path, text, state, damage === undefined ? this.previous : undefined);
    this.loaded = { document, state: written, damage: undefined };
    this.seen = true;
    if (damage === undefined) return;
    const where = kept ? `, which is kept as ${aside},` : "";
    this.place.warn(
      `${this.path}${where} is replaced: this change continued from its previous copy of ${copy?.time}: ${this.place.adopts}`,
    );
  }

  /** The present contents of the disk; one stat call when nothing changed. Throws AddrsiftError OPERATION or STORE. */
  current(): StoreSnapshot {
    const { loaded } = this;
    if (loaded !== undefined && sameState(loaded.state, fileState(this.path))) return loaded;
    this.loaded = this.load();
    return this.loaded;
  }

  /** Throws AddrsiftError STORE while the previous copy is in use, and as `current` does. */
  assertSound(): void {
    const { damage } = this.current();
    if (damage === undefined) return;
    throw new AddrsiftError("STORE", `${this.path} ${damage}, so nothing is changed or sent: ${REMEDY}`);
  }

  /** Throws STORE for damage without a good copy, for a file that disappeared, and for one of a later version. */
  private load(): StoreSnapshot {
    const content = readDurable(this.path);
    const read = content === undefined ? undefined : this.parse(content.octets, this.path);
    if (read === undefined && !this.seen && readDurable(this.previous) === undefined) {
      return { document: EMPTY, state: undefined, damage: undefined };
    }
    this.seen = true;
    if (read !== undefined && !(read instanceof CorruptFile)) {
      this.warnedOf = undefined;
      return { document: read, state: content?.state, damage: undefined };
    }
    const damage = read === undefined ? "is gone" : `is damaged (${read.message})`;
    const copy = this.copy();
    if (copy === undefined) {
      throw new AddrsiftError(
        "STORE",
        `${this.path} ${damage}, and there is no good previous copy: put a backup in its place, or move the damaged files away to start with none`,
      );
    }
    this.warn(content?.state, damage, copy);
    return { document: copy.document, state: content?.state, damage };
  }

  private copy(): Copy | undefined {
    const content = readDurable(this.previous);
    if (content === undefined) return undefined;
    const document = this.parse(content.octets, this.previous);
    const time = new Date(content.state.modifiedMs).toISOString();
    return document instanceof CorruptFile ? undefined : { document, time };
  }

  private parse(octets: Uint8Array, path: string): Document | CorruptFile {
    try {
      return parseDocument(octets, this.collections);
    } catch (error) {
      if (error instanceof CorruptFile) return error;
      if (!(error instanceof NewerVersion)) throw error;
      throw new AddrsiftError(
        "STORE",
        `${path} is from a later addrsift (${error.message}): install that version again`,
      );
    }
  }

  private warn(state: FileState | undefined, damage: string, { time }: Copy): void {
    if (this.warnedOf !== undefined && sameState(this.warnedOf.state, state)) return;
    this.warnedOf = { state };
    this.place.warn(
      `${this.path} ${damage}: its previous copy of ${time} is used, without what was changed after that: ${REMEDY}`,
    );
  }
}
