// Charts and tables of the page and the report. Screen readers get the numbers, not the drawings.

import type { ComponentChildren } from "preact";
import { escapeInvisible, formatNumber, formatPercent, pluralize } from "../../base/format-text.ts";
import { type Bar, chooseDates, DAY_MS, type Day } from "./text.ts";

interface BarChartProps {
  readonly bars: readonly Bar[];
  readonly total: number;
  /** Count of a bar of full width. By default, `total`. */
  readonly max?: number;
}

/** A horizontal bar for each count, with its share of `total`. */
export function BarChart({ bars, total, max = total }: BarChartProps): ComponentChildren {
  return (
    <ul class="bars">
      {bars.map(({ name, count, tone }) => (
        <li key={name}>
          <span>{escapeInvisible(name)}</span>
          <span class="number">
            {formatNumber(count)} <small>{formatPercent(count, total)}</small>
          </span>
          <svg class={tone} aria-hidden="true">
            <rect width={`${((100 * count) / Math.max(max, 1)).toFixed(2)}%`} height="100%" rx="4" />
          </svg>
        </li>
      ))}
    </ul>
  );
}

/** One row of a `<dl class="lines">`. */
export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The maximum of an axis is one of these times a power of ten. */
const AXIS_FACTORS = [1, 2, 3, 4, 6, 8, 10] as const;
/** Days with less than this part of the largest day's rows don't scale the axis, because their shares are noise. */
const MIN_SCALING_ROWS = 0.1;
/** Maximum part of the rows, at either end, that a chart may omit. */
const MAX_OUTLIER_ROWS = 0.01;
/** Days this close to the other rows are never omitted. */
const MIN_REACH_DAYS = 30;

interface DayChartProps {
  readonly days: readonly Day[];
  readonly column: string;
}

/**
 * Shows the share of disposable rows by day as a line, above the rows as bars. Shows a day's numbers while the pointer
 * is over it. Empty for a single day.
 */
export function DayChart({ days: allDays, column }: DayChartProps): ComponentChildren {
  const days = omitOutliers(allDays);
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined || first === last) return null;
  const maxPercent = maxScalingPercent(days);
  if (maxPercent === 0) return null;
  const omittedRows = sumRows(allDays) - sumRows(days);
  const peak = days.find((day) => percentOf(day) === maxPercent) as Day;
  return (
    <figure class="day-chart">
      <figcaption>
        <strong>
          Disposable rows by <bdi>{escapeInvisible(column)}</bdi>
        </strong>
      </figcaption>
      <DayDrawing days={days} maxPercent={maxPercent} />
      <p class="note">
        {first.value} to {last.value}. Highest share: <span class="number">{formatPercent(maxPercent, 100)}</span> on{" "}
        {peak.value}. Dashed: the last day may be incomplete.
        {omittedRows > 0 && ` Not drawn: ${pluralize(omittedRows, "row", "rows")} on earlier or later days.`}
      </p>
    </figure>
  );
}

/** Omits days far from nearly all rows, such as 2062-01-01, which would leave little room for the others. */
function omitOutliers(days: readonly Day[]): readonly Day[] {
  const total = sumRows(days);
  let rowsSoFar = 0;
  const innerTimes = days
    .filter(({ rows }) => {
      rowsSoFar += rows;
      return Math.min(rowsSoFar, total - rowsSoFar + rows) > MAX_OUTLIER_ROWS * total;
    })
    .map(({ value }) => Date.parse(value));
  const [start = 0, end = start] = [innerTimes[0], innerTimes.at(-1)];
  const reach = Math.max(end - start, MIN_REACH_DAYS * DAY_MS);
  return days.filter(({ value }) => Date.parse(value) >= start - reach && Date.parse(value) <= end + reach);
}

function sumRows(days: readonly Day[]): number {
  return days.reduce((sum, { rows }) => sum + rows, 0);
}

/** Returns the largest share of disposable rows, in percent. Values with few rows don't count. */
export function maxScalingPercent(values: readonly Day[]): number {
  const maxRows = Math.max(...values.map(({ rows }) => rows));
  return Math.max(...values.filter(({ rows }) => rows >= MIN_SCALING_ROWS * maxRows).map(percentOf));
}

export function percentOf({ rows, classes }: Day): number {
  return (100 * classes.disposable) / rows;
}

