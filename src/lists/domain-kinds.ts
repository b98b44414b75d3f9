// What a domain can be known to be. The lists use these words, and so does the evidence.

/** Kinds of domains, in the order of the alphabet. */
export const DOMAIN_KINDS = [
  "academic",
  "bank",
  "company",
  "education",
  "government",
  "health",
  "isp",
  "mail-infrastructure",
  "media",
  "nonprofit",
  "post",
  "reserved",
  "service",
  "utility",
] as const;
export type DomainKind = (typeof DOMAIN_KINDS)[number];

/** False for what says no more than why a domain is in a list, such as that another list took it off again. */
export function isDomainKind(text: string): text is DomainKind {
  return (DOMAIN_KINDS as readonly string[]).includes(text);
}
