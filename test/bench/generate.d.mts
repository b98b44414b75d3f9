// The types of what tests use of generate.mjs.

export function createRandom(seed: number): () => number;
