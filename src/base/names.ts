// Names that people give: names that are shown, and teams, which are typed and compared.

// Names are shown in every table, so their length is limited.
const NAME_MAX = 100;
const TEAM = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
// Also the characters that turn the direction of what follows (UAX #9): a subject of mail would read backwards.
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;

/** Explains why `name` is invalid, worded to follow the field's name; undefined if valid. */
export function nameFault(name: unknown): string | undefined {
  if (name === undefined) return "is missing: give 1 to 100 characters";
  if (typeof name !== "string") return "must be a string: give 1 to 100 characters";
  const length = Array.from(name.slice(0, 2 * NAME_MAX + 1)).length;
  if (name.trim() === "" || length > NAME_MAX) return "is blank or too long: give 1 to 100 characters";
  if (UNFIT.test(name)) return "has control characters, line breaks or marks that turn the direction: leave them out";
  return undefined;
}

/** Explains why a team is invalid, like `nameFault`. */
export function teamFault(team: string): string | undefined {
  return TEAM.test(team)
    ? undefined
    : "is not a team name: give 1 to 64 letters, digits, dots, hyphens and underscores";
}

/** The lines that are not blank, without the white space around them. */
export function addressLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.replace(/^[\t\r ]+|[\t\r ]+$/g, ""))
    .filter((line) => line !== "");
}
