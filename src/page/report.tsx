// The report of --report: charts and tables about a run.

import type { ComponentChildren } from "preact";
import { escapeInvisible, formatNumber, formatPercent, pluralize } from "../base/format-text.ts";
import type { RowClass } from "../bulk/classes.ts";
import { BY_CLASSES, daysIn, type ReportBy, shownBy, titleOf } from "../bulk/counts-by.ts";
import type { Counted } from "../bulk/name-counts.ts";
import { WORST, type WorstRow } from "../bulk/report-counts.ts";
import { BarChart, DayChart, Fact, Table } from "./common/charts.tsx";
import { type Bar, classBars, formatTime, humanize, quoteForShell } from "./common/text.ts";
import type { ReportFacts } from "./facts.ts";

const ALWAYS_IN_TILES: readonly RowClass[] = ["valid", "invalid", "disposable"];
/** The other classes, the most important first. */
const MAYBE_IN_TILES: readonly RowClass[] = [
  "duplicate",
  "no_mail",
  "mistyped",
  "suspicious",
  "unknown",
  "relay",
  "public",
  "role",
  "work",
];
const TILE_COUNT = 6;
const FAULT_COUNT = 12;
const DECIDED_BY = { lists: "lists", live: "DNS", unknown: "DNS, without an answer", unsettled: "nothing" };

export function formatInputNames({ inputs }: Pick<ReportFacts, "inputs">): string {
  const names = inputs.length === 0 ? ["-"] : inputs;
  return escapeInvisible(names.map((name) => (name === "-" ? "standard input" : name)).join(", "));
}

export function Report(report: ReportFacts): ComponentChildren {
  const { summary, worst, kinds, providers, typos, options, interrupted, endedMs } = report;
  const { rows, classes, duplicates, by } = summary;
  const when = formatTime(new Date(endedMs).toISOString()).replace(/:\d\d UTC/, " UTC");
  const faults = Object.entries(summary.faults).slice(0, FAULT_COUNT);
  const found = MAYBE_IN_TILES.filter((name) => classes[name] > 0);
  const tiles = [...ALWAYS_IN_TILES, ...found].slice(0, TILE_COUNT);
  const days = daysIn([...(by?.values ?? [])]).map(({ value, rows, classes: { disposable } }) => ({
    value,
    rows,
    disposable,
  }));
  const decided = Object.entries(summary.settled_by).filter(([, count]) => count > 0);
  const chart = (title: string, bars: readonly Bar[], note = ""): ComponentChildren =>
    bars.length > 0 && (
      <Card title={title}>
        <BarChart bars={bars} total={rows} />
        {note !== "" && <p class="note">{note}</p>}
      </Card>
    );
  return (
    <main class="report">
      <h1>Email addresses in {formatInputNames(report)}</h1>
      <p class="lead">{`${interrupted ? "Interrupted after " : ""}${pluralize(rows, "row", "rows")}, ${when}`}</p>
      <ul class="tiles">
        {tiles.map((name) => (
          <li key={name} class="card">
            <b>{formatNumber(classes[name])}</b> {humanize(name)}{" "}
            {rows > 0 && <small>{formatPercent(classes[name], rows)}</small>}
          </li>
        ))}
      </ul>
      {days.length > 1 && (
        <section class="card">
          <DayChart days={days} column={by === undefined ? "" : titleOf(by)} />
        </section>
      )}
      <div class="cards">
        {chart("Classes", classBars(classes), "A row can have several classes.")}
        {chart("Top disposable services", toBars(summary.top_disposable_domains))}
        {chart("Kinds of domains", toBars(kinds), "Of the most frequent domains.")}
        {chart("Consumer providers", toBars(providers))}
        {chart("Privacy relays", toBars(summary.top_relays))}
        {chart(
          "Faults of invalid rows",
          toBars(faults.map(([code, count]) => ({ name: humanize(code), rows: count }))),
        )}
        {chart(
          "Domains decided by",
          toBars(decided.map(([name, count]) => ({ name: DECIDED_BY[name as keyof typeof DECIDED_BY], rows: count }))),
        )}
        {typos.length > 0 && (
          <TableCard
            title="Probably mistyped"
            head={["domain", "suggestion", "rows"]}
            rows={typos.map(({ domain, suggestion, rows }) => [domain, suggestion, rows])}
          />
        )}
        {duplicates !== undefined && (
          <TableCard
            title="Largest duplicates"
            head={["first row", "rows"]}
            rows={duplicates.largest.map(({ first_row, rows }) => [String(first_row), rows])}
          >
            <p class="note">
              {pluralize(duplicates.mailboxes, "mailbox has", "mailboxes have")} several rows:{" "}
              {formatNumber(duplicates.rows)} in all.
            </p>
          </TableCard>
        )}
        {WORST.map((name) => (
          <WorstCard key={name} name={name} rows={worst.get(name) ?? []} total={classes[name]} />
        ))}
        <Card title="This run">
          <dl class="lines">
            <Fact name="Lists">{summary.data_version}</Fact>
            <Fact name="Time">{(summary.duration_ms / 1000).toFixed(1)} s</Fact>
            <Fact name="Options">{escapeInvisible(options.map(quoteForShell).join(" ") || "none")}</Fact>
          </dl>
        </Card>
      </div>
      {by !== undefined && <ByCard by={by} classes={classes} />}
    </main>
  );
}

