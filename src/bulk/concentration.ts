// Finds the days, or other values of --by, at which rows without a usable address are concentrated.

import { capitalize, escapeInvisible, formatNumber, formatPercent, pluralize } from "../base/format-text.ts";
import { UNUSABLE_CLASSES } from "../detection/classes.ts";
import { BY_FIELDS, type CountsByReport, selectDays, sumRows } from "./counts-by.ts";
import { DAY_MS } from "./days.ts";

/** Describes the rows of a class: "rows are …". */
export function describeClass(name: string): string {
  return name === "no_mail" ? "at domains without mail" : name.replaceAll("_", " ");
}

/** Fewer rows without a usable address may be on the same day, or have the same value, by chance. */
const MIN_UNUSABLE_ROWS = 10;
/** In standard deviations. High, because each of many days or values is compared. */
const MIN_DEVIATION = 5;
const MAX_SPANS = 3;

type Counts = Readonly<{ rows: number; unusable: number }>;
type ValueCounts = CountsByReport["values"][number];

/**
 * Names the values, or days, with far more rows without a usable address than the others. Joins only adjacent days.
 * Tables of the counts must have the returned values, too.
 */
export function describeConcentration({ column, values, other }: CountsByReport) {
  // Each value of these fields has rows of one kind only.
  if (BY_FIELDS.some((name) => name === column)) return undefined;
  const days = selectDays(values);
  const hasDays = days.length > 0;
  const counts = other === undefined ? values : [...values, other];
  let others: Counts = { rows: sumRows(counts), unusable: sumUnusable(counts) };
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
  return { text: sentences.join(" "), values: shown.flatMap(({ first, last }) => [first, last]) };
}

type Span = ReturnType<typeof toSpan>;

/** Totals the counts of a value, or of adjacent days. `mainClass` names the class of most rows without a usable address. */
function toSpan(values: readonly ValueCounts[]) {
  const unusable = sumUnusable(values);
  const classes = UNUSABLE_CLASSES.map((name) => ({
    name,
    rows: values.reduce((sum, { classes }) => sum + classes[name], 0),
  }));
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

function sumUnusable(counts: readonly Counts[]): number {
  return counts.reduce((sum, { unusable }) => sum + unusable, 0);
}
