// Text of a table cell: wrapped first, painted afterwards.

/** One line of a cell and its colour. */
export interface Line {
  readonly text: string;
  readonly paint: (text: string) => string;
}

/** A line without colour. */
export function plain(text: string): Line {
  return { text, paint: (same) => same };
}

/** The line in pieces of at most `width` characters, cut at spaces where there are any, each painted on its own. */
export function wrapLine({ text, paint }: Line, width: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(" ", width);
    const at = space > 0 ? space : cutBefore(rest, width);
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return [...pieces, rest].map((piece) => (piece === "" ? "" : paint(piece)));
}

/** Never between the two halves of a surrogate pair. */
function cutBefore(text: string, width: number): number {
  const high = text.charCodeAt(width - 1);
  return high >= 0xd800 && high <= 0xdbff && width > 1 ? width - 1 : width;
}

/** Words, each in its colour, joined by commas into lines of at most `width` characters. */
export function joinWords(words: readonly Line[], width: number): Line[] {
  const lines: Line[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.text.length + word.text.length + 2 > width) {
      lines.push({ text: word.text, paint: () => word.paint(word.text) });
    } else {
      const before = last.paint(last.text);
      lines[lines.length - 1] = {
        text: `${last.text}, ${word.text}`,
        paint: () => `${before}, ${word.paint(word.text)}`,
      };
    }
  }
  return lines;
}
