// Breaks texts of our own between words. They are ASCII, so a character is a column; text of others goes through text-table.ts.

/** The lines of a text, none longer than `width` unless a single word is. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
