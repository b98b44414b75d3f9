// Describes the rows of a file in sentences, and creates the commands that write its clean list and its mistyped rows.

import { formatAlternatives } from "../base/closest-names.ts";
import { formatNumber, formatPercent, pluralize, quoteForShell } from "../base/format-text.ts";
import { describeClass, describeConcentration } from "../bulk/concentration.ts";
import { sumRows } from "../bulk/counts-by.ts";
import { hasNoAddress } from "../bulk/summary.ts";
import {
  CLASS_MEANINGS,
  classBits,
  classNames,
  DOUBTFUL_CLASSES,
  ROW_CLASS,
  UNUSABLE_CLASSES,
} from "../detection/classes.ts";
import { humanize } from "./common/text.ts";
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
const DOUBTFUL_BITS = classBits(DOUBTFUL_CLASSES);

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
      // The number of rows in the chart of classes.
      meaning: others > 0 ? `${meaning}; ${formatNumber(rows + others)} with those in earlier groups` : meaning,
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
  const cleanRows = rows - excludedRows;
  const concentration = summary.by && describeConcentration(summary.by);
  const details = [
    ...(concentration ? [concentration.text] : []),
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
