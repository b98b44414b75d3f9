// The report of --report: charts and tables about a run.

import type { ComponentChildren, VNode } from "preact";
import { SYNTAX_FAULTS, type SyntaxCode } from "../address/faults.ts";
import { escapeInvisible, formatNumber, formatPercent, pluralize } from "../base/format-text.ts";
import { BY_CLASSES, formatClassRows, formatCountsByHeading, selectDays, topValues } from "../bulk/counts-by.ts";
import type { DuplicateReport } from "../bulk/duplicates.ts";
import type { NameCount } from "../bulk/name-counts.ts";
import { REDACTED, SAMPLE_CLASSES, type SampleRow } from "../bulk/report-counts.ts";
import { formatRowCounts, formatSharedMailboxes, SETTLED_BY } from "../bulk/summary.ts";
import { CLASS_MEANINGS, type RowClass } from "../detection/classes.ts";
import { BarChart, DayChart, Fact, percentOf, Table, type TableProps } from "./common/charts.tsx";
import { sumRows } from "./common/periods.ts";
import { type Bar, classBars, formatTime, humanize, quoteForShell } from "./common/text.ts";
import type { ReportFacts } from "./facts.ts";

const FIRST_TILES: readonly RowClass[] = ["valid", "invalid", "disposable"];
/** Classes that have a tile if there is room, the most important first. */
const MORE_TILES: readonly RowClass[] = ["duplicate", "no_mail", "mistyped", "suspicious", "relay", "public", "role"];
const MAX_TILES = 6;
const MERGED_NOTE = "Values that differ only in the hidden part of an address are counted together.";
const MAX_FAULTS = 12;
const DECIDED_BY = {
  lists: "in a list",
  live: "in no list: decided by DNS",
  unknown: "in no list, and DNS did not answer",
  unsettled: "in no list, and DNS was not queried",
};
const ROW_NUMBERS = "A header counts as row 1.";

export function formatInputNames({ inputs }: Pick<ReportFacts, "inputs">): string {
  const names = inputs.length === 0 ? ["-"] : inputs;
  return escapeInvisible(names.map((name) => (name === "-" ? "standard input" : name)).join(", "));
}

export function Report(report: ReportFacts): ComponentChildren {
  const { summary, samples, domainKinds, providers, typos, options, interrupted, endedMs } = report;
  const { rows, classes, duplicates, by } = summary;
  const blank = classes.blank > 0 ? `, ${formatNumber(classes.blank)} blank` : "";
  const endTime = formatTime(new Date(endedMs).toISOString()).replace(/:\d\d UTC/, " UTC");
  const faults = Object.entries(summary.faults).map(([code, rows]) => ({ name: describeFault(code), rows }));
  const mistyped = typos.map(({ domain, suggestion, rows }) => ({ name: `${domain} → ${suggestion}`, rows }));
  const tiles = [...FIRST_TILES, ...MORE_TILES.filter((name) => classes[name] > 0)].slice(0, MAX_TILES);
  const bars = classBars(classes);
  const decisions = SETTLED_BY.map((by) => ({ name: DECIDED_BY[by], rows: summary.settled_by[by] }));
  const decided = decisions.filter(({ rows }) => rows > 0);
  // A row can have several addresses. Only blank rows have none.
  const addresses = sumRows([...decided, ...faults]);
  const hasSeveral = addresses > rows - classes.blank;
  const words = options.map((option, i) => [<span key={i}>{escapeInvisible(quoteForShell(option))}</span>, " "]);
  const meanings = bars.map(({ id, name }) => [name, CLASS_MEANINGS[id as RowClass]] as const);
  const run = [
    ["Lists", summary.data_version],
    ["Time", `${summary.duration_ms < 50 ? "under 0.1" : (summary.duration_ms / 1000).toFixed(1)} s`],
    ...(duplicates === undefined ? [["Duplicates", "not compared"] as const] : []),
    ["Options", options.length === 0 ? "none" : words],
  ] as const;
  /** Shows counts of a class's rows. `others` says what the rest of the class has. */
  const renderChart = (title: string, name: RowClass, counts: readonly NameCount[], others: string) => {
    const rest = hasSeveral ? 0 : classes[name] - sumRows(counts);
    if (counts.length === 0 && rest <= 0) return null;
    return (
      <Card
        title={title}
        unit={hasSeveral ? `addresses, % of ${formatNumber(addresses)}` : `rows, % of ${humanize(name)}`}
        note={rest > 0 ? `${pluralize(rest, "other row", "other rows")}: ${others}.` : ""}
      >
        <BarChart bars={toBars(counts)} total={hasSeveral ? addresses : classes[name]} />
      </Card>
    );
  };
  const days = by && selectDays([...by.values]);
  return (
    <main class="report">
      <h1>Email addresses in {formatInputNames(report)}</h1>
      <p class="lead">{`${interrupted ? "Interrupted after " : ""}${formatRowCounts(summary)}${blank}, ${endTime}`}</p>
      <ul class="tiles">
        {tiles.map((name) => (
          <li key={name} class="card">
            <b>{formatNumber(classes[name])}</b> {humanize(name)}{" "}
            {rows > 0 && <small>{formatPercent(classes[name], rows)} of rows</small>}
          </li>
        ))}
      </ul>
      {by && days && <DayChart days={days} column={formatCountsByHeading(by)} rows={rows} nowMs={endedMs} />}
      {by && rows > 0 && <ByCard by={by} classes={classes} />}
      <div class="cards">
        {rows > 0 && (
          <Card title="Classes" unit="rows, % of all" note="A row can have several classes.">
            <BarChart bars={bars} total={rows} />
          </Card>
        )}
        {rows > 0 && <Card title="What the classes mean" facts={meanings} />}
        {renderChart("Top disposable services", "disposable", summary.top_disposable_domains, "rarer services")}
        {renderChart("Kinds of domains", "valid", domainKinds, "domains of no known kind")}
        {renderChart("Consumer providers", "public", providers, "rarer providers")}
        {renderChart("Privacy relays", "relay", summary.top_relays, "rarer relays")}
        {renderChart("Faults of invalid rows", "invalid", faults.slice(0, MAX_FAULTS), "rarer faults")}
        {renderChart("How domains were decided", "valid", decided, "")}
        {renderChart("Probably mistyped", "mistyped", mistyped, "rarer or malformed domains")}
        {duplicates !== undefined && <DuplicatesCard {...duplicates} />}
        {SAMPLE_CLASSES.map((name) => (
          <SampleCard key={name} name={name} rows={samples.get(name) ?? []} total={classes[name]} />
        ))}
        <Card title="This run" facts={run} />
      </div>
    </main>
  );
}

