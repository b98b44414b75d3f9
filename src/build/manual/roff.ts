// Markdown to man source in ASCII: headings, paragraphs, indented code, `bold`, *italic*, and definition lists, which
// are paragraphs of a term, a line break, `: ` and a meaning. Other forms are refused.

import { Lexer, type Token, type Tokens } from "marked";
import { wrapWords } from "../../cli/options/help.ts";

const LINE_LENGTH = 78;
const MARKDOWN = { gfm: false };

export interface PageHead {
  readonly name: string;
  readonly section: string;
  readonly comment: string;
  readonly date: string;
  readonly source: string;
}

/** The page as man source. Throws for Markdown that it does not know. */
export function renderPage({ name, section, comment, date, source }: PageHead, markdown: string): string {
  // The date's hyphens stay as they are: mandoc reads it.
  const title = [quoted(name.toUpperCase()), quoted(section), `"${date}"`, quoted(source), '"addrsift manual"'].join(
    " ",
  );
  const tokens = new Lexer(MARKDOWN).lex(markdown).filter(({ type }) => type !== "space" && type !== "html");
  const body = tokens.flatMap((token, i) => renderBlock(token, tokens[i - 1]?.type === "heading"));
  // Ragged right: groff warns of a line that it can't adjust, such as one long URL.
  return `${[`.\\" ${comment}`, `.TH ${title}`, ".ad l", ...body].join("\n")}\n`;
}

function renderBlock(token: Token, opens: boolean): string[] {
  if (token.type === "heading") {
    const { depth, text } = token as Tokens.Heading;
    return [`${depth === 2 ? ".SH" : ".SS"} ${quoted(text)}`];
  }
  if (token.type === "code") {
    const lines = (token as Tokens.Code).text.split("\n");
    return [...(opens ? [] : [".PP"]), ".RS 4", ".nf", ...lines.map((line) => guarded(literal(line))), ".fi", ".RE"];
  }
  if (token.type !== "paragraph") throw new Error(`the manual can't show this ${token.type}: ${token.raw}`);
  const [, term, meaning] = /^([^\n]+)\n: (.*)$/s.exec((token as Tokens.Paragraph).text) ?? [];
  if (term !== undefined && meaning !== undefined) return [".TP", guarded(inline(term)), ...filled(meaning)];
  return [...(opens ? [] : [".PP"]), ...filled((token as Tokens.Paragraph).text)];
}

function quoted(text: string): string {
  return `"${literal(text).replaceAll('"', "\\(dq")}"`;
}

/** Running text: one sentence a line at least, as man pages are kept, and no line too long to read. */
function filled(markdown: string): string[] {
  const text = inline(markdown).replace(/\s+/g, " ");
  return text.split(/(?<=[.:?]) (?=[A-Z"]|\\f|\\\(sc)/).flatMap(wrapped);
}

function wrapped(text: string): string[] {
  return wrapWords(text, LINE_LENGTH).map(guarded);
}

function inline(markdown: string): string {
  return Lexer.lexInline(markdown, MARKDOWN)
    .map((token) => {
      if (token.type === "codespan") return `\\fB${literal(textOf(token))}\\fR`;
      if (token.type === "em")
        return `\\fI${(token as Tokens.Em).tokens.map((part) => literal(textOf(part))).join("")}\\fR`;
      if (token.type !== "text" && token.type !== "escape") throw new Error(`the manual can't show ${token.raw}`);
      return escaped(textOf(token)).replace(/(?<![A-Za-z0-9.])-|-(?![A-Za-z0-9])/g, "\\-");
    })
    .join("");
}

function textOf(token: Token): string {
  return (token as Tokens.Generic)["text"];
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
  return text.replace(/[\\'`^~]|[^\x20-\x7e\n]/gu, (char) => {
    return NAMED[char] ?? `\\[u${(char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

/** A dot at the start of a line would be a macro; a quote is escaped already. */
function guarded(line: string): string {
  return line.startsWith(".") ? `\\&${line}` : line;
}
