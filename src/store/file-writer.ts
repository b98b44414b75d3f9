// Replaces a store's file: complete while it is small, else with a new journal for later changes. Whether what was read is sound, is not
// decided here.

import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { type FileState, keepAs, writeDurably } from "../durable/write.ts";
import type { Collection } from "./collection.ts";
import { collectionsText, type Document, formatHead, type Written } from "./document.ts";
import { comesAfter, type JournalState, journalPath, otherPlace } from "./file-text.ts";
import { journalStart } from "./journal.ts";

// Up to here, replacing the file costs hardly more than a line of a journal, and the file is complete, as other programs read it.
const SMALL_OCTETS = 65_536;
// A journal may become this long, or as long as its file. Then it costs no more to read both than twice the file.
const JOURNAL_OCTETS = 262_144;
// About a millisecond of work: then other work gets its turn.
const PIECE_LENGTH = 131_072;
const ID_OCTETS = 12;

/** The files as they are now. */
interface Files {
  readonly state: FileState | undefined;
  readonly journal: JournalState | undefined;
}

/** Writes the files of one store. The caller holds its lock. All methods throw AddrsiftError OPERATION. */
export class FileWriter {
  /** Journals may be left that nothing names. */
  private hasJournals = true;
  /** The length of the journal, or of a file without one, above which the file is replaced. Set only after a failure. */
  private putOffOctets = 0;

  constructor(private readonly collections: readonly Collection<unknown>[]) {}

  /** Writes a complete file. The one before it becomes the previous copy, unless the copy is to be kept. */
  async replace(
    path: string,
    contents: Written,
    state: FileState | undefined,
    previous: "keep the copy" | "move on" = "move on",
  ): Promise<FileState> {
    const text = await this.text(contents);
    const copy = previous === "move on" ? `${path}.previous` : undefined;
    const written = await writeDurably(path, [formatHead(undefined), ...text, "}\n"], state, copy);
    if (this.hasJournals && copy !== undefined) await this.removeJournals(path, []);
    return written;
  }

  /** True when the file should be replaced. */
  isDue({ state, journal }: Files): boolean {
    const { octets = 0 } = state ?? {};
    if (journal === undefined) return octets >= SMALL_OCTETS && octets > this.putOffOctets;
    return journal.octets > Math.max(JOURNAL_OCTETS, octets, this.putOffOctets);
  }

  /** Replacing it failed: it is tried again when there is half as much again. */
  putOff({ state, journal }: Files): void {
    this.putOffOctets = 1.5 * (journal?.octets ?? state?.octets ?? 0);
  }

  /** Replaces the file by what is in memory: with a new journal, or complete when it has become small. */
  async compact(path: string, document: Document, state: FileState, old: JournalState | undefined): Promise<Files> {
    const text = await this.text(document.contents);
    const length = text.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
    const copy = `${path}.previous`;
    const used = old === undefined ? [] : [old.name.place];
    if (length < SMALL_OCTETS) {
      const written = await writeDurably(path, [formatHead(undefined), ...text, "}\n"], state, copy);
      await this.removeJournals(path, used);
      return { state: written, journal: undefined };
    }
    const name = {
      place: old === undefined ? 1 : otherPlace(old.name.place),
      id: randomBytes(ID_OCTETS).toString("hex"),
    };
    const start = journalStart({ id: name.id, after: comesAfter(path, old) });
    // The previous copy may name the journal that is replaced now. From here on it is the present file.
    await keepAs(path, copy);
    const journal = journalPath(path, name.place);
    const journalState = await writeDurably(journal, [start.text], undefined);
    const written = await writeDurably(path, [formatHead(name), ...text, "}\n"], state, copy);
    await this.removeJournals(path, [...used, name.place]);
    this.hasJournals = true;
    this.putOffOctets = 0;
    const { octets } = journalState;
    return {
      state: written,
      journal: { name, path: journal, octets, digest: start.digest, state: journalState, hasRest: false },
    };
  }

  private async text(contents: Written): Promise<string[]> {
    const pieces: string[] = [];
    let piece = "";
    for (const part of collectionsText(contents, this.collections)) {
      piece += part;
      if (piece.length < PIECE_LENGTH) continue;
      pieces.push(piece);
      piece = "";
      await new Promise(setImmediate);
    }
    return [...pieces, piece];
  }

  private async removeJournals(path: string, used: readonly number[]): Promise<void> {
    for (const place of [1, 2]) if (!used.includes(place)) await rm(journalPath(path, place), { force: true });
    this.hasJournals = used.length > 0;
  }
}
