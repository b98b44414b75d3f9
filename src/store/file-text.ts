// The files of a store read together: the file, its journal, and the previous ones of both. Nothing is written here.

import { createHash } from "node:crypto";
import { AddrsiftError } from "../base/errors.ts";
import { readDurable } from "../durable/read.ts";
import type { FileState } from "../durable/write.ts";
import type { Collection } from "./collection.ts";
import {
  applyChange,
  asObject,
  CorruptFile,
  type Document,
  type JournalName,
  NewerVersion,
  parseDocument,
  type Tell,
} from "./document.ts";
import { asHead, type JournalHead, readLines } from "./journal.ts";

/** How far a journal has been read. */
export interface JournalState {
  readonly name: JournalName;
  readonly path: string;
  /** The octets of its good lines, and the checksum of the last of them. */
  readonly octets: number;
  readonly digest: string;
  readonly state: FileState | undefined;
  /** Something that is not a whole line stands behind the good ones. */
  readonly hasRest: boolean;
}

export interface FileText {
  readonly document: Document;
  readonly state: FileState;
  readonly journal: JournalState | undefined;
  /** The damage of the journal; the document is then of the lines before that. */
  readonly fault: string | undefined;
  /** A line for a person about a last change that was cut off. */
  readonly note: string | undefined;
  /** When the last change was made, in milliseconds since 1970. */
  readonly changedMs: number;
}

/** The name of a complete file where a journal names the file before it. */
const COMPLETE_FILE = "file";

/** Reads files of one path, with the collections that the process knows. All methods throw AddrsiftError OPERATION or STORE. */
export class FileReader {
  constructor(
    private readonly collections: readonly Collection<unknown>[],
    private readonly tell: Tell,
  ) {}

  /** The file at `path`, of the store at `base`, with its journal; CorruptFile when the file itself is damaged. */
  read(path: string, base: string): FileText | CorruptFile | undefined {
    const content = readDurable(path);
    if (content === undefined) return undefined;
    const { octets, state } = content;
    const parsed = this.guard(path, () => parseDocument(octets, this.collections));
    if (parsed instanceof CorruptFile) return parsed;
    const { document, journal } = parsed;
    const alone = { document, state, journal: undefined, fault: undefined, note: undefined };
    if (journal === undefined) return { ...alone, changedMs: state.modifiedMs };
    return { ...alone, ...this.readJournal(document, journal, journalPath(base, journal.place), state) };
  }

  /** The previous copy, with what its journal and the one after that say: undefined when there is no good one. */
  readPrevious(path: string, base: string): FileText | undefined {
    const copy = this.read(path, base);
    if (copy === undefined || copy instanceof CorruptFile) return undefined;
    if (copy.fault !== undefined) return copy;
    const place = copy.journal === undefined ? 1 : otherPlace(copy.journal.name.place);
    const next = this.linesOf(journalPath(base, place));
    const id = copy.journal?.name.id ?? COMPLETE_FILE;
    if (next?.head.after?.id !== id) return copy;
    if (next.head.after.digest !== (copy.journal?.digest ?? fileDigest(path))) return copy;
    const done = this.apply(copy.document, next.lines.values.slice(1));
    return { ...copy, changedMs: done.changedMs ?? copy.changedMs };
  }

  /** Does what lines of a journal say, until one can't be done. `tell` is told of each record. */
  apply(document: Document, values: readonly unknown[], tell?: Tell) {
    let [done, changedMs]: [number, number | undefined] = [0, undefined];
    for (const value of values) {
      const fault = this.guard("a journal", () => {
        const { at, collections } = asObject(value, "a change");
        applyChange(document, collections, this.collections, tell);
        changedMs = Number(at);
      });
      if (fault instanceof CorruptFile) break;
      done += 1;
    }
    return { done, changedMs };
  }

  /** The lines that were added to a journal since it was read; undefined when it is not the same any more. */
  readMore(document: Document, journal: JournalState): JournalState | undefined {
    const content = readDurable(journal.path, journal.octets);
    const { state: before } = journal;
    if (content === undefined || content.state.inode !== before?.inode || content.state.octets <= before.octets)
      return undefined;
    const lines = readLines(content.octets, journal.digest);
    if (lines.rest === "damaged" || lines.rest === "torn") return undefined;
    if (this.apply(document, lines.values, this.tell).done < lines.values.length) return undefined;
    const { octets, digest } = lines;
    const hasRest = lines.rest !== "none";
    return { ...journal, octets: journal.octets + octets, digest, state: content.state, hasRest };
  }

  /** The whole lines of a journal; undefined when it has no good first line. */
  linesOf(path: string) {
    const content = readDurable(path);
    if (content === undefined) return undefined;
    const lines = readLines(content.octets, "");
    const head = this.guard(path, () => asHead(lines.values[0]));
    return head instanceof CorruptFile ? undefined : { head, lines, state: content.state };
  }

  private readJournal(document: Document, name: JournalName, path: string, base: FileState) {
    const found = this.linesOf(path);
    const nothing = { name, path, octets: 0, digest: "", state: undefined, hasRest: true };
    const bad = (fault: string, state: FileState | undefined) => ({
      journal: { ...nothing, state },
      fault: `its journal ${path} ${fault}`,
      note: undefined,
      changedMs: base.modifiedMs,
    });
    if (found === undefined) {
      const state = readDurable(path, 0, 0)?.state;
      return bad(state === undefined ? "is gone" : "has no beginning", state);
    }
    const { head, lines, state } = found;
    if (head.id !== name.id) return bad("is of another time", state);
    const values = lines.values.slice(1);
    const { done, changedMs = base.modifiedMs } = this.apply(document, values);
    const isWhole = done === values.length && lines.rest !== "damaged";
    return {
      journal: { ...nothing, octets: lines.octets, digest: lines.digest, state, hasRest: lines.rest !== "none" },
      fault: isWhole ? undefined : `its journal ${path} is damaged in line ${done + 2}`,
      note:
        lines.rest === "torn"
          ? `${path} ends in a change that is cut off and was not acknowledged: it is left out`
          : undefined,
      changedMs,
    };
  }

  private guard<T>(path: string, read: () => T): T | CorruptFile {
    try {
      return read();
    } catch (error) {
      if (error instanceof CorruptFile) return error;
      if (!(error instanceof NewerVersion)) throw error;
      throw new AddrsiftError(
        "STORE",
        `${path} is from a later addrsift (${error.message}): install that version again`,
      );
    }
  }
}

/** Where the journal of a store is. There are two places, so that the previous one stays. */
export function journalPath(base: string, place: number): string {
  return `${base}.journal-${place}`;
}

export function otherPlace(place: number): number {
  return 3 - place;
}

/** The mark of the file before a journal, as the journal has it. */
export function comesAfter(path: string, journal: JournalState | undefined): NonNullable<JournalHead["after"]> {
  return journal === undefined
    ? { id: COMPLETE_FILE, digest: fileDigest(path) }
    : { id: journal.name.id, digest: journal.digest };
}

function fileDigest(path: string): string {
  return createHash("sha256")
    .update(readDurable(path)?.octets ?? "")
    .digest("hex");
}
