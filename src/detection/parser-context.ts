// The parser's context from the compiled lists and packages. A package is loaded when it is first needed.

import type { Idna } from "../address/domain/idna.ts";
import type { ParserContext } from "../address/mailbox.ts";
import type { CompiledLists } from "../lists/table.ts";

/** UTS #46 by tr46, and punycode; with a slash, because "punycode" is Node's own deprecated module. */
export const IDNA: Idna = {
  get uts46() {
    return require("tr46");
  },
  get punycode() {
    return require("punycode/");
  },
};
export function createParserContext(lists: CompiledLists): ParserContext {
  return {
    suffixes: lists,
    idna: IDNA,
  };
}
