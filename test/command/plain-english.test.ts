// Messages are plain English: no string under src, no line of the README and no man page uses turns that must be read twice.

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
  [/, for (?:he|it|its|they|their|there|no|nothing|most|many|such)\b/i, "refused, for it is old", "because"],
];

/** Turns that look like one above, and why they stay. */
const ALLOWED: readonly (readonly [turn: RegExp, why: string])[] = [
  [/\bthere is no\b/gi, "says that a thing does not exist"],
  [/\bis no longer\b/gi, "says that something has ended"],
];

const NOT_READ: readonly string[] = [];

interface Text {
  readonly place: string;
  readonly text: string;
}

/** The strings and the constant parts of templates in a source file. */
function stringsOf(file: string): Text[] {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), "utf8"), ts.ScriptTarget.Latest, true);
  const texts: Text[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      texts.push({ place: `${file}:${line + 1}`, text: node.text });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

/** The lines of a text for people. */
function linesOf(file: string): Text[] {
  const lines = readFileSync(join(ROOT, file), "utf8").split("\n");
  return lines.map((text, index) => ({ place: `${file}:${index + 1}`, text }));
}

/** The files of a folder and those below it, with slashes. */
function filesOf(folder: string, ending: string): string[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
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
  const strings = filesOf("src", ".ts").flatMap(stringsOf);
  expect(strings.length).toBeGreaterThan(1000);
  const texts = [...strings, ...["README.md", ...filesOf("man", ".1")].flatMap(linesOf)];
  const read = texts.filter(({ place }) => !NOT_READ.some((start) => place.startsWith(start)));
  expect(read.flatMap(({ place, text }) => turnsIn(text).map((turn) => `${place} ${turn}`))).toEqual([]);
});
