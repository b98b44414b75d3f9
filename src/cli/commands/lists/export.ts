// `addrsift lists export`: one class of the lists as lines, or all classes as a table. With the table, a warehouse gets
// the verdicts of `detect` without DNS.

import { PROVIDER_RULES } from "../../../address/providers.ts";
import { COMMA } from "../../../base/bytes/ascii.ts";
import { decodeUtf8 } from "../../../base/bytes/bytes.ts";
import { usageError } from "../../../base/errors.ts";
import { pluralize } from "../../../base/format-text.ts";
import { findInParents } from "../../../base/user-input.ts";
import { formatCsvField } from "../../../bulk/render/encodings.ts";
import { listOfProtectedKind } from "../../../detection/domain/evidence.ts";
import type { HomeOverrides } from "../../../home/overrides.ts";
import { AttributeReader, MISSPELLED_KIND } from "../../../lists/attributes.ts";
import { CONFIDENCES, confidenceRank, minimumRank, sourceLettersOf } from "../../../lists/confidence.ts";
import { KIND, type TableEntry } from "../../../lists/format.ts";
import { sourceKey, sourceLabels } from "../../../lists/meta.ts";
import { findOverride } from "../../../lists/overrides.ts";
import { type CompiledLists, ROLE_FLAG, TOP_LEVEL } from "../../../lists/table.ts";
import { openListsAndOverrides } from "../../composition/overrides.ts";
import type { ArgumentsOf } from "../../options/commands.ts";
import type { Runtime } from "../../runtime.ts";
import { warn } from "../../terminal/output.ts";

/** Prints the entries of one class, or of all, sorted by bytes. */
export async function listsExport({ options }: ArgumentsOf<"lists export">, runtime: Runtime): Promise<void> {
  const { class: name, format } = options;
  if (name === undefined && format === undefined) {
    throw usageError("the class is missing: add --class disposable, or --format csv for all classes");
  }
  const { overrides, lists } = openListsAndOverrides(options, runtime, "in-memory");
  const all = collectRows(lists, overrides, minimumRank(options["min-confidence"]));
  const isList = format === undefined && name === "disposable";
  const rows = all.filter((row) => (isList ? isDisposable(row, overrides) : name === undefined || row.class === name));
  const formatRows: FormatRows = format === undefined ? formatPlainLines : EXPORT_FORMATS[format];
  const unlisted = isList && !options.quiet ? countUnlisted(all, rows) : 0;
  if (unlisted > 0) {
    const subject = `${pluralize(unlisted, "override", "overrides")}, of addresses or allowed below a listed domain,`;
    warn(runtime, `${subject} can't be in a list of domains: use --format csv`);
  }
  runtime.stdout.write([...formatRows(rows, `lists ${lists.meta.dataVersion}`)].join(""));
}

/** Reports whether a row is a denied domain, or a disposable one without an override of its own or of a parent. */
function isDisposable({ entry, class: rowClass }: ExportRow, overrides: HomeOverrides): boolean {
  if (rowClass === "deny") return !entry.includes("@");
  if (rowClass !== "disposable") return false;
  const decision = findOverride(entry, overrides);
  return decision?.override.disposable !== false && decision?.entry !== entry;
}

/** Counts overrides that a list of disposable domains can't show: of addresses, and `allow` below its entries. */
function countUnlisted(all: readonly ExportRow[], rows: readonly ExportRow[]): number {
  const listed = new Set(rows.map(({ entry }) => entry));
  return all.filter(({ entry, class: rowClass }) => {
    if (rowClass !== "allow") return rowClass === "deny" && entry.includes("@");
    const domain = entry.slice(entry.lastIndexOf("@") + 1);
    return findInParents(domain, (name) => (listed.has(name) ? name : undefined)) !== undefined;
  }).length;
}

function* formatPlainLines(rows: readonly ExportRow[]): Generator<string> {
  for (const row of rows) yield row.class === "relay" ? `${row.entry}\t${row.provider}\n` : `${row.entry}\n`;
}

type ExportClass = "disposable" | "relay" | "public" | "protected" | "role" | "tld" | "allow" | "deny";

/** One entry in one class. Fields that do not apply are missing. */
interface ExportRow {
  /** A domain in A-labels, a role's local part, a top-level domain, or an override's normalized address. */
  readonly entry: string;
  readonly class: ExportClass;
  /** `exact`, `subdomains` (and itself), `users` (and subdomains with one more label), `prefix` (roles). */
  readonly match_type: string;
  readonly kind?: string | undefined;
  readonly provider?: string | undefined;
  readonly confidence?: string | undefined;
  readonly sources: readonly string[];
}

