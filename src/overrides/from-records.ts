// The overrides as their records say them, for a home whose compiled table can't be used.

import { Store } from "../store/store.ts";
import type { ReadRecords } from "./in-force.ts";
import { RECORDS_FILE } from "./place.ts";
import { decisionOf, OVERRIDES } from "./record.ts";

/** Reads the records of a home, or their previous copy. Throws AddrsiftError when neither can be read. */
export const readRecords: ReadRecords = (folder, warn) => {
  const records = new Store({ folder, file: RECORDS_FILE, warn }, [OVERRIDES]).records(OVERRIDES);
  return [...records.values()].map((record) => decisionOf(record));
};
