// The option tables of `addrsift lists`.

import { nameFault } from "../../base/user-input.ts";
import { inGroup, MIN_CONFIDENCE, withNames } from "../../bulk/run/option-table.ts";
import { reasonFault } from "../../home/override-entry.ts";
import { SOURCE } from "./source.ts";
import { ALLOW_PRIVATE, type CommandSpec, JSON_OBJECT } from "./table.ts";

const OVERRIDE_OPTIONS = inGroup("Options", {
  reason: { value: "TEXT", fault: reasonFault, help: "why, 1 to 500 characters; shown by --explain" },
  expires: {
    value: "WHEN",
    help: "when the override expires: a time span such as 12h, 90d or 52w, or a date, at whose start it ends (default: never)",
  },
  by: {
    value: "NAME",
    fault: nameFault,
    help: "author of the override, 1 to 100 characters (default: the system's user, also under sudo)",
  },
  json: { help: "print the overrides as a JSON array" },
});

const FETCH_OPTIONS = [
  SOURCE,
  ...inGroup("Lists", {
    from: {
      value: "DIR",
      fault: (text) => (text === "" ? "is empty: give a folder" : undefined),
      excludes: { source: "give one of them" },
      help: "read the sources from this folder: D.txt, F.txt, C.txt, T.txt, E.txt, rootZone.txt; no network",
    },
    again: { help: "include lists that were rolled back" },
    timeout: {
      value: "TIME",
      time: { min: "1s", max: "60m", examples: "90s or 5m", bare: "s" },
      default: "60",
      help: "time limit for each source, such as 90s or 5m; a bare number is seconds; at most 60m",
    },
  }),
  { ...ALLOW_PRIVATE, group: "Lists", help: ALLOW_PRIVATE.help.replace("webhooks", "updates") },
] as const;

export const LISTS = withNames({
  "lists export": {
    summary: "print the effective lists: one class, one entry per line, or all as a table for a join",
    options: [
      {
        name: "class",
        value: "CLASS",
        choices: ["disposable", "relay", "public", "protected", "role", "tld", "allow", "deny"],
        help: "only this class; allow and deny are your overrides, which disposable includes without --format",
      },
      {
        name: "format",
        value: "FORMAT",
        choices: ["csv", "sql", "ndjson"],
        help: "a table with match_type, kind, provider, confidence and sources, of all classes without --class",
      },
      MIN_CONFIDENCE,
    ],
    examples: {
      "addrsift lists export --class disposable > disposable.txt": "all disposable domains",
      "addrsift lists export --format sql > lists.sql": "all classes as a table, for SQLite or PostgreSQL",
    },
  },
  "lists lookup": {
    summary: "show the classes of domains, with the entries, sources and reasons",
    argument: "[DOMAIN...]",
    options: [{ name: "json", help: "print a JSON object for each domain, one per line" }, MIN_CONFIDENCE],
    examples: {
      "addrsift lists lookup mail.10minutemail.com": "why a domain is disposable",
      "addrsift lists lookup --json < domains.txt": "many domains or addresses, one per line",
    },
  },
  "lists status": {
    summary: "show version, age, counts and sources of the lists in use",
    options: [JSON_OBJECT],
    examples: { "addrsift lists status": "the lists that verdicts come from" },
  },
  "lists update": {
    summary: "fetch, verify and install the latest lists",
    options: [
      ...FETCH_OPTIONS,
      ...inGroup("Lists", {
        "dry-run": { help: "install nothing; print what each source adds and removes, and how many domains change" },
      }),
      JSON_OBJECT,
    ],
    examples: {
      "addrsift lists update": "fetch all sources; unchanged ones are not transferred",
      "addrsift lists update --source D=https://mirror.example/D.txt": "only the community list, from a mirror",
      "addrsift lists update --from /media/lists --dry-run": "what an update from a folder would change",
    },
  },
  "lists diff": {
    summary: "show the domains that the next update would change, or that the last one changed",
    options: [
      ...inGroup("Lists", {
        last: {
          excludes: { source: "it reads no sources", from: "it reads no sources" },
          help: "show what the last update changed, instead of what the next one would",
        },
      }),
      ...FETCH_OPTIONS,
      JSON_OBJECT,
    ],
    examples: {
      "addrsift lists diff": "what becomes disposable (+), no longer is (-), or changes otherwise (~)",
      "addrsift lists diff --from /media/lists --json": "the same from a folder, with counts by source",
    },
  },
  "lists rollback": {
    summary: "restore the lists from before the last update",
    options: [JSON_OBJECT],
    examples: { "addrsift lists rollback": "restore the previous lists, or the built-in ones" },
  },
  "lists allow": {
    summary: "allow a domain and its subdomains, or one address: not disposable, whatever the lists say",
    argument: "<DOMAIN|ADDRESS...>",
    options: OVERRIDE_OPTIONS,
    examples: {
      "addrsift lists allow customer.example --reason 'ticket 4711' --expires 90d": "a customer's domain, for 90 days",
      "addrsift lists allow jane@mailinator.com": "one mailbox, in all spellings; the domain stays as it is",
    },
  },
  "lists deny": {
    summary: "deny a domain and its subdomains, or one address: disposable, whatever the lists say",
    argument: "<DOMAIN|ADDRESS...>",
    options: OVERRIDE_OPTIONS,
    examples: {
      "addrsift lists deny spam.example --reason 'sign-up wave'": "a domain that no list has yet",
      "addrsift lists deny - --reason 'own list' < domains.txt":
        "one per line; blank lines and comments after # are skipped",
    },
  },
  "lists overrides": {
    summary: "list and remove overrides made by lists allow and lists deny",
    options: inGroup("Options", {
      remove: {
        value: "DOMAIN|ADDRESS",
        repeat: true,
        help: "remove the override of this domain or address; may be repeated; - reads them from standard input",
      },
      "remove-expired": { excludes: { remove: "give one of them" }, help: "remove all expired overrides" },
      json: { help: "print a JSON array; if overrides are removed, of these" },
    }),
    examples: {
      "addrsift lists overrides": "all overrides, with who, when and why",
      "addrsift lists overrides --remove customer.example": "the lists decide again",
    },
  },
}) satisfies readonly CommandSpec[];
