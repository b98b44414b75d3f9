// The parser's context, made from the compiled lists and packages. Each package is loaded when it is first needed: a
// plain ASCII address in a list needs none.

import type { Idna } from "../address/domain/idna.ts";
import { suffixOf } from "../address/domain/suffix.ts";
import type { ParserContext } from "../address/mailbox.ts";
import type { CompiledLists } from "../lists/table.ts";

let idna: Idna | undefined;

/** UTS #46 by tr46, and punycode; with a slash, because "punycode" is Node's own deprecated module. */
export function loadIdna(): Idna {
  idna ??= { uts46: require("tr46"), punycode: require("punycode/") };
  return idna;
}

export function loadTldts(): typeof import("tldts") {
  return require("tldts");
}

/** Suffix data from the lists and tldts, IDNA from tr46 and punycode. */
export function createParserContext(lists: CompiledLists): ParserContext {
  return {
    suffixes: {
      topLevel: (bytes, start, end) => lists.topLevel(bytes, start, end),
      publicSuffix: suffixOf(loadTldts),
      receivesMail: (bytes, start, end) => lists.receivesMail(bytes, start, end),
    },
    idna: loadIdna,
  };
}
