// Values that are made once, or once for each key.

/**
 * Returns `make` with a cache of at most `most` values, in two halves: when the newer half is full, the older one is
 * dropped, so that values in use stay.
 */
export function kept<K, V>(most: number, make: (key: K) => V): (key: K) => V {
  let newer = new Map<K, V>();
  let older: ReadonlyMap<K, V> = newer;
  return (key) => {
    const known = newer.get(key);
    if (known !== undefined) return known;
    const value = older.get(key) ?? make(key);
    if (newer.size >= most / 2) {
      older = newer;
      newer = new Map();
    }
    newer.set(key, value);
    return value;
  };
}

/** `make` is called when its value is first asked for. */
export function once<V>(make: () => V): () => V {
  let made: { readonly value: V } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
