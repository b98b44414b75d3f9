// The entry of an override, from what a person typed: a domain in lower-case A-labels, or a mailbox by its canonical address.

import { parseMailbox } from "../address/mailbox.ts";
import type { SyntaxOptions } from "../address/options.ts";
import { encodeUtf8 } from "../base/bytes/octets.ts";
import type { Result } from "../base/result.ts";
import { Classifier, type ClassifierSetup } from "../detection/classifier.ts";

// A team may have decisions about what its own syntax policy lets in.
const SYNTAX: SyntaxOptions = {
  allowReserved: true,
  allowUnknownTld: true,
  allowDomainLiteral: true,
  allowLongLocal: true,
};

/**
 * The entry for a text: `jane@example.org` is one mailbox in all its spellings, `example.org` and `@example.org` the domain and
 * all below it. The fault continues a sentence that begins with the text.
 */
export function overrideEntry(
  text: string,
  { lists, surroundings }: Pick<ClassifierSetup, "lists" | "surroundings">,
): Result<string, string> {
  if (text.lastIndexOf("@") > 0) {
    const classifier = new Classifier({ lists, surroundings, syntax: SYNTAX });
    const octets = encodeUtf8(text);
    classifier.classify(octets, 0, octets.length);
    if (classifier.fault === undefined) return { ok: true, value: classifier.normalized };
    return { ok: false, fault: `is not an address (${classifier.fault}): give one such as jane@example.org` };
  }
  const domain = text.replace(/^@/, "");
  if (domain.startsWith("*.")) {
    return { ok: false, fault: `needs no asterisk: give ${domain.slice(2)}, which covers all domains below it` };
  }
  const parsed = parseMailbox(encodeUtf8(`postmaster@${domain}`), SYNTAX, surroundings);
  if (parsed.ok && !domain.startsWith("[")) return { ok: true, value: parsed.value.domain.ascii };
  const code = parsed.ok ? "domain_literal" : parsed.fault.code;
  return { ok: false, fault: `is not a mail domain (${code}): give a domain such as example.org, or an address` };
}
