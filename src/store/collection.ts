// A collection: records of one kind by their id. The room that keeps such records declares it, with its schema and how older
// schemas become today's.

/**
 * What a room registers. `R` is the record in its present schema, `Later` one that only a later version writes; records are never
 * changed in place.
 */
export interface Collection<R, Later = unknown> {
  /** Its name in the file. */
  readonly name: string;
  /** True for a record of the present schema. */
  readonly isRecord: (value: unknown) => value is R;
  /**
   * True for a record of the same form with a value that only a later version knows: it is carried along as it is. What is neither
   * is damage.
   */
  readonly isLater?: (value: unknown) => value is Later;
  /** One step for each schema that there was: the first takes schema 1 to 2. The present schema is their number and one. */
  readonly migrations: readonly ((record: unknown) => unknown)[];
}

/** The number of a collection's present schema. */
export function schemaOf(collection: Collection<unknown>): number {
  return collection.migrations.length + 1;
}
