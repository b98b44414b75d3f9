// A collection: records of one kind by their id. The room that keeps such records declares it, with its schema and how older
// schemas become today's.

/** What a room registers. `R` is the record in its present schema; records are never changed in place. */
export interface Collection<R> {
  /** Its name in the file. */
  readonly name: string;
  /** True for a record of the present schema; anything else in the file is damage. */
  readonly isRecord: (value: unknown) => value is R;
  /** One step for each schema that there was: the first takes schema 1 to 2. The present schema is their number and one. */
  readonly migrations: readonly ((record: unknown) => unknown)[];
}

/** The number of a collection's present schema. */
export function schemaOf(collection: Collection<unknown>): number {
  return collection.migrations.length + 1;
}
