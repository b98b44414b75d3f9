// Replaces platform.ts in browsers and workers, which have no files and no DNS, so the caller passes the lists.

import { usageError } from "../base/errors.ts";
import type * as platform from "./platform.ts";

export const packagedLists: typeof platform.packagedLists = (lists) => {
  if (lists !== undefined) return lists;
  throw usageError(
    "there are no files here: give createDetector the lists, such as { lists: new Uint8Array(await (await " +
      "fetch(url)).arrayBuffer()) }, where url leads to a copy of addrsift/lists.bin",
  );
};

export const openListsFile: typeof platform.openListsFile = () => {
  throw usageError("there are no files here: option lists must be a Uint8Array, the bytes of addrsift/lists.bin");
};

export const openHome: typeof platform.openHome = () => {
  throw usageError("there are no files here: give option lists in place of option home");
};

export const createResolver: typeof platform.createResolver = () => {
  throw usageError("there are no name servers here: give an object with a method route as the option resolver");
};
