// The page of --report: one self-contained file of HTML. Its charts are drawn when it is made, and it runs no code.

import { SYNTAX_FAULTS, type SyntaxCode } from "../../../../address/faults.ts";
import { encodeUtf8 } from "../../../../base/bytes/bytes.ts";
import { escapeHtml, shareOf, shownNumber } from "../../../../base/shown.ts";
import { areDays, BY_CLASSES, type ReportBy, shownBy, titleOf } from "../../../../bulk/counts-by.ts";
import type { Frequent } from "../../../../bulk/heavy-hitters.ts";
import { type ReportCounts, WORST, type WorstRow } from "../../../../bulk/report-counts.ts";
import type { Counted, SummaryReport } from "../../../../bulk/summary.ts";
import { Classifier, type ClassifierSetup } from "../../../../detection/classifier.ts";
import { createExplain } from "../../../../detection/explain.ts";
import { shownText } from "../../../terminal/say.ts";
import { STYLE } from "./style.ts";

interface ReportInput {
  readonly summary: SummaryReport;
  readonly counts: ReportCounts;
  readonly setup: ClassifierSetup;
  readonly inputs: readonly string[];
  readonly options: readonly string[];
  readonly interrupted: boolean;
  /** When the run ended, in milliseconds since 1970. */
  readonly endedMs: number;
}

// Classes that stand at the top as numbers.
const TILES = ["valid", "invalid", "disposable", "relay", "public", "role"] as const;
const SHOWN = 12;

