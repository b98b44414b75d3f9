// Says in plain words what a file is like, and writes the command for its clean list.

import { formatAlternatives } from "../base/closest-names.ts";
import { escapeInvisible, formatNumber, formatPercent, pluralize } from "../base/format-text.ts";
import { type CountsByReport, selectDays } from "../bulk/counts-by.ts";
import { hasNoAddress } from "../bulk/summary.ts";
import { CLASS_MEANINGS, classBits, classNames, ROW_CLASS } from "../detection/classes.ts";
import { humanize, quoteForShell, TONES, type Tone } from "./common/text.ts";
import type { ReportFacts } from "./facts.ts";

/** Classes whose rows the clean list leaves out. A row is in the group of the first one that it has. */
const REMOVED_CLASSES = ["disposable", "invalid", "no_mail", "duplicate", "blank"] as const;
/** Classes that a person should look at. The clean list keeps their rows. */
const DOUBTFUL_BITS = classBits(["mistyped", "suspicious", "reserved", "hidden", "no_reply", "unknown"]);

type GroupName = (typeof REMOVED_CLASSES)[number] | "clean" | "doubtful";

export interface RowGroup {
  readonly name: GroupName;
  readonly rows: number;
  readonly tone: Tone;
  readonly meaning: string;
}

/** Divides the rows into groups without overlaps, and leaves out empty ones. */
export function groupRows(counts: ReportFacts["rowsByClassBits"]): RowGroup[] {
  const groupOf = (bits: number): GroupName =>
    REMOVED_CLASSES.find((name) => (bits & ROW_CLASS[name]) !== 0) ??
    ((bits & DOUBTFUL_BITS) === 0 ? "clean" : "doubtful");
  const createGroup = (name: GroupName, tone: Tone, describe: (bits: number) => string): RowGroup => {
    const members = counts.filter(([bits]) => groupOf(bits) === name);
    const rows = members.reduce((sum, [, rows]) => sum + rows, 0);
    return { name, rows, tone, meaning: describe(members.reduce((all, [bits]) => all | bits, 0)) };
  };
  return [
    createGroup("clean", "good", () => "no problem found"),
    createGroup("doubtful", "warn", (bits) => formatAlternatives(classNames(bits & DOUBTFUL_BITS).map(humanize))),
    ...REMOVED_CLASSES.map((name) => createGroup(name, TONES[name] ?? "plain", () => CLASS_MEANINGS[name])),
  ].filter(({ rows }) => rows > 0);
}

export interface Verdict {
  readonly tone: Tone;
  readonly headline: string;
  readonly details: string;
  /** Rows of the clean list. */
  readonly cleanRows: number;
  /** The command that writes the clean list. Undefined if the list would have all rows or none. */
  readonly command: string | undefined;
}

type VerdictFacts = Pick<ReportFacts, "summary" | "inputs" | "readOptions">;

export function describeRows(facts: VerdictFacts, groups: readonly RowGroup[]): Verdict {
  const { summary } = facts;
  const { rows } = summary;
  const removed = groups.filter(({ name }) => name !== "clean" && name !== "doubtful");
  const removedRows = removed.reduce((sum, group) => sum + group.rows, 0);
  const doubtful = groups.find(({ name }) => name === "doubtful");
  const details = [
    ...[summary.by ?? []].flat().flatMap((by) => describeConcentration(by, summary) ?? []),
    ...(doubtful ? [`${pluralize(doubtful.rows, "row is", "rows are")} doubtful: ${doubtful.meaning}.`] : []),
  ];
  return {
    tone: removedRows === rows ? "bad" : groups.length > 1 || doubtful ? "warn" : "good",
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
  if (removedRows === 0)
    return rows === 1
      ? "The only row is neither disposable nor invalid."
      : `None of the ${formatNumber(rows)} rows is disposable or invalid.`;
  const all = rows === 1 ? "The only row" : `All ${formatNumber(rows)} rows`;
  const some = `${formatNumber(removedRows)} of ${formatNumber(rows)} rows (${formatPercent(removedRows, rows)})`;
  const subject = removedRows === rows ? all : some;
  const adjectiveOf = ({ name }: RowGroup): string => (name === "no_mail" ? "at domains without mail" : humanize(name));
  const [first, ...others] = removed;
  if (first && others.length === 0) return `${subject} ${removedRows === 1 ? "is" : "are"} ${adjectiveOf(first)}.`;
  const parts = removed.map((group) => `${formatNumber(group.rows)} ${adjectiveOf(group)}`);
  return `${subject} should be removed: ${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}.`;
}

/** Fewer disposable rows say nothing about where they come from. */
const MIN_DISPOSABLE_ROWS = 10;

/**
 * Names the value or the span of days that has most of the disposable rows, if their share there is at least twice that
 * of the other rows.
 */
function describeConcentration(by: CountsByReport, total: ReportFacts["summary"]): string | undefined {
  const allDisposable = total.classes.disposable;
  const countIn = (span: CountsByReport["values"]) => ({
    rows: span.reduce((sum, { rows }) => sum + rows, 0),
    disposable: span.reduce((sum, { classes }) => sum + classes.disposable, 0),
  });
  /** Number of disposable rows above the average. */
  const excessIn = (span: CountsByReport["values"]): number => {
    const { rows, disposable } = countIn(span);
    return disposable - (rows * allDisposable) / total.rows;
  };
  const days = selectDays([...by.values]);
  let span: CountsByReport["values"] = [];
  let best = span;
  for (const value of days.length > 0 ? days : by.values) {
    // The days before the best span have too few disposable rows to be part of it.
    span = days.length > 0 && excessIn(span) > 0 ? [...span, value] : [value];
    if (value.value !== "" && excessIn(span) > excessIn(best)) best = span;
  }
  const { rows, disposable } = countIn(best);
  const [otherRows, otherDisposable] = [total.rows - rows, allDisposable - disposable];
  const isMost = allDisposable >= MIN_DISPOSABLE_ROWS && 2 * disposable > allDisposable;
  if (!isMost || otherRows === 0 || disposable * otherRows < 2 * otherDisposable * rows) return undefined;
  const [first = "", last = ""] = [best[0]?.value, best.at(-1)?.value];
  const place =
    days.length === 0
      ? `have the ${by.column} “${first}”`
      : first === last
        ? `are from ${first}`
        : last === days.at(-1)?.value
          ? `are from ${first} or later`
          : `are from ${first} to ${last}`;
  const whole = `${formatNumber(allDisposable)} disposable rows`;
  const elsewhere = `, elsewhere ${formatPercent(otherDisposable, otherRows)}`;
  return escapeInvisible(
    `${otherDisposable === 0 ? "All" : `${formatNumber(disposable)} of the`} ${whole} ${place}. ` +
      `Their share there is ${formatPercent(disposable, rows)}${otherDisposable === 0 ? "" : elsewhere}.`,
  );
}

/** Creates the command that writes the rows that are in none of the groups, unchanged. */
function createCommand({ inputs, readOptions }: VerdictFacts, removed: readonly RowGroup[]): string | undefined {
  if (readOptions === undefined) return undefined;
  const extension = ["csv", "tsv", "jsonl"].find((kind) => readOptions.includes(`--${kind}`)) ?? "txt";
  const words = [
    ...["addrsift", "detect", ...readOptions, ...inputs.flatMap((name) => ["--input", name])],
    ...["--format", "plain", "--reject", removed.map(({ name }) => name).join()],
  ];
  const source = inputs.length === 0 || inputs.includes("-") ? " < FILE" : "";
  return `${escapeInvisible(words.map(quoteForShell).join(" "))}${source} > clean.${extension}`;
}
