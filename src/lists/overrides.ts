// Overrides: a team's own decisions to allow (not disposable) or deny (disposable) a domain with its subdomains, or a
// mailbox.

import { findInParents } from "../base/user-input.ts";

/** True denies, false allows. Keys are domains in lower-case A-labels, or addresses in `normalized` form. */
export type Overrides = ReadonlyMap<string, boolean>;

export interface Override {
  readonly disposable: boolean;
  /** Who decided it, when and why. */
  readonly detail?: string;
}

export interface OverrideIndex {
  readonly size: number;
  get(name: string): Override | undefined;
  /** Returns false if no mailbox at this canonical domain has an override. */
  mayHaveMailboxOverrides(domain: string): boolean;
}

export function indexOverrides(overrides: Overrides): OverrideIndex {
  const mailboxes = [...overrides.keys()].filter((name) => name.includes("@"));
  const domains = new Set(mailboxes.map((name) => name.slice(name.lastIndexOf("@") + 1)));
  return {
    size: overrides.size,
    get: (name) => {
      const disposable = overrides.get(name);
      return disposable === undefined ? undefined : { disposable };
    },
    mayHaveMailboxOverrides: (domain) => domains.has(domain),
  };
}

export const NO_OVERRIDES: OverrideIndex = { size: 0, get: () => undefined, mayHaveMailboxOverrides: () => false };

/** Returns both indexes as one; `first` wins. */
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

export function findMailboxOverride(normalized: string, overrides: OverrideIndex): OverrideEntry | undefined {
  const override = overrides.get(normalized);
  return override === undefined ? undefined : { entry: normalized, override };
}

/** Returns the most specific override of a domain or its parents. */
export function findOverride(domain: string, overrides: OverrideIndex): OverrideEntry | undefined {
  return findInParents(domain, (name) => findMailboxOverride(name, overrides));
}
