// The address that was probably meant: for look-alikes, stray marks and common typing errors. Only shown, never
// applied. A rule here is asked about every malformed address, and about a well-formed one only where no list knows its
// domain as a real one (`suggestMeant` in detection/explain.ts).

import { DOT } from "../base/bytes/ascii.ts";
import { encodeUtf8 } from "../base/bytes/bytes.ts";
import { latinSkeleton } from "./warnings.ts";

export interface TypoTable {
  /** The domain or top-level label that was probably meant; undefined when none is known. */
  findCorrection(kind: "typo" | "typoTld", lowercaseBytes: Uint8Array): string | undefined;
  isPublic(bytes: Uint8Array): boolean;
  isListed(bytes: Uint8Array): boolean;
}

// The longest address, and what is removed from it.
const INPUT_MAX = 400;
// An `@` written out, in brackets or as a word between two others, and dots written out.
const SPELLED_AT = /^([^\s@]+)(?:\s*[[({]\s*(?:at|@)\s*[\])}]\s*|\s+at\s+)(?=\S)/i;
const BRACKETED_DOT = /\s*[[({]\s*(?:dot|\.)\s*[\])}]\s*/gi;
const SPELLED_DOT = /(?<=@.*)\s+dot\s+/gi;
const CLEAN_ADDRESS = /^[\w+-]+(?:\.[\w+-]+)*@[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i;
// Quotation marks around a whole address, as in a CSV file read by lines, an Excel formula or a JSON array.
const QUOTED_ADDRESS = /^(?:\[|=)?["'`“”„«»‘’‚]([^"]*@[^"]*)["'`“”«»‘’]\]?$/;
// Words before a colon that announce an address, and the schemes of its URI.
const ADDRESS_LABEL = /^\s*(?:mailto|smtp|sips?|(?:e-?)?mail(?: ?address)?|from|to|cc|bcc|reply-to) ?:\s*/i;
// Marks between an address and other text. A comma or semicolon counts only before white space: `anna@example,com`.
const TEXT_SEPARATOR = /^\s*(?:[-–—*>]+|[\da-z]{1,3}[.)])\s+|\s*[|•●▪‣]+\s*|\s+(?:[-–—*>=~·]+|\()\s*|[,;:]\s+|\)\s*$/gi;

/** Local parts in which nothing is there by accident: then a suggestion is about the domain. */
export const CLEAN_LOCAL_PART: RegExp = /^[\w+-]+(?:\.[\w+-]+)*$/;

/** The address that `address` probably means. `isValid` is the parser; nothing that it refuses is suggested. */
export function suggestAddress(
  address: string,
  typos: TypoTable,
  isValid: (address: string) => boolean,
): string | undefined {
  if (address.length > INPUT_MAX) return undefined;
  const cleaned = CLEAN_ADDRESS.test(address) || isValid(address) ? address : extractAddress(address, isValid);
  if (cleaned === undefined) return undefined;
  const at = indexOfAt(cleaned, typos);
  if (at < 1) return undefined;
  const domain = cleaned.slice(at + 1);
  const suggestion = `${cleaned.slice(0, at)}@${correctDomain(domain, typos, isValid)}`;
  return suggestion !== address && isValid(suggestion) ? suggestion : undefined;
}

/**
 * Extracts the one address from text with a display name, brackets, quotation marks, bullets, look-alikes of `@` or
 * white space at its `@` or a dot of its domain. Returns undefined if there are several addresses, or if only white
 * space separates the address from other words: `jane doe@example.com` may be one name or two.
 */
function extractAddress(text: string, isValid: (address: string) => boolean): string | undefined {
  const bracketed = /<([^<>]*)>[^<>]*$/.exec(text);
  const inner = bracketed?.[1] ?? text;
  if (bracketed !== null && text.replaceAll(inner, "").includes("@")) return undefined;
  const address = ADDRESS_LABEL.test(inner) ? inner.replace(ADDRESS_LABEL, "").replace(/\?.*$/, "") : inner;
  // Patterns with properties of Unicode take milliseconds to make. Joiners can be part of a domain: RFC 5892 A.1, A.2.
  const isAscii = /^[ -~]*$/.test(address);
  const visible = isAscii
    ? address
    : address.replace(/[＠﹫]/g, "@").replace(/(?![\s\u200c\u200d])[\p{Cf}\p{Cc}]/gu, "");
  const unquoted = visible.trim().replace(QUOTED_ADDRESS, "$1");
  if (unquoted.startsWith('"')) return unquoted;
  const withAt = replaceSpelledSigns(unquoted).replace(/\s*@(?:\s*@)*\s*/g, "@");
  const parts = withAt.includes("@") ? withAt.split(TEXT_SEPARATOR).filter((part) => part.includes("@")) : [withAt];
  const [part = ""] = parts;
  const at = part.lastIndexOf("@");
  const localPart = part
    .slice(0, at + 1)
    .replace(/\.+@$/, "@")
    .replace(/[\u200c\u200d]/g, "");
  const domain = repairDomain(part.slice(at + 1), isValid);
  return parts.length > 1 || domain === undefined || /\s/.test(localPart) ? undefined : localPart + domain;
}

/** Removes white space and wrong marks at the dots of a domain. Text after a domain that is whole is not part of it. */
function repairDomain(text: string, isValid: (address: string) => boolean): string | undefined {
  const trimmed = text.replace(/^[.\s]+|[.,;:!?>/)\s]+$/g, "");
  if (isValid(`x@${trimmed}`)) return trimmed;
  const [head = ""] = trimmed.split(/[\s,;]/);
  const endsEarlier = head.length < trimmed.length && isValid(`x@${head.replace(/\.+$/, "")}`);
  const joined = trimmed.replace(/\s*[.,;][.,;\s]*|\s+(?=\.)/g, ".").replace(/[\u200c\u200d]/g, "");
  return endsEarlier || /\s/.test(joined) ? undefined : joined;
}

/** `jane[at]example[dot]org` or `jane at example.org` with its signs; any other text as it is. */
function replaceSpelledSigns(text: string): string {
  const replaced = text.replace(SPELLED_AT, "$1@").replace(BRACKETED_DOT, ".").replace(SPELLED_DOT, ".");
  return /^[^\s@]+@[^\s@]+$/.test(replaced) ? replaced : text;
}

/** The index of the `@`; without one, of a 2 before a mailbox provider, because both are on one key. */
function indexOfAt(text: string, typos: TypoTable): number {
  const at = text.lastIndexOf("@");
  const digit = text.lastIndexOf("2");
  return at < 0 && typos.isPublic(bytes(text.slice(digit + 1))) ? digit : at;
}

function bytes(text: string): Uint8Array {
  return encodeUtf8(text.toLowerCase());
}

/** The name that is known to be meant by another one. */
export function findProviderCorrection(domain: string, typos: TypoTable): string | undefined {
  const latin = latinSkeleton(domain);
  // A provider's site has no mailboxes.
  const bare = latin.replace(/^www\./, "");
  return typos.findCorrection("typo", bytes(latin)) ?? (typos.isPublic(bytes(bare)) ? bare : undefined);
}

/** The domain that was meant. A well-formed one may belong to a person: only a known misspelling of it is corrected. */
function correctDomain(domain: string, typos: TypoTable, isValid: (address: string) => boolean): string {
  const correction = findProviderCorrection(domain, typos);
  if (correction !== undefined) return correction;
  if (isValid(`x@${domain}`)) return domain;
  const isPublic = (name: string): boolean => typos.isPublic(bytes(name));
  const findTypo = (name: string): string | undefined => typos.findCorrection("typo", bytes(name));
  const latin = latinSkeleton(domain);
  const dot = domain.lastIndexOf(".");
  const dotCorrection = dot < 0 ? insertDot(latin, typos) : swapDots(latin).find(isPublic);
  if (dotCorrection !== undefined || dot < 0) return dotCorrection ?? domain;
  const tld = domain.slice(dot + 1);
  const correctTld = typos.findCorrection("typoTld", bytes(tld));
  if (correctTld === undefined && tld.length > 1) return domain;
  const corrected = `${domain.slice(0, dot)}.${correctTld ?? tld}`;
  if (typos.isListed(bytes(corrected))) return corrected;
  // libero.con is libero.it. A domain that no list knows may be anyone's, so nothing leads to it.
  return findTypo(corrected) ?? findTypo(latin.replace(/\.[^.]*$/, "")) ?? domain;
}

/** The mailbox provider whose name lacks its dot. The dot moves within one array: a string for each place is slow. */
function insertDot(name: string, typos: TypoTable): string | undefined {
  const dotted = bytes(`.${name}`);
  for (let i = 1; i < name.length; i += 1) {
    dotted[i - 1] = dotted[i] as number;
    dotted[i] = DOT;
    if (typos.isPublic(dotted)) return `${name.slice(0, i)}.${name.slice(i)}`;
  }
  return undefined;
}

function swapDots(name: string): string[] {
  return [...name.matchAll(/(?=(.)\.)|(?=\.(.))/g)].map(({ index }) => {
    return `${name.slice(0, index)}${name[index + 1]}${name[index]}${name.slice(index + 2)}`;
  });
}
