// Generates rows with the strings and numbers of src/ as local part, tag, label, domain or column, and ordinary rows.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./classify.ts";

/** Longer literals are skipped, because they are not names. */
const MAX_LITERAL_LENGTH = 64;

// A string, a part of a template, a number, or a regular expression.
const STRING = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|[`}]([^`$\n]*)(?=`|\$\{)/;
const NUMBER = /\b(0x[\da-f]+|\d[\d_.]*)/;
const PATTERN = /(\/(?:[^/*\\\n]|\\.)(?:[^/\\\n]|\\.)*\/[a-z]*)/;
const LITERAL = new RegExp([STRING, NUMBER, PATTERN].map(({ source }) => source).join("|"), "g");

/** Returns the distinct strings, numbers and regular expressions in files of src/. Some come from comments. */
export function literalsOf(isIncluded: (path: string) => boolean): string[] {
  const folder = join(ROOT, "src");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.tsx?$/.test(name) && isIncluded(name),
  );
  const code = names.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  const texts = Array.from(code.matchAll(LITERAL), ([, double, single, template, number, pattern]) => {
    if (number !== undefined) return `${Number(number.replaceAll("_", ""))}`;
    return pattern ?? unescapeLiteral(double ?? single ?? template ?? "");
  });
  return [...new Set(texts)].filter((text) => text !== "" && text.length <= MAX_LITERAL_LENGTH);
}

/** Resolves escapes. A literal that is no valid JSON string is returned unchanged. */
function unescapeLiteral(text: string): string {
  try {
    return JSON.parse(`"${text}"`);
  } catch {
    return text;
  }
}

/** Returns addresses with the literal in each part of an address. Line breaks are removed, because they end rows. */
export function addressesWith(literal: string): string[] {
  const text = literal.replace(/[\r\n]/g, "");
  const label = text.toLowerCase().replace(/[^a-z0-9-]/g, "");
  const localParts = [text, text.toLowerCase(), `j.${label}`, "jane", `jane+${text}`, `jane-${label}`];
  const domains = [text, label, `a${label}b.com`, `${label}.com`, `mail.${label}.org`, `x.${text}.de`, "gmail.com"];
  return [
    ...domains.map((domain) => `jane@${domain}`),
    ...localParts.flatMap((local) => [`${local}@gmail.com`, `${local}@company-1.com`]),
    ...[`${label}@${label}`, `${label}+${label}@a${label}.com`, `bank@${label}.com`, text],
  ];
}

/** Ordinary addresses: each kind of domain, tags, roles, and repeated mailboxes. */
export const USUAL: readonly string[] = [
  ...["ann@company0.com", "bob@company1.com", "Ann+x@company0.com", "eve@mail.company2.co.uk", "info@company3.de"],
  ...["jane@gmail.com", "j.ane@googlemail.com", "Jane+tag@gmail.com", "joe-x@yahoo.com", "joe@yahoo.co.uk"],
  ...[
    "joe@mailinator.com",
    "joe@sub.mailinator.com",
    "info@mailinator.com",
    "x1@duck.com",
    "me@privaterelay.appleid.com",
  ],
  ...["support@gmail.com", "joe@example.org", "joe@web.de", "ann@company0.com", "bob@me.com", "bob@icloud.com"],
];
