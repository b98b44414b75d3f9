// The option tables of `addrsift lists`.

import { MIN_CONFIDENCE } from "./shared.ts";
import type { CommandSpec } from "./types.ts";

export const LISTS_EXPORT = {
  name: "lists export",
  summary: "print one class of the effective lists, sorted, one entry a line",
  options: [
    {
      name: "class",
      value: "CLASS",
      choices: ["disposable", "public", "relay", "role", "tld"],
      help: "class to print; relay prints domain<TAB>provider",
    },
    MIN_CONFIDENCE,
  ],
  examples: [["addrsift lists export --class disposable > disposable.txt", "all disposable domains"]],
} as const satisfies CommandSpec;

export const LISTS_LOOKUP = {
  name: "lists lookup",
  summary: "show which classes a domain is in, by which entry and from which sources",
  argument: "<DOMAIN>",
  options: [{ name: "json", help: "print a JSON object" }],
  examples: [["addrsift lists lookup mail.10minutemail.com", "why a domain is disposable"]],
} as const satisfies CommandSpec;

export const LISTS_STATUS = {
  name: "lists status",
  summary: "show version, age, counts and sources of the lists in use",
  options: [{ name: "json", help: "print a JSON object" }],
  examples: [["addrsift lists status", "the lists that verdicts come from"]],
} as const satisfies CommandSpec;
