// A collection: records of one kind by their id. The folder that owns the records declares it, with its schema and the steps from
// older schemas.

/** A kind of record that is registered with a store. `R` is a record of the present schema. Records are never changed in place. */
export interface Collection<R> {
  /** Its name in the file. */
  readonly name: string;
  /** True for a record of the present schema. All others are damage. */
  readonly isRecord: (value: unknown) => value is R;
  /** One step for each former schema: the first turns schema 1 into 2. The present schema is their number plus one. */
  readonly migrations: readonly ((record: unknown) => unknown)[];
}

/** The number of a collection's present schema. */
export function schemaOf(collection: Collection<unknown>): number {
  return collection.migrations.length + 1;
}

/** Throws for a collection that was not registered: a mistake of the caller. */
export function requireRegistered(collections: readonly Collection<unknown>[], collection: Collection<unknown>): void {
  if (!collections.includes(collection)) {
    throw new Error(`the collection ${collection.name} is not registered with this store`);
  }
}