export function renderReport(input: ReportInput): string {
  const { summary, counts, setup } = input;
  const { kinds, providers, typos } = findDomains(counts, setup);
  const faults = Object.entries(summary.faults).slice(0, SHOWN);
  const chartSection = (title: string, shown: readonly Counted[], note = ""): string =>
    chartOf(title, shown, summary.rows, note);
  const sections = [
    chartSection("Classes", bars(summary.classes), "A row can be in several classes."),
    chartSection("Top disposable services", summary.top_disposable_domains),
    chartSection("Kinds of domains", kinds, "What the most frequent domains are known to be."),
    chartSection("Consumer providers", providers),
    chartSection("Privacy relays", summary.top_relays),
    chartSection(
      "Faults of invalid rows",
      faults.map(([code, rows]) => ({ name: SYNTAX_FAULTS[code as SyntaxCode].message, rows })),
    ),
    chartSection("What settled the domains", settled(summary)),
    typoSection(typos),
    duplicateSection(summary),
  ];
  const worst = WORST.map((name) => worstSection(name, counts.worst.get(name) ?? [], summary.classes[name]));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>addrsift: ${shownHtml(inputNames(input))}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${head(input)}
${tiles(input)}
<div class="cards">
${filled(sections)}
</div>
<div class="cards tables">
${filled([bySection(summary), ...worst, runSection(input)])}
</div>
</main>
</body>
</html>
`;
}

function filled(sections: readonly string[]): string {
  return sections.filter((section) => section !== "").join("\n");
}

function inputNames({ inputs }: ReportInput): string {
  return (inputs.length === 0 ? ["-"] : inputs).map((name) => (name === "-" ? "standard input" : name)).join(", ");
}

function head(input: ReportInput): string {
  const { summary, interrupted, endedMs } = input;
  const when = new Date(endedMs).toISOString().slice(0, 16).replace("T", " ");
  const rows =
    `${interrupted ? "Interrupted after " : ""}${shownNumber(summary.rows)} ` +
    `${summary.rows === 1 ? "row" : "rows"}`;
  return `<h1>E-mail addresses of ${shownHtml(inputNames(input))}</h1>\n<p>${rows}, ${when} UTC</p>`;
}

function tiles({ summary }: ReportInput): string {
  const share = (rows: number): string => (summary.rows === 0 ? "" : ` (${shareOf(rows, summary.rows)})`);
  const items = TILES.map((name) => {
    const rows = summary.classes[name];
    return `<li><b>${shownNumber(rows)}</b>${name}${share(rows)}</li>`;
  });
  return `<ul class="tiles">\n${items.join("\n")}\n</ul>`;
}

function bars(counts: Readonly<Record<string, number>>): Counted[] {
  return Object.entries(counts)
    .map(([name, rows]) => ({ name, rows }))
    .filter(({ rows }) => rows > 0);
}

function chartOf(title: string, shown: readonly Counted[], total: number, note: string): string {
  if (shown.length === 0) return "";
  const below = note === "" ? "" : `\n<p>${note}</p>`;
  return `<section>\n<h2>${title}</h2>\n${barChart(shown, total)}${below}\n</section>`;
}

function typoSection(typos: readonly Typo[]): string {
  if (typos.length === 0) return "";
  const rows = typos.map(({ domain, meant, rows }) => [domain, meant, rows] as const);
  return (
    `<section>\n<h2>Probably ` +
    `mistyped</h2>\n${table("Probably mistyped", ["domain", "meant", "rows"], rows)}\n</section>`
  );
}

function settled({ settled_by: by }: SummaryReport): Counted[] {
  const words = { lists: "lists", live: "DNS", unknown: "DNS gave no answer", unsettled: "in no list" } as const;
  return bars(by).map(({ name, rows }) => ({ name: words[name as keyof typeof words], rows }));
}

function duplicateSection({ duplicates }: SummaryReport): string {
  if (duplicates === undefined) return "";
  const { rows, mailboxes, largest } = duplicates;
  const groups = largest.map(({ first_row, rows }) => [String(first_row), rows] as const);
  const title = "Rows of the same mailbox";
  const text = `${shownNumber(rows)} rows are ${shownNumber(mailboxes)} mailboxes.`;
  return `<section>\n<h2>${title}</h2>\n<p>${text}</p>\n${table(title, ["first row", "rows"], groups)}\n</section>`;
}

/** The shares of the classes for each value of a column. */
function bySection({ by, classes }: SummaryReport): string {
  if (by === undefined) return "";
  const { values, left } = shownBy(by);
  const names = BY_CLASSES.filter((name) => classes[name] > 0);
  const rows = values.map((each) => [
    each.value,
    each.rows,
    ...names.map((name) => shareOf(each.classes[name], each.rows)),
  ]);
  const title = `By ${titleOf(by)}`;
  const more = left === 0 ? "" : `\n<p>${shownNumber(left)} more are not shown.</p>`;
  const titles = [by.column, "rows", ...names];
  const days = areDays(by.values) ? dayChart(by.values) : "";
  const shown = `${days}${table(title, titles, rows)}${more}`;
  return `<section class="across">\n<h2>${shownHtml(title)}</h2>\n${shown}\n</section>`;
}

/** A line for the rows of each day, and one for the disposable ones. The table below has the numbers. */
function dayChart(values: ReportBy["values"]): string {
  const days = values.filter(({ value }) => value !== "");
  if (days.length < 2) return "";
  const times = days.map(({ value }) => Date.parse(value));
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const most = Math.max(...days.map(({ rows }) => rows));
  const line = (name: string, counts: readonly number[]): string => {
    const points = counts.map((count, i) => {
      const x = (100 * ((times[i] ?? 0) - first)) / (last - first);
      return `${x.toFixed(2)},${(40 - (40 * count) / most).toFixed(2)}`;
    });
    return `<polyline class="${name}" points="${points.join(" ")}" vector-effect="non-scaling-stroke"/>`;
  };
  const all = line(
    "all",
    days.map(({ rows }) => rows),
  );
  const disposable = line(
    "disposable",
    days.map(({ classes }) => classes.disposable),
  );
  const svg = `<svg class="days" viewBox="0 -1 100 42" preserveAspectRatio="none" aria-hidden="true">${all}${disposable}</svg>`;
  const span = `${shownHtml(days[0]?.value ?? "")} to ${shownHtml(days.at(-1)?.value ?? "")}`;
  return `${svg}\n<p class="legend">${span}, up to ${shownNumber(most)} rows a day; the red line is disposable rows.</p>\n`;
}

function worstSection(name: string, worst: readonly WorstRow[], total: number): string {
  if (worst.length === 0) return "";
  const several = new Set(worst.map(({ input }) => input)).size > 1;
  const withAddress = worst[0]?.address !== undefined;
  const reason = (fault: string | undefined): string =>
    fault === undefined ? name : SYNTAX_FAULTS[fault as SyntaxCode].message;
  const titles = [...(several ? ["input"] : []), "row", "why", ...(withAddress ? ["address"] : [])];
  const rows = worst.map(({ input, row, fault, address }) => [
    ...(several ? [input] : []),
    row,
    reason(fault),
    ...(withAddress ? [address ?? ""] : []),
  ]);
  const title = `First ${name.replace("_", " ")} rows`;
  const more = total > worst.length ? `\n<p>${shownNumber(worst.length)} of ${shownNumber(total)} are shown.</p>` : "";
  return `<section>\n<h2>${title}</h2>\n${table(title, titles, rows)}${more}\n</section>`;
}

function runSection({ summary, options }: ReportInput): string {
  const facts = [
    ["lists", summary.data_version],
    ["seconds", (summary.duration_ms / 1000).toFixed(1)],
    ["options", options.map(quoted).join(" ") || "none"],
  ] as const;
  return `<section>\n<h2>This run</h2>\n${table("This run", ["what", "value"], facts)}\n</section>`;
}

/** An option as a POSIX shell reads it. */
function quoted(word: string): string {
  return /^[\w./,:=@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Text for an element or a quoted attribute. */
function shownHtml(text: string): string {
  return escapeHtml(shownText(text));
}

/** A table with a header for each column; cells are escaped. Numbers are aligned to the right. */
function table(caption: string, titles: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const kindOf = (value: string | number | undefined): string => {
    if (typeof value === "number" || value?.endsWith(" %")) return ' class="n"';
    return /^\d{4}-\d\d-\d\d/.test(value ?? "") ? ' class="day"' : "";
  };
  const cell = (value: string | number): string =>
    `<td${kindOf(value)}>${typeof value === "number" ? shownNumber(value) : shownHtml(value)}</td>`;
  const kind = (i: number): string => kindOf(rows[0]?.[i]);
  const head = titles.map((title, i) => `<th scope="col"${kind(i)}>${shownHtml(title)}</th>`).join("");
  const body = rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`).join("\n");
  return (
    `<div class="wide" tabindex="0" role="region" ` +
    `aria-label="${shownHtml(caption)}"><table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`
  );
}

