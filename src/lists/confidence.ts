// Confidence of disposable entries, by their sources and days.

/** Bit of each source in the compiled table, by its letter in data/disposable.txt. H is our own additions. */
export const LINEAGE_BIT = { D: 1, F: 2, C: 32, T: 4, E: 8, H: 16 } as const;
export type Lineage = keyof typeof LINEAGE_BIT;

/**
 * The confidence of an entry, from worst to best: legacy (only sources that do not count: D since before 2020, T and E
 * since before 2025, C not on 90 of its days), single (one of T, E and C counts), corroborated (two of them), confirmed
 * (D since 2020, F or H, which keep a proof for each entry, or C on one of its last days). data/README.md has the
 * measurements.
 */
export const CONFIDENCES = ["legacy", "single", "corroborated", "confirmed"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

export const DEFAULT_CONFIDENCE: Confidence = "single";

/** Rank of an entry that needs only one source. */
export const PROVEN_RANK: number = CONFIDENCES.indexOf("confirmed");
const PROVEN = LINEAGE_BIT.D | LINEAGE_BIT.F | LINEAGE_BIT.H;
// One byte: the rank in the upper 2 bits, the sources in the lower 6.
const RANK_SHIFT = 6;
const LINEAGES = (1 << RANK_SHIFT) - 1;
// A packed entry has that byte, then two days of 16 bits. Divided, not shifted, because it has 40 bits.
const FIRST_DAY = 2 ** 8;
const LAST_DAY = 2 ** 24;
const DAYS = 2 ** 16;
const DAY_MS = 86_400_000;
const DAY_0_MS = Date.UTC(2000, 0, 1);

export function leastRank(confidence: Confidence = DEFAULT_CONFIDENCE): number {
  return CONFIDENCES.indexOf(confidence);
}

/** Packs sources, rank, and the ISO dates of the first day and the last daily list, if known, into one number. */
export function packEntry(lineages: number, rank: number, since?: string, lastSeen?: string): number {
  return (lineages | (rank << RANK_SHIFT)) + dayNumber(since) * FIRST_DAY + dayNumber(lastSeen) * LAST_DAY;
}

function dayNumber(day: string | undefined): number {
  return day === undefined ? 0 : (Date.parse(day) - DAY_0_MS) / DAY_MS;
}

/** Returns the index in CONFIDENCES for the sources that count. */
export function rankOf(counted: number): number {
  if ((counted & PROVEN) !== 0) return PROVEN_RANK;
  return Math.min(2, lineagesOf(counted).length);
}

export function byteOf(entry: number): number {
  return entry % FIRST_DAY;
}

/** Returns an entry's first day, in days since 2000-01-01; 0 if unknown. */
export function dayOf(entry: number): number {
  return Math.floor(entry / FIRST_DAY) % DAYS;
}

/** Returns the day on which a daily list last had an entry, in days since 2000-01-01; 0 if unknown. */
export function lastDayOf(entry: number): number {
  return Math.floor(entry / LAST_DAY);
}

export function dayText(day: number): string | undefined {
  return day === 0 ? undefined : new Date(DAY_0_MS + day * DAY_MS).toISOString().slice(0, 10);
}

export function confidenceRank(byte: number): number {
  return byte >> RANK_SHIFT;
}

/** Returns the letters of an entry's sources, in the order of LINEAGE_BIT. */
export function lineagesOf(byte: number): Lineage[] {
  const bits = byte & LINEAGES;
  return (Object.keys(LINEAGE_BIT) as Lineage[]).filter((letter) => (bits & LINEAGE_BIT[letter]) !== 0);
}
