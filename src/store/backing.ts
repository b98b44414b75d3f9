// What a store keeps its records in, as the store sees it: one document in memory that follows what is kept, and one way to change it.

import type { Adapter } from "lowdb";
import type { AddrsiftError } from "../base/errors.ts";
import type { Collection } from "./collection.ts";
import type { Document } from "./document.ts";
import type { Draft } from "./draft.ts";
import type { Observers } from "./observers.ts";

/** Where records are kept. As an adapter of lowdb it reads and writes drafts, within `alone`. */
export interface Backing extends Adapter<Draft> {
  /** Its own clock, where processes on several machines share it. */
  readonly clock?: { readonly now: () => number };
  /** The document as it is now. Throws AddrsiftError OPERATION, STORE or AWAY. */
  current(): { readonly document: Document; readonly damage: string | undefined };
  /** Throws AddrsiftError STORE while an older copy is in use, and as `current` does. */
  assertSound(): void;
  /** Waits until `current` has all that was changed before. Throws as `current` does. Missing where `current` always has it. */
  fresh?(): Promise<void>;
  /** Why nothing can be changed for now, as far as is known. Throws as `current` does. */
  changeFault(): AddrsiftError | undefined;
  /** From now on keeps `current` up to date, until it is closed. */
  follow?(): void;
  close?(): Promise<void>;
  /** Does `work` while nobody else changes anything. Throws AddrsiftError OPERATION or AWAY, and what `work` throws. */
  alone(work: () => Promise<void>): Promise<void>;
  /** What is to be done after a change that is acknowledged already, within `alone`. */
  tidy?(): Promise<void>;
}

/** Opens what the records of these collections are kept in. */
export type OpenBacking = (collections: readonly Collection<unknown>[], observers: Observers) => Backing;
