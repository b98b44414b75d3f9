// Stores records in a JSON file and a backup of its previous content. Each change replaces the file atomically. A
// damaged file is never overwritten. Only a location with `recoveryWarning`, which is set for commands that a person
// runs, replaces a damaged or missing file: it continues from the backup.

import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AddrsiftError, isAddrsiftError } from "../base/errors.ts";
import {
  type FileState,
  fileState,
  isSameState,
  linkOrCopy,
  readPrivateFile,
  resolveSymlinks,
  writeDurably,
} from "../durable/files.ts";
import { checkWritable, ensurePrivateFolder, probeWrite } from "../durable/folder.ts";
import { withLock } from "../durable/lock.ts";
import type { Collection, Document, StoreBackend } from "./collection.ts";
import { CorruptionError, EMPTY_DOCUMENT, formatDocument, NewerVersionError, parseDocument } from "./document.ts";

export interface StoreLocation {
  readonly folder: string;
  readonly file: string;
  /** Receives a line about damage and the recovery from it. */
  readonly warn: (line: string) => void;
  /**
   * If set, a change of a damaged or missing file continues from the backup, and warns with this text about what to
   * check. Set it only if a person starts each change and reads the warnings.
   */
  readonly recoveryWarning?: string | undefined;
}

/** The records last read or written, and the file's state at that time, to detect later changes. */
interface FileSnapshot {
  readonly document: Document;
  readonly state: FileState | undefined;
  /** How the file is damaged. If set, the document is from the backup. */
  readonly damage?: string;
  readonly backupTime?: string;
}

const REMEDY = "restore a backup, or continue from the previous copy as THE STORE in addrsift(1) says";

export class FileBackend implements StoreBackend {
  private latest: FileSnapshot | undefined;
  /** The records that the current change started from. */
  private base: FileSnapshot | undefined;
  /** Whether this process has seen the file. If so, a missing file is damage. */
  private hasExisted = false;
  /** Size of the largest failed write, or 0. Until a write of this size succeeds, the store counts as not writable. */
  private failedWriteBytes = 0;
  private lastWarning: { readonly state: FileState | undefined } | undefined;
  private realPath: string | undefined;

  constructor(
    private readonly location: StoreLocation,
    private readonly collections: readonly Collection<unknown>[],
  ) {}

  async withLock(work: () => Promise<void>): Promise<void> {
    ensurePrivateFolder(this.location.folder, this.location.file);
    const path = resolveSymlinks(join(this.location.folder, this.location.file));
    if (path !== this.realPath) this.latest = undefined;
    this.realPath = path;
    if (dirname(path) !== this.location.folder) ensurePrivateFolder(dirname(path), basename(path));
    await withLock(`${path}.lock`, work);
  }

  async read(): Promise<Document> {
    this.base = this.current();
    return this.base.document;
  }

  async write(document: Document): Promise<void> {
    if (document === this.base?.document) return;
    // Someone may have restored a backup, or damaged the file, without taking the lock. Don't overwrite that.
    const latest = this.current();
    if (latest !== this.base || this.location.recoveryWarning === undefined) assertUndamaged(latest);
    const { path } = this;
    if (latest !== this.base) {
      throw new AddrsiftError("OPERATION", `${path} was replaced by another program just now: try again`);
    }
    const { state: oldState, damage } = latest;
    // A unique name, so that damaged files replace neither each other nor the backup.
    const damagedPath = `${path}.damaged-${Math.floor(oldState?.modifiedMs ?? 0)}-${oldState?.inode ?? 0}`;
    if (damage !== undefined && oldState !== undefined) await linkOrCopy(path, damagedPath);
    const backupPath = damage === undefined ? backupPathOf(path) : undefined;
    const content = formatDocument(document);
    const isLargest = content.length >= this.failedWriteBytes;
    if (isLargest) this.failedWriteBytes = content.length;
    const state = await writeDurably(path, content, oldState, backupPath);
    if (isLargest) this.failedWriteBytes = 0;
    this.latest = { document, state };
    this.hasExisted = true;
    if (damage === undefined) return;
    const savedAs = oldState === undefined ? "" : `, which is kept as ${damagedPath},`;
    const recovery = `this change continued from its previous copy of ${latest.backupTime}: ${this.location.recoveryWarning}`;
    this.location.warn(`${path}${savedAs} is replaced: ${recovery}`);
  }

