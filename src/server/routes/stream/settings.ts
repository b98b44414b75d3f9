// What is done with the rows of one stream: from its media types and its query. Parameters that contradict each other are refused
// here, before anything is read.

import { syntaxOptions } from "../../../address/options.ts";
import { usage } from "../../../base/errors.ts";
import { classBits, DNS_CLASSES } from "../../../bulk/classes.ts";
import { repeated } from "../../../bulk/rows/csv-header.ts";
import { csvChoice, delimiterOf, jsonlChoice, OPTION_KINDS } from "../../../bulk/run/choices.ts";
import type { InputSettings, Policy } from "../../../bulk/run/settings.ts";
import type { RowKind, RowType } from "./media.ts";
import type { FlagName, StreamQuery } from "./parameters.ts";

/** One stream's settings. */
export interface StreamSettings extends InputSettings {
  readonly format: RowType;
  readonly dns: boolean;
  readonly summary: StreamQuery["summary"];
  /** The only version of the lists that may be used; undefined: any. */
  readonly dataVersion: string | undefined;
}

const TYPE_OF_KIND: Readonly<Record<RowKind, string>> = {
  lines: "text/plain",
  csv: "text/csv",
  jsonl: "application/x-ndjson",
};

/** Puts the query together with the daemon's own policy. Throws AddrsiftError USAGE. */
export function streamSettings(kind: RowKind, format: RowType, query: StreamQuery, policy: Policy): StreamSettings {
  const flag = (name: FlagName): boolean => query.flags.get(name) ?? false;
  refuseIdle(kind, query);
  refuseContradictions(kind, format, query);
  const given = { columns: query.columns, prefix: query.texts.get("prefix") ?? "", part: flag("part") };
  return {
    format,
    dns: query.dns === "on",
    summary: query.summary,
    dataVersion: query.texts.get("data-version"),
    part: given.part,
    csv:
      kind === "csv"
        ? csvChoice(given, { kind, delimiter: delimiterIn(query), hasHeader: !flag("no-header") })
        : undefined,
    jsonl: kind === "jsonl" ? jsonlChoice(given, query.texts.get("into")) : undefined,
    rows: {
      policy: policyOf(query, policy),
      fields: query.fields.length === 0 ? undefined : query.fields,
      explain: flag("explain"),
      select: classBits(query.select),
      reject: classBits(query.reject),
      failOn: 0,
      spreadsheetSafe: flag("spreadsheet-safe"),
    },
  };
}

function delimiterIn({ texts }: StreamQuery): number | undefined {
  // A wrong one is shown in part.
  return delimiterOf(texts.get("delimiter")?.slice(0, 40));
}

function refuseIdle(kind: RowKind, { flags, texts, columns }: StreamQuery): void {
  for (const name of [...flags.keys(), ...texts.keys(), ...(columns.length > 0 ? (["column"] as const) : [])]) {
    const kinds: readonly string[] = OPTION_KINDS[name] ?? [kind];
    if (kinds.includes(kind)) continue;
    const types = kinds.flatMap((each) => TYPE_OF_KIND[each as RowKind] ?? []).join(" or ");
    throw usage(`${name} is for ${types}, not for ${TYPE_OF_KIND[kind]}: leave it out, or send that Content-Type`);
  }
}

function refuseContradictions(kind: RowKind, format: RowType, query: StreamQuery): void {
  const { flags, fields, columns } = query;
  const again = repeated(columns);
  if (again !== undefined) throw usage(`column ${again} is given twice: give it once`);
  if (columns.length > 1 && (kind === "csv") !== (format === "csv")) {
    throw usage("rows with several addresses come back as they are: give column once, or leave Accept out");
  }
  const twice = repeated(fields);
  if (twice !== undefined) throw usage(`fields names ${twice} twice: name it once`);
  if (flags.get("part") === true && fields.includes("row")) {
    throw usage("part and the field row exclude each other: a part's rows have other numbers in the whole");
  }
  if (flags.get("part") === true && query.summary !== undefined) {
    throw usage("part and summary exclude each other: a part's counts are not those of the whole");
  }
  if (flags.get("domains") === true && kind === "lines" && fields.includes("domain")) {
    throw usage("rows of domains begin with the domain: leave domain out of fields, or use normalized");
  }
  if (flags.get("explain") === true && format === "csv") {
    throw usage(
      "explain needs NDJSON: send Accept: application/x-ndjson, or take columns with fields, such as fault,suggestion,matched",
    );
  }
  refuseDnsClasses(query);
}

/** Without DNS no row is of such a class, so a filter for it would always seem to find nothing. */
function refuseDnsClasses(query: StreamQuery): void {
  if (query.dns === "on") return;
  for (const name of ["select", "reject"] as const) {
    const asked = query[name].find((word) => DNS_CLASSES.includes(word));
    if (asked !== undefined) {
      throw usage(`${name} ${asked} finds no row when DNS is not asked: add dns=on, or leave ${asked} out`);
    }
  }
}

/** The daemon's policy, with what the query says differently. */
function policyOf({ flags, confidence }: StreamQuery, daemons: Policy): Policy {
  return {
    syntax: { ...daemons.syntax, ...syntaxOptions((name) => flags.get(name)) },
    minConfidence: confidence ?? daemons.minConfidence,
    subject: flags.get("domains") === true ? "domain" : "address",
  };
}
