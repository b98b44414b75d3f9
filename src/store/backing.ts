// What a store keeps its records in, as the store sees it: one document in memory that follows what is kept, and one way to change it.

import type { Adapter } from "lowdb";
import type { Document } from "./document.ts";
import type { Draft } from "./draft.ts";

/** Where records are kept. As an adapter of lowdb it reads and writes drafts, within `alone`. */
export interface Backing extends Adapter<Draft> {
  /** The document as it is now. Throws AddrsiftError OPERATION or STORE. */
  current(): { readonly document: Document; readonly damage: string | undefined };
  /** Throws AddrsiftError STORE while an older copy is in use, and as `current` does. */
  assertSound(): void;
  /** Does `work` while nobody else changes anything. Throws AddrsiftError OPERATION, and what `work` throws. */
  alone(work: () => Promise<void>): Promise<void>;
  /** What is to be done after a change that is acknowledged already, within `alone`. */
  tidy(): Promise<void>;
}
