// Text for a person's eyes: no control, no bidirectional, no invisible character reaches a terminal.

/** The text with every control, format and separator character written as an escape. */
export function shownText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu, (char) => {
    const known: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };
    return known[char] ?? `\\u{${(char.codePointAt(0) as number).toString(16)}}`;
  });
}
