// Describes the rows of a file in sentences, and creates the command that writes its clean list.

import { formatAlternatives } from "../base/closest-names.ts";
import { escapeInvisible, formatNumber, formatPercent, pluralize } from "../base/format-text.ts";
import { type CountsByReport, selectDays } from "../bulk/counts-by.ts";
import { hasNoAddress, type SummaryReport } from "../bulk/summary.ts";
import { CLASS_MEANINGS, classBits, classNames, ROW_CLASS } from "../detection/classes.ts";
import { sumRows } from "./common/periods.ts";
import { humanize, quoteForShell } from "./common/text.ts";
import type { ReportFacts } from "./facts.ts";

/** Classes whose rows the clean list leaves out. A row with several of them is in the group of the first. */
const REMOVED_CLASSES = ["disposable", "invalid", "no_mail", "duplicate", "blank"] as const;
const REMOVED_TONES: Readonly<Record<string, string>> = { disposable: "bad", invalid: "accent", no_mail: "accent" };
/** Classes that a person should look at. The clean list keeps their rows. */
const DOUBTFUL_BITS = classBits(["mistyped", "suspicious", "reserved", "hidden", "no_reply", "unknown"]);

type GroupName = (typeof REMOVED_CLASSES)[number] | "clean" | "doubtful";
export type RowGroup = ReturnType<typeof groupRows>[number];

/** Divides the rows into groups without overlaps, and leaves out empty ones. */
function groupRows(counts: ReportFacts["rowsByClassBits"]) {
  const groupOf = (bits: number): GroupName =>
    REMOVED_CLASSES.find((name) => (bits & ROW_CLASS[name]) !== 0) ??
    ((bits & DOUBTFUL_BITS) === 0 ? "clean" : "doubtful");
  const doubts = counts.reduce((all, [bits]) => (groupOf(bits) === "doubtful" ? all | (bits & DOUBTFUL_BITS) : all), 0);
  const groups = [
    { name: "clean", tone: "good", meaning: "no problem found" },
    { name: "doubtful", tone: "warn", meaning: formatAlternatives(classNames(doubts).map(humanize)) },
    ...REMOVED_CLASSES.map((name) => ({ name, tone: REMOVED_TONES[name] ?? "plain", meaning: CLASS_MEANINGS[name] })),
  ] as const;
  const rowsIn = (name: GroupName): number =>
    counts.reduce((sum, [bits, rows]) => (groupOf(bits) === name ? sum + rows : sum), 0);
  return groups.map((group) => ({ ...group, rows: rowsIn(group.name) })).filter(({ rows }) => rows > 0);
}

type VerdictFacts = Pick<ReportFacts, "summary" | "rowsByClassBits" | "inputs" | "readOptions">;

/** Returns the verdict, and the command that writes the clean list unless that would have all rows or none. */
export function describeRows(facts: VerdictFacts) {
  const { summary } = facts;
  const { rows } = summary;
  const groups = groupRows(facts.rowsByClassBits);
  const removed = groups.filter(({ name }) => name !== "clean" && name !== "doubtful");
  const removedRows = sumRows(removed);
  const doubtful = groups.find(({ name }) => name === "doubtful");
  const details = [
    ...(summary.by ? describeConcentration(summary.by, summary) : []),
    ...(doubtful ? [`${pluralize(doubtful.rows, "row is", "rows are")} doubtful: ${doubtful.meaning}.`] : []),
  ];
  return {
    groups,
    tone: 2 * removedRows >= rows ? "bad" : removedRows > 0 || doubtful ? "warn" : "good",
    headline: hasNoAddress(summary)
      ? `None of the ${formatNumber(rows)} rows has an address: is this the right file, and the right column?`
      : describeRemoved(removed, removedRows, rows),
    details: details.join(" "),
    cleanRows: rows - removedRows,
    command: removedRows === 0 || removedRows === rows ? undefined : createCommand(facts, removed),
  };
}

