// Why `/readyz` says that the daemon is not ready.

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
    return store.damaged() ? copyUsed : undefined;
  } catch {
    return "the store can't be read: the daemon's log says why";
  }
}
