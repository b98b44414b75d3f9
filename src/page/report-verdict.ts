// Describes the rows of a file in sentences, and creates the commands that write its clean list and its mistyped rows.

import { formatAlternatives } from "../base/closest-names.ts";
import { escapeInvisible, formatNumber, formatPercent, pluralize } from "../base/format-text.ts";
import { BY_FIELDS, type CountsByReport, selectDays } from "../bulk/counts-by.ts";
import { hasNoAddress } from "../bulk/summary.ts";
import { CLASS_MEANINGS, classBits, classNames, ROW_CLASS, UNUSABLE_CLASSES } from "../detection/classes.ts";
import { DAY_MS, sumRows } from "./common/periods.ts";
import { humanize, quoteForShell } from "./common/text.ts";
import type { ReportFacts } from "./facts.ts";

/** A row with several of them is in the group of the first: a mistyped row can be corrected, even if it is invalid. */
const EXCLUDED_CLASSES = [...UNUSABLE_CLASSES, "duplicate"] as const;
const TONES: Readonly<Record<string, string>> = {
  mistyped: "warn",
  disposable: "bad",
  invalid: "accent",
  no_mail: "violet",
  blank: "pale",
};
/** Classes that a person should look at. The clean list keeps their rows. */
const DOUBTFUL_BITS = classBits(["suspicious", "reserved", "hidden", "no_reply", "unknown"]);

type GroupName = (typeof EXCLUDED_CLASSES)[number] | "clean" | "doubtful";
export type RowGroup = ReturnType<typeof groupRows>[number];

/** Divides the rows into groups without overlaps, and leaves out empty ones. */
function groupRows(counts: ReportFacts["rowsByClassBits"]) {
  const groupOf = (bits: number): GroupName =>
    EXCLUDED_CLASSES.find((name) => (bits & ROW_CLASS[name]) !== 0) ??
    ((bits & DOUBTFUL_BITS) === 0 ? "clean" : "doubtful");
  const doubts = counts.reduce((all, [bits]) => (groupOf(bits) === "doubtful" ? all | (bits & DOUBTFUL_BITS) : all), 0);
  const groups = [
    { name: "clean", tone: "good", meaning: "no problem found" },
    { name: "doubtful", tone: "teal", meaning: formatAlternatives(classNames(doubts).map(humanize)) },
    ...EXCLUDED_CLASSES.map((name) => ({ name, tone: TONES[name] ?? "plain", meaning: CLASS_MEANINGS[name] })),
  ] as const;
  const rowsIn = (name: GroupName): number =>
    counts.reduce((sum, [bits, rows]) => (groupOf(bits) === name ? sum + rows : sum), 0);
  return groups.map((group) => ({ ...group, rows: rowsIn(group.name) })).filter(({ rows }) => rows > 0);
}

type CommandFacts = Pick<ReportFacts, "inputs" | "readOptions" | "duplicateOptions" | "names" | "prefix">;
type VerdictFacts = CommandFacts & Pick<ReportFacts, "summary" | "rowsByClassBits">;

/** Returns the verdict, and the commands that write the clean list, unless it has all rows or none, and the mistyped rows. */
export function describeRows(facts: VerdictFacts) {
  const { summary } = facts;
  const { rows, duplicates } = summary;
  // The command would fail: --memory is too small to find all duplicates.
  const ignored = duplicates?.is_partial ? ROW_CLASS.duplicate : 0;
  const groups = groupRows(facts.rowsByClassBits.map(([bits, rows]) => [bits & ~ignored, rows]));
  const doubtful = groups.find(({ name }) => name === "doubtful");
  const excluded = groups.filter(({ name }) => name !== "clean" && name !== "doubtful");
  const hasMistyped = excluded.some(({ name }) => name === "mistyped");
  const hasDuplicates = excluded.some(({ name }) => name === "duplicate");
  const excludedRows = sumRows(excluded);
  const unusable = sumRows(excluded.filter(({ name }) => name !== "duplicate"));
  const cleanRows = rows - excludedRows;
  const details = [
    ...(summary.by ? describeConcentration(summary.by, { rows, unusable }) : []),
    ...(doubtful ? [`${pluralize(doubtful.rows, "row is", "rows are")} doubtful: ${doubtful.meaning}.`] : []),
    ...(hasDuplicates && duplicates?.unit
      ? ["A duplicate is removed even if the row that it repeats is removed too."]
      : []),
  ];
  return {
    groups,
    tone: 2 * excludedRows >= rows ? "bad" : excludedRows > 0 || doubtful ? "warn" : "good",
    headline: hasNoAddress(summary)
      ? `None of the ${formatNumber(rows)} rows has an address: is this the right file, and the right column?`
      : describeExcluded(excluded, rows, hasMistyped),
    details: details.join(" "),
    cleanRows,
    cleanCommand:
      excludedRows === 0 || cleanRows === 0
        ? undefined
        : createCommand(facts, "clean", [
            ...(hasDuplicates ? facts.duplicateOptions : []),
            ...["--reject", excluded.map(({ name }) => name).join(",")],
          ]),
    mistypedCommand: hasMistyped ? createCommand(facts, "mistyped", ["--select", "mistyped"]) : undefined,
  };
}