function DayDrawing({ days, maxPercent }: Readonly<{ days: readonly Day[]; maxPercent: number }>): ComponentChildren {
  const percentAxis = axisMaximum(Math.max(1, maxPercent));
  const rowsAxis = axisMaximum(Math.max(2, ...days.map(({ rows }) => rows)));
  const startMs = Math.min(...days.map(({ value }) => Date.parse(value)));
  const marks = days.map((day): Mark => ({ ...day, start: (Date.parse(day.value) - startMs) / DAY_MS }));
  const dayCount = 1 + Math.max(...marks.map(({ start }) => start));
  /** Converts days to percent of the chart's width. */
  const toX = (days: number): string => ((100 * days) / dayCount).toFixed(2);
  return (
    <svg aria-hidden="true">
      <Panel title="Disposable, % of the day's rows" top={24} height={160} max={percentAxis} unit=" %">
        <ShareLine marks={marks} toX={toX} max={percentAxis} />
      </Panel>
      <Panel title="Rows per day" top={216} height={80} max={rowsAxis}>
        {marks.map(({ value, rows, start }) => {
          const height = Number(((100 * rows) / rowsAxis).toFixed(1));
          return <rect key={value} x={toX(start + 0.1)} y={100 - height} width={toX(0.8)} height={height} />;
        })}
      </Panel>
      <g text-anchor="middle">
        {chooseDates(startMs, dayCount).map(({ day, label }) => (
          <text key={day} x={`${toX(day + 0.5)}%`} y="316">
            {label}
          </text>
        ))}
      </g>
      {marks.map((mark) => (
        <g key={mark.value} class="day">
          <rect x={`${toX(mark.start)}%`} y="20" width={`${toX(1)}%`} height="280" fill-opacity="0.3" />
          <text x="100%" y="12" text-anchor="end" font-size="14" font-weight="600" fill="currentColor">
            {mark.value}: {formatNumber(mark.classes.disposable)} of {pluralize(mark.rows, "row", "rows")},{" "}
            {formatPercent(mark.classes.disposable, mark.rows)}
          </text>
        </g>
      ))}
    </svg>
  );
}

interface Mark extends Day {
  /** Number of days since the first one. */
  readonly start: number;
}

interface LineProps {
  readonly marks: readonly Mark[];
  readonly toX: (days: number) => string;
  readonly max: number;
}

/** A line over the area below it. Days without rows interrupt it; the last part is dashed. */
function ShareLine({ marks, toX, max }: LineProps): ComponentChildren {
  const runs: Mark[][] = [];
  for (const [i, mark] of marks.entries()) {
    if (i === 0 || marks[i - 1]?.start !== mark.start - 1) runs.push([]);
    runs.at(-1)?.push(mark);
  }
  const toPoint = (mark: Mark): string =>
    `${toX(mark.start + 0.5)},${(100 - (100 * percentOf(mark)) / max).toFixed(1)}`;
  const toBase = (mark: Mark | undefined): string => `${toX((mark?.start ?? 0) + 0.5)},100`;
  /** Repeats the last point, because a line to itself is drawn as a dot. */
  const toPoints = (run: readonly Mark[]): string => [...run, ...run.slice(-1)].map(toPoint).join(" ");
  return (
    <>
      {runs.map((run, i) => (
        <g key={i}>
          <polygon points={`${toBase(run[0])} ${toPoints(run)} ${toBase(run.at(-1))}`} />
          <polyline points={toPoints(i === runs.length - 1 ? run.slice(0, -1) : run)} />
        </g>
      ))}
      <polyline stroke-dasharray="3 4" points={toPoints(runs.at(-1)?.slice(-2) ?? [])} />
    </>
  );
}

interface PanelProps {
  readonly title: string;
  readonly top: number;
  readonly height: number;
  readonly max: number;
  readonly unit?: string;
  readonly children: ComponentChildren;
}

/** A drawing area from 0 to `max`, with the numbers of its axis. */
function Panel({ title, top, height, max, unit = "", children }: PanelProps): ComponentChildren {
  return (
    <>
      <text class="title" x="-40" y={top - 12}>
        {title}
      </text>
      <svg aria-hidden="true" y={top} height={height} viewBox="0 0 100 100" preserveAspectRatio="none">
        <path d="M0 0H100M0 50H100M0 100H100" />
        {children}
      </svg>
      {[0, 0.5, 1].map((part) => (
        <text key={part} x="-8" y={top + part * height + 4} text-anchor="end">
          {formatNumber(max * (1 - part)) + unit}
        </text>
      ))}
    </>
  );
}

function axisMaximum(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  return unit * (AXIS_FACTORS.find((factor) => factor * unit >= value) ?? 10);
}

export interface TableProps {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** Index of a column to highlight. */
  readonly highlighted?: number;
  /** Index of a column with a bar in each cell, and the widths of the bars in percent. */
  readonly bars?: readonly [column: number, percents: readonly number[]] | undefined;
}

/** A table that scrolls by itself. Numbers are right-aligned. */
export function Table({ title, head, rows, highlighted, bars }: TableProps): ComponentChildren {
  const [first = []] = rows;
  const cellClass = (value: string | number | undefined, column: number): string | undefined => {
    if (column === highlighted) return "highlighted";
    return typeof value === "number" || / %\)?$/.test(value ?? "") ? "number" : undefined;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
    <section class="wide" tabIndex={0} aria-label={title}>
      <table>
        <thead>
          <tr>
            {head.map((name, i) => (
              <th key={i} scope="col" class={cellClass(first[i], i)}>
                {escapeInvisible(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {row.map((value, j) => (
                <td
                  key={j}
                  class={cellClass(value, j)}
                  style={j === bars?.[0] ? `--bar: ${bars[1][i]?.toFixed(1)}%` : undefined}
                >
                  {typeof value === "number" ? formatNumber(value) : escapeInvisible(`${value}`)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
