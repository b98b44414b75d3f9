// The report of --report: charts and tables about a run.

import type { ComponentChildren } from "preact";
import { escapeInvisible, formatNumber, formatPercent, pluralize } from "../base/format-text.ts";
import { BY_CLASSES, formatClassRows, formatCountsByHeading, selectDays, topValues } from "../bulk/counts-by.ts";
import type { DuplicateReport } from "../bulk/duplicates.ts";
import type { NameCount } from "../bulk/name-counts.ts";
import { REDACTED, SAMPLE_CLASSES, type SampleRow } from "../bulk/report-counts.ts";
import { formatRowCounts, formatSharedMailboxes, SETTLED_BY } from "../bulk/summary.ts";
import type { RowClass } from "../detection/classes.ts";
import { BarChart, DayChart, Fact, maxScalingPercent, percentOf, Table, type TableProps } from "./common/charts.tsx";
import { type Bar, classBars, formatTime, humanize, quoteForShell } from "./common/text.ts";
import type { ReportFacts } from "./facts.ts";

const FIRST_TILES: readonly RowClass[] = ["valid", "invalid", "disposable"];
/** Classes that have a tile if there is room, the most important first. */
const MORE_TILES: readonly RowClass[] = ["duplicate", "no_mail", "mistyped", "suspicious", "relay", "public", "role"];
const MAX_TILES = 6;
const MERGED_NOTE = "Values that differ only in the hidden part of an address are counted together.";
const MAX_FAULTS = 12;
const DECIDED_BY = {
  lists: "lists",
  live: "DNS",
  unknown: "undecided: DNS did not answer",
  unsettled: "undecided: in no list",
};

export function formatInputNames({ inputs }: Pick<ReportFacts, "inputs">): string {
  const names = inputs.length === 0 ? ["-"] : inputs;
  return escapeInvisible(names.map((name) => (name === "-" ? "standard input" : name)).join(", "));
}

export function Report(report: ReportFacts): ComponentChildren {
  const { summary, samples, domainKinds, providers, typos, options, interrupted, endedMs } = report;
  const { rows, classes, duplicates, by } = summary;
  const endTime = formatTime(new Date(endedMs).toISOString()).replace(/:\d\d UTC/, " UTC");
  const faults = Object.entries(summary.faults).map(([code, rows]) => ({ name: humanize(code), rows }));
  const mistyped = typos.map(({ domain, suggestion, rows }) => ({ name: `${domain} → ${suggestion}`, rows }));
  const tiles = [...FIRST_TILES, ...MORE_TILES.filter((name) => classes[name] > 0)].slice(0, MAX_TILES);
  const allDecided = SETTLED_BY.map((by) => ({ name: DECIDED_BY[by], rows: summary.settled_by[by] }));
  const decided = allDecided.filter((count) => count.rows > 0);
  // A row can have several addresses.
  const addressCount = [...decided, ...faults].reduce((sum, count) => sum + count.rows, 0);
  const addresses = Math.max(rows, addressCount);
  const unit = addresses > rows ? `addresses, % of ${formatNumber(addresses)}` : "rows, % of all";
  const words = options.map((option, i) => [<span key={i}>{escapeInvisible(quoteForShell(option))}</span>, " "]);
  const renderChart = (title: string, bars: readonly Bar[], note = ""): ComponentChildren =>
    bars.length > 0 && (
      <Card title={title} unit={unit} note={note}>
        <BarChart bars={bars} total={addresses} max={Math.max(...bars.map(({ count }) => count))} />
      </Card>
    );
  return (
    <main class="report">
      <h1>Email addresses in {formatInputNames(report)}</h1>
      <p class="lead">{`${interrupted ? "Interrupted after " : ""}${formatRowCounts(summary)}, ${endTime}`}</p>
      <ul class="tiles">
        {tiles.map((name) => (
          <li key={name} class="card">
            <b>{formatNumber(classes[name])}</b> {humanize(name)}{" "}
            {rows > 0 && <small>{formatPercent(classes[name], rows)} of rows</small>}
          </li>
        ))}
      </ul>
      {by !== undefined && <DayChart days={selectDays([...by.values])} column={formatCountsByHeading(by)} />}
      {by !== undefined && rows > 0 && <ByCard by={by} classes={classes} />}
      <div class="cards">
        {rows > 0 && (
          <Card title="Classes" unit="rows, % of all" note="A row can have several classes.">
            <BarChart bars={classBars(classes)} total={rows} />
          </Card>
        )}
        {renderChart("Top disposable services", toBars(summary.top_disposable_domains))}
        {renderChart("Kinds of domains", toBars(domainKinds), "Counts only the most frequent domains.")}
        {renderChart("Consumer providers", toBars(providers))}
        {renderChart("Privacy relays", toBars(summary.top_relays))}
        {renderChart("Faults of invalid rows", toBars(faults.slice(0, MAX_FAULTS)))}
        {renderChart("Domains decided by", toBars(decided))}
        {renderChart("Probably mistyped", toBars(mistyped))}
        {duplicates !== undefined && <DuplicatesCard {...duplicates} />}
        {SAMPLE_CLASSES.map((name) => (
          <SampleCard key={name} name={name} rows={samples.get(name) ?? []} total={classes[name]} />
        ))}
        <Card title="This run">
          <dl class="lines">
            <Fact name="Lists">{summary.data_version}</Fact>
            <Fact name="Time">{(summary.duration_ms / 1000).toFixed(1)} s</Fact>
            <Fact name="Options">{options.length === 0 ? "none" : words}</Fact>
          </dl>
        </Card>
      </div>
    </main>
  );
}

