// The few man macros that our pages need: escaping, paragraphs, tagged lists. It knows no page and no command.
// In texts, `words` in back quotes become bold and {WORDS} in braces italic; a brace inside back quotes stands for itself.

import { wrapWords } from "../cli/terminal/wrap-words.ts";

/** A piece of a section. */
export type Block =
  /** A paragraph. */
  | string
  /** Lines kept as they are. */
  | { readonly lines: readonly string[] }
  /** A heading below the section's. */
  | { readonly heading: string }
  /** Terms, each with what it means. */
  | { readonly terms: readonly (readonly [term: string, meaning: string])[] };

/** A section under its heading. */
export interface Section {
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** What a command's page says that the option table does not. */
export interface CommandText {
  readonly description: readonly Block[];
  readonly examples?: readonly Block[];
}

/** A page of section 1. */
export interface Page {
  /** Its name without `.1`. */
  readonly name: string;
  readonly sections: readonly Section[];
}

const LINE_LENGTH = 78;

/** The page as man source in ASCII. `comment` is its first line, `source` the program and version shown at the foot. */
export function renderPage(page: Page, comment: string, source: string): string {
  const title = [page.name.toUpperCase(), "1", "", source, "addrsift manual"].map(quoted).join(" ");
  const body = page.sections.flatMap(({ title, blocks }) => [`.SH ${quoted(title)}`, ...renderBlocks(blocks)]);
  return `${[`.\\" ${comment}`, `.TH ${title}`, ...body].join("\n")}\n`;
}

function renderBlocks(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block, i) => {
    const opens = i === 0 || isHeading(blocks[i - 1]);
    if (typeof block === "string") return opens ? filled(block) : [".PP", ...filled(block)];
    if ("heading" in block) return [`.SS ${quoted(block.heading)}`];
    if ("lines" in block)
      return [".PP", ".RS 4", ".nf", ...block.lines.map((line) => guarded(literal(line))), ".fi", ".RE"];
    return block.terms.flatMap(([term, meaning]) => [".TP", guarded(inline(term)), ...filled(meaning)]);
  });
}

function isHeading(block: Block | undefined): boolean {
  return typeof block === "object" && "heading" in block;
}

/** A macro's argument. */
function quoted(text: string): string {
  return `"${literal(text).replaceAll('"', "\\(dq")}"`;
}

/** Running text: one sentence a line at least, as man pages are kept, and no line too long to read. */
function filled(text: string): string[] {
  const sentences = text.replace(/\s+/g, " ").split(/(?<=[.:?]) (?=[A-Z"`{§])/);
  return sentences.flatMap((sentence) => wrapped(inline(sentence)));
}

function wrapped(text: string): string[] {
  return wrapWords(text, LINE_LENGTH).map(guarded);
}

/** Text with its marks turned into fonts. */
function inline(text: string): string {
  return text.replace(/`([^`]*)`|\{([^}]*)\}|[^`{]+|[`{]/g, (plain, bold?: string, italic?: string) => {
    if (bold !== undefined) return `\\fB${literal(bold)}\\fR`;
    if (italic !== undefined) return `\\fI${literal(italic)}\\fR`;
    return escaped(plain).replace(/(?<![A-Za-z0-9.])-|-(?![A-Za-z0-9])/g, "\\-");
  });
}

/** Text that can be copied from the page into a shell: every hyphen is a minus. */
function literal(text: string): string {
  return escaped(text).replaceAll("-", "\\-");
}

const NAMED: Readonly<Record<string, string>> = {
  "\\": "\\e",
  "'": "\\(aq",
  "`": "\\(ga",
  "^": "\\(ha",
  "~": "\\(ti",
  "§": "\\(sc",
};

function escaped(text: string): string {
  return text.replace(/[\\'`^~]|[^\x20-\x7e]/gu, (char) => {
    return NAMED[char] ?? `\\[u${(char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

/** A dot at the start of a line would be a macro; a quote is escaped already. */
function guarded(line: string): string {
  return line.startsWith(".") ? `\\&${line}` : line;
}
