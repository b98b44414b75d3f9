// What was probably meant: for look-alikes, stray marks and the common typing errors. Only ever shown, never applied.

/** What is known of misspelt names. */
export interface TypoTable {
  /** The domain or top-level label that was probably meant, undefined when nothing is known. */
  intended(kind: "typo" | "typoTld", octets: Uint8Array): string | undefined;
}

// The longest address, and room for what gets taken away.
const LONGEST_READ = 400;

/**
 * A well-formed address that was likely intended by `address`, or undefined. `isValid` is the parser; what it refuses is never
 * suggested.
 */
export function suggestAddress(
  address: string,
  typos: TypoTable,
  isValid: (address: string) => boolean,
): string | undefined {
  if (address.length > LONGEST_READ) return undefined;
  const mended = mendMarks(address);
  const at = mended.lastIndexOf("@");
  if (at < 1) return undefined;
  const domain = mended.slice(at + 1);
  const suggestion = `${mended.slice(0, at)}@${mendDomain(domain, typos)}`;
  return suggestion !== address && isValid(suggestion) ? suggestion : undefined;
}

/** Takes away what is around or inside an address by accident: display name and brackets, white space, look-alikes of `@`. */
function mendMarks(address: string): string {
  const bracketed = /<([^<>]*)>[^<>]*$/.exec(address);
  const inner = bracketed?.[1] ?? address;
  const text = inner
    .replace(/^\s*mailto:/i, "")
    .replace(/[＠﹫]/g, "@")
    .replace(/[\p{Cf}\p{Cc}]/gu, "")
    .trim();
  if (text.startsWith('"')) return text;
  const at = text.lastIndexOf("@");
  const domain = text
    .slice(at + 1)
    .replace(/\s+/g, "")
    .replace(/[,;]/g, ".")
    .replace(/\.{2,}/g, ".");
  return text.slice(0, at + 1).replace(/\s+/g, "") + domain.replace(/^[.@]+|[.>]+$/g, "");
}

function mendDomain(domain: string, typos: TypoTable): string {
  const octets = (text: string): Uint8Array => new TextEncoder().encode(text.toLowerCase());
  const whole = typos.intended("typo", octets(domain));
  if (whole !== undefined) return whole;
  const dot = domain.lastIndexOf(".") + 1;
  const label = typos.intended("typoTld", octets(domain.slice(dot)));
  if (label === undefined) return domain;
  const mended = domain.slice(0, dot) + label;
  return typos.intended("typo", octets(mended)) ?? mended;
}