/** Returns all rows, sorted by entry and class, without disposable entries below the confidence rank `minimum`. */
function collectRows(lists: CompiledLists, overrides: HomeOverrides, minimum: number): ExportRow[] {
  const rows: ExportRow[] = [];
  const attributes = new AttributeReader();
  for (const entry of lists.entries()) {
    if (entry.kind === KIND.domain) {
      attributes.read(entry.attributes, 0);
      rows.push(...toDomainRows(decodeUtf8(entry.name), attributes, lists, minimum));
    } else rows.push(...toOtherRows(entry, lists));
  }
  for (const { entry, action } of overrides.activeRecords()) {
    const match_type = entry.includes("@") ? "exact" : "subdomains";
    rows.push({ entry, class: action, match_type, sources: ["local overrides"] });
  }
  return rows.sort((a, b) => compareText(a.entry, b.entry) || compareText(a.class, b.class));
}

function* toDomainRows(
  entry: string,
  attributes: AttributeReader,
  lists: CompiledLists,
  minimum: number,
): Generator<ExportRow> {
  const { meta } = lists;
  const createRow = (name: ExportClass, match_type: string, keys: readonly string[], more: Partial<ExportRow> = {}) => {
    return { entry, class: name, match_type, ...more, sources: sourceLabels(lists, keys) };
  };
  if (attributes.relay >= 0) {
    const provider = meta.relayProviders[attributes.relay];
    yield createRow("relay", attributes.relayCoversSubdomains ? "subdomains" : "exact", ["relays"], { provider });
  }
  if (attributes.public >= 0) {
    const hasUsers = PROVIDER_RULES[attributes.provider - 1]?.hasUserSubdomains === true;
    yield createRow("public", hasUsers ? "users" : "exact", ["public"], {
      provider: meta.publicOperators[attributes.public],
    });
  }
  if (attributes.protected >= 0 && attributes.protected !== MISSPELLED_KIND) {
    const kind = meta.protectedKinds[attributes.protected];
    yield createRow("protected", "subdomains", [listOfProtectedKind(kind)], { kind });
  }
  const rank = confidenceRank(attributes.entryFlags);
  if (attributes.entryFlags !== 0 && rank >= minimum) {
    const keys = sourceLettersOf(attributes.entryFlags).map(sourceKey);
    yield createRow("disposable", "subdomains", keys, { confidence: CONFIDENCES[rank] });
  }
}

function* toOtherRows({ kind, name, attributes }: TableEntry, lists: CompiledLists): Generator<ExportRow> {
  const entry = decodeUtf8(name);
  if (kind === KIND.role) {
    const match_type = ((attributes[0] as number) & ROLE_FLAG.prefix) === 0 ? "exact" : "prefix";
    yield { entry, class: "role", match_type, sources: sourceLabels(lists, ["roles"]) };
  }
  if (kind === KIND.topLevel && attributes[0] === TOP_LEVEL.rootZone) {
    yield { entry, class: "tld", match_type: "subdomains", sources: sourceLabels(lists, ["rootZone"]) };
  }
}

/** Compares in UTF-8 byte order: no name has surrogate pairs. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const COLUMNS = ["entry", "class", "match_type", "kind", "provider", "confidence", "sources"] as const;
const ROWS_PER_INSERT = 500;

type FormatRows = (rows: readonly ExportRow[], version: string) => Generator<string>;

const EXPORT_FORMATS: Readonly<Record<"csv" | "sql" | "ndjson", FormatRows>> = {
  *csv(rows) {
    yield `${COLUMNS.join(",")}\n`;
    for (const row of rows) {
      const cells = cellTexts(row).map((text) => formatCsvField(text ?? "", COMMA));
      yield `${cells.join(",")}\n`;
    }
  },
  *ndjson(rows) {
    for (const row of rows) yield `${JSON.stringify(row)}\n`;
  },
  *sql(rows, version) {
    const columns = COLUMNS.map((name, i) => `${name} text${i < 3 || name === "sources" ? " NOT NULL" : ""}`);
    yield `-- addrsift ${version}\nBEGIN;\nCREATE TABLE IF NOT EXISTS addrsift_lists (${columns.join(", ")});\n`;
    yield "DELETE FROM addrsift_lists;\n";
    for (let i = 0; i < rows.length; i += ROWS_PER_INSERT) {
      const values = rows.slice(i, i + ROWS_PER_INSERT).map((row) => `(${cellTexts(row).map(quoteSql).join(",")})`);
      yield `INSERT INTO addrsift_lists VALUES\n${values.join(",\n")};\n`;
    }
    yield "CREATE INDEX IF NOT EXISTS addrsift_lists_entry ON addrsift_lists (entry);\nCOMMIT;\n";
  },
};

function cellTexts(row: ExportRow): (string | undefined)[] {
  return COLUMNS.map((name) => (name === "sources" ? row.sources.join("; ") : row[name]));
}

function quoteSql(text: string | undefined): string {
  return text === undefined ? "NULL" : `'${text.replaceAll("'", "''")}'`;
}
