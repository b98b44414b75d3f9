// A team's own decisions: allow (not disposable) or deny (disposable), for a domain and everything below it, or for one
// mailbox. They beat every list and change nothing else.

/**
 * The library's overrides: true denies, false allows. A name is a domain in lower-case A-labels, or an address as
 * `normalized` shows it.
 */
export type Overrides = ReadonlyMap<string, boolean>;

/** One decision. */
export interface Override {
  readonly disposable: boolean;
  /** The person who decided it, when and why, for the evidence. */
  readonly detail?: string;
}

/** Finds decisions by name. */
export interface OverrideIndex {
  /** 0 when there are none. */
  readonly size: number;
  get(name: string): Override | undefined;
  /** False when no mailbox at this domain, the canonical one, has a decision of its own. */
  mayHaveMailboxes(domain: string): boolean;
}

/** Decisions in memory. */
export class OverrideMap implements OverrideIndex {
  private readonly domains: Set<string> = new Set();

  constructor(readonly entries: ReadonlyMap<string, Override>) {
    for (const name of entries.keys()) {
      const at = name.lastIndexOf("@");
      if (at >= 0) this.domains.add(name.slice(at + 1));
    }
  }

  get size(): number {
    return this.entries.size;
  }

  get(name: string): Override | undefined {
    return this.entries.get(name);
  }

  mayHaveMailboxes(domain: string): boolean {
    return this.domains.has(domain);
  }
}

/** No overrides. */
export const NO_OVERRIDES: OverrideIndex = new OverrideMap(new Map());

/** The library's overrides as an index. */
export function indexOverrides(overrides: Overrides): OverrideMap {
  return new OverrideMap(new Map([...overrides].map(([name, disposable]) => [name, { disposable }])));
}

/** Both: where both have a decision about a name, the first one's counts. */
export function joinOverrides(first: OverrideIndex, second: OverrideIndex): OverrideIndex {
  return {
    size: first.size + second.size,
    get: (name) => first.get(name) ?? second.get(name),
    mayHaveMailboxes: (domain) => first.mayHaveMailboxes(domain) || second.mayHaveMailboxes(domain),
  };
}

/** A decision with the name that it was made for. */
export interface FoundOverride {
  readonly entry: string;
  readonly override: Override;
}

/** The decision about a mailbox, given by its normalized address; undefined when there is none. */
export function findMailboxOverride(normalized: string, overrides: OverrideIndex): FoundOverride | undefined {
  const override = overrides.get(normalized);
  return override === undefined ? undefined : { entry: normalized, override };
}

/** The most specific decision about a domain or its parents; undefined when there is none. */
export function findOverride(domain: string, overrides: OverrideIndex): FoundOverride | undefined {
  for (let at = 0; at >= 0; ) {
    const entry = domain.slice(at);
    const override = overrides.get(entry);
    if (override !== undefined) return { entry, override };
    const dot = domain.indexOf(".", at);
    at = dot < 0 ? -1 : dot + 1;
  }
  return undefined;
}
