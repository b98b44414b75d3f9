// Values that are made once, or once for each key.

/**
 * Returns `create` with a cache of at most `max` values, in two halves: when the newer half is full, the older one is
 * dropped, so that values in use stay.
 */
export function memoize<K, V>(max: number, create: (key: K) => V): (key: K) => V {
  let newer = new Map<K, V>();
  let older: ReadonlyMap<K, V> = newer;
  return (key) => {
    const cached = newer.get(key);
    if (cached !== undefined) return cached;
    const value = older.get(key) ?? create(key);
    if (newer.size >= max / 2) {
      older = newer;
      newer = new Map();
    }
    newer.set(key, value);
    return value;
  };
}

/** `create` is called when its value is first asked for. */
export function lazy<V>(create: () => V): () => V {
  let created: { readonly value: V } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}
