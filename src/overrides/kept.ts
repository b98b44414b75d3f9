// The overrides that a home keeps: set, removed, replaced. Each change is in the records first; then the compiled table is made
// from them. A process that dies between the two leaves a table that is not that of the records, so that readers pass it over.

import { withLock } from "../durable/lock.ts";
import { fileState } from "../durable/read.ts";
import { writeDurably } from "../durable/write.ts";
import { compileOverrides } from "../lists/override-table.ts";
import { Store } from "../store/store.ts";
import type { StoreLocation } from "../store/store-file.ts";
import { allOverrides } from "./compiled-file.ts";
import { RECORDS_FILE, recordsState, tablePath } from "./place.ts";
import { decisionOf, hasExpired, OVERRIDES, type OverrideRecord } from "./record.ts";

/** The overrides of one home. All methods throw AddrsiftError as the store does. */
export class KeptOverrides {
  private readonly folder: string;
  private readonly store: Store;

  constructor(place: Omit<StoreLocation, "file">) {
    this.folder = place.folder;
    this.store = new Store({ ...place, file: RECORDS_FILE }, [OVERRIDES]);
  }

  /** All records, sorted by entry. */
  list(): OverrideRecord[] {
    const records = [...this.store.records(OVERRIDES).values()];
    return records.sort((one, other) => (one.entry < other.entry ? -1 : 1));
  }

  /** Sets these; gives those that they replace, by entry. `instead` removes all others. */
  async set(records: readonly OverrideRecord[], instead = false): Promise<ReadonlyMap<string, OverrideRecord>> {
    return this.change((kept) => {
      const before = new Map(kept);
      if (instead) kept.clear();
      for (const record of records) kept.set(record.entry, record);
      return new Map([...before].filter(([entry]) => instead || records.some((record) => record.entry === entry)));
    });
  }

  /** Removes these; gives the first entry that there is no override of, and then removes none. */
  async remove(entries: readonly string[]): Promise<string | undefined> {
    return this.change((kept) => {
      const unknown = entries.find((entry) => !kept.has(entry));
      if (unknown === undefined) for (const entry of entries) kept.delete(entry);
      return unknown;
    });
  }

  /** Removes those that have expired; gives their number. */
  async removeExpired(nowMs: number): Promise<number> {
    return this.change((kept) => {
      const expired = [...kept.values()].filter((record) => hasExpired(record, nowMs));
      for (const { entry } of expired) kept.delete(entry);
      return expired.length;
    });
  }

  /** Makes the table again when it is not that of the records. Does nothing while the records are damaged. */
  async publish(): Promise<void> {
    if (this.store.damaged() || allOverrides(this.folder).usable) return;
    const path = tablePath(this.folder);
    await withLock(`${path}.lock`, async () => {
      // Before the records: a change in between gives a table of no state, which is passed over, never a wrong one.
      const state = recordsState(this.folder);
      if (state === undefined) return;
      const table = compileOverrides(this.list().map(decisionOf), state);
      await writeDurably(path, [table], fileState(path));
    });
  }

  private async change<T>(work: (kept: Map<string, OverrideRecord>) => T): Promise<T> {
    const value = await this.store.change((draft) => work(draft.records(OVERRIDES)));
    // The store may still write its file anew after a change; a table made before that would be of an earlier state.
    await this.store.idle();
    await this.publish();
    return value;
  }
}
