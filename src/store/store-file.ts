// Records in a file, its journal and their previous copies: the adapter between lowdb and the disk. A damaged file is never
// overwritten. A damaged or missing file is replaced only on a person's command: only a place with `adopts` continues from the copy.
// A small file is replaced with each change. A large one gets a journal: a change is a line there, until the file is replaced.

import { basename, dirname, join } from "node:path";
import { AddrsiftError } from "../base/errors.ts";
import { changeFault, makeFolder } from "../durable/folder.ts";
import { withLock } from "../durable/lock.ts";
import { fileState, realPlace } from "../durable/read.ts";
import { appendDurably, type FileState, keepAs } from "../durable/write.ts";
import { type Collection, schemaOf } from "./collection.ts";
import type { Document, Observers } from "./document.ts";
import { type Backing, Draft } from "./draft.ts";
import { FileFollower, type Loaded, REMEDY } from "./file-follower.ts";
import { FileWriter } from "./file-writer.ts";
import { journalLine } from "./journal.ts";

/** The place of the records, and the receiver of warnings. */
export interface StoreLocation {
  /** The home; created with the first record. */
  readonly folder: string;
  /** The name of the file, such as `store.json`. */
  readonly file: string;
  /** Receives a line about damage and what was done about it, for a log or a person. */
  readonly warn: (line: string) => void;
  /**
   * Set where a person starts each change and reads the warnings. A change then continues from the previous copy, and the warning
   * ends with this text, which says what to check.
   */
  readonly adopts?: string | undefined;
}

/** Reads and writes one file with what belongs to it. */
export class StoreFile implements Backing {
  private readonly follower: FileFollower;
  private readonly writer: FileWriter;
  /** The file's real place; undefined until it is asked for. */
  private realPath: string | undefined;
  /** While this process has the lock and has read, no one changes the files. */
  private held = false;

  constructor(
    private readonly place: StoreLocation,
    private readonly collections: readonly Collection<unknown>[],
    private readonly observers: Observers,
  ) {
    this.follower = new FileFollower(collections, observers, (line) => place.warn(line));
    this.writer = new FileWriter(collections);
  }

  async locked(work: () => Promise<void>): Promise<void> {
    makeFolder(this.place.folder, this.place.file);
    const path = realPlace(join(this.place.folder, this.place.file));
    if (path !== this.realPath) this.follower.forget();
    this.realPath = path;
    if (dirname(path) !== this.place.folder) makeFolder(dirname(path), basename(path));
    this.readAhead();
    await withLock(`${path}.lock`, work);
  }

  /** A draft of what is on the disk. */
  async read(): Promise<Draft> {
    const { document } = this.current();
    this.held = true;
    return new Draft(document, this.collections, this.observers);
  }

  /** Writes what the draft changes. Throws AddrsiftError OPERATION, and STORE for a damaged file in a place without `adopts`. */
  async write(draft: Draft): Promise<void> {
    try {
      const changes = draft.changes();
      if (Object.keys(changes).length > 0) await this.store(draft, changes);
      draft.settle();
    } catch (error) {
      draft.undo();
      throw error;
    } finally {
      this.held = false;
    }
  }

  async tidy(): Promise<void> {
    const loaded = this.follower.last;
    if (loaded?.state === undefined || loaded.damage !== undefined || !this.writer.isDue(loaded)) return;
    this.held = true;
    try {
      await this.compact();
    } catch {
      // Nothing is lost: the change is on the disk, and the next ones can be too.
      this.writer.putOff(loaded);
    } finally {
      this.held = false;
    }
  }

  /** The records on the disk. Throws AddrsiftError OPERATION or STORE. */
  current(): Loaded {
    return (this.held ? this.follower.last : undefined) ?? this.follower.look(this.path);
  }

  assertSound(): void {
    const { damage } = this.current();
    if (damage === undefined) return;
    throw new AddrsiftError("STORE", `${this.path} ${damage}, so nothing is changed or sent: ${REMEDY}`);
  }

  /** A store that is not there yet needs no room. */
  changeFault(): AddrsiftError | undefined {
    return this.current().state === undefined ? undefined : changeFault(dirname(this.path));
  }

  /** Reading a large file takes long: under the lock, only what came after that is read. What fails here fails there again. */
  private readAhead(): void {
    try {
      if (fileState(this.path) !== undefined) this.current();
    } catch {}
  }

  private get path(): string {
    this.realPath ??= realPlace(join(this.place.folder, this.place.file));
    return this.realPath;
  }

  private async store(draft: Draft, changes: object): Promise<void> {
    this.lookAgain(draft);
    if (this.place.adopts === undefined) this.assertSound();
    if (this.current().damage !== undefined) return this.adopt(draft);
    if (this.needsCompaction(draft.document)) await this.compact();
    const { journal, ...loaded } = this.current();
    if (journal === undefined) {
      const state = await this.writer.replace(this.path, draft.contents(), loaded.state);
      this.follower.keep({ ...loaded, state, journal });
      return;
    }
    const { text, digest } = journalLine({ at: Date.now(), collections: changes }, journal.digest);
    const state = await appendDurably(journal.path, text, journal.octets);
    this.follower.keep({ ...loaded, journal: { ...journal, digest, state, octets: state.octets } });
  }

  /** A person may put a backup in the file's place, or damage it, without our lock: what is there now must not be overwritten. */
  private lookAgain(draft: Draft): void {
    this.held = false;
    const { document } = this.current();
    this.held = true;
    if (document === draft.document) return;
    this.assertSound();
    throw new AddrsiftError("OPERATION", `${this.path} was replaced by another program just now: try again`);
  }

  /** Replaces the file by what is in memory, with a new journal if it is large. */
  private async compact(): Promise<void> {
    const { document, state, journal } = this.current();
    const written = await this.writer.compact(this.path, document, state as FileState, journal);
    this.follower.keep({ document, damage: undefined, ...written });
    // The file was written as a whole: its records are of the present schemas there too.
    for (const collection of this.collections) {
      const content = document.contents.get(collection.name);
      if (content !== undefined) content.schema = schemaOf(collection);
    }
  }

  /** A journal can be continued only in its schemas, and not behind a line that is not whole. */
  private needsCompaction({ contents }: Document): boolean {
    const { journal } = this.current();
    if (journal === undefined) return false;
    if (journal.hasRest) return true;
    return this.collections.some((collection) => {
      const content = contents.get(collection.name);
      return content !== undefined && content.schema !== schemaOf(collection);
    });
  }

  /** Continues from the copy: writes it with the change, and keeps what is damaged under another name. */
  private async adopt(draft: Draft): Promise<void> {
    const { state, journal, copyTime } = this.current();
    const isJournal = journal !== undefined && state !== undefined;
    const [damaged, of] = isJournal ? [journal.path, journal.state] : [this.path, state];
    // Each has a name of its own, so that none replaces another.
    const aside = `${damaged}.damaged-${Math.floor(of?.modifiedMs ?? 0)}-${of?.inode ?? 0}`;
    if (of !== undefined) await keepAs(damaged, aside);
    // A damaged file must not replace the good copy.
    const written = await this.writer.replace(this.path, draft.contents(), state, "keep the copy");
    this.follower.keep({ document: draft.document, state: written, journal: undefined, damage: undefined });
    const where = of === undefined ? "" : `, which is kept as ${aside},`;
    this.place.warn(
      `${damaged}${where} is replaced: this change continued from ${isJournal ? "what is good of it" : "its previous copy"} of ${copyTime}: ${this.place.adopts}`,
    );
  }
}
