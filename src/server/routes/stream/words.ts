// What the command line's messages about an input are in the words of HTTP. The rules are the same, and so are their messages.

const TYPES: Readonly<Record<string, string>> = {
  csv: "Content-Type: text/csv",
  jsonl: "Content-Type: application/x-ndjson",
};

/** A message about options and files as one about parameters and bodies. */
export function inQueryWords(message: string): string {
  return message
    .replace(/\brun (.+) FILE \| addrsift detect[^:]*$/, "send the output of $1 FILE")
    .replace(/--(csv|jsonl)\b/g, (_, name: string) => TYPES[name] as string)
    .replace(/--([a-z][a-z-]*) (?:([A-Z]+|[0-9]+|tab)\b|("[^"]*"))/g, (_, name, word = "", quoted = "") =>
      quoted === "" ? `${name}=${word}` : `${name}=${quoted}`,
    )
    .replace(/--([a-z][a-z-]*)/g, "$1");
}
