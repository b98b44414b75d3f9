// Records in a file, its journal and their previous copies: the adapter between lowdb and the disk. A damaged file is never
// overwritten. A damaged or missing file is replaced only on a person's command: only a place with `adopts` continues from the copy.
// A small file is written anew with each change. A large one gets a journal: a change is a line there, until it is written anew.

import { basename, dirname, join } from "node:path";
import { makeFolder } from "../durable/folder.ts";
import { withLock } from "../durable/lock.ts";
import { fileState, readDurable, realPlace, sameState } from "../durable/read.ts";
import { appendDurably, type FileState, keepAs } from "../durable/write.ts";
import { AddrsiftError } from "../errors.ts";
import type { Backing } from "./backing.ts";
import { type Collection, schemaOf } from "./collection.ts";
import { CorruptFile, type Document, emptyDocument, journalOfHead } from "./document.ts";
import { Draft } from "./draft.ts";
import { FileReader, type FileText, type JournalState, journalPath } from "./file-text.ts";
import { FileWriter } from "./file-writer.ts";
import { journalLine } from "./journal.ts";
import type { Observers } from "./observers.ts";

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

/** What was read or written last, with the state of the files, which shows a later change. */
interface Loaded {
  readonly document: Document;
  readonly state: FileState | undefined;
  readonly journal: JournalState | undefined;
  /** What is wrong with the file itself; the document is then its previous copy's. */
  readonly damage: string | undefined;
  /** When the previous copy was changed last; only beside damage. */
  readonly copyTime?: string;
}

const REMEDY = "put a backup in its place, or run a command that changes it to continue from the copy";
const HEAD_OCTETS = 200;
// Another process may write the file anew while it is read.
const READS_MAX = 5;

/** Reads and writes one file with what belongs to it. */
export class StoreFile implements Backing {
  private readonly place: StoreLocation;
  private readonly collections: readonly Collection<unknown>[];
  private readonly observers: Observers;
  private readonly reader: FileReader;
  private readonly writer: FileWriter;
  private warnedOf: { readonly state: FileState | undefined } | undefined;
  /** The file existed: from then on its absence is damage. */
  private seen = false;
  /** The file's real place; undefined until it is asked for. */
  private realPath: string | undefined;
  private loaded: Loaded | undefined;
  /** While this process has the lock and has read, nobody changes the files. */
  private held = false;

  constructor(place: StoreLocation, collections: readonly Collection<unknown>[], observers: Observers) {
    this.place = place;
    this.collections = collections;
    this.observers = observers;
    this.reader = new FileReader(collections, observers.tell);
    this.writer = new FileWriter(collections);
  }

