// Values that are made once, or once for each key.

/** `make` with up to `most` of its values kept: then all are forgotten. */
export function kept<K, V>(most: number, make: (key: K) => V): (key: K) => V {
  const values = new Map<K, V>();
  return (key) => {
    const known = values.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    if (values.size >= most) values.clear();
    values.set(key, made);
    return made;
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
