// The types of from-source.mjs for the tests.

export declare const FROM_SOURCE: readonly string[];