function describeExcluded(excluded: readonly RowGroup[], rows: number, hasMistyped: boolean): string {
  if (rows === 0) return "There are no rows.";
  const excludedRows = sumRows(excluded);
  if (excludedRows === 0) return "No row is disposable or invalid.";
  const all = rows === 1 ? "The only row" : `All ${formatNumber(rows)} rows`;
  const some = `${formatNumber(excludedRows)} of ${formatNumber(rows)} rows (${formatPercent(excludedRows, rows)})`;
  const subject = excludedRows === rows ? all : some;
  const adjectives = excluded.map(({ name }) => (name === "no_mail" ? "at domains without mail" : humanize(name)));
  if (adjectives.length === 1) return `${subject} ${excludedRows === 1 ? "is" : "are"} ${adjectives[0]}.`;
  const parts = excluded.map((group, i) => `${formatNumber(group.rows)} ${adjectives[i]}`);
  const remedy = hasMistyped ? "corrected or removed" : "removed";
  return `${subject} should be ${remedy}: ${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}.`;
}

/** Fewer rows without a usable address may be on the same day, or have the same value, by chance. */
const MIN_UNUSABLE_ROWS = 10;
/** In standard deviations. High, because each of many days or values is compared. */
const MIN_DEVIATION = 5;
const MAX_SPANS = 3;

/** The rows of a value, or of adjacent days. */
type Span = Readonly<{ first: string; last: string; rows: number; unusable: number }>;

/** Names the values, or days, with far more rows without a usable address than the others. Joins only adjacent days. */
function describeConcentration({ column, values }: CountsByReport, total: Pick<Span, "rows" | "unusable">): string[] {
  // Each value of these fields has rows of one kind only.
  if (BY_FIELDS.some((name) => name === column)) return [];
  const days = selectDays(values);
  const hasDays = days.length > 0;
  const toSpan = ({ value, rows, unusable }: Omit<CountsByReport["values"][number], "classes">): Span => {
    return { first: value, last: value, rows, unusable };
  };
  const subtract = (all: Span, { rows, unusable }: Span): Span => {
    return { ...all, rows: all.rows - rows, unusable: all.unusable - unusable };
  };
  const all = toSpan({ ...total, value: "" });
  let others = all;
  const unusual: Span[] = [];
  const candidates = (hasDays ? days : values.filter(({ value }) => value !== "")).map(toSpan);
  for (const candidate of candidates.sort((a, b) => b.unusable - a.unusable)) {
    const rest = subtract(others, candidate);
    if (!isUnusual(candidate, rest)) continue;
    unusual.push(candidate);
    others = rest;
  }
  const spans: Span[] = [];
  for (const { first, last, rows, unusable } of unusual.sort((a, b) => (a.first < b.first ? -1 : 1))) {
    const isAdjacent = Date.parse(first) - Date.parse(spans.at(-1)?.last ?? "") === DAY_MS;
    const before = hasDays && isAdjacent ? spans.pop() : undefined;
    const sums = { rows: rows + (before?.rows ?? 0), unusable: unusable + (before?.unusable ?? 0) };
    spans.push({ first: before?.first ?? first, last, ...sums });
  }
  const shown = spans.sort((a, b) => b.unusable - a.unusable).slice(0, MAX_SPANS);
  const sentences = shown.map(({ first, last, rows, unusable }) => {
    const dates = first === last ? `On ${first}` : `From ${first} to ${last}`;
    const place = hasDays ? dates : `With the ${column} “${first}”`;
    const share = `${formatNumber(unusable)} of ${pluralize(rows, "row", "rows")} (${formatPercent(unusable, rows)})`;
    return `${escapeInvisible(place)}, ${share} have no usable address.`;
  });
  if (sentences.length === 0) return [];
  const { rows, unusable } = shown.reduce(subtract, all);
  return [
    ...sentences,
    `In the other ${pluralize(rows, "row", "rows")}, the share is ${formatPercent(unusable, rows)}.`,
  ];
}

/** Reports whether the share of unusable addresses is at least twice that of the other rows, and higher than by chance. */
function isUnusual({ rows, unusable }: Span, others: Span): boolean {
  const expected = (rows * others.unusable) / others.rows;
  const minimum = Math.max(MIN_UNUSABLE_ROWS, 2 * expected, expected + MIN_DEVIATION * Math.sqrt(expected));
  return others.rows > 0 && unusable >= minimum;
}

/** Creates the command that writes the clean list, or the mistyped rows with their likely corrections. */
function createCommand(
  { inputs, readOptions, names, prefix }: CommandFacts,
  stem: "clean" | "mistyped",
  selection: readonly string[],
): string | undefined {
  if (readOptions === undefined) return undefined;
  const kind = ["csv", "tsv", "jsonl"].find((name) => readOptions.includes(`--${name}`));
  const isPlain = stem === "clean";
  // Avoids the names of the file's columns.
  let freePrefix = prefix;
  while (names.some((name) => name.startsWith(freePrefix) && name.endsWith("suggestion"))) freePrefix += "new_";
  const corrections = ["--fields", "suggestion", ...(freePrefix === "" ? [] : ["--prefix", freePrefix])];
  const format = isPlain ? ["--format", "plain"] : [...(kind ? [] : ["--format", "csv"]), ...corrections];
  const files = inputs.flatMap((name) => (/^-./.test(name) ? [`--input=${name}`] : ["--input", name]));
  const words = ["addrsift", "detect", ...readOptions, ...files, ...format, ...selection];
  const source = inputs.length === 0 || inputs.includes("-") ? " < FILE" : "";
  // A shell empties the output file before the command reads an input of the same name.
  let output = `${stem}.${kind ?? (isPlain ? "txt" : "csv")}`;
  while (words.some((word) => word.toLowerCase().endsWith(output))) output = `new-${output}`;
  return `${words.map(quoteForShell).join(" ")}${source} > ${output}`;
}
