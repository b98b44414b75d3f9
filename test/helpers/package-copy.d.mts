// The types of package-copy.mjs for the tests.

export function copyPackage(root: string): string;
