// The kinds of domains that the lists and the evidence know.

/** Kinds of domains, in alphabetical order. */
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

/** False for a text that only says why a domain is in a list, such as that another list removed it. */
export function isDomainKind(text: string): text is DomainKind {
  return (DOMAIN_KINDS as readonly string[]).includes(text);
}
