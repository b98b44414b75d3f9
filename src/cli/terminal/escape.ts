// Text for people: no control, bidirectional or invisible character reaches a terminal. Also numbers, times and plurals.

/** The text with every control, format and separator character written as an escape. */
export function shownText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu, (char) => {
    const known: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };
    return known[char] ?? `\\u{${(char.codePointAt(0) as number).toString(16)}}`;
  });
}

/** A whole number with commas between its thousands. */
export function shownNumber(value: number): string {
  // toLocaleString would first load tables of languages, which takes 20 ms and more.
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** A number of things, with their name in the singular or plural. */
export function counted(count: number, one: string, several: string): string {
  return `${shownNumber(count)} ${count === 1 ? one : several}`;
}

/** A time of a record (ISO 8601) to the minute, or to the second, for a table; empty for none. */
export function shownMinute(time: string | undefined): string {
  return time?.slice(0, 16).replace("T", " ") ?? "";
}

export function shownSecond(time: string | undefined): string {
  return time?.slice(0, 19).replace("T", " ") ?? "";
}
