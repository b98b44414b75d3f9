// Checks of names for the data build, with the real packages: host name form, public suffix, A-labels.

import { DomainScan, scanDomain } from "../address/domain/domain.ts";
import { MailboxScan } from "../address/scan.ts";
import { asciiText, encodeUtf8 } from "../base/bytes/octets.ts";
import { loadIdna, loadTldts } from "../detection/parser-context.ts";

/** The name in lower-case A-labels by the parser's own rules; undefined when it is not a host name of two or more labels. */
export function toHostName(name: string): string | undefined {
  const octets = encodeUtf8(name.trim());
  const domain = new DomainScan();
  if (!scanDomain(octets, 0, octets.length, {}, loadIdna, new MailboxScan(), domain)) return undefined;
  const ascii = asciiText(domain.octets, domain.start, domain.end);
  return ascii.includes(".") ? ascii : undefined;
}

/** True for a name that is already in lower-case A-labels. */
export function isHostName(name: string): boolean {
  return toHostName(name) === name;
}

/** True for a suffix of either section of the Public Suffix List. */
export function isPublicSuffix(domain: string): boolean {
  return loadTldts().getPublicSuffix(domain, { allowPrivateDomains: true, extractHostname: false }) === domain;
}

/** True for a suffix of the list's ICANN section, below which only a registry assigns names. */
export function isRegistrySuffix(domain: string): boolean {
  return loadTldts().getPublicSuffix(domain, { allowPrivateDomains: false, extractHostname: false }) === domain;
}

/** The first name above a domain that passes a test, nearest first: of `a.b.c` it asks for `b.c` and `c`. */
export function findParent(domain: string, test: (parent: string) => boolean): string | undefined {
  for (let dot = domain.indexOf("."); dot >= 0; dot = domain.indexOf(".", dot + 1)) {
    const parent = domain.slice(dot + 1);
    if (test(parent)) return parent;
  }
  return undefined;
}
