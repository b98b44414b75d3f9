// The Public Suffix List through tldts, ICANN section alone. The package is handed in and loaded on first use.

/** What is used of the package tldts. */
export interface Tldts {
  getPublicSuffix(
    domain: string,
    options: { allowPrivateDomains: boolean; extractHostname: boolean; validateHostname: boolean; detectIp: boolean },
  ): string | null;
}

// The parser has checked the name already.
const OPTIONS = { allowPrivateDomains: false, extractHostname: false, validateHostname: false, detectIp: false };

/** The longest suffix of the ICANN section that ends a domain in lower-case A-labels. */
export function icannSuffix(tldts: () => Tldts): (domain: string) => string | null {
  let loaded: Tldts | undefined;
  return (domain) => {
    loaded ??= tldts();
    return loaded.getPublicSuffix(domain, OPTIONS);
  };
}