/**
 * Bars in the order in which they are given. All rows are the whole width, in each chart: one percent looks like one
 * percent.
 */
function barChart(bars: readonly Counted[], total: number): string {
  const items = bars.map(({ name, rows }) => {
    const fill = `<rect class="fill" width="${((100 * rows) / total).toFixed(2)}%" height="100%" rx="5"/>`;
    const svg = `<svg aria-hidden="true"><rect class="track" width="100%" height="100%" rx="5"/>${fill}</svg>`;
    return `<li><span>${shownHtml(name)}</span>${svg}<span>${shownNumber(rows)} <small>${shareOf(rows, total)}</small></span></li>`;
  });
  return `<ul class="bars">\n${items.join("\n")}\n</ul>`;
}

// Domains that are looked up again: enough for nearly all rows of most files, and few enough to take no time.
const LOOKED_UP = 1000;
// A name for which suggestions differ would be too long to be typed.
const LOCAL_PART = "x";

interface Typo {
  readonly domain: string;
  readonly meant: string;
  readonly rows: number;
}

/** Looks the frequent domains up. They are counted as they are written, and shown by their canonical names. */
function findDomains({ domains, malformed }: ReportCounts, setup: ClassifierSetup) {
  const classifier = new Classifier(setup);
  const explain = createExplain(setup);
  const kinds = new Map<string, number>();
  const providers = new Map<string, number>();
  const typos = new Map<string, Typo>();
  const look = ({ name, rows }: Frequent): void => {
    const bytes = encodeUtf8(`${LOCAL_PART}@${name}`);
    classifier.classify(bytes, 0, bytes.length);
    const { suggestion, domain_kind: kind } = explain(bytes, 0, bytes.length, classifier);
    const meant = suggestion?.slice(suggestion.lastIndexOf("@") + 1);
    if (meant !== undefined && meant !== name)
      typos.set(name, { domain: name, meant, rows: rows + (typos.get(name)?.rows ?? 0) });
    if (classifier.fault !== undefined) return;
    const isPublic = classifier.verdict.publicDomain;
    if (isPublic) count(providers, classifier.normalized.slice(LOCAL_PART.length + 1), rows);
    const shown = kind ?? (isPublic ? "consumer provider" : undefined);
    if (shown !== undefined) count(kinds, shown, rows);
  };
  for (const found of [...domains.top(LOOKED_UP), ...malformed.top(LOOKED_UP)]) look(found);
  return { kinds: frequent(kinds), providers: frequent(providers), typos: largest([...typos.values()]) };
}

function count(counts: Map<string, number>, name: string, rows: number): void {
  counts.set(name, (counts.get(name) ?? 0) + rows);
}

function frequent(counts: ReadonlyMap<string, number>): Counted[] {
  return largest([...counts].map(([name, rows]) => ({ name, rows })));
}

function largest<Item extends { readonly rows: number }>(items: readonly Item[]): Item[] {
  return [...items].sort((a, b) => b.rows - a.rows).slice(0, SHOWN);
}
