// The two-sided outcome that the whole project uses. It knows nothing of addresses or faults.

/** An expected outcome as a value. */
export type Result<T, F> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: F };