function toBars(counts: readonly NameCount[]): Bar[] {
  return counts.map(({ name, rows }) => ({ id: name, name, count: rows, tone: "accent" }));
}

interface CardProps extends Partial<Pick<TableProps, "head" | "rows" | "bars">> {
  readonly title: string;
  readonly unit?: string;
  readonly note?: string;
  readonly children?: ComponentChildren;
}

function Card({ title, unit, note = "", head = [], rows = [], bars, children }: CardProps): ComponentChildren {
  return (
    <section class="card">
      <div class="row spread">
        <h2>{escapeInvisible(title)}</h2>
        <small>{unit}</small>
      </div>
      {children}
      {rows.length > 0 && <Table title={title} head={head} rows={rows} bars={bars} />}
      {note !== "" && <p class="note">{note}</p>}
    </section>
  );
}

function DuplicatesCard(duplicates: DuplicateReport): ComponentChildren {
  const { rows, known_rows: knownRows, largest } = duplicates;
  if (rows === 0 && knownRows === undefined) return null;
  return (
    <Card
      title="Largest duplicates"
      head={["first row", "rows"]}
      rows={largest.map((each) => [`${each.first_row}`, each.rows])}
      note={`${formatSharedMailboxes(duplicates)}.`}
    >
      {knownRows !== undefined && (
        <p>{pluralize(knownRows, "row has", "rows have")} a mailbox of --known. The class duplicate includes them.</p>
      )}
    </Card>
  );
}

type ByProps = Required<Pick<ReportFacts["summary"], "by" | "classes">>;

/** Shows the rows of each class, and their share, by the values of the --by column. */
function ByCard({ by, classes }: ByProps): ComponentChildren {
  const { values, omittedCount } = topValues(by, by.values.length);
  const names = BY_CLASSES.filter((name) => classes[name] > 0);
  const maxPercent = maxScalingPercent(values);
  const notes = [
    ...(values.some(({ value }) => value.startsWith(REDACTED)) ? [MERGED_NOTE] : []),
    ...(omittedCount > 0 ? [`The table leaves out ${pluralize(omittedCount, "value", "values")}.`] : []),
  ];
  return (
    <Card
      title={`Classes by ${formatCountsByHeading(by)}`}
      unit={`${pluralize(values.length, "value", "values")}, % of the rows with the value`}
      head={[by.column, "rows", ...names]}
      rows={values.map((row) => [row.value, row.rows, ...names.map((name) => formatClassRows(row, name))])}
      bars={maxPercent > 0 ? [2, values.map((row) => Math.min(100, (100 * percentOf(row)) / maxPercent))] : undefined}
      note={notes.join(" ")}
    />
  );
}

interface SampleCardProps {
  readonly name: string;
  readonly rows: readonly SampleRow[];
  readonly total: number;
}

function SampleCard({ name, rows, total }: SampleCardProps): ComponentChildren {
  const columns: Readonly<Record<string, (row: SampleRow) => string | undefined>> = {
    input: ({ input }) => (rows.every((row) => row.input === input) ? undefined : input),
    row: ({ row }) => `${row}`,
    fault: ({ fault }) => fault && humanize(fault),
    address: ({ address }) => address,
  };
  const usedColumns = Object.entries(columns).filter(([, read]) => rows.some((row) => read(row) !== undefined));
  const title = `First ${humanize(name)} rows`;
  const note = total > rows.length ? `Row numbers of the first ${rows.length} of ${formatNumber(total)}.` : "";
  const values = rows.map((row) => usedColumns.map(([, read]) => read(row) ?? ""));
  if (rows.length === 0) return null;
  // One column of numbers would be a tall table.
  const isList = usedColumns.length === 1;
  return (
    <Card title={title} note={note} head={usedColumns.map(([name]) => name)} rows={isList ? [] : values}>
      {isList && <p>{values.flat().join(" · ")}</p>}
    </Card>
  );
}
