// Warnings about valid addresses: mixed scripts, typographic punctuation, look-alikes, code points that IDNA2008
// disallows.

import { isUnchangedByUts46 } from "./domain/idna.ts";

export const ADDRESS_WARNINGS = [
  "mixed_script_local_part",
  "typographic_local_part",
  "mixed_script_domain",
  "confusable_domain",
  "idna2008_disallowed",
] as const;
export type AddressWarning = (typeof ADDRESS_WARNINGS)[number];

// Matched by Script, because Script_Extensions of existing characters change between Unicode versions.
const SCRIPTS = (
  "Latin Cyrillic Greek Armenian Hebrew Arabic Devanagari Bengali Gurmukhi Gujarati Tamil " +
  "Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Georgian Ethiopic Khmer " +
  "Mongolian Han Hiragana Katakana Bopomofo Hangul Cherokee Coptic"
).split(" ");
const scriptPatterns: RegExp[] = [];

// Scripts that may be mixed: UTS #39 §5.2, "Highly Restrictive".
const COMPATIBLE_SCRIPTS = [
  new Set(["Latin", "Han", "Hiragana", "Katakana"]),
  new Set(["Latin", "Han", "Bopomofo"]),
  new Set(["Latin", "Han", "Hangul"]),
];
// Letters that look like Latin ones (Unicode confusables.txt), and the Latin letters in the same order.
const LOOKALIKES = "авеһіјкӏмнорԛсѕтуԝхԁɡοντυρχκιıɢʟɩ";
const LATIN = "abehijklmhopqcstywxdgovtupxkiigli";

/** Returns the warnings for a domain in U-labels. `isWellKnown` reports whether people may imitate a domain. */
export function domainWarnings(unicode: string, isWellKnown: (domain: string) => boolean): AddressWarning[] {
  const labels = unicode.split(".").filter((label) => /[^\x00-\x7f]/.test(label));
  const warnings: AddressWarning[] = [];
  if (labels.some(mixesScripts)) warnings.push("mixed_script_domain");
  const lookalikes = new RegExp(`^[${LOOKALIKES}0-9-]+$`);
  if (isWellKnown(latinSkeleton(unicode)) || labels.some((label) => lookalikes.test(label)))
    warnings.push("confusable_domain");
  if (!labels.every((label) => isUnchangedByUts46(label) || isAllowedByIdna2008(label)))
    warnings.push("idna2008_disallowed");
  return warnings;
}

/** Returns the warnings for a local part. Scripts are compared in words, because a name's words may have different ones. */
export function localPartWarnings(localPart: string): AddressWarning[] {
  const warnings: AddressWarning[] = [];
  if (localPart.split(/[^\p{L}\p{M}\p{N}]+/u).some(mixesScripts)) warnings.push("mixed_script_local_part");
  // Quotation marks, dashes, bullets and ellipses that word processors and telephones insert.
  if (/[\u00ab\u00b4\u00bb\u02bc\u2010-\u2027\u2032\u2033]/.test(localPart)) warnings.push("typographic_local_part");
  return warnings;
}

/** Checks a label against RFC 5892 §2.1, §2.6 (exceptions) and §2.8 (joiners). */
function isAllowedByIdna2008(label: string): boolean {
  return /^[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}\-\u00b7\u0375\u05f3\u05f4\u30fb\u3007\u3005\u3006\u200c\u200d]+$/u.test(
    label,
  );
}

/** Replaces look-alikes with Latin letters and removes marks, like the skeleton of UTS #39. */
export function latinSkeleton(name: string): string {
  if (/^[!-~]*$/.test(name)) return name.toLowerCase();
  const latin = name
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "");
  if (/^[!-~]*$/.test(latin)) return latin;
  const withoutMarks = latin.replace(/\p{M}/gu, "");
  return Array.from(withoutMarks, (char) => LATIN[LOOKALIKES.indexOf(char)] ?? char).join("");
}

/** Reports whether a label or word mixes scripts that are not used together. */
function mixesScripts(label: string): boolean {
  const scripts = new Set<string>();
  // Digits and hyphens have no script.
  for (const char of label.replace(/[0-9-]/g, "")) {
    const script = SCRIPTS.find((name, i) => {
      scriptPatterns[i] ??= new RegExp(`\\p{Script=${name}}`, "u");
      return scriptPatterns[i].test(char);
    });
    if (script !== undefined) scripts.add(script);
  }
  if (scripts.size < 2) return false;
  return !COMPATIBLE_SCRIPTS.some((compatible) => [...scripts].every((script) => compatible.has(script)));
}
