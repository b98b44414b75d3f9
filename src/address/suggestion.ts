// Suggests a corrected address for look-alikes, stray punctuation and typing errors. Suggestions are shown, never
// applied. Called for every malformed address, and for a valid one only if its domain is in no list of real domains
// (`mayBeMistyped` in detection/explain.ts) or its local part has typographic punctuation.

import { DOT } from "../base/bytes/ascii.ts";
import { encodeUtf8 } from "../base/bytes/bytes.ts";
import { latinSkeleton } from "./warnings.ts";

export interface TypoTable {
  /** Returns the correct domain, or the correct top-level label, for a known misspelling, or for a name such as `gmail`. */
  findCorrection(kind: "typo" | "typoTld", lowercaseBytes: Uint8Array): string | undefined;
  isPublic(bytes: Uint8Array): boolean;
  isListed(bytes: Uint8Array): boolean;
}

// Characters: the longest address, and room for text around it.
const MAX_INPUT_LENGTH = 400;
// `@` and dots that are spelled out or in brackets, in English, German, French, Spanish, Portuguese and Italian.
const AT_WORD = "at|ät|arobase|arroba|chiocciola";
const DOT_WORD = "dot|punkt|point|punto|ponto";
const SPELLED_AT = new RegExp(
  String.raw`^([^\s@]+(?:\s+(?:${DOT_WORD})\s+[^\s@]+)*)(?:\s*[[({]\s*(?:${AT_WORD}|@)\s*[\])}]\s*|\s+(?:${AT_WORD})\s+)(?=\S)`,
  "i",
);
const BRACKETED_DOT = new RegExp(String.raw`\s*[[({]\s*(?:${DOT_WORD}|\.)\s*[\])}]\s*`, "gi");
const SPELLED_DOT = new RegExp(String.raw`\s+(?:${DOT_WORD})\s+`, "gi");
const CLEAN_ADDRESS = /^[\w+-]+(?:\.[\w+-]+)*@[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i;
// A `#`, `@` or dot instead of the `@` before a provider, and then `@` instead of the provider's dot.
const BEFORE_PROVIDER = /^([^@]+)(?:#(?=[^#@]*$)|[.@](?=[^.@]+@[^@]*$))(.*)$/s;
// Matches names such as `www` in `www.gmail.com`, which are no local parts.
const HOST_NAME = /^(?:www\..*|www|m|e?-?mail|webmail|smtp|imap|pop3?|mx\d*|login|accounts?|at|see|the)$/i;
const PLAIN_LOCAL_PART = /^[\p{L}\p{N}_'+-]+(?:\.[\p{L}\p{N}_'+-]+)*(?<![_'+-])$/u;
// Characters: more than the longest domain of a mailbox provider.
const MAX_PROVIDER_LENGTH = 40;
const DOMAIN_AT_END = /\.[a-z]{2,}$/i;
// Quotation marks or asterisks around an address, as in a line of CSV, an Excel formula, a JSON array or Markdown.
const QUOTED_ADDRESS =
  /^(?:\[|=)?["'`*\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019\u201a]([^"]*@[^"]*)["'`*\u201c\u201d\u00ab\u00bb\u2018\u2019]\]?$/;
// Header names and URI schemes before an address.
const ADDRESS_PREFIX = /^\s*(?:mailto|smtp|sips?|(?:e-?)?mail(?: ?address)?|from|to|cc|bcc|reply-to) ?:\s*/i;
// Punctuation between an address and other text. A comma or semicolon needs white space after it: `anna@example,com`
// has none.
const TEXT_SEPARATOR =
  /^\s*(?:[-\u2013\u2014*>]+|[\da-z]{1,3}[.)])\s+|\s*[|\u2022\u25cf\u25aa\u2023]+\s*|\s+(?:[-\u2013\u2014*>=~\u00b7]+|\()\s*|[,;:]\s+|\)\s*$/gi;

/** Returns the probably intended address, if it differs from `address` and is valid. `isValid` is the parser. */
export function suggestAddress(
  address: string,
  typos: TypoTable,
  isValid: (address: string) => boolean,
): string | undefined {
  if (address.length > MAX_INPUT_LENGTH) return undefined;
  const cleaned = CLEAN_ADDRESS.test(address) || isValid(address) ? address : extractAddress(address, typos, isValid);
  if (cleaned === undefined) return undefined;
  const [localPart, domain] = splitAddress(cleaned, typos, isValid);
  const suggestion = `${replaceTypographic(localPart)}@${correctDomain(domain, typos, isValid)}`;
  return suggestion !== address && isValid(suggestion) ? suggestion : undefined;
}

/**
 * Extracts the address from text with a display name, brackets, quotation marks, bullets, look-alikes of `@`, or white
 * space next to the `@` or a dot. Returns undefined for several addresses, or if only white space separates the
 * address from other words: `jane doe@example.com` can mean two local parts.
 */
function extractAddress(text: string, typos: TypoTable, isValid: (address: string) => boolean): string | undefined {
  const bracketed = /<([^<>]*)>[^<>]*$/.exec(text);
  const insideBrackets = bracketed?.[1] ?? text;
  if (bracketed !== null && text.replaceAll(insideBrackets, "").includes("@")) return undefined;
  const address = ADDRESS_PREFIX.test(insideBrackets)
    ? insideBrackets.replace(ADDRESS_PREFIX, "").replace(/\?.*$/, "")
    : insideBrackets;
  // ASCII text skips the second pattern, which takes milliseconds to compile. Joiners stay, because domains can contain
  // them (RFC 5892 A.1, A.2).
  const visibleText = /^[ -~]*$/.test(address)
    ? address
    : address
        .replace(/[\uff01-\uff5e\ufe6b]/g, (wide) => wide.normalize("NFKC"))
        .replace(/\ufeff|(?![\s\u200c\u200d])[\p{Cf}\p{Cc}]/gu, "");
  const unquoted = visibleText.trim().replace(QUOTED_ADDRESS, "$1");
  if (unquoted.startsWith('"')) return unquoted;
  const spelled = replaceSpelledSigns(unquoted).replace(/\s*@(?:\s*@)*\s*/g, "@");
  const withAt = spelled.includes("@") ? spelled : insertAtSign(spelled, typos);
  const candidates = withAt.includes("@")
    ? withAt.split(TEXT_SEPARATOR).filter((part) => part.includes("@"))
    : [withAt];
  const [candidate = ""] = candidates;
  const atSign = candidate.lastIndexOf("@");
  const localPart = candidate
    .slice(0, atSign + 1)
    .replace(/[\u200c\u200d]/g, "")
    .replace(/\.{2,}/g, ".")
    .replace(/^\.|\.(?=@$)/g, "");
  const domain = repairDomain(candidate.slice(atSign + 1), typos, isValid);
  return candidates.length > 1 || domain === undefined || /\s/.test(localPart) ? undefined : localPart + domain;
}

/** Removes white space and stray punctuation around the dots of a domain. Returns undefined if other text follows it. */
function repairDomain(text: string, typos: TypoTable, isValid: (address: string) => boolean): string | undefined {
  const trimmed = text.replace(/^[.\s]+|(?:['\u2019]s)?[.,;:!?>/)'\u2019\u201d\s]*$/g, "");
  if (isValid(`x@${trimmed}`)) return trimmed;
  const [firstWord = ""] = trimmed.split(/[\s,;]/);
  const joined = trimmed.replace(/\s*[.,;][.,;\s]*|\s+(?=\.)/g, ".").replace(/[\u200c\u200d]/g, "");
  const isProvider = (name: string): boolean => typos.isPublic(encodeLower(name));
  // yahoo.co,uk means yahoo.co.uk, but yahoo.com,au can be two columns.
  if (!/\s/.test(trimmed) && isProvider(joined) && !isProvider(firstWord)) return joined;
  const hasTextAfterDomain = firstWord.length < trimmed.length && isValid(`x@${firstWord.replace(/\.+$/, "")}`);
  return hasTextAfterDomain || /\s/.test(joined) ? undefined : joined;
}

/**
 * Inserts the missing `@` before a mailbox provider at the end of `text`: `jane.doe.gmail.com`, `jane gmail.com` and
 * `janegmail.com`. Of several providers, the longest counts. Without a separator, the text may be another domain, such
 * as `olive.com`, so only a provider whose name is an unusual ending counts. The `2` of `jane2gmail.com` may be an `@`.
 */
function insertAtSign(text: string, typos: TypoTable): string {
  if (!DOMAIN_AT_END.test(text)) return text;
  for (let i = Math.max(0, text.length - MAX_PROVIDER_LENGTH); i < text.length; i += 1) {
    const provider = text.slice(i).toLowerCase();
    if (!typos.isPublic(encodeLower(provider))) continue;
    const localPart = text.slice(0, i).replace(/\.$|(?<!\s)\s+$/, "");
    if (!PLAIN_LOCAL_PART.test(localPart) || HOST_NAME.test(localPart)) return text;
    if (localPart.length < i) return `${localPart}@${provider}`;
    const host = encodeLower(text.slice(text.lastIndexOf(".", i - 1) + 1));
    const isOtherDomain = typos.isListed(host) || typos.findCorrection("typo", host) !== undefined;
    const isAmbiguous = isOtherDomain || localPart.length < 3 || /(?<!\d)2$/.test(localPart);
    return isAmbiguous || !isUnusualEnding(provider, localPart, typos) ? text : `${localPart}@${provider}`;
  }
  return text;
}

/**
 * Reports whether few other domains end in the name of a provider. The table of misspellings decides: it has the bare
 * name `gmail`, or, after `first.last`, `gmx.d` for `gmx.de`.
 */
function isUnusualEnding(provider: string, localPart: string, typos: TypoTable): boolean {
  const name = provider.replace(/\..*/, "");
  if (name.includes("-")) return false;
  if (typos.findCorrection("typo", encodeLower(name)) !== undefined) return true;
  if (/mail|live|home|free/.test(name) || !localPart.includes(".")) return false;
  return typos.findCorrection("typo", encodeLower(provider.slice(0, -1))) === provider;
}

/** Rewrites `jane[at]example[dot]org` and `jane at example.org`; returns other text unchanged. */
function replaceSpelledSigns(text: string): string {
  const replaceDots = (part: string): string => part.replace(SPELLED_DOT, ".");
  const withAt = text.replace(SPELLED_AT, (_, localPart: string) => `${replaceDots(localPart)}@`);
  const replaced = withAt.replace(BRACKETED_DOT, ".").replace(/@.*/s, replaceDots);
  return /^[^\s@]+@[^\s@]+$/.test(replaced) ? replaced : text;
}

const MARKS = "\u00ab\u00b4\u00bb\u02bc\u2018-\u201f\u2032\u2033";
const OUTER_MARKS = new RegExp(`^[${MARKS}]+|(?<![${MARKS}])[${MARKS}]+$`, "g");

/** Replaces apostrophes and dashes of word processors with those of ASCII, and removes quotation marks around the text. */
function replaceTypographic(localPart: string): string {
  if (/^[ -~]*$/.test(localPart)) return localPart;
  const inner = localPart.replace(OUTER_MARKS, "");
  return inner.replace(/[\u00b4\u02bc\u2018-\u201b\u2032]/g, "'").replace(/[\u2010-\u2015]/g, "-");
}

/**
 * Splits an address before a mailbox provider (`jane#gmail.com`, `jane@gmail@com`, `jane.gmail@com`), else at the last
 * `@`. A `#` is next to `@` on many keyboards. A `2`, on the key of `@`, can be part of the local part.
 */
function splitAddress(text: string, typos: TypoTable, isValid: (address: string) => boolean): [string, string] {
  const match = BEFORE_PROVIDER.exec(text);
  if (match !== null) {
    const [, localPart = "", rest = ""] = match;
    const provider = rest.replace("@", ".");
    if (findProviderCorrection(provider, typos) !== undefined && !isValid(text)) return [localPart, provider];
  }
  const atSign = text.lastIndexOf("@");
  return [text.slice(0, Math.max(0, atSign)), text.slice(atSign + 1)];
}

function encodeLower(text: string): Uint8Array {
  return encodeUtf8(text.toLowerCase());
}

/** Returns the correct domain for a known misspelling, look-alike or site (`www.gmail.com`) of a mailbox provider. */
export function findProviderCorrection(domain: string, typos: TypoTable): string | undefined {
  const latin = latinSkeleton(domain);
  const bare = latin.replace(/^www\./, "");
  return typos.findCorrection("typo", encodeLower(latin)) ?? (typos.isPublic(encodeLower(bare)) ? bare : undefined);
}

/** Corrects a domain. A valid domain can be someone's own, so it is changed only if it is a known misspelling. */
function correctDomain(domain: string, typos: TypoTable, isValid: (address: string) => boolean): string {
  const correction = findProviderCorrection(domain, typos);
  if (correction !== undefined) return correction;
  if (isValid(`x@${domain}`)) return domain;
  const findTypo = (name: string): string | undefined => typos.findCorrection("typo", encodeLower(name));
  const latin = latinSkeleton(domain);
  const dot = domain.lastIndexOf(".");
  const dotCorrection =
    dot < 0 ? insertDot(latin, typos) : swapDots(latin).find((name) => typos.isPublic(encodeLower(name)));
  if (dotCorrection !== undefined || dot < 0) return dotCorrection ?? domain;
  const tld = domain.slice(dot + 1);
  const correctTld = typos.findCorrection("typoTld", encodeLower(tld));
  if (correctTld === undefined && tld.length > 1) return domain;
  const corrected = `${domain.slice(0, dot)}.${correctTld ?? tld}`;
  // libero.con means libero.it. Never suggest an unlisted domain: it can be anyone's.
  const provider = findProviderCorrection(corrected, typos) ?? findTypo(latin.replace(/\.[^.]*$/, ""));
  return provider ?? (typos.isListed(encodeLower(corrected)) ? corrected : domain);
}

/** Adds the missing dot of a mailbox provider (`gmailcom`). Moves it in place, because a string per position is slow. */
function insertDot(name: string, typos: TypoTable): string | undefined {
  const dotted = encodeLower(`.${name}`);
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