function toBars(counts: readonly Counted[]): Bar[] {
  return counts.map(({ name, rows }) => ({ id: name, name, count: rows, tone: "accent" }));
}

interface CardProps {
  readonly title: string;
  readonly children?: ComponentChildren;
}

function Card({ title, children }: CardProps): ComponentChildren {
  return (
    <section class="card">
      <h2>{escapeInvisible(title)}</h2>
      {children}
    </section>
  );
}

function TableCard({ title, children, ...table }: CardProps & Parameters<typeof Table>[0]): ComponentChildren {
  return (
    <Card title={title}>
      {children}
      <Table title={title} {...table} />
    </Card>
  );
}

/** Shows the share of each class by the values of the --by column. */
function ByCard({
  by,
  classes,
}: { readonly by: ReportBy } & Pick<ReportFacts["summary"], "classes">): ComponentChildren {
  const { values, left } = shownBy(by);
  const names = BY_CLASSES.filter((name) => classes[name] > 0);
  return (
    <TableCard
      title={`By ${titleOf(by)}`}
      head={[by.column, "rows", ...names]}
      rows={values.map(({ value, rows, classes: counts }) => [
        value,
        rows,
        ...names.map((name) => formatPercent(counts[name], rows)),
      ])}
    >
      {left > 0 && <p class="note">The table leaves out {pluralize(left, "value", "values")}.</p>}
    </TableCard>
  );
}

interface WorstProps {
  readonly name: string;
  readonly rows: readonly WorstRow[];
  readonly total: number;
}

function WorstCard({ name, rows, total }: WorstProps): ComponentChildren {
  const [first] = rows;
  if (first === undefined) return null;
  const hasSeveral = rows.some(({ input }) => input !== first.input);
  const hasFaults = first.fault !== undefined;
  const hasAddress = first.address !== undefined;
  const head = [
    ...(hasSeveral ? ["input"] : []),
    "row",
    ...(hasFaults ? ["fault"] : []),
    ...(hasAddress ? ["address"] : []),
  ];
  const note = total > rows.length && <p class="note">{`The first ${rows.length} of ${formatNumber(total)}.`}</p>;
  const title = `First ${humanize(name)} rows`;
  // A single column would be a tall list of numbers.
  if (head.length === 1) {
    return (
      <Card title={title}>
        <p>{rows.map(({ row }) => formatNumber(row)).join(" · ")}</p>
        {note}
      </Card>
    );
  }
  return (
    <TableCard
      title={title}
      head={head}
      rows={rows.map(({ input, row, fault, address = "" }) => [
        ...(hasSeveral ? [input] : []),
        row,
        ...(hasFaults ? [humanize(fault ?? "")] : []),
        ...(hasAddress ? [address] : []),
      ])}
    >
      {note}
    </TableCard>
  );
}
