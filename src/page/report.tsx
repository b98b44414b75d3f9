// The report of --report: a verdict, charts and tables about a run.

import type { ComponentChildren, VNode } from "preact";
import { SYNTAX_FAULTS, type SyntaxCode } from "../address/faults.ts";
import { escapeInvisible, formatNumber, formatPercent, pluralize, quoteForShell } from "../base/format-text.ts";
import {
  BY_CLASSES,
  type CountsByReport,
  formatCountsByHeading,
  selectDays,
  sumRows,
  topValues,
} from "../bulk/counts-by.ts";
import type { DuplicateReport } from "../bulk/duplicates.ts";
import { CLI_WORDING } from "../bulk/messages.ts";
import type { NameCount } from "../bulk/name-counts.ts";
import { REDACTED, SAMPLE_CLASSES, type SampleRow } from "../bulk/report-counts.ts";
import { formatRowWarnings } from "../bulk/rows/row-warnings.ts";
import {
  formatDnsCounts,
  formatDuplicateRows,
  formatRowCounts,
  formatSharedMailboxes,
  hasNoAddress,
} from "../bulk/summary.ts";
import type { RowClass } from "../detection/classes.ts";
import { BarChart, DayChart, percentOf, Table } from "./common/charts.tsx";
import { classBars, formatTime, humanize } from "./common/text.ts";
import type { ReportFacts } from "./facts.ts";
import { describeRows, type RowGroup } from "./report-verdict.ts";

const HIDDEN_NOTE =
  "Values are hidden up to an @, except for the host of a URL. Those with the same rest are numbered.";
const MAX_FAULTS = 12;
const MAX_OPEN_ROWS = 20;
/** Maximum days in the table of --by: a year, which is six pages in print. */
const MAX_DAYS = 366;

export function formatReportTitle({ inputs, isOfDomains }: Pick<ReportFacts, "inputs" | "isOfDomains">): string {
  const names = inputs.length === 0 ? ["-"] : inputs;
  const sources = escapeInvisible(names.map((name) => (name === "-" ? "standard input" : name)).join(", "));
  return `${isOfDomains ? "Domains" : "Email addresses"} in ${sources}`;
}

export function Report(report: ReportFacts): ComponentChildren {
  const { summary, samples, providers, typos, options, interrupted, endedMs } = report;
  const { rows, classes, duplicates, by } = summary;
  const endTime = formatTime(new Date(endedMs).toISOString()).replace(/:\d\d UTC/, " UTC");
  const faults = Object.entries(summary.faults).map(([code, rows]) => ({ name: describeFault(code), rows }));
  const words = options.length === 0 ? "none" : options.map(quoteForShell).join(" ");
  const bars = classBars(classes);
  // A row can have several addresses. Only blank rows have none.
  const addresses = sumRows([...Object.values(summary.settled_by).map((rows) => ({ rows })), ...faults]);
  const ofClass = (name: RowClass) =>
    addresses > rows - classes.blank
      ? { total: addresses, unit: `addresses, % of all ${formatNumber(addresses)} addresses`, isPartial: false }
      : { total: classes[name], unit: `rows, % of ${humanize(name)}`, isPartial: true };
  const days = by && !hasNoAddress(summary) ? selectDays(by.values) : [];
  const rowNote = report.hasHeader ? "Row numbers count the header." : "";
  const verdict = describeRows(report);
  const shownClasses = BY_CLASSES.filter((name) => classes[name] > 0);
  const byCard = by && rows > 0 && <ByCard by={by} names={shownClasses} required={verdict.namedValues} />;
  return (
    <main class="report">
      <h1>{formatReportTitle(report)}</h1>
      <p class="lead">{`${interrupted ? "Interrupted after " : ""}${formatRowCounts(summary)}, ${endTime}`}</p>
      <VerdictCard {...report} {...verdict} />
      {by && <DayChart days={days} column={formatCountsByHeading(by)} rows={rows} otherRows={by.other?.rows} />}
      {days.length < 2 && byCard}
      {rows > 0 && (
        <Card
          title="Classes"
          unit="rows, % of all"
          note="A row with several classes is in several bars, but only in one of the groups at the top."
        >
          <BarChart bars={bars} total={rows} />
        </Card>
      )}
      <div class="cards">
        <CountsCard title="Disposable services" counts={summary.top_disposable_domains} {...ofClass("disposable")} />
        <CountsCard title="Why rows are invalid" counts={faults.slice(0, MAX_FAULTS)} {...ofClass("invalid")} />
        <CountsCard title="Probably mistyped" counts={typos} {...ofClass("mistyped")} />
        <CountsCard title="Consumer providers" counts={providers} {...ofClass("public")} />
        <CountsCard title="Privacy relays" counts={summary.top_relays} {...ofClass("relay")} />
        {duplicates !== undefined && <DuplicatesCard {...duplicates} note={rowNote} />}
        {SAMPLE_CLASSES.map((name) => (
          <SampleCard key={name} name={name} rows={samples.get(name) ?? []} total={classes[name]} note={rowNote} />
        ))}
      </div>
      {/* Last, because it is long, and drawn above. */}
      {days.length >= 2 && byCard}
      <p class="note">
        <Unbroken text={`addrsift ${report.version}, lists ${summary.data_version}; options: ${words}`} />
      </p>
    </main>
  );
}

