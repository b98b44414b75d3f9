// The parser's context, made from the compiled lists and the packages.

import type { Idna, Punycode, Uts46 } from "../address/domain/idna.ts";
import { icannSuffix, type Tldts } from "../address/domain/suffix.ts";
import type { ParserContext } from "../address/mailbox.ts";
import type { CompiledLists } from "../lists/table.ts";

/** Packages, each loaded when first needed: a plain ASCII address in a list needs none. */
export interface Packages {
  tldts(): Tldts;
  tr46(): Uts46;
  punycode(): Punycode;
}

/** Suffix data from the lists and tldts, IDNA from tr46 and punycode. */
export function createParserContext(lists: CompiledLists, packages: Packages): ParserContext {
  let idna: Idna | undefined;
  return {
    suffixes: {
      topLevel: (octets, start, end) => lists.topLevel(octets, start, end),
      publicSuffix: icannSuffix(packages.tldts),
      receivesMail: (octets, start, end) => lists.receivesMail(octets, start, end),
    },
    idna: () => {
      idna ??= { uts46: packages.tr46(), punycode: packages.punycode() };
      return idna;
    },
  };
}
