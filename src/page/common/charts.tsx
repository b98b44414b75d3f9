// Charts and tables of the page and the report. Screen readers get the numbers, not the drawings.

import type { ComponentChildren, VNode } from "preact";
import { escapeInvisible, formatNumber, formatPercent, pluralize } from "../../base/format-text.ts";
import { sumRows } from "../../bulk/counts-by.ts";
import { DAY_MS } from "../../bulk/days.ts";
import { chooseDates, type Day, groupByPeriod, type Period, type PeriodUnit } from "./periods.ts";

interface ShareProps {
  readonly count: number;
  readonly total: number;
  /** Width of the bar behind the cell of a table, in percent. */
  readonly bar?: number;
}

/** A count, and its share of `total`. */
function Share({ count, total }: ShareProps): ComponentChildren {
  return (
    <>
      {formatNumber(count)} <small>{count > 0 && formatPercent(count, total)}</small>
    </>
  );
}

interface Bar {
  readonly name: string;
  readonly count: number;
  readonly meaning?: string;
}

type BarChartProps = Readonly<{ bars: readonly Bar[]; total: number }>;

/** A horizontal bar for each count, with its share of `total`, which a bar of full width has. */
export function BarChart({ bars, total }: BarChartProps): ComponentChildren {
  return (
    <ul class="bars">
      {bars.map(({ name, count, meaning }) => (
        <li key={name}>
          <span>
            {escapeInvisible(name)}
            {meaning !== undefined && <small> {meaning}</small>}
          </span>
          <span class="number">
            <Share count={count} total={total} />
          </span>
          <svg aria-hidden="true">
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
/** Periods with fewer rows, and less than this part of the largest one's, don't scale the axis: their shares are noise. */
const MIN_SCALING_ROWS = 30;
const MIN_SCALING_PART = 0.1;
/** Maximum part of the rows, at either end, that a chart may omit. */
const MAX_OUTLIER_ROWS = 0.05;
/** In percent of the chart's width. Further right, half of a centered date could be beyond the chart. */
const MAX_CENTERED_X = 92;
/** Between fewer periods, a line would show shares that no day has. */
const MIN_LINE_PERIODS = 7;
/** Days after a shorter gap are never omitted. */
const MIN_GAP_DAYS = 30;

interface DayChartProps {
  readonly days: readonly Day[];
  readonly column: string;
  /** Number of rows, including those without a valid day. */
  readonly rows: number;
  /** Number of rows whose values were not counted separately, because there are too many. */
  readonly otherRows?: number | undefined;
}

/**
 * Shows the share of rows without a usable address by day, week or month as a line or points, above the rows as
 * bars. Shows a period's numbers while the pointer is over it. Empty for a single day.
 */
export function DayChart({ days: allDays, column, rows, otherRows = 0 }: DayChartProps): ComponentChildren {
  const days = omitOutliers(allDays);
  if (days.length < 2) return null;
  const { unit, periods } = groupByPeriod(days);
  const maxRows = Math.max(...periods.map(({ rows }) => rows));
  const minRows = Math.min(MIN_SCALING_ROWS, Math.ceil(MIN_SCALING_PART * maxRows));
  const scaling = periods.filter(({ rows }) => rows >= minRows);
  const peak = Math.max(...scaling.map(percentOf));
  const max = axisMaximum(Math.max(MIN_AXIS_PERCENT, peak));
  const highest = scaling.find((period) => percentOf(period) === peak) as Period;
  const higher = periods.map(percentOf).filter((percent) => percent > peak);
  const clipped = higher.filter((percent) => percent > max);
  const omitted = Object.entries({
    "on earlier or later days": sumRows(allDays) - sumRows(days),
    "without a valid date": rows - sumRows(allDays) - otherRows,
    "with other values, because there are too many": otherRows,
  }).flatMap(([text, rows]) => (rows > 0 ? `${pluralize(rows, "row", "rows")} ${text}` : []));
  const scope = higher.length > 0 ? ` of ${unit}s with at least ${pluralize(minRows, "row", "rows")}` : "";
  const share = `${formatPercent(peak, 100)}, ${formatNumber(highest.unusable)} of ${pluralize(highest.rows, "row", "rows")}`;
  const clippedUnits = pluralize(clipped.length, unit, `${unit}s`);
  const notes = [
    `${days[0]?.value} to ${days.at(-1)?.value}.`,
    days.every((day) => percentOf(day) === 0)
      ? "All of these rows have a usable address."
      : `Highest share${scope}: ${share} (${highest.name}).`,
    clipped.length > 0 &&
      `▲ Above the scale: ${clippedUnits} with few rows, up to ${formatPercent(Math.max(...clipped), 100)}.`,
    omitted.length > 0 && `Not drawn: ${omitted.join(", ")}.`,
  ];
  return (
    <figure class="day-chart">
      <figcaption>
        <strong>
          Share of rows without a usable address per {unit}, by “<bdi>{escapeInvisible(column)}</bdi>”
        </strong>
      </figcaption>
      <PeriodDrawing periods={periods} unit={unit} max={max} />
      <p class="note">{notes.filter(Boolean).join(" ").replaceAll(" %", "\u00a0%")}</p>
    </figure>
  );
}

/**
 * Omits days separated from nearly all rows by a gap longer than their span, such as 1970-01-01, which would leave
 * little room for the others.
 */
function omitOutliers(days: readonly Day[]): readonly Day[] {
  const maxRows = MAX_OUTLIER_ROWS * sumRows(days);
  const timeOf = (i: number): number => Date.parse(days[i]?.value ?? "");
  let [start, end] = [0, days.length - 1];
  while (sumRows(days.slice(0, start + 1)) < maxRows) start += 1;
  while (sumRows(days.slice(end)) < maxRows) end -= 1;
  const maxGap = Math.max(timeOf(end) - timeOf(start), MIN_GAP_DAYS * DAY_MS);
  while (timeOf(start) - timeOf(start - 1) <= maxGap) start -= 1;
  while (timeOf(end + 1) - timeOf(end) <= maxGap) end += 1;
  return days.slice(start, end + 1);
}

export function percentOf({ rows, unusable }: Pick<Day, "rows" | "unusable">): number {
  return (100 * unusable) / rows;
}

type DrawingProps = Readonly<{ periods: readonly Period[]; unit: PeriodUnit; max: number }>;

/** `max` is the end of the percent axis. */
function PeriodDrawing({ periods, unit, max }: DrawingProps): ComponentChildren {
  // At least 4, so that half of it is a whole number.
  const rowsAxis = axisMaximum(Math.max(4, ...periods.map(({ rows }) => rows)));
  const startMs = periods[0]?.start ?? 0;
  const spanMs = (periods.at(-1)?.end ?? 0) - startMs;
  /** Converts a time to percent of the chart's width. */
  const toX = (ms: number): string => ((100 * (ms - startMs)) / spanMs).toFixed(2);
  const centerOf = ({ start, end }: Period): string => toX((start + end) / 2);
  return (
    <svg aria-hidden="true">
      <Panel title={`Without a usable address, % of the ${unit}'s rows`} top={24} height={160} max={max} unit=" %">
        <ShareLine {...{ periods, max, centerOf }} />
      </Panel>
      <Panel title={`Rows per ${unit}`} top={228} height={80} max={rowsAxis}>
        {periods.map(({ rows, start, end }) => {
          const height = Number(((100 * rows) / rowsAxis).toFixed(1));
          const [x, width] = [toX(0.9 * start + 0.1 * end), toX(startMs + 0.8 * (end - start))];
          return <rect key={start} x={x} y={100 - height} width={width} height={height} />;
        })}
      </Panel>
      <g class="dates">
        {chooseDates(unit, startMs, startMs + spanMs).map(({ ms, label }) => (
          <text key={ms} x={`${toX(ms)}%`} y="328" text-anchor={Number(toX(ms)) > MAX_CENTERED_X ? "end" : "middle"}>
            {label}
          </text>
        ))}
      </g>
      {periods.map((period) => (
        <g key={period.start} class="day">
          {percentOf(period) > max && (
            <text class="bad" x={`${centerOf(period)}%`} y="33" text-anchor="middle">
              ▲
            </text>
          )}
          <rect
            x={`${toX(period.start)}%`}
            y="20"
            width={`${toX(startMs + period.end - period.start)}%`}
            height="292"
          />
          <text x="100%" y="12" text-anchor="end" font-size="14" font-weight="600" fill="currentColor">
            {period.name}: {formatNumber(period.unusable)} of {pluralize(period.rows, "row", "rows")},{" "}
            {formatPercent(period.unusable, period.rows)}
          </text>
        </g>
      ))}
    </svg>
  );
}

type LineProps = Omit<DrawingProps, "unit"> & { readonly centerOf: (period: Period) => string };

/** A line over the area below it, or a few points. Periods without rows interrupt the line. */
function ShareLine({ periods, max, centerOf }: LineProps): ComponentChildren {
  const runs: Period[][] = [];
  for (const [i, period] of periods.entries()) {
    if (periods.length < MIN_LINE_PERIODS || periods[i - 1]?.end !== period.start) runs.push([]);
    runs.at(-1)?.push(period);
  }
  const toPoint = (period: Period): string =>
    `${centerOf(period)},${(100 - (100 * Math.min(percentOf(period), max)) / max).toFixed(1)}`;
  /** Repeats the last point, because a line to itself is drawn as a dot. */
  const toPoints = (run: readonly Period[]): string => [...run, ...run.slice(-1)].map(toPoint).join(" ");
  return (
    <>
      {runs.map((run, i) => {
        const [first, last] = [run[0] as Period, run.at(-1) as Period];
        return (
          <g key={i} stroke-width={first === last ? 8 : 2}>
            <polygon points={`${centerOf(first)},100 ${toPoints(run)} ${centerOf(last)},100`} />
            <polyline points={toPoints(run)} />
          </g>
        );
      })}
    </>
  );
}

type PanelProps = Readonly<{
  title: string;
  top: number;
  height: number;
  max: number;
  unit?: string;
  children: ComponentChildren;
}>;

/** A drawing area from 0 to `max`, with the numbers of its axis. */
function Panel({ title, top, height, max, unit = "", children }: PanelProps): ComponentChildren {
  return (
    <>
      <text class="title" x="-48" y={top - 12}>
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

type Cell = string | number | ShareProps | VNode;

const isShare = (value: Cell | undefined): value is ShareProps => typeof value === "object" && "count" in value;

interface TableProps {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Index of a column to highlight. */
  readonly highlighted?: number;
}

/** A table that scrolls by itself. Numbers are right-aligned. */
export function Table({ title, head, rows, highlighted }: TableProps): ComponentChildren {
  const classOf = (value: Cell | undefined, column: number): string | undefined => {
    if (column === highlighted) return "highlighted";
    return typeof value === "number" || isShare(value) ? "number" : undefined;
  };
  const renderCell = (value: Cell): ComponentChildren => {
    if (typeof value === "number") return formatNumber(value);
    if (isShare(value)) return <Share {...value} />;
    return typeof value === "string" ? escapeInvisible(value) : value;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
    <section class="wide" tabIndex={0} aria-label={title}>
      <table>
        <thead>
          <tr>
            {head.map((name, i) => (
              <th key={i} scope="col" class={classOf(rows[0]?.[i], i)}>
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
                  class={classOf(value, j)}
                  style={isShare(value) && value.bar ? `--bar: ${value.bar.toFixed(1)}%` : undefined}
                >
                  {renderCell(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
