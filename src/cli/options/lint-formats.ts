// The formats that tell what is wrong in a file and where, for editors and CI.

export const LINT_FORMATS = ["lint", "github"] as const;
