// The addresses in what a person types or pastes, one a line.

/** The lines that are not blank, without the white space around them. */
export function addressLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.replace(/^[\t\r ]+|[\t\r ]+$/g, ""))
    .filter((line) => line !== "");
}
