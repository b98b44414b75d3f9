// Confidence of disposable entries, by their sources and days.

/** Bit of each source in an entry's flags, by its letter in data/disposable.txt. H is our own additions. */
export const SOURCE_BIT = { D: 1, F: 2, C: 32, T: 4, E: 8, H: 16 } as const;
export type SourceLetter = keyof typeof SOURCE_BIT;

/**
 * Confidence of an entry, lowest first. legacy: only stale sources (D since before 2020, T and E since before 2025, C
 * on fewer than 90 days). single: one of T, E and C counts. corroborated: two of them. confirmed: D since 2020, F or H,
 * which have evidence for each entry, or C in its latest days. data/README.md has the measurements.
 */
export const CONFIDENCES = ["legacy", "single", "corroborated", "confirmed"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

export const DEFAULT_CONFIDENCE: Confidence = "single";
/** Ends the version of lists that lack the disposable entries below DEFAULT_CONFIDENCE. */
export const COUNTED_SUFFIX: string = `-${DEFAULT_CONFIDENCE}`;

export const CONFIRMED_RANK: number = CONFIDENCES.indexOf("confirmed");
const CONFIRMING_SOURCES = SOURCE_BIT.D | SOURCE_BIT.F | SOURCE_BIT.H;
// Entry flags, one byte: rank in the upper 2 bits, sources in the lower 6.
const RANK_SHIFT = 6;
const SOURCES_MASK = (1 << RANK_SHIFT) - 1;
// A packed entry: flags, then two days of 16 bits. Bit operators have only 32 bits, so its 40 bits are packed by
// multiplication.
const FIRST_DAY_FACTOR = 2 ** 8;
const LAST_DAY_FACTOR = 2 ** 24;
const DAY_RANGE = 2 ** 16;
const DAY_MS = 86_400_000;
const DAY_0_MS = Date.UTC(2000, 0, 1);

export function minimumRank(confidence: Confidence = DEFAULT_CONFIDENCE): number {
  return CONFIDENCES.indexOf(confidence);
}

/** Packs sources, rank, and the ISO dates of the first day and of the last daily list, if known, into one number. */
export function packEntry(sources: number, rank: number, since?: string, lastSeen?: string): number {
  return (sources | (rank << RANK_SHIFT)) + dayNumber(since) * FIRST_DAY_FACTOR + dayNumber(lastSeen) * LAST_DAY_FACTOR;
}

function dayNumber(day: string | undefined): number {
  return day === undefined ? 0 : (Date.parse(day) - DAY_0_MS) / DAY_MS;
}

/** Returns the confidence rank, the index in CONFIDENCES, for the sources that count. */
export function rankOf(countedSources: number): number {
  if ((countedSources & CONFIRMING_SOURCES) !== 0) return CONFIRMED_RANK;
  return Math.min(2, sourceLettersOf(countedSources).length);
}

export function entryFlags(packedEntry: number): number {
  return packedEntry % FIRST_DAY_FACTOR;
}

/** Returns an entry's first day, in days since 2000-01-01; 0 if unknown. */
export function firstDayOf(entry: number): number {
  return Math.floor(entry / FIRST_DAY_FACTOR) % DAY_RANGE;
}

/** Returns the day on which a daily list last had an entry, in days since 2000-01-01; 0 if unknown. */
export function lastDayOf(entry: number): number {
  return Math.floor(entry / LAST_DAY_FACTOR);
}

export function formatDay(day: number): string | undefined {
  return day === 0 ? undefined : new Date(DAY_0_MS + day * DAY_MS).toISOString().slice(0, 10);
}

export function confidenceRank(flags: number): number {
  return flags >> RANK_SHIFT;
}

export function countsByDefault(flags: number): boolean {
  return flags !== 0 && confidenceRank(flags) >= minimumRank();
}

/** Returns the letters of an entry's sources, in the order of SOURCE_BIT. */
export function sourceLettersOf(flags: number): SourceLetter[] {
  const bits = flags & SOURCES_MASK;
  return (Object.keys(SOURCE_BIT) as SourceLetter[]).filter((letter) => (bits & SOURCE_BIT[letter]) !== 0);
}
