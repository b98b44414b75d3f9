// Word wrapping for help, manual pages and tables.

/** Splits text into lines whose `measure` is at most `width`. A line is longer only if a single word is. */
export function wrapWords(text: string, width: number, measure = (line: string): number => line.length): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const joined = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && measure(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines;
}
