// A team's own decisions about domains: allow (not disposable) or deny (disposable). They beat every list and change nothing
// else.

/** Overrides by domain in lower-case A-labels: true denies, false allows. */
export type Overrides = ReadonlyMap<string, boolean>;

/** No overrides. */
export const NO_OVERRIDES: Overrides = new Map();

/** The most specific override for a domain or its parents; undefined when there is none. */
export function findOverride(
  domain: string,
  overrides: Overrides,
): { readonly entry: string; readonly disposable: boolean } | undefined {
  for (let at = 0; at >= 0; ) {
    const entry = domain.slice(at);
    const disposable = overrides.get(entry);
    if (disposable !== undefined) return { entry, disposable };
    const dot = domain.indexOf(".", at);
    at = dot < 0 ? -1 : dot + 1;
  }
  return undefined;
}
