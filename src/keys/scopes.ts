// Scopes: actions that a key may be allowed. A separate file, because the option table has these words without what
// keeps keys.

export const SCOPES = [
  "emails:detect",
  "notifications:create",
  "notifications:read",
  "notifications:update",
  "notifications:delete",
  "notifications:test",
] as const;

/** Scopes as a person may name them: `all` means those of this version. */
export const SCOPE_CHOICES = [...SCOPES, "all"] as const;

export type Scope = (typeof SCOPES)[number];
