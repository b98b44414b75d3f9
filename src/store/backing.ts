// The place that a store keeps its records in: files of a folder, or the tables of a database.

import type { Adapter } from "lowdb";
import type { AddrsiftError } from "../base/errors.ts";
import type { Collection } from "./collection.ts";
import type { Document } from "./document.ts";

/** The place of records: the adapter through which lowdb reads and writes them, within `locked`. */
export interface Backing extends Adapter<Document> {
  /** Its own clock, where processes on several machines share it. */
  readonly clock?: { readonly now: () => number };
  /** The document as it is now, or an older one with its damage. Throws AddrsiftError OPERATION, STORE or AWAY. */
  current(): { readonly document: Document; readonly damage?: string };
  /** Waits until `current` has all that was changed before. Throws as `current` does. */
  fresh?(): Promise<void>;
  /** Why nothing can be changed for now, as far as is known. Throws as `current` does. */
  changeFault(): AddrsiftError | undefined;
  /** From now on keeps `current` up to date, until it is closed. */
  follow?(): void;
  close?(): Promise<void>;
  /** Does `work` while no one else changes anything. Throws AddrsiftError OPERATION or AWAY, and what `work` throws. */
  locked(work: () => Promise<void>): Promise<void>;
}

/** Opens the place of the records of these collections. */
export type OpenBacking = (collections: readonly Collection<unknown>[]) => Backing;

/** Records as a change works on them. */
export interface Draft {
  /** A copy of a collection, to set records in and delete them from. Records are replaced, never changed. */
  records<R>(collection: Collection<R>): Map<string, R>;
}