const describeFault = (code: string): string => SYNTAX_FAULTS[code as SyntaxCode].message;

type CardProps = Readonly<{ title: string; unit?: string; note?: string; children: ComponentChildren }>;

function Card({ title, unit, note = "", children }: CardProps): ComponentChildren {
  return (
    <section class="card">
      <div class="row spread">
        <h2>{escapeInvisible(title)}</h2>
        <small>{unit}</small>
      </div>
      {children}
      {note !== "" && (
        <p class="note">
          <Unbroken text={note} />
        </p>
      )}
    </section>
  );
}

/** Prevents line breaks in names of options, in dates and before percent signs. */
function Unbroken({ text }: { readonly text: string }): ComponentChildren {
  return escapeInvisible(text)
    .split(/(--[\w-]+|\d{4}-\d\d-\d\d|[<>]?[\d.]+ %)/)
    .map((part, i) => (i % 2 === 0 ? part : <span class="whole">{part}</span>));
}

interface CountsProps {
  readonly title: string;
  readonly unit: string;
  readonly counts: readonly NameCount[];
  readonly total: number;
  /** The counts can sum up to less than `total`. */
  readonly isPartial: boolean;
}

/** Shows the most frequent domains, faults or relays of a class's rows. */
function CountsCard({ title, unit, counts, total, isPartial }: CountsProps): ComponentChildren {
  const rest = isPartial ? total - sumRows(counts) : 0;
  if (counts.length === 0 && rest <= 0) return null;
  return (
    <Card title={title} unit={unit} note={rest > 0 ? `Not shown: ${pluralize(rest, "row", "rows")}.` : ""}>
      <BarChart bars={counts.map(({ name, rows }) => ({ name: humanize(name), count: rows }))} total={total} />
    </Card>
  );
}

/** Shows the verdict, the groups of rows, and the commands for the clean list and the corrections. */
function VerdictCard(report: ReportFacts & ReturnType<typeof describeRows>): ComponentChildren {
  const { rows, settled_by: settledBy, duplicates, irregular } = report.summary;
  const { joined_rows: joinedRows, ...otherIrregular } = irregular;
  const { groups, tone, headline, details, cleanRows, cleanCommand, mistypedCommand } = report;
  const commands = [
    { purpose: `To write the other ${pluralize(cleanRows, "row", "rows")} to a clean list:`, command: cleanCommand },
    { purpose: "To write the mistyped rows with their likely corrections:", command: mistypedCommand },
  ];
  const notes = [
    ...formatRowWarnings(otherIrregular, CLI_WORDING),
    ...formatDnsCounts(settledBy),
    ...(duplicates?.is_partial ? ["Not all duplicates are found, so none is removed: --memory is full"] : []),
    ...(report.hidesCommands
      ? ["No commands are shown, because a name in them contains an address: add --report-addresses"]
      : []),
  ];
  return (
    <section class="card">
      {joinedRows && (
        <p class="verdict bad">
          <strong>{`First check ${formatRowWarnings({ joined_rows: joinedRows }, CLI_WORDING)}.`}</strong>
        </p>
      )}
      <p class={`verdict ${tone}`}>
        <strong>
          <Unbroken text={headline} />
        </strong>
      </p>
      {details !== "" && (
        <p>
          <Unbroken text={details} />
        </p>
      )}
      {rows > 0 && <GroupTiles groups={groups} total={rows} />}
      {commands.map(
        ({ purpose, command }) =>
          command !== undefined && (
            <div key={purpose}>
              <p>{purpose}</p>
              <p class="code">
                <Unbroken text={command} />
              </p>
            </div>
          ),
      )}
      {notes.length > 0 && (
        <p class="note">
          <Unbroken text={`${notes.join(". ")}.`} />
        </p>
      )}
    </section>
  );
}

