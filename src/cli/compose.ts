// Where ports meet adapters for the command line: paths, packages, lists.

import type { SyntaxOptions } from "../address/options.ts";
import type { ClassifierSetup } from "../detection/classifier.ts";
import { createSurroundings, type Packages } from "../detection/surroundings.ts";
import type { Confidence } from "../lists/confidence.ts";
import type { CompiledLists } from "../lists/table.ts";
import { openLists } from "../lists/table-file.ts";
import type { Arguments } from "./arguments.ts";

/** What the entry file lends: the package's folder, and CommonJS `require`, which loads a package in half the time of `import`. */
export interface Host {
  readonly root: string;
  readonly load: (module: string) => unknown;
}

/** How many domains bulk work remembers; 65,536 are enough for millions of rows. */
export const BULK_CACHE_ENTRIES = 65_536;

/** The built-in lists, read piece by piece for a few addresses or wholly for many. */
export function builtInLists(host: Host, use: "pieces" | "whole"): CompiledLists {
  return openLists(`${host.root}/dist/lists.bin`, use);
}

/** The classifier's knowledge and policy by the options of `detect`. */
export function classifierSetup(
  host: Host,
  args: Arguments,
  lists: CompiledLists,
  cacheEntries: number,
): ClassifierSetup {
  return {
    lists,
    surroundings: createSurroundings(lists, packagesOf(host)),
    syntax: syntaxOptions(args),
    minConfidence: args.text("min-confidence") as Confidence,
    cacheEntries,
  };
}

/** The packages that the core asks for. */
export function packagesOf(host: Host): Packages {
  return {
    tldts: () => host.load("tldts") as ReturnType<Packages["tldts"]>,
    tr46: () => host.load("tr46") as ReturnType<Packages["tr46"]>,
    // With the slash: without it, Node's own deprecated module would come.
    punycode: () => host.load("punycode/") as ReturnType<Packages["punycode"]>,
  };
}

function syntaxOptions(args: Arguments): SyntaxOptions {
  return {
    noQuotedLocal: args.flag("no-quoted-local"),
    asciiOnly: args.flag("ascii-only"),
    allowDomainLiteral: args.flag("allow-domain-literal"),
    allowUnknownTld: args.flag("allow-unknown-tld"),
    allowReserved: args.flag("allow-reserved"),
    allowBareSuffix: args.flag("allow-bare-suffix"),
    allowLongLocal: args.flag("allow-long-local"),
  };
}
