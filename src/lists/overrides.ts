// A team's own decisions: allow (not disposable) or deny (disposable), for a domain and all below it, or for a mailbox.

import { findInParents } from "../base/user-input.ts";

/** True denies, false allows. A name is a domain in lower-case A-labels, or an address as `normalized` shows it. */
export type Overrides = ReadonlyMap<string, boolean>;

export interface Override {
  readonly disposable: boolean;
  /** The person who decided it, when and why. */
  readonly detail?: string;
}

export interface OverrideIndex {
  readonly size: number;
  get(name: string): Override | undefined;
  /** False when no mailbox at this domain, the canonical one, has its own decision. */
  mayHaveMailboxOverrides(domain: string): boolean;
}

export function indexOverrides(overrides: Overrides): OverrideIndex {
  const domains = new Set([...overrides.keys()].filter((name) => name.includes("@")).map(domainOf));
  return {
    size: overrides.size,
    get: (name) => {
      const disposable = overrides.get(name);
      return disposable === undefined ? undefined : { disposable };
    },
    mayHaveMailboxOverrides: (domain) => domains.has(domain),
  };
}

function domainOf(name: string): string {
  return name.slice(name.lastIndexOf("@") + 1);
}

export const NO_OVERRIDES: OverrideIndex = { size: 0, get: () => undefined, mayHaveMailboxOverrides: () => false };

/** Both: where both have a decision about a name, the first one's counts. */
export function mergeOverrides(first: OverrideIndex, second: OverrideIndex): OverrideIndex {
  return {
    size: first.size + second.size,
    get: (name) => first.get(name) ?? second.get(name),
    mayHaveMailboxOverrides: (domain) =>
      first.mayHaveMailboxOverrides(domain) || second.mayHaveMailboxOverrides(domain),
  };
}

export interface OverrideEntry {
  readonly entry: string;
  readonly override: Override;
}

/** The decision about a mailbox, given by its normalized address; undefined when there is none. */
export function findMailboxOverride(normalized: string, overrides: OverrideIndex): OverrideEntry | undefined {
  const override = overrides.get(normalized);
  return override === undefined ? undefined : { entry: normalized, override };
}

/** The most specific decision about a domain or its parents; undefined when there is none. */
export function findOverride(domain: string, overrides: OverrideIndex): OverrideEntry | undefined {
  return findInParents(domain, (name) => findMailboxOverride(name, overrides));
}
