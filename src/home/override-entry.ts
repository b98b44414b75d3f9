// Validates the entry and the reason of an override, and normalizes the entry for lookups.

import { findDomain } from "../address/domain/domain.ts";
import { SYNTAX_FAULTS } from "../address/faults.ts";
import { parseMailbox } from "../address/mailbox.ts";
import type { SyntaxOptions } from "../address/options.ts";
import { encodeUtf8 } from "../base/bytes/bytes.ts";
import { escapeInvisible, quote } from "../base/format-text.ts";
import { memoize } from "../base/memoize.ts";
import type { Result } from "../base/result.ts";
import { Classifier } from "../detection/classifier.ts";
import type { CompiledLists } from "../lists/table.ts";

const REASON_MAX = 500;
const CONTROL_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

export function reasonFault(reason: string): string | undefined {
  if (CONTROL_CHARACTERS.test(reason)) return "has control characters or line breaks: remove them";
  return reason.trim() === "" || Array.from(reason.slice(0, 2 * REASON_MAX + 1)).length > REASON_MAX
    ? `is blank or too long: give 1 to ${REASON_MAX} characters`
    : undefined;
}

// Accepts every address that some team's syntax policy may accept.
const SYNTAX: SyntaxOptions = { allowReserved: true, allowUnknownTld: true, allowDomainLiteral: true };

// Marked as pure, so that a bundle that only checks reasons leaves the classifier out.
const classifierOf = /* @__PURE__ */ memoize(1, (lists: CompiledLists) => new Classifier({ lists, syntax: SYNTAX }));

const URL_HOST = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?([^/?#:]*?)\.?(?:[/?#:]|$)/i;

// Matches the words of mail headers, hosts files, filter lists and CSV, without the signs around them.
const WORDS = /[^\s"'<>()|^,;]+/g;

/**
 * Normalizes an entry: `jane@example.org` and `mailto:jane@example.org` are one mailbox in all its spellings;
 * `example.org`, `example.org.`, `@example.org` and a URL are the domain and its subdomains. The fault continues a
 * sentence that starts with the text, and names the only word of it that is an entry, and the other words.
 */
export function parseOverrideEntry(input: string, lists: CompiledLists): Result<string, string> {
  const text = input.replace(/^mailto:(?=.*@)/is, "").replace(/(?<=[^.])\.$/, "");
  const parsed = parseEntry(text, lists);
  if (parsed.ok) return parsed;
  const words = text.match(WORDS) ?? [];
  const [word = text, ...others] = words.filter((candidate) => parseEntry(candidate, lists).ok);
  if (word === text || others.length > 0) return parsed;
  const rest = words.filter((other) => other !== word).join(" ");
  const correction = rest === "" ? word : `${word}, without ${quote(rest)}`;
  return { ok: false, fault: parsed.fault.replace(/: give .*$/s, () => `: give ${escapeInvisible(correction)}`) };
}

function parseEntry(text: string, lists: CompiledLists): Result<string, string> {
  const host = URL_HOST.exec(text)?.[1];
  if (host === undefined && /^(?!\*?@).*@/s.test(text)) {
    const classifier = classifierOf(lists);
    const bytes = encodeUtf8(text);
    classifier.classify(bytes, 0, bytes.length);
    if (classifier.fault === undefined) return { ok: true, value: classifier.normalized };
    const { message } = SYNTAX_FAULTS[classifier.fault];
    return { ok: false, fault: `is not an address, because ${message}: give one such as jane@example.org` };
  }
  const domain = host ?? text.replace(/^@/, "");
  const bareDomain = /^[*.]/.test(domain) ? findDomain(domain) : undefined;
  if (bareDomain !== undefined) {
    const excess = domain.startsWith("*") ? "asterisk" : "dot before it";
    return { ok: false, fault: `needs no ${excess}, because a domain includes those below it: give ${bareDomain}` };
  }
  const parsed = parseMailbox(encodeUtf8(`postmaster@${domain}`), SYNTAX, lists);
  if (parsed.ok && !domain.startsWith("[")) return { ok: true, value: parsed.value.domain.ascii };
  const { message } = parsed.ok ? SYNTAX_FAULTS.domain_literal : parsed.fault;
  const problem = domain === "" ? "the domain is empty" : message;
  const fault = `is not a mail domain, because ${problem}: give a domain such as example.org, an address or a URL`;
  return { ok: false, fault };
}

/** Returns why an entry can't match any address as it is written, to continue a sentence that starts with the entry. */
export function overrideEntryFault(entry: string, lists: CompiledLists): string | undefined {
  const parsed = parseOverrideEntry(entry, lists);
  if (!parsed.ok) return parsed.fault;
  return parsed.value === entry ? undefined : `matches no address: write ${escapeInvisible(parsed.value)}`;
}

/** Returns the option without which an entry can't match, to continue a sentence that starts with the entry. */
export function topLevelNote(entry: string, lists: CompiledLists, syntax: SyntaxOptions = {}): string | undefined {
  const [label = ""] = /[^.@]*$/.exec(entry) ?? [];
  if (entry.endsWith("]"))
    return syntax.allowDomainLiteral === true ? undefined : "matches only with --allow-domain-literal";
  const topLevel = lists.topLevel(encodeUtf8(label), 0, label.length);
  if (topLevel === "special-use" && syntax.allowReserved !== true)
    return `matches only with --allow-reserved: ${label} is a reserved top-level domain`;
  return topLevel === "unknown" && syntax.allowUnknownTld !== true
    ? `matches only with --allow-unknown-tld: ${label} is not a top-level domain`
    : undefined;
}
