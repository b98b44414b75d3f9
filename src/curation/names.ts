// Checks of names for the data build, with the real packages: host name form, public suffix, A-labels.

import { createRequire } from "node:module";
import type * as Tldts from "tldts";
import { DomainScan, scanDomain } from "../address/domain/domain.ts";
import type { Idna } from "../address/domain/idna.ts";
import { MailboxScan } from "../address/scan.ts";
import { asciiText, encodeUtf8 } from "../base/bytes/octets.ts";

const load = createRequire(import.meta.url);
// The package is loaded on first use: the look-up of a domain is in one file with the merge, and runs where none is installed.
let loaded: typeof Tldts | undefined;

function tldts(): typeof Tldts {
  loaded ??= load("tldts") as typeof Tldts;
  return loaded;
}

function idna(): Idna {
  return { uts46: load("tr46"), punycode: load("punycode/") };
}

/** The name in lower-case A-labels by the parser's own rules; undefined when it is not a host name of two or more labels. */
export function toHostName(name: string): string | undefined {
  const octets = encodeUtf8(name.trim());
  const domain = new DomainScan();
  if (!scanDomain(octets, 0, octets.length, {}, idna, new MailboxScan(), domain)) return undefined;
  const ascii = asciiText(domain.octets, domain.start, domain.end);
  return ascii.includes(".") ? ascii : undefined;
}

/** True for a name that is already in lower-case A-labels. */
export function isHostName(name: string): boolean {
  return toHostName(name) === name;
}

/** True for a suffix of either section of the Public Suffix List. */
export function isPublicSuffix(domain: string): boolean {
  return tldts().getPublicSuffix(domain, { allowPrivateDomains: true, extractHostname: false }) === domain;
}

/** True for a suffix of the list's ICANN section, below which only a registry assigns names. */
export function isRegistrySuffix(domain: string): boolean {
  return tldts().getPublicSuffix(domain, { allowPrivateDomains: false, extractHostname: false }) === domain;
}

/** The first name above a domain that passes a test, nearest first: of `a.b.c` it asks for `b.c` and `c`. */
export function findParent(domain: string, test: (parent: string) => boolean): string | undefined {
  for (let dot = domain.indexOf("."); dot >= 0; dot = domain.indexOf(".", dot + 1)) {
    const parent = domain.slice(dot + 1);
    if (test(parent)) return parent;
  }
  return undefined;
}
