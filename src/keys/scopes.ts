// Scopes: the actions that a key can allow. A separate file, so that the option table need not import the store.

export const SCOPES = [
  "emails:detect",
  "notifications:create",
  "notifications:read",
  "notifications:update",
  "notifications:delete",
  "notifications:test",
] as const;

/** Accepted scope names. `all` means all scopes of this version. */
export const SCOPE_CHOICES = [...SCOPES, "all"] as const;

export type Scope = (typeof SCOPES)[number];