/** Shows the groups of rows as parts of a bar, then as a tile each. */
function GroupTiles({ groups, total }: Readonly<{ groups: readonly RowGroup[]; total: number }>): ComponentChildren {
  return (
    <>
      <div class="parts" aria-hidden="true">
        {groups.map(({ name, rows, tone }) => (
          <span key={name} class={tone} style={`flex-grow: ${rows}`} />
        ))}
      </div>
      <ul class="tiles">
        {groups.map(({ name, rows, tone, meaning }) => (
          <li key={name} class={tone}>
            <b>{formatNumber(rows)}</b>
            <span>
              {humanize(name)} <small>{formatPercent(rows, total)}</small>
            </span>
            <small>
              <Unbroken text={meaning} />
            </small>
          </li>
        ))}
      </ul>
    </>
  );
}

function DuplicatesCard({ note, ...duplicates }: DuplicateReport & { readonly note: string }): ComponentChildren {
  const { rows, known_rows: knownRows, largest } = duplicates;
  if (rows === 0 && knownRows === undefined) return null;
  const title = "Largest duplicates";
  const known = `${formatDuplicateRows(knownRows ?? 0, duplicates)} ${knownRows === 1 ? "has" : "have"}`;
  const notes = [
    formatSharedMailboxes(duplicates),
    knownRows === undefined
      ? "The first row of each is not a duplicate"
      : `${known} a mailbox of --known. The class duplicate includes them`,
  ];
  return (
    <Card title={title} note={`${notes.join(". ")}. ${note}`}>
      <Table
        title={title}
        head={["first row", duplicates.unit ?? "rows"]}
        rows={largest.map((each) => [`${each.first_row}`, each.rows])}
      />
    </Card>
  );
}

type ByCardProps = Readonly<{ by: CountsByReport; names: readonly RowClass[]; required: readonly string[] }>;

/** Shows the rows of some classes, and their share, by the values of a --by column, always by the `required` ones. */
function ByCard({ by, names, required }: ByCardProps): ComponentChildren {
  const { values, omittedCount } = topValues(by, required, MAX_DAYS);
  const title = `Rows by “${formatCountsByHeading(by)}”`;
  const maxPercent = Math.max(...values.map(percentOf));
  const notes = [
    ...(values.some(({ value }) => value.includes(REDACTED)) ? [HIDDEN_NOTE] : []),
    ...(omittedCount > 0
      ? [`The table leaves out ${pluralize(omittedCount, "value", "values")}: --summary-file has all.`]
      : []),
  ];
  const cells = values.map((each) => {
    const { value, rows, unusable, classes } = each;
    // Compares the shares of rows without a usable address.
    const bar = unusable > 0 && values.length > 1 ? (100 * percentOf(each)) / maxPercent : 0;
    const shares = names.map((name) => ({ count: classes[name], total: rows }));
    return [<Unbroken key={value} text={value} />, rows, { count: unusable, total: rows, bar }, ...shares];
  });
  return (
    <Card title={title} unit="rows, % of each value's rows" note={notes.join(" ")}>
      <details class="fold" open={values.length <= MAX_OPEN_ROWS}>
        <summary>{pluralize(values.length, "value", "values")}</summary>
        <Table title={title} head={[by.column, "rows", "no usable address", ...names]} rows={cells} />
      </details>
    </Card>
  );
}

type SampleCardProps = Readonly<{ name: string; rows: readonly SampleRow[]; total: number; note: string }>;

/** Shows rows of a class. Empty if only their numbers are known. */
function SampleCard({ name, rows, total, note }: SampleCardProps): ComponentChildren {
  const columns: Readonly<Record<string, (row: SampleRow) => string | VNode | undefined>> = {
    input: ({ input }) => (input === undefined ? undefined : <Breakable text={input} />),
    row: ({ row }) => `${row}`,
    address: ({ address }) => (address === undefined ? undefined : <Breakable text={address} />),
    fault: ({ fault }) => fault && describeFault(fault),
  };
  const usedColumns = Object.entries(columns).filter(([, read]) => rows.some((row) => read(row) !== undefined));
  const title = `First ${humanize(name)} rows`;
  const count = total > rows.length ? `The first ${rows.length} of ${formatNumber(total)} rows. ` : "";
  const values = rows.map((row) => usedColumns.map(([, read]) => read(row) ?? ""));
  if (rows.every(({ address, fault }) => (address ?? fault) === undefined)) return null;
  return (
    <Card title={title} note={count + note}>
      <Table title={title} head={usedColumns.map(([name]) => name)} rows={values} />
    </Card>
  );
}

/** Lets an address or a path wrap after @ and slashes. */
function Breakable({ text }: { readonly text: string }): ComponentChildren {
  return escapeInvisible(text)
    .split(/(?<=[@/])/)
    .flatMap((part, i) => [i > 0 && <wbr key={i} />, part]);
}
