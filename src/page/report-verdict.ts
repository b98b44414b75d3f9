// Describes the rows of a file in sentences, and creates the commands that write its clean list and its mistyped rows.

import { formatAlternatives } from "../base/closest-names.ts";
import { capitalize, escapeInvisible, formatNumber, formatPercent, pluralize } from "../base/format-text.ts";
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
    { name: "clean", tone: "good", bit: 0, meaning: "no problem found" },
    { name: "doubtful", tone: "teal", bit: 0, meaning: formatAlternatives(classNames(doubts).map(humanize)) },
    ...EXCLUDED_CLASSES.map((name) => {
      return { name, tone: TONES[name] ?? "plain", bit: ROW_CLASS[name], meaning: CLASS_MEANINGS[name] };
    }),
  ] as const;
  const countRows = (matches: (bits: number) => boolean): number =>
    counts.reduce((sum, [bits, rows]) => (matches(bits) ? sum + rows : sum), 0);
  const countedGroups = groups.map(({ bit, meaning, ...group }) => {
    const rows = countRows((bits) => groupOf(bits) === group.name);
    const others = countRows((bits) => (bits & bit) !== 0) - rows;
    return {
      ...group,
      rows,
      meaning: others > 0 ? `${meaning}; ${formatNumber(others)} more in other groups` : meaning,
    };
  });
  return countedGroups.filter(({ rows }) => rows > 0);
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
  const concentration = summary.by && describeConcentration(summary.by, { rows, unusable });
  const details = [
    ...(concentration?.sentences ?? []),
    ...(doubtful ? [`${pluralize(doubtful.rows, "row is", "rows are")} doubtful, but kept: ${doubtful.meaning}.`] : []),
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
    /** Values of --by that `details` names. */
    namedValues: concentration?.values ?? [],
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
  const adjectives = excluded.map(({ name }) => describeClass(name));
  const [verb, article, ending] = excludedRows === 1 ? ["is", "a ", ""] : ["are", "", "s"];
  if (excluded.every(({ name }) => name === "duplicate")) return `${subject} ${verb} ${article}duplicate${ending}.`;
  if (adjectives.length === 1) return `${subject} ${verb} ${adjectives[0]}.`;
  const parts = excluded.map((group, i) => `${formatNumber(group.rows)} ${adjectives[i]}`);
  const remedy = hasMistyped ? "corrected or removed" : "removed";
  return `${subject} should be ${remedy}: ${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}.`;
}

const describeClass = (name: GroupName): string => (name === "no_mail" ? "at domains without mail" : humanize(name));

/** Fewer rows without a usable address may be on the same day, or have the same value, by chance. */
const MIN_UNUSABLE_ROWS = 10;
/** In standard deviations. High, because each of many days or values is compared. */
const MIN_DEVIATION = 5;
const MAX_SPANS = 3;

type Counts = Readonly<{ rows: number; unusable: number }>;
type ValueCounts = CountsByReport["values"][number];

/** Names the values, or days, with far more rows without a usable address than the others. Joins only adjacent days. */
function describeConcentration({ column, values }: CountsByReport, total: Counts) {
  // Each value of these fields has rows of one kind only.
  if (BY_FIELDS.some((name) => name === column)) return undefined;
  const days = selectDays(values);
  const hasDays = days.length > 0;
  let others = total;
  const unusual: ValueCounts[] = [];
  const candidates = hasDays ? days : values.filter(({ value }) => value !== "");
  for (const candidate of [...candidates].sort((a, b) => b.unusable - a.unusable)) {
    const rest = { rows: others.rows - candidate.rows, unusable: others.unusable - candidate.unusable };
    if (!isUnusual(candidate, rest)) continue;
    unusual.push(candidate);
    others = rest;
  }
  if (unusual.length === 0) return undefined;
  const groups: ValueCounts[][] = [];
  for (const each of unusual.sort((a, b) => (a.value < b.value ? -1 : 1))) {
    const lastDay = Date.parse(groups.at(-1)?.at(-1)?.value ?? "");
    if (hasDays && Date.parse(each.value) - lastDay === DAY_MS) groups.at(-1)?.push(each);
    else groups.push([each]);
  }
  const spans = groups.map((group) => toSpan(group)).sort((a, b) => b.unusable / b.rows - a.unusable / a.rows);
  const [worst, ...largest] = spans;
  // The worst share can be that of a small burst.
  const shown = [worst as Span, ...largest.sort((a, b) => b.unusable - a.unusable).slice(0, MAX_SPANS - 1)];
  const places = shown.map(({ first, last, rows, unusable, mainClass }, i) => {
    const dates = first === last ? `on ${first}` : `from ${first} to ${last}`;
    const place = escapeInvisible(hasDays ? dates : `with the ${column} “${first}”`);
    const share = `(${formatPercent(unusable, rows)}${mainClass})`;
    const count = `${formatNumber(unusable)} of ${i === 0 ? pluralize(rows, "row", "rows") : formatNumber(rows)}`;
    return `${place}, ${count} ${share}${i === 0 ? " have no usable address" : ""}`;
  });
  const more = spans.length - shown.length;
  const sentences = [
    `${capitalize(places.join("; "))}.`,
    ...(more > 0 ? [`${formatNumber(more)} more ${more === 1 ? "stands" : "stand"} out.`] : []),
    `In the other ${pluralize(others.rows, "row", "rows")}, the share is ${formatPercent(others.unusable, others.rows)}.`,
  ];
  return { sentences, values: shown.flatMap(({ first, last }) => [first, last]) };
}

type Span = ReturnType<typeof toSpan>;

/** Totals the counts of a value, or of adjacent days. `mainClass` names the class of most rows without a usable address. */
function toSpan(values: readonly ValueCounts[]) {
  const sum = (count: (value: ValueCounts) => number): number => values.reduce((all, each) => all + count(each), 0);
  const unusable = sum((each) => each.unusable);
  const classes = UNUSABLE_CLASSES.map((name) => ({ name, rows: sum((each) => each.classes[name]) }));
  const main = classes.find(({ rows }) => 2 * rows > unusable);
  return {
    first: values[0]?.value ?? "",
    last: values.at(-1)?.value ?? "",
    rows: sumRows(values),
    unusable,
    mainClass: main ? `, ${main.rows === unusable ? "all" : "mostly"} ${describeClass(main.name)}` : "",
  };
}

/** Reports whether the share of unusable addresses is at least twice that of the other rows, and higher than by chance. */
function isUnusual({ rows, unusable }: Counts, others: Counts): boolean {
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