function describeRemoved(removed: readonly RowGroup[], removedRows: number, rows: number): string {
  if (rows === 0) return "There are no rows.";
  const isOnly = rows === 1;
  if (removedRows === 0) {
    const subject = isOnly ? "The only row is neither" : `None of the ${formatNumber(rows)} rows is`;
    return `${subject} disposable ${isOnly ? "nor" : "or"} invalid.`;
  }
  const all = isOnly ? "The only row" : `All ${formatNumber(rows)} rows`;
  const some = `${formatNumber(removedRows)} of ${formatNumber(rows)} rows (${formatPercent(removedRows, rows)})`;
  const subject = removedRows === rows ? all : some;
  const adjectives = removed.map(({ name }) => (name === "no_mail" ? "at domains without mail" : humanize(name)));
  if (adjectives.length === 1) return `${subject} ${removedRows === 1 ? "is" : "are"} ${adjectives[0]}.`;
  const parts = removed.map((group, i) => `${formatNumber(group.rows)} ${adjectives[i]}`);
  return `${subject} should be removed: ${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}.`;
}

/** Fewer disposable rows may be on the same day, or have the same value, by chance. */
const MIN_DISPOSABLE_ROWS = 10;

/**
 * Names the value or the span of days that has at least a third of the disposable rows, if their share there is at least
 * twice that of the other rows. Finds the span with Kadane's algorithm.
 */
function describeConcentration({ column, values }: CountsByReport, total: SummaryReport): string[] {
  const all = total.classes.disposable;
  const days = selectDays(values);
  const empty = { first: "", last: "", rows: 0, disposable: 0 };
  /** Returns the number of disposable rows above the file's average, times its number of rows. */
  const excessIn = ({ rows, disposable }: typeof empty): number => disposable * total.rows - rows * all;
  let [span, best] = [empty, empty];
  for (const { value, rows, classes } of days.length > 0 ? days : values) {
    const before = days.length > 0 && excessIn(span) > 0 ? span : { ...empty, first: value };
    const disposable = before.disposable + classes.disposable;
    span = { first: before.first, last: value, rows: before.rows + rows, disposable };
    if (value !== "" && excessIn(span) > excessIn(best)) best = span;
  }
  const { first, last, rows, disposable } = best;
  const [others, otherRows] = [all - disposable, total.rows - rows];
  const isTwice = otherRows > 0 && disposable * otherRows >= 2 * others * rows;
  if (all < MIN_DISPOSABLE_ROWS || 3 * disposable < all || !isTwice) return [];
  const end = last === days.at(-1)?.value ? " or later" : ` to ${last}`;
  const place = days.length === 0 ? `have the ${column} “${first}”` : `are from ${first}${first === last ? "" : end}`;
  const part = others === 0 ? "All" : `${formatNumber(disposable)} of the`;
  const elsewhere = others === 0 ? "" : `, elsewhere ${formatPercent(others, otherRows)}`;
  const share = `Their share there is ${formatPercent(disposable, rows)}${elsewhere}.`;
  return [`${part} ${formatNumber(all)} disposable rows ${escapeInvisible(place)}. ${share}`];
}

/** Creates the command that writes the rows of no removed group, unchanged. */
function createCommand({ inputs, readOptions }: VerdictFacts, removed: readonly RowGroup[]): string | undefined {
  if (readOptions === undefined) return undefined;
  const extension = ["csv", "tsv", "jsonl"].find((kind) => readOptions.includes(`--${kind}`)) ?? "txt";
  const words = ["addrsift", "detect", ...readOptions, ...inputs.flatMap((name) => ["--input", name])];
  words.push("--format", "plain", "--reject", removed.map(({ name }) => name).join(","));
  const source = inputs.length === 0 || inputs.includes("-") ? " < FILE" : "";
  // A shell empties the output file before the command reads an input of the same name.
  let output = `clean.${extension}`;
  while (words.some((word) => word.toLowerCase().endsWith(output))) output = `clean-${output}`;
  return `${escapeInvisible(words.map(quoteForShell).join(" "))}${source} > ${output}`;
}
