// The library's surroundings in Node, Bun and Deno: files and name servers. The build puts web.ts in its place where
// there are none.

import { fileURLToPath } from "node:url";
import { AddrsiftError, isAddrsiftError } from "../base/errors.ts";
import { FollowedHome } from "../home/lists.ts";
import type { CompiledLists } from "../lists/table.ts";
import { openLists } from "../lists/table-file.ts";

export { createDnsResolver as dnsResolver } from "../dns/resolver.ts";

let builtIn: CompiledLists | undefined;

/**
 * The lists that came with the package, read on first use and shared. Elsewhere they are those that were given before.
 */
export function packagedLists(_given?: CompiledLists): CompiledLists {
  builtIn ??= readPackaged();
  return builtIn;
}

function readPackaged(): CompiledLists {
  let file = "lists.bin";
  try {
    const url = new URL("../lists.bin", import.meta.url);
    file = url.protocol === "file:" ? fileURLToPath(url) : url.href;
    return listsAt(url);
  } catch (error) {
    const { cause } = error as Error;
    if (isAddrsiftError(error) && (cause as NodeJS.ErrnoException).code === undefined) throw error;
    // A bundler takes the code but not the file; in CommonJS output the code does not even know where it is.
    throw new AddrsiftError(
      "DATA",
      `can't read ${file}, which comes with addrsift: in a bundle, keep addrsift external, or give its ` +
        "addrsift/lists.bin to createDetector as the option lists, or, in an ES module, copy it to that path; " +
        "else install addrsift again",
      error,
    );
  }
}

export function listsAt(url: URL): CompiledLists {
  return openLists(url, "in-memory");
}

export function followHome(folder: string, warn: (line: string) => void): FollowedHome {
  return new FollowedHome({ folder, named: true }, { builtIn: packagedLists, now: Date.now, warn });
}
