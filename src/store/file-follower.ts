// The files of a store as they are now: reads them, follows what other processes write there, and uses the previous copy where they are
// damaged. Nothing is written here.

import { AddrsiftError } from "../base/errors.ts";
import { fileState, readDurable, sameState } from "../durable/read.ts";
import type { FileState } from "../durable/write.ts";
import type { Collection } from "./collection.ts";
import { CorruptFile, type Document, emptyDocument, journalOfHead, type Observers } from "./document.ts";
import { FileReader, type FileText, type JournalState, journalPath } from "./file-text.ts";

/** The records as they were read or written last, with the state of the files, which shows a later change. */
export interface Loaded {
  readonly document: Document;
  readonly state: FileState | undefined;
  readonly journal: JournalState | undefined;
  /** The damage of the file itself; the document is then its previous copy's. */
  readonly damage: string | undefined;
  /** When the previous copy was changed last; only beside damage. */
  readonly copyTime?: string;
}

export const REMEDY = "put a backup in its place, or run a command that changes it to continue from the copy";
const HEAD_OCTETS = 200;
// Another process may replace the file while it is read.
const READS_MAX = 5;

export class FileFollower {
  private readonly reader: FileReader;
  private warnedOf: { readonly state: FileState | undefined } | undefined;
  /** The file existed: from then on its absence is damage. */
  private seen = false;
  private loaded: Loaded | undefined;

  /** `warn` receives a line about damage. */
  constructor(
    collections: readonly Collection<unknown>[],
    private readonly observers: Observers,
    private readonly warn: (line: string) => void,
  ) {
    this.reader = new FileReader(collections, observers.tell);
  }

  /** The records as they were read or written last, without a look at the disk. */
  get last(): Loaded | undefined {
    return this.loaded;
  }

  /** The file was written: this is what it says. */
  keep(loaded: Loaded): void {
    this.loaded = loaded;
    this.seen = true;
  }

  forget(): void {
    this.loaded = undefined;
  }

  /** The records on the disk; two stat calls when nothing changed. Throws AddrsiftError OPERATION or STORE. */
  look(path: string): Loaded {
    const { loaded } = this;
    if (loaded !== undefined) {
      const isSame = sameState(loaded.state, fileState(path));
      const { journal } = loaded;
      if (isSame && (journal === undefined || sameState(journal.state, fileState(journal.path)))) return loaded;
      const followed =
        loaded.damage !== undefined ? undefined : isSame ? this.continued(loaded) : this.replaced(path, loaded);
      if (followed !== undefined) {
        this.loaded = followed;
        return followed;
      }
    }
    this.loaded = this.load(path);
    this.observers.reset(this.loaded.document);
    return this.loaded;
  }

  private continued(loaded: Loaded): Loaded | undefined {
    if (loaded.journal === undefined) return undefined;
    const journal = this.reader.readMore(loaded.document, loaded.journal);
    return journal === undefined ? undefined : { ...loaded, journal };
  }

  /** The file was replaced and has a new journal: the rest of the old one brings what is in memory up to date. */
  private replaced(file: string, { document, journal: old, damage }: Loaded): Loaded | undefined {
    const head = readDurable(file, 0, HEAD_OCTETS);
    const name = head === undefined ? undefined : journalOfHead(head.octets);
    if (old?.state === undefined || head === undefined || name === undefined) return undefined;
    const path = journalPath(file, name.place);
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
  private load(path: string): Loaded {
    for (let reads = 1; ; reads++) {
      const before = fileState(path);
      const text = this.reader.read(path, path);
      if (text === undefined && !this.seen && readDurable(previousPath(path), 0, 0) === undefined) {
        return { document: emptyDocument(), state: undefined, journal: undefined, damage: undefined };
      }
      this.seen = true;
      if (text !== undefined && !(text instanceof CorruptFile) && text.fault === undefined) {
        this.warnedOf = undefined;
        if (text.note !== undefined) this.warn(text.note);
        const { document, state, journal } = text;
        return { document, state, journal, damage: undefined };
      }
      if (reads === READS_MAX || sameState(before, fileState(path))) return this.loadCopy(path, text, before);
    }
  }

  /** The copy that is used instead of a file that is damaged or gone. */
  private loadCopy(path: string, text: FileText | CorruptFile | undefined, state: FileState | undefined): Loaded {
    const fault = text instanceof CorruptFile ? text.message : text?.fault;
    const damage = fault === undefined ? "is gone" : `is damaged (${fault})`;
    const isFile = text === undefined || text instanceof CorruptFile;
    const copy = isFile ? this.reader.readPrevious(previousPath(path), path) : text;
    if (copy === undefined) {
      throw new AddrsiftError(
        "STORE",
        `${path} ${damage}, and there is no good previous copy: put a backup in its place, or move the damaged files away to start with none`,
      );
    }
    const { document, changedMs } = copy;
    const copyTime = new Date(changedMs).toISOString();
    const journal = isFile ? undefined : text.journal;
    this.warnOnce(
      journal?.state ?? state,
      `${path} ${damage}: ${isFile ? "its previous copy" : "what is good of it"} of ${copyTime} is used, without what was changed after that: ${REMEDY}`,
    );
    return { document, state, journal, damage, copyTime };
  }

  private warnOnce(state: FileState | undefined, line: string): void {
    if (this.warnedOf !== undefined && sameState(this.warnedOf.state, state)) return;
    this.warnedOf = { state };
    this.warn(line);
  }
}

function previousPath(path: string): string {
  return `${path}.previous`;
}
