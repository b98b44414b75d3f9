// Suggests names for a misspelled one.

const SHORT_WORD_LENGTH = 5;
const MIN_PREFIX_LENGTH = 2;
const MAX_DISTANCE = 2;

/**
 * Returns names equal to the word, or else those that start with it, or else the closest within edit distance 2 (1 for
 * a short word, 0 for a letter). Ignores case. The limit is low because a wrong suggestion is worse than none.
 */
export function closestNames(word: string, names: readonly string[]): string[] {
  const lowerWord = word.toLowerCase();
  const equal = names.filter((name) => name.toLowerCase() === lowerWord);
  if (equal.length > 0) return equal;
  const completions = names.filter((name) => name.toLowerCase().startsWith(lowerWord));
  if (completions.length > 0 && lowerWord.length >= MIN_PREFIX_LENGTH) return completions;
  const distances = names.map((name) => editDistance(lowerWord, name.toLowerCase()));
  const minDistance = Math.min(...distances);
  const limit = lowerWord.length < SHORT_WORD_LENGTH ? 1 : MAX_DISTANCE;
  if (minDistance > limit || minDistance >= lowerWord.length) return [];
  return names.filter((_, i) => distances[i] === minDistance);
}

/** Returns the fix for an unknown name: `did you mean explain?`, or else `use email, explain or dns`. */
export function suggestName(word: string, names: readonly string[]): string {
  const closest = closestNames(word, names);
  return closest.length === 0 ? `use ${formatAlternatives(names)}` : `did you mean ${formatAlternatives(closest)}?`;
}

/** Formats alternatives: `a`, `a or b`, `a, b or c`. */
export function formatAlternatives(names: readonly string[]): string {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/**
 * Optimal string alignment distance: insertions, deletions, substitutions and swaps of adjacent letters. Infinite if the
 * lengths differ by more than MAX_DISTANCE, because a name in a request may have 500,000 letters.
 */
function editDistance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > MAX_DISTANCE) return Number.POSITIVE_INFINITY;
  let previousRow: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i += 1) {
    const nextRow = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const substitution = (row[j - 1] as number) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const swap = isSwap ? (previousRow[j - 2] as number) + 1 : Number.POSITIVE_INFINITY;
      nextRow.push(Math.min(substitution, swap, (row[j] as number) + 1, (nextRow[j - 1] as number) + 1));
    }
    [previousRow, row] = [row, nextRow];
  }
  return row.at(-1) as number;
}
