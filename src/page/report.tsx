// The page of --report: charts and tables about a run, drawn when it is made.

import type { ComponentChildren } from "preact";
import { SYNTAX_FAULTS, type SyntaxCode } from "../address/faults.ts";
import { escapeInvisible, formatNumber, formatPercent, pluralize } from "../base/format-text.ts";
import { BY_CLASSES, daysIn, type ReportBy, shownBy, titleOf } from "../bulk/counts-by.ts";
import type { Counted } from "../bulk/name-counts.ts";
import { WORST, type WorstRow } from "../bulk/report-counts.ts";
import { BarChart, DayChart, Table } from "./common/charts.tsx";
import { type Bar, classBars, type Day, formatTime, humanize, quoteForShell } from "./common/text.ts";
import type { ReportFacts } from "./facts.ts";

const TILES = ["valid", "invalid", "disposable", "relay", "public", "role"] as const;
const TOP_COUNT = 12;
const DECIDED_BY = { lists: "lists", live: "DNS", unknown: "DNS gave no answer", unsettled: "in no list" };

export function formatInputNames({ inputs }: Pick<ReportFacts, "inputs">): string {
  const names = inputs.length === 0 ? ["-"] : inputs;
  return escapeInvisible(names.map((name) => (name === "-" ? "standard input" : name)).join(", "));
}

export function Report(report: ReportFacts): ComponentChildren {
  const { summary, worst, kinds, providers, typos, options, interrupted, endedMs } = report;
  const { rows, classes, duplicates, by } = summary;
  const when = formatTime(new Date(endedMs).toISOString()).replace(/:\d\d UTC/, " UTC");
  const faults = Object.entries(summary.faults).slice(0, TOP_COUNT);
  const settled = Object.entries(summary.settled_by).filter(([, count]) => count > 0);
  const chart = (title: string, bars: readonly Bar[], note = ""): ComponentChildren =>
    bars.length > 0 && (
      <Card title={title}>
        <BarChart bars={bars} total={rows} />
        {note !== "" && <p class="note">{note}</p>}
      </Card>
    );
  return (
    <main class="report">
      <h1>E-mail addresses of {formatInputNames(report)}</h1>
      <p class="lead">{`${interrupted ? "Interrupted after " : ""}${pluralize(rows, "row", "rows")}, ${when}`}</p>
      <ul class="cards tiles">
        {TILES.map((name) => (
          <li key={name} class="card">
            <b>{formatNumber(classes[name])}</b> {name}{" "}
            {rows > 0 && <small>{formatPercent(classes[name], rows)}</small>}
          </li>
        ))}
      </ul>
      <div class="cards">
        {chart("Classes", classBars(classes), "A row can be in several classes.")}
        {chart("Top disposable services", toBars(summary.top_disposable_domains))}
        {chart("Kinds of domains", toBars(kinds), "What the most frequent domains are known to be.")}
        {chart("Consumer providers", toBars(providers))}
        {chart("Privacy relays", toBars(summary.top_relays))}
        {chart("Faults of invalid rows", toBars(faults.map(([code, count]) => ({ name: faultOf(code), rows: count }))))}
        {chart(
          "What settled the domains",
          toBars(settled.map(([name, count]) => ({ name: DECIDED_BY[name as keyof typeof DECIDED_BY], rows: count }))),
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
            title="Rows of the same mailbox"
            head={["first row", "rows"]}
            rows={duplicates.largest.map(({ first_row, rows }) => [String(first_row), rows])}
          >
            <p class="note">
              {formatNumber(duplicates.rows)} rows are {formatNumber(duplicates.mailboxes)} mailboxes.
            </p>
          </TableCard>
        )}
      </div>
      <div class="cards tables">
        {by !== undefined && <ByCard by={by} classes={classes} />}
        {WORST.map((name) => (
          <WorstCard key={name} name={name} rows={worst.get(name) ?? []} total={classes[name]} />
        ))}
        <TableCard
          title="This run"
          head={["what", "value"]}
          rows={[
            ["lists", summary.data_version],
            ["seconds", (summary.duration_ms / 1000).toFixed(1)],
            ["options", options.map(quoteForShell).join(" ") || "none"],
          ]}
        />
      </div>
    </main>
  );
}

function toBars(counts: readonly Counted[]): Bar[] {
  return counts.map(({ name, rows }) => ({ id: name, name, count: rows, tone: "accent" }));
}

function toDays({ values }: ReportBy): Day[] {
  return daysIn(values).map(({ value, rows, classes }) => ({ value, rows, disposable: classes.disposable }));
}

function faultOf(code: string): string {
  return SYNTAX_FAULTS[code as SyntaxCode].message;
}

interface CardProps {
  readonly title: string;
  readonly across?: boolean;
  readonly children?: ComponentChildren;
}

function Card({ title, across = false, children }: CardProps): ComponentChildren {
  return (
    <section class={across ? "card across" : "card"}>
      <h2>{escapeInvisible(title)}</h2>
      {children}
    </section>
  );
}

function TableCard({ title, across, children, ...table }: CardProps & Parameters<typeof Table>[0]): ComponentChildren {
  return (
    <Card title={title} across={across === true}>
      {children}
      <Table title={title} {...table} />
    </Card>
  );
}

/** The shares of the classes for each value of a column. */
function ByCard({
  by,
  classes,
}: { readonly by: ReportBy } & Pick<ReportFacts["summary"], "classes">): ComponentChildren {
  const { values, left } = shownBy(by);
  const names = BY_CLASSES.filter((name) => classes[name] > 0);
  return (
    <TableCard
      title={`By ${titleOf(by)}`}
      across
      head={[by.column, "rows", ...names]}
      rows={values.map(({ value, rows, classes: counts }) => [
        value,
        rows,
        ...names.map((name) => formatPercent(counts[name], rows)),
      ])}
    >
      <DayChart days={toDays(by)} />
      {left > 0 && <p class="note">{formatNumber(left)} more are not shown.</p>}
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
  const hasAddress = first.address !== undefined;
  return (
    <TableCard
      title={`First ${humanize(name)} rows`}
      head={[...(hasSeveral ? ["input"] : []), "row", "why", ...(hasAddress ? ["address"] : [])]}
      rows={rows.map(({ input, row, fault, address = "" }) => [
        ...(hasSeveral ? [input] : []),
        row,
        fault === undefined ? humanize(name) : faultOf(fault),
        ...(hasAddress ? [address] : []),
      ])}
    >
      {total > rows.length && <p class="note">{`${formatNumber(rows.length)} of ${formatNumber(total)} are shown.`}</p>}
    </TableCard>
  );
}
