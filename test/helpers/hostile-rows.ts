// Rows that have the strings and numbers of src/ as local part, tag, label, domain and column, beside usual rows.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./classify.ts";

/** Longer texts are no names. */
const LENGTH_MAX = 64;

// A string, a piece of a template, a number, or a pattern.
const STRING = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|[`}]([^`$\n]*)(?=`|\$\{)/;
const NUMBER = /\b(0x[\da-f]+|\d[\d_.]*)/;
const PATTERN = /(\/(?:[^/*\\\n]|\\.)(?:[^/\\\n]|\\.)*\/[a-z]*)/;
const LITERAL = new RegExp([STRING, NUMBER, PATTERN].map(({ source }) => source).join("|"), "g");

/** Every string, number and pattern in the wanted files of src/, without repetition; comments add some texts. */
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
  return [...new Set(texts)].filter((text) => text !== "" && text.length <= LENGTH_MAX);
}

/** A text as the code means it; one that JSON does not read stays as it is. */
function unescapeLiteral(text: string): string {
  try {
    return JSON.parse(`"${text}"`);
  } catch {
    return text;
  }
}

/** Addresses that have a text in each place where a text can be. Line breaks, which end rows, are left out. */
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

/** Usual addresses: of each kind of domain, with tags, of roles, and of mailboxes that come again. */
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
