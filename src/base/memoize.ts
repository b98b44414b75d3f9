// Values that are created once, or once per key.

/** Caches up to `max` results of `create`. Two generations: a full new generation replaces the old one. */
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

/** Calls `create` on first use. */
export function lazy<V>(create: () => V): () => V {
  let created: { readonly value: V } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}