const describeFault = (code: string): string => SYNTAX_FAULTS[code as SyntaxCode].message;

function toBars(counts: readonly NameCount[]): Bar[] {
  return counts.map(({ name, rows }) => ({ id: name, name: humanize(name), count: rows, tone: "accent" }));
}

interface CardProps extends Partial<Pick<TableProps, "head" | "rows" | "bars">> {
  readonly title: string;
  readonly unit?: string;
  readonly note?: string;
  readonly facts?: readonly (readonly [name: string, value: ComponentChildren])[];
  readonly children?: ComponentChildren;
}

function Card({
  title,
  unit,
  note = "",
  facts = [],
  head = [],
  rows = [],
  bars,
  children,
}: CardProps): ComponentChildren {
  return (
    <section class="card">
      <div class="row spread">
        <h2>{escapeInvisible(title)}</h2>
        <small>{unit}</small>
      </div>
      {children}
      {facts.length > 0 && (
        <dl class="lines">
          {facts.map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
        </dl>
      )}
      {rows.length > 0 && <Table title={title} head={head} rows={rows} bars={bars} />}
      {note !== "" && <p class="note">{note}</p>}
    </section>
  );
}

function DuplicatesCard(duplicates: DuplicateReport): ComponentChildren {
  const { rows, known_rows: knownRows, largest } = duplicates;
  if (rows === 0 && knownRows === undefined) return null;
  const firstRows = knownRows === undefined ? "; the first row of each is not a duplicate" : "";
  return (
    <Card
      title="Largest duplicates"
      head={["first row", "rows"]}
      rows={largest.map((each) => [`${each.first_row}`, each.rows])}
      note={`${formatSharedMailboxes(duplicates)}${firstRows}. ${ROW_NUMBERS}`}
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
  const notes = [
    ...(values.some(({ value }) => value.startsWith(REDACTED)) ? [MERGED_NOTE] : []),
    ...(omittedCount > 0 ? [`The table leaves out ${pluralize(omittedCount, "value", "values")}.`] : []),
  ];
  return (
    <Card
      title={`Classes by “${formatCountsByHeading(by)}”`}
      unit={`${pluralize(values.length, "value", "values")}; percentages are of each value's rows`}
      head={[by.column, "rows", ...names]}
      rows={values.map((row) => [row.value, row.rows, ...names.map((name) => formatClassRows(row, name))])}
      bars={classes.disposable > 0 ? [2, values.map(percentOf)] : undefined}
      note={notes.join(" ")}
    />
  );
}

type SampleCardProps = Readonly<{ name: string; rows: readonly SampleRow[]; total: number }>;

function SampleCard({ name, rows, total }: SampleCardProps): ComponentChildren {
  const columns: Readonly<Record<string, (row: SampleRow) => string | VNode | undefined>> = {
    input: ({ input }) => (rows.every((row) => row.input === input) ? undefined : <Breakable text={input} />),
    row: ({ row }) => `${row}`,
    address: ({ address }) => (address === undefined ? undefined : <Breakable text={address} />),
    fault: ({ fault }) => fault && describeFault(fault),
  };
  const usedColumns = Object.entries(columns).filter(([, read]) => rows.some((row) => read(row) !== undefined));
  const title = `First ${humanize(name)} rows`;
  const note =
    total > rows.length ? `The first ${rows.length} of ${formatNumber(total)} rows. ${ROW_NUMBERS}` : ROW_NUMBERS;
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

/** Lets an address or a path wrap after @ and slashes, and before dots. */
function Breakable({ text }: { readonly text: string }): ComponentChildren {
  return escapeInvisible(text)
    .split(/(?<=[@/])|(?=\.)/)
    .flatMap((part, i) => [i > 0 && <wbr key={i} />, part]);
}
