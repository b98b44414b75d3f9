// The project speaks plain English: no text has a turn that must be read twice, and a title is a whole sentence.

import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** Each turn with an example that its pattern finds, and what to write. */
const TURNS: readonly (readonly [pattern: RegExp, example: string, plain: string])[] = [
  [/\bis no\b/i, "x is no number", "must be, is not a"],
  [/\balone\b/i, "to public addresses alone", "only"],
  [/\bmend(?:s|ed|ing)?\b/i, "mend that row", "fix, correct"],
  [/\banew\b/i, "send them anew", "again"],
  [/\b(?:no|some)body\b/i, "Somebody asked", "no one, someone"],
  [/\bwhoever\b/i, "whoever runs it", "the person who, callers"],
  [/\b(?:can't|could|to) be had\b/i, "a source that can't be had", "is not available"],
  [/\bof (?:its|their|our) own\b/i, "give this file in a call of its own", "its own, separate, new"],
  [/\bgives\b/i, "gives the number of bytes", "returns, has, prints"],
  [/\bstands\b/i, "what stands behind the @", "is"],
  [/\b(?:told|tells)\b/i, "tells which rows they are", "says, shows; gets, is reported"],
  [/, for (?:he|it|its|they|their|there|no|nothing|most|many|such)\b/i, "refused, for it is old", "because"],
];

/** Turns that look like one above, and why they stay. */
const ALLOWED: readonly (readonly [turn: RegExp, why: string])[] = [
  [/\bthere is no\b/gi, "says that a thing does not exist"],
  [/\bis no longer\b/gi, "says that something has ended"],
];

/** Beginnings of a comment that has no subject. */
const NO_SUBJECT = /^(?:What|Whatever|Those|These|That|Such|Who|Whoever|Whose|Whom)\b/;
/** Beginnings of a title that is the tail of a sentence. */
const TAIL = /^(?:is|of|that|are|can)\b/;
const TITLE_WORDS_MIN = 4;

interface Text {
  readonly place: string;
  readonly text: string;
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(join(ROOT, file), "utf8"), ts.ScriptTarget.Latest, true);
}

/** The strings, the constant parts of templates and the texts of elements in a source file. */
function stringsOf(file: string): Text[] {
  const source = parse(file);
  const texts: Text[] = [];
  const visit = (node: ts.Node): void => {
    const isTemplate = ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (ts.isStringLiteralLike(node) || isTemplate || ts.isJsxText(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      texts.push({ place: `${file}:${line + 1}`, text: node.text });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

/** The comments of a source file; lines of `//` below each other are one. */
function commentsOf(file: string): Text[] {
  const source = parse(file);
  const found = new Map<number, ts.CommentRange>();
  const visit = (node: ts.Node): void => {
    const before = ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? [];
    for (const range of [...before, ...(ts.getTrailingCommentRanges(source.text, node.getEnd()) ?? [])])
      found.set(range.pos, range);
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  const comments: { line: number; lastLine: number; text: string }[] = [];
  for (const { pos, end } of [...found.values()].sort((one, other) => one.pos - other.pos)) {
    const { line } = source.getLineAndCharacterOfPosition(pos);
    const raw = source.text.slice(pos, end);
    const above = comments.at(-1);
    if (raw.startsWith("//") && above?.lastLine === line - 1) {
      above.text += raw.slice(2);
      above.lastLine = line;
    } else {
      const text = raw.replace(/^\/\/ ?|^\/\*+\s*|\s*\*\/$/g, "").replace(/\n\s*\* ?/g, " ");
      comments.push({ line, lastLine: raw.startsWith("//") ? line : -1, text });
    }
  }
  return comments.map(({ line, text }) => ({ place: `${file}:${line + 1}`, text }));
}

/** The titles of a file's tests. */
function titlesOf(file: string): Text[] {
  const source = parse(file);
  const titles: Text[] = [];
  const visit = (node: ts.Node): void => {
    const [title] = ts.isCallExpression(node) ? node.arguments : [];
    if (title !== undefined && ts.isStringLiteralLike(title) && /^it\b/.test(node.getText(source))) {
      const { line } = source.getLineAndCharacterOfPosition(title.getStart());
      titles.push({ place: `${file}:${line + 1}`, text: title.text });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles;
}

/** The lines of a text for people, without the names that they quote. */
function linesOf(file: string): Text[] {
  const lines = readFileSync(join(ROOT, file), "utf8").split("\n");
  return lines.map((text, index) => ({ place: `${file}:${index + 1}`, text: text.replaceAll(/`[^`]*`/g, "") }));
}

/** The files of a folder and those below it, with slashes. */
function filesOf(folder: string, ending: string): string[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).filter(
    (name) => !name.includes("node_modules"),
  );
  return files.filter((file) => file.endsWith(ending)).map((file) => `${folder}/${file.split(sep).join("/")}`);
}

/** The turns in a text that no reason allows. */
function turnsIn(text: string): string[] {
  const rest = ALLOWED.reduce((left, [turn]) => left.replace(turn, ""), text);
  return TURNS.flatMap(([pattern, , plain]) => {
    const found = pattern.exec(rest);
    return found === null ? [] : [`"${found[0]}": write ${plain}`];
  });
}

it.each(TURNS)("%s is found in %j", (_, example) => {
  expect(turnsIn(example)).toHaveLength(1);
});

it("messages, the README and the man pages have no turn that must be read twice", () => {
  const strings = [".ts", ".tsx"].flatMap((ending) => filesOf("src", ending)).flatMap(stringsOf);
  expect(strings.length).toBeGreaterThan(1000);
  const documents = ["README", "SECURITY", "CONTRIBUTING", "data/README", "test/bench/README"].map(
    (name) => `${name}.md`,
  );
  const settings = ["action.yml", ".pre-commit-hooks.yaml", ...filesOf(".github/workflows", ".yml")];
  const manual = [".1", ".yml", ".yaml"].flatMap((ending) => filesOf("man", ending));
  const texts = [...strings, ...[...documents, ...settings, ...manual].flatMap(linesOf)];
  expect(texts.flatMap(({ place, text }) => turnsIn(text).map((turn) => `${place} ${turn}`))).toEqual([]);
});

/** The TypeScript files of a folder. */
function codeOf(folder: string): string[] {
  return [".ts", ".tsx"].flatMap((ending) => filesOf(folder, ending));
}

it("comments begin with their subject and have no turn that must be read twice", () => {
  const comments = ["src", "test"].flatMap(codeOf).flatMap(commentsOf);
  expect(comments.length).toBeGreaterThan(500);
  const faults = comments.flatMap(({ place, text }) => {
    const subject = NO_SUBJECT.exec(text);
    // The name of a user of Unix is not one of our words.
    const turns = turnsIn(text.replaceAll('"nobody"', ""));
    return [...(subject === null ? [] : [`"${subject[0]}": begin with the subject`]), ...turns].map(
      (fault) => `${place} ${fault}`,
    );
  });
  expect(faults).toEqual([]);
});

it("titles of tests are sentences that can be searched for", () => {
  const titles = codeOf("test").flatMap(titlesOf);
  expect(titles.length).toBeGreaterThan(300);
  const faults = titles.flatMap(({ place, text }) => {
    const isShort = text.split(" ").length < TITLE_WORDS_MIN;
    return [...(isShort || TAIL.test(text) ? ["write a sentence of four words or more"] : []), ...turnsIn(text)].map(
      (fault) => `${place} "${text}": ${fault}`,
    );
  });
  expect(faults).toEqual([]);
});
