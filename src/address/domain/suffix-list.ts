// The Public Suffix List through tldts, only the ICANN section. The caller gives the package, which is loaded on first use.

/** The part of the package tldts that is used. */
export interface Tldts {
  getPublicSuffix(
    domain: string,
    options: { allowPrivateDomains: boolean; extractHostname: boolean; validateHostname: boolean; detectIp: boolean },
  ): string | null;
}

// The parser has already checked the name.
const OPTIONS = { allowPrivateDomains: false, extractHostname: false, validateHostname: false, detectIp: false };

/** The longest suffix of the ICANN section at the end of a domain in lower-case A-labels. */
export function icannSuffix(tldts: () => Tldts): (domain: string) => string | null {
  let loaded: Tldts | undefined;
  return (domain) => {
    loaded ??= tldts();
    return loaded.getPublicSuffix(domain, OPTIONS);
  };
}