  /** Returns the records on the disk. Costs one stat call if nothing changed. Throws AddrsiftError STORE. */
  current(): FileSnapshot {
    try {
      const { path } = this;
      if (this.latest !== undefined && isSameState(this.latest.state, fileState(path))) return this.latest;
      this.latest = this.load(path);
      return this.latest;
    } catch (error) {
      // For example, root restored the file, and it belongs to root now.
      throw isAddrsiftError(error) ? new AddrsiftError("STORE", error.message, error.cause) : error;
    }
  }

  /** Checks folder, permissions and space for the whole file. After a failed write, also tries one of that size. */
  checkWritable(): AddrsiftError | undefined {
    const folder = dirname(this.path);
    const fault = checkWritable(folder, basename(this.path), this.current().state?.bytes ?? 0);
    if (fault !== undefined || this.failedWriteBytes === 0) return fault;
    const stillFailing = probeWrite(folder, this.failedWriteBytes);
    if (stillFailing === undefined) this.failedWriteBytes = 0;
    return stillFailing;
  }

  /** Deletes the backup to free its space. Until the next change, the store has no backup. */
  async dropBackup(): Promise<void> {
    assertUndamaged(this.current());
    await rm(backupPathOf(this.path), { force: true });
  }

  private get path(): string {
    this.realPath ??= resolveSymlinks(join(this.location.folder, this.location.file));
    return this.realPath;
  }

  /** Throws AddrsiftError STORE if file and backup are damaged or missing, or a later version wrote them. */
  private load(path: string): FileSnapshot {
    const file = this.readFile(path);
    if (file === undefined && !this.hasExisted && fileState(backupPathOf(path)) === undefined) {
      return { document: EMPTY_DOCUMENT, state: undefined };
    }
    this.hasExisted = true;
    if (file !== undefined && !(file.document instanceof CorruptionError)) {
      if (this.lastWarning !== undefined) this.location.warn(`${path} is usable again`);
      this.lastWarning = undefined;
      return { document: file.document, state: file.state };
    }
    const damage = file === undefined ? "is gone" : `is damaged (${(file.document as CorruptionError).message})`;
    return this.loadBackup(path, damage, file?.state);
  }

  private loadBackup(path: string, damage: string, state: FileState | undefined): FileSnapshot {
    const backup = this.readFile(backupPathOf(path));
    if (backup === undefined || backup.document instanceof CorruptionError) {
      const remedy = "restore a backup, or move damaged files away and restart, to start with an empty store";
      throw new AddrsiftError("STORE", `${path} ${damage}, and there is no good previous copy: ${remedy}`);
    }
    const backupTime = new Date(backup.state.modifiedMs).toISOString();
    if (this.lastWarning === undefined || !isSameState(this.lastWarning.state, state)) {
      this.lastWarning = { state };
      const recovery = `its previous copy of ${backupTime} is used, without later changes`;
      this.location.warn(`${path} ${damage}: ${recovery}: ${REMEDY}`);
    }
    return { document: backup.document, state, damage: `${path} ${damage}`, backupTime };
  }

  private readFile(
    path: string,
  ): { readonly document: Document | CorruptionError; readonly state: FileState } | undefined {
    const content = readPrivateFile(path);
    if (content === undefined) return undefined;
    try {
      return { document: parseDocument(content.bytes, this.collections), state: content.state };
    } catch (error) {
      if (error instanceof CorruptionError) return { document: error, state: content.state };
      if (!(error instanceof NewerVersionError)) throw error;
      const remedy = "install that version again";
      throw new AddrsiftError("STORE", `${path} is from a later addrsift (${error.message}): ${remedy}`);
    }
  }
}

export function assertUndamaged({ damage }: { readonly damage?: string }): void {
  if (damage === undefined) return;
  throw new AddrsiftError("STORE", `${damage}, so nothing is changed or sent: ${REMEDY}`);
}

function backupPathOf(path: string): string {
  return `${path}.previous`;
}