  async alone(work: () => Promise<void>): Promise<void> {
    makeFolder(this.place.folder, this.place.file);
    const path = realPlace(join(this.place.folder, this.place.file));
    if (path !== this.realPath) [this.realPath, this.loaded] = [path, undefined];
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
    const { loaded } = this;
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

  /** What is on the disk; two stat calls when nothing changed. Throws AddrsiftError OPERATION or STORE. */
  current(): Loaded {
    const { loaded, path } = this;
    if (loaded !== undefined) {
      if (this.held) return loaded;
      const isSame = sameState(loaded.state, fileState(path));
      const { journal } = loaded;
      if (isSame && (journal === undefined || sameState(journal.state, fileState(journal.path)))) return loaded;
      const followed =
        loaded.damage !== undefined ? undefined : isSame ? this.continued(loaded) : this.replaced(loaded);
      if (followed !== undefined) {
        this.loaded = followed;
        return followed;
      }
    }
    this.loaded = this.load();
    this.observers.reset(this.loaded.document);
    return this.loaded;
  }

  assertSound(): void {
    const { damage } = this.current();
    if (damage === undefined) return;
    throw new AddrsiftError("STORE", `${this.path} ${damage}, so nothing is changed or sent: ${REMEDY}`);
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

  private get previous(): string {
    return `${this.path}.previous`;
  }

  private async store(draft: Draft, changes: object): Promise<void> {
    this.lookAgain(draft);
    if (this.place.adopts === undefined) this.assertSound();
    if (this.current().damage !== undefined) return this.adopt(draft);
    if (this.needsCompaction(draft.document)) await this.compact();
    const { journal, ...loaded } = this.current();
    if (journal === undefined) {
      const state = await this.writer.replace(this.path, draft.contents(), draft.document, loaded.state);
      this.loaded = { ...loaded, state, journal };
      this.seen = true;
      return this.markWritten(draft.document);
    }
    const { text, digest } = journalLine({ at: Date.now(), collections: changes }, journal.digest);
    const state = await appendDurably(journal.path, text, journal.octets);
    this.loaded = { ...loaded, journal: { ...journal, digest, state, octets: state.octets } };
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

  /** Writes the file anew from what is in memory, with a new journal if it is large. */
  private async compact(): Promise<void> {
    const { document, state, journal } = this.current();
    const written = await this.writer.compact(this.path, document, state as FileState, journal);
    this.loaded = { document, damage: undefined, ...written };
    this.markWritten(document);
  }

  /** The file was written as a whole: its records are of the present schemas there too. */
  private markWritten({ contents }: Document): void {
    for (const collection of this.collections) {
      const content = contents.get(collection.name);
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
    const written = await this.writer.replace(this.path, draft.contents(), draft.document, state, "keep the copy");
    this.loaded = { document: draft.document, state: written, journal: undefined, damage: undefined };
    this.seen = true;
    this.markWritten(draft.document);
    const where = of === undefined ? "" : `, which is kept as ${aside},`;
    this.place.warn(
      `${damaged}${where} is replaced: this change continued from ${isJournal ? "what is good of it" : "its previous copy"} of ${copyTime}: ${this.place.adopts}`,
    );
  }

  /** The journal has more lines. */
  private continued(loaded: Loaded): Loaded | undefined {
    if (loaded.journal === undefined) return undefined;
    const journal = this.reader.readMore(loaded.document, loaded.journal);
    return journal === undefined ? undefined : { ...loaded, journal };
  }

  /** The file was written anew, with a new journal: what is in memory is up to date with the rest of the old one. */
  private replaced({ document, journal: old, damage }: Loaded): Loaded | undefined {
    const head = readDurable(this.path, 0, HEAD_OCTETS);
    const name = head === undefined ? undefined : journalOfHead(head.octets);
    if (old?.state === undefined || head === undefined || name === undefined) return undefined;
    const path = journalPath(this.path, name.place);
    const next = this.reader.linesOf(path);
    if (next?.head.id !== name.id || next.head.after?.id !== old.name.id) return undefined;
    const { digest } = next.head.after;
    const caughtUp = old.digest === digest ? old : this.reader.readMore(document, old);
    const { lines, state } = next;
    if (caughtUp?.digest !== digest || lines.rest === "damaged" || lines.rest === "torn") return undefined;
    const changes = lines.values.slice(1);
    if (this.reader.apply(document, changes, this.observers.tell).done < changes.length) return undefined;
    const journal = { name, path, octets: lines.octets, digest: lines.digest, state, hasRest: lines.rest !== "none" };
    return { document, state: head.state, journal, damage };
  }

  /** Throws STORE for damage without a good copy, for a file that disappeared, and for one of a later version. */
  private load(): Loaded {
    for (let reads = 1; ; reads++) {
      const before = fileState(this.path);
      const text = this.reader.read(this.path, this.path);
      if (text === undefined && !this.seen && readDurable(this.previous, 0, 0) === undefined) {
        return { document: emptyDocument(), state: undefined, journal: undefined, damage: undefined };
      }
      this.seen = true;
      if (text !== undefined && !(text instanceof CorruptFile) && text.fault === undefined) {
        this.warnedOf = undefined;
        if (text.note !== undefined) this.place.warn(text.note);
        const { document, state, journal } = text;
        return { document, state, journal, damage: undefined };
      }
      if (reads === READS_MAX || sameState(before, fileState(this.path))) return this.loadCopy(text, before);
    }
  }

  /** What there is instead of a file that is damaged or gone. */
  private loadCopy(text: FileText | CorruptFile | undefined, state: FileState | undefined): Loaded {
    const fault = text instanceof CorruptFile ? text.message : text?.fault;
    const damage = fault === undefined ? "is gone" : `is damaged (${fault})`;
    const isFile = text === undefined || text instanceof CorruptFile;
    const copy = isFile ? this.reader.readPrevious(this.previous, this.path) : text;
    if (copy === undefined) {
      throw new AddrsiftError(
        "STORE",
        `${this.path} ${damage}, and there is no good previous copy: put a backup in its place, or move the damaged files away to start with none`,
      );
    }
    const { document, changedMs } = copy;
    const copyTime = new Date(changedMs).toISOString();
    const journal = isFile ? undefined : text.journal;
    this.warn(journal?.state ?? state, damage, `${isFile ? "its previous copy" : "what is good of it"} of ${copyTime}`);
    return { document, state, journal, damage, copyTime };
  }

  private warn(state: FileState | undefined, damage: string, copy: string): void {
    if (this.warnedOf !== undefined && sameState(this.warnedOf.state, state)) return;
    this.warnedOf = { state };
    this.place.warn(`${this.path} ${damage}: ${copy} is used, without what was changed after that: ${REMEDY}`);
  }
}
