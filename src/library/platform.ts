// Files and DNS in Node, Bun and Deno. For browsers, the build replaces this module by web.ts.

import { fileURLToPath } from "node:url";
import { AddrsiftError, isAddrsiftError } from "../base/errors.ts";
import { lazy } from "../base/memoize.ts";
import { ReloadingHome, warnIfMissing } from "../home/lists.ts";
import type { CompiledLists } from "../lists/table.ts";
import { openLists } from "../lists/table-file.ts";

export { createDnsResolver as createResolver } from "../dns/resolver.ts";

/** Returns the package's lists, read on first use. web.ts returns the supplied lists instead. */
export const packagedLists: (supplied?: CompiledLists) => CompiledLists = lazy(openPackaged);

function openPackaged(): CompiledLists {
  let file = "lists.bin";
  try {
    const url = new URL("../lists.bin", import.meta.url);
    file = url.protocol === "file:" ? fileURLToPath(url) : url.href;
    return openListsFile(url);
  } catch (error) {
    const { cause } = error as Error;
    if (isAddrsiftError(error) && (cause as NodeJS.ErrnoException | undefined)?.code === undefined) throw error;
    // A bundle has the code but not the file. In CommonJS output, import.meta.url is undefined too.
    throw new AddrsiftError(
      "DATA",
      `can't read ${file}, which comes with addrsift: in a bundle, keep addrsift external, or give its ` +
        "addrsift/lists.bin to createDetector as the option lists, or, in an ES module, copy it to that path; " +
        "else install addrsift again",
      error,
    );
  }
}

export function openListsFile(url: URL): CompiledLists {
  return openLists(url, "in-memory");
}

export function openHome(folder: string, onWarning?: (message: string) => void): ReloadingHome {
  const warn = onWarning ?? ((message) => process.emitWarning(message, "AddrsiftWarning"));
  warnIfMissing(folder, "option home", warn);
  return new ReloadingHome({ folder, isExplicit: true }, { openBuiltIn: packagedLists, now: Date.now, warn });
}
