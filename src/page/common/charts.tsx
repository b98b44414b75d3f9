// Charts and tables of the page and the report. Screen readers get the numbers, not the drawings.

import type { ComponentChildren, VNode } from "preact";
import { escapeInvisible, formatNumber, formatPercent, pluralize } from "../../base/format-text.ts";
import { chooseDates, DAY_MS, type Day, groupByPeriod, type Period, type PeriodUnit } from "./periods.ts";
import type { Bar } from "./text.ts";

interface BarChartProps {
  readonly bars: readonly Bar[];
  /** Count of a bar of full width. */
  readonly total: number;
}

/** A horizontal bar for each count, with its share of `total`. */
export function BarChart({ bars, total }: BarChartProps): ComponentChildren {
  return (
    <ul class="bars">
      {bars.map(({ name, count, tone }) => (
        <li key={name}>
          <span>{escapeInvisible(name)}</span>
          <span class="number">
            {formatNumber(count)} <small>{formatPercent(count, total)}</small>
          </span>
          <svg class={tone} aria-hidden="true">
            <rect width={`${((100 * count) / Math.max(total, 1)).toFixed(2)}%`} height="100%" rx="4" />
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
/** The axis of shares has at least this many percent, so that a few rows don't look like a burst. */
const MIN_AXIS_PERCENT = 10;
/** Periods with less than this part of the largest one's rows don't scale the axis, because their shares are noise. */
const MIN_SCALING_ROWS = 0.1;
/** Maximum part of the rows, at either end, that a chart may omit. */
const MAX_OUTLIER_ROWS = 0.01;
/** Days this close to the other rows are never omitted. */
const MIN_REACH_DAYS = 30;

interface DayChartProps {
  readonly days: readonly Day[];
  readonly column: string;
  /** Number of rows, including those without a valid day. */
  readonly rows: number;
  readonly nowMs: number;
}

/**
 * Shows the share of disposable rows by day, week or month as a line, above the rows as bars. Shows a period's numbers
 * while the pointer is over it. Empty for a single day, or without disposable rows.
 */
export function DayChart({ days: allDays, column, rows, nowMs }: DayChartProps): ComponentChildren {
  const days = omitOutliers(allDays);
  if (days.length < 2 || days.every((day) => percentOf(day) === 0)) return null;
  const { unit, periods } = groupByPeriod(days);
  const scale = chooseScale(periods);
  const isRecent = (periods.at(-1)?.end ?? 0) > nowMs - DAY_MS;
  const omitted = [
    ...formatRows(sumRows(allDays) - sumRows(days), "on earlier or later days"),
    ...formatRows(rows - sumRows(allDays), "without a valid date"),
  ];
  const notes = [
    `${days[0]?.value} to ${days.at(-1)?.value}.`,
    ...describeScale(periods, unit, scale),
    ...(isRecent ? [`Dashed: the last ${unit} may be incomplete.`] : []),
    ...(omitted.length > 0 ? [`Not drawn: ${omitted.join(", ")}.`] : []),
  ];
  return (
    <figure class="day-chart">
      <figcaption>
        <strong>
          Disposable rows per {unit}, by “<bdi>{escapeInvisible(column)}</bdi>”
        </strong>
      </figcaption>
      <PeriodDrawing periods={periods} unit={unit} max={scale.max} isRecent={isRecent} />
      <p class="note">{notes.join(" ").replaceAll(" %", "\u00a0%")}</p>
    </figure>
  );
}

function formatRows(rows: number, suffix: string): string[] {
  return rows > 0 ? [`${pluralize(rows, "row", "rows")} ${suffix}`] : [];
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

interface Scale {
  /** Minimum rows of a period that scales the axis. */
  readonly minRows: number;
  /** The largest share of these periods, and the maximum of the axis, in percent. */
  readonly peak: number;
  readonly max: number;
}

function chooseScale(periods: readonly Period[]): Scale {
  const minRows = Math.ceil(MIN_SCALING_ROWS * Math.max(...periods.map(({ rows }) => rows)));
  const peak = Math.max(...periods.filter(({ rows }) => rows >= minRows).map(percentOf));
  return { minRows, peak, max: axisMaximum(Math.max(MIN_AXIS_PERCENT, peak)) };
}

function describeScale(periods: readonly Period[], unit: PeriodUnit, { minRows, peak, max }: Scale): string[] {
  const [first, ...others] = periods.filter((period) => period.rows >= minRows && percentOf(period) === peak);
  const isLimited = periods.some((period) => percentOf(period) > peak);
  const clipped = periods.map(percentOf).filter((percent) => percent > max);
  const limit = isLimited ? ` of ${unit}s with at least ${pluralize(minRows, "row", "rows")}` : "";
  const ties = others.length === 0 ? "" : ` and ${pluralize(others.length, `other ${unit}`, `other ${unit}s`)}`;
  const clippedPeriods = `${pluralize(clipped.length, unit, `${unit}s`)} with few rows`;
  return [
    `Highest share${limit}: ${formatPercent(peak, 100)} (${first?.name}${ties}).`,
    ...(clipped.length === 0
      ? []
      : [`▲ Above the scale: ${clippedPeriods}, up to ${formatPercent(Math.max(...clipped), 100)}.`]),
  ];
}

export function percentOf({ rows, classes }: Pick<Day, "rows" | "classes">): number {
  return (100 * classes.disposable) / rows;
}

interface DrawingProps {
  readonly periods: readonly Period[];
  readonly unit: PeriodUnit;
  /** Maximum of the axis, in percent. */
  readonly max: number;
  /** Whether to draw the last part of the line dashed. */
  readonly isRecent: boolean;
}

function PeriodDrawing({ periods, unit, max, isRecent }: DrawingProps): ComponentChildren {
  const rowsAxis = axisMaximum(Math.max(2, ...periods.map(({ rows }) => rows)));
  const startMs = periods[0]?.start ?? 0;
  const spanMs = (periods.at(-1)?.end ?? 0) - startMs;
  /** Converts a time to percent of the chart's width. */
  const toX = (ms: number): string => ((100 * (ms - startMs)) / spanMs).toFixed(2);
  const centerOf = ({ start, end }: Period): string => toX((start + end) / 2);
  return (
    <svg aria-hidden="true">
      <Panel title={`Disposable, % of the ${unit}'s rows`} top={24} height={160} max={max} unit=" %">
        <ShareLine periods={periods} centerOf={centerOf} max={max} isRecent={isRecent} />
      </Panel>
      <Panel title={`Rows per ${unit}`} top={216} height={80} max={rowsAxis}>
        {periods.map(({ rows, start, end }) => {
          const height = Number(((100 * rows) / rowsAxis).toFixed(1));
          const gap = (end - start) / 10;
          const width = toX(startMs + 0.8 * (end - start));
          return <rect key={start} x={toX(start + gap)} y={100 - height} width={width} height={height} />;
        })}
      </Panel>
      <g class="dates" text-anchor="middle">
        {chooseDates(startMs, spanMs / DAY_MS).map(({ day, label }) => (
          <text key={day} x={`${toX(startMs + (day + 0.5) * DAY_MS)}%`} y="316">
            {label}
          </text>
        ))}
      </g>
      {periods.map((period) => (
        <g key={period.start} class="day">
          <rect
            x={`${toX(period.start)}%`}
            y="20"
            width={`${toX(startMs + period.end - period.start)}%`}
            height="280"
            fill-opacity="0.3"
          />
          <text x="100%" y="12" text-anchor="end" font-size="14" font-weight="600" fill="currentColor">
            {period.name}: {formatNumber(period.classes.disposable)} of {pluralize(period.rows, "row", "rows")},{" "}
            {formatPercent(period.classes.disposable, period.rows)}
          </text>
        </g>
      ))}
      <g class="bad" text-anchor="middle">
        {periods
          .filter((period) => percentOf(period) > max)
          .map((period) => (
            <text key={period.start} x={`${centerOf(period)}%`} y="33">
              ▲
            </text>
          ))}
      </g>
    </svg>
  );
}

type LineProps = Pick<DrawingProps, "periods" | "max" | "isRecent"> & {
  readonly centerOf: (period: Period) => string;
};

/** A line over the area below it. Periods without rows interrupt it. If the last one is recent, its part is dashed. */
function ShareLine({ periods, max, isRecent, centerOf }: LineProps): ComponentChildren {
  const runs: Period[][] = [];
  for (const [i, period] of periods.entries()) {
    if (i === 0 || periods[i - 1]?.end !== period.start) runs.push([]);
    runs.at(-1)?.push(period);
  }
  const toPoint = (period: Period): string =>
    `${centerOf(period)},${(100 - (100 * percentOf(period)) / max).toFixed(1)}`;
  /** Repeats the last point, because a line to itself is drawn as a dot. */
  const toPoints = (run: readonly Period[]): string => [...run, ...run.slice(-1)].map(toPoint).join(" ");
  return (
    <>
      {runs.map((run, i) => {
        const [first, last] = [run[0] as Period, run.at(-1) as Period];
        const isDashed = isRecent && i === runs.length - 1;
        return (
          <g key={i}>
            <polygon points={`${centerOf(first)},100 ${toPoints(run)} ${centerOf(last)},100`} />
            <polyline points={toPoints(isDashed ? run.slice(0, -1) : run)} />
            {isDashed && <polyline stroke-dasharray="3 4" points={toPoints(run.slice(-2))} />}
          </g>
        );
      })}
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
  readonly rows: readonly (readonly (string | number | VNode)[])[];
  /** Index of a column to highlight. */
  readonly highlighted?: number;
  /** Index of a column with a bar in each cell, and the widths of the bars in percent. */
  readonly bars?: readonly [column: number, percents: readonly number[]] | undefined;
}

/** A table that scrolls by itself. Numbers are right-aligned. */
export function Table({ title, head, rows, highlighted, bars }: TableProps): ComponentChildren {
  const [first = []] = rows;
  const cellClass = (value: TableProps["rows"][number][number] | undefined, column: number): string | undefined => {
    if (column === highlighted) return "highlighted";
    return typeof value === "number" || (typeof value === "string" && / %\)?$/.test(value)) ? "number" : undefined;
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
                  {typeof value === "number"
                    ? formatNumber(value)
                    : typeof value === "string"
                      ? escapeInvisible(value)
                      : value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
