// Why `/readyz` says that the daemon is not ready.

import type { ErrorCode } from "../../../base/errors.ts";
import type { Store } from "../../../store/store.ts";

/** The reason, with what to do; undefined when the daemon is ready. */
export function notReadyReason(stopping: boolean, store: Store, deliveries: Store): string | undefined {
  if (stopping) return "the daemon is stopping: try again when it is back";
  return storeFault(store, STORE_COPY) ?? storeFault(deliveries, DELIVERIES_COPY);
}

const STORE_COPY =
  "the store is damaged and its previous copy is used, so a key that was revoked last may work again: nothing is changed or sent until an operator has fixed it";
const DELIVERIES_COPY = "the store of deliveries is damaged: nothing is sent until an operator has fixed it";

/** What is wrong with a store, without its path; `copyUsed` when its previous copy is in use. */
function storeFault(store: Store, copyUsed: string): string | undefined {
  try {
    if (store.damaged()) return copyUsed;
    const fault = store.changeFault();
    return fault === undefined ? undefined : (NO_CHANGES[fault.code] ?? UNREADABLE);
  } catch {
    return UNREADABLE;
  }
}

const UNREADABLE = "the store can't be read: the daemon's log says why";
const NO_CHANGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  FULL: "the disk of the store is full, so nothing can be changed: make room",
  READONLY: "the store is read-only, so nothing can be changed: make its home or database writable",
};
