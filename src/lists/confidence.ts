// The confidence in a disposable entry, by its sources and by how long they have had it.

/**
 * The sources that call a domain disposable, by their letter in data/disposable.txt and their bit in the compiled
 * table: the upstream lists, and H for our own hand-kept additions.
 */
export const LINEAGE_BIT = { D: 1, F: 2, C: 32, T: 4, E: 8, H: 16 } as const;
export type Lineage = keyof typeof LINEAGE_BIT;

/**
 * The confidence of an entry, from worst to best: legacy (only sources that do not count: T and E since before 2025, C
 * not on 90 of its days), single (one of T, E and C counts), corroborated (two of them), confirmed (D, F or H, which
 * keep a proof for each entry, or C on one of its last days). data/README.md has the measurements.
 */
export const CONFIDENCES = ["legacy", "single", "corroborated", "confirmed"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** The confidence that counts unless a caller says otherwise. */
export const DEFAULT_CONFIDENCE: Confidence = "single";

/** The rank of an entry that one source is enough for. */
export const PROVEN_RANK: number = CONFIDENCES.indexOf("confirmed");
const PROVEN = LINEAGE_BIT.D | LINEAGE_BIT.F | LINEAGE_BIT.H;
// The rank stands above the bits of the sources in one byte, so that every reader of the table has the merge's answer.
const RANK_SHIFT = 6;
const LINEAGES = (1 << RANK_SHIFT) - 1;
// A packed entry: the byte, then its days in 16 bits each. Numbers of 40 bits, so they are not shifted.
const FIRST_DAY = 2 ** 8;
const LAST_DAY = 2 ** 24;
const DAYS = 2 ** 16;
const DAY_MS = 86_400_000;
const DAY_0_MS = Date.UTC(2000, 0, 1);

/** The rank below which entries do not count. */
export function leastRank(confidence: Confidence = DEFAULT_CONFIDENCE): number {
  return CONFIDENCES.indexOf(confidence);
}

/**
 * The entry of a domain as one number: its sources, its rank, and where they are known, the ISO date since when it is
 * listed and the one on which a daily list last had it.
 */
export function packEntry(lineages: number, rank: number, since?: string, lastSeen?: string): number {
  return (lineages | (rank << RANK_SHIFT)) + dayNumber(since) * FIRST_DAY + dayNumber(lastSeen) * LAST_DAY;
}

function dayNumber(day: string | undefined): number {
  return day === undefined ? 0 : (Date.parse(day) - DAY_0_MS) / DAY_MS;
}

/** The rank in CONFIDENCES, by the sources that count. */
export function rankOf(counted: number): number {
  if ((counted & PROVEN) !== 0) return PROVEN_RANK;
  return Math.min(2, lineagesOf(counted).length);
}

/** The byte of a packed entry: its sources and its rank. */
export function byteOf(entry: number): number {
  return entry % FIRST_DAY;
}

/** The day since when an entry is listed, counted from 2000-01-01; 0 when it is not known. */
export function dayOf(entry: number): number {
  return Math.floor(entry / FIRST_DAY) % DAYS;
}

/** The day on which a daily list last had an entry, counted in the same way. */
export function lastDayOf(entry: number): number {
  return Math.floor(entry / LAST_DAY);
}

/** A day as ISO date; undefined for 0. */
export function dayText(day: number): string | undefined {
  return day === 0 ? undefined : new Date(DAY_0_MS + day * DAY_MS).toISOString().slice(0, 10);
}

/** The rank in CONFIDENCES of an entry's byte. */
export function confidenceRank(byte: number): number {
  return byte >> RANK_SHIFT;
}

/** The letters of an entry's sources, in the order of LINEAGE_BIT. */
export function lineagesOf(byte: number): Lineage[] {
  const bits = byte & LINEAGES;
  return (Object.keys(LINEAGE_BIT) as Lineage[]).filter((letter) => (bits & LINEAGE_BIT[letter]) !== 0);
}
