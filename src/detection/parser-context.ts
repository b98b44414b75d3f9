// The parser's context from the compiled lists and packages. A package is loaded when it is first needed.

import type { Idna } from "../address/domain/idna.ts";
import type { ParserContext } from "../address/mailbox.ts";
import type { CompiledLists } from "../lists/table.ts";

let tldts: typeof import("tldts") | undefined;
/** UTS #46 by tr46, and punycode; with a slash, because "punycode" is Node's own deprecated module. */
export const IDNA: Idna = {
  get uts46() {
    return require("tr46");
  },
  get punycode() {
    return require("punycode/");
  },
};
// The parser has already checked the name. Only the ICANN section counts.
const SUFFIX = { allowPrivateDomains: false, extractHostname: false, validateHostname: false, detectIp: false };

export function loadTldts(): typeof import("tldts") {
  tldts ??= require("tldts") as typeof import("tldts");
  return tldts;
}

export function createParserContext(lists: CompiledLists): ParserContext {
  return {
    suffixes: {
      topLevel: (bytes, start, end) => lists.topLevel(bytes, start, end),
      publicSuffix: (domain) => loadTldts().getPublicSuffix(domain, SUFFIX),
      receivesMail: (bytes, start, end) => lists.receivesMail(bytes, start, end),
    },
    idna: IDNA,
  };
}
