// The reader of the overrides' records, in a file of its own: it needs the store's code, and is needed only where the compiled table
// can't be used.

export { readRecords } from "../../overrides/from-records.ts";
