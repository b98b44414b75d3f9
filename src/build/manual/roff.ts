// Converts Markdown to man source in ASCII: headings, paragraphs, indented code, `bold`, *italic*, and definition
// lists, which are paragraphs of a term, a line break, `: ` and a meaning. Throws for any other Markdown.

import { Lexer, type Token, type Tokens } from "marked";
import { wrapWords } from "../../cli/terminal/wrap-words.ts";

const LINE_LENGTH = 78;
/** Maximum length of a line of code: with its indentation, it fits into 80 columns. */
const CODE_LENGTH = 69;
const MARKDOWN = { gfm: false };

export interface PageHead {
  readonly name: string;
  readonly section: string;
  readonly comment: string;
  readonly date: string;
  readonly source: string;
}

/** Renders a page as man source. Throws for Markdown that it can't convert. */
export function renderPage({ name, section, comment, date, source }: PageHead, markdown: string): string {
  // The date's hyphens are not escaped, because mandoc parses the date.
  const title = [quote(name.toUpperCase()), quote(section), `"${date}"`, quote(source), '"addrsift manual"'].join(" ");
  const tokens = new Lexer(MARKDOWN).lex(markdown).filter(({ type }) => type !== "space" && type !== "html");
  const body = tokens.flatMap((token, i) => renderBlock(token, tokens[i - 1]?.type === "heading"));
  // Ragged right: groff warns about lines that it can't justify, such as a long URL. No hyphens are added to names.
  return `${[`.\\" ${comment}`, `.TH ${title}`, ".ad l", ".nh", ...body].join("\n")}\n`;
}

function renderBlock(token: Token, isFirst: boolean): string[] {
  if (token.type === "heading") {
    const { depth, text } = token as Tokens.Heading;
    return [`${depth === 2 ? ".SH" : ".SS"} ${quote(text)}`];
  }
  if (token.type === "code") {
    const { text } = token as Tokens.Code;
    const lines = text.split("\n").flatMap((line) => (text.startsWith("$ ") ? wrapCommand(line) : [line]));
    return [
      ...(isFirst ? [] : [".PP"]),
      ".RS 4",
      ".nf",
      ...lines.map((line) => guardDot(escapeLiteral(line))),
      ".fi",
      ".RE",
    ];
  }
  if (token.type !== "paragraph") throw new Error(`the manual can't show this ${token.type}: ${token.raw}`);
  const [, term, meaning] = /^([^\n]+)\n: (.*)$/s.exec((token as Tokens.Paragraph).text) ?? [];
  if (term !== undefined && meaning !== undefined) return [".TP", guardDot(renderInline(term)), ...fill(meaning)];
  return [...(isFirst ? [] : [".PP"]), ...fill((token as Tokens.Paragraph).text)];
}

/** Continues a long shell command on the next line, before an option, a pipe or a redirection. */
function wrapCommand(line: string): string[] {
  const [, head, rest] = /^(.{20,67}) (?=--?\w|[|<>] )(.*)$/.exec(line) ?? [];
  if (line.length <= CODE_LENGTH || rest === undefined) return [line];
  return [`${head} \\`, ...wrapCommand(`    ${rest}`)];
}

function quote(text: string): string {
  return `"${escapeLiteral(text).replaceAll('"', "\\(dq")}"`;
}

/** Wraps running text. Each sentence starts a line, as is usual in man source. */
function fill(markdown: string): string[] {
  const text = renderInline(markdown).replace(/\s+/g, " ");
  return text
    .split(/(?<=[.:?]) (?=[A-Z"]|\\f|\\\(sc)/)
    .flatMap((sentence) => wrapWords(sentence, LINE_LENGTH).map(guardDot));
}

function renderInline(markdown: string): string {
  return Lexer.lexInline(markdown, MARKDOWN)
    .map((token) => {
      if (token.type === "codespan") return `\\fB${escapeLiteral(textOf(token))}\\fR`;
      if (token.type === "em")
        return `\\fI${(token as Tokens.Em).tokens.map((part) => escapeLiteral(textOf(part))).join("")}\\fR`;
      if (token.type !== "text" && token.type !== "escape") throw new Error(`the manual can't show ${token.raw}`);
      return escapeRoff(textOf(token)).replace(/(?<![A-Za-z0-9.])-|-(?![A-Za-z0-9])|(?<=\/\S*)-/g, "\\-");
    })
    .join("");
}

function textOf(token: Token): string {
  return (token as Tokens.Generic)["text"];
}

/** Escapes text that users may copy into a shell: each hyphen becomes a minus. A line may end after a slash of a URL. */
function escapeLiteral(text: string): string {
  return escapeRoff(text)
    .replaceAll("-", "\\-")
    .replace(/(?<=:\/\/\S*\w)\/(?=\w)/g, "/\\:");
}

const NAMED: Readonly<Record<string, string>> = {
  "\\": "\\e",
  "'": "\\(aq",
  "`": "\\(ga",
  "^": "\\(ha",
  "~": "\\(ti",
  "§": "\\(sc",
};

function escapeRoff(text: string): string {
  return text.replace(/[\\'`^~]|[^\x20-\x7e\n]/gu, (char) => {
    return NAMED[char] ?? `\\[u${(char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

/** Escapes a dot at the start of a line, which would start a macro. Quotes, which would too, are escaped already. */
function guardDot(line: string): string {
  return line.startsWith(".") ? `\\&${line}` : line;
}
