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

/** Factors of the powers of ten that can be the maximum of an axis. */
const AXIS_FACTORS = [1, 2, 3, 4, 6, 8, 10] as const;
/** Days with less than this part of the largest day's rows don't scale the axis, because their shares are noise. */
const MIN_SCALING_ROWS = 0.1;

interface DayChartProps {
  readonly days: readonly Day[];
  readonly column: string;
}

/**
 * Shows the share of disposable rows by day as a line, above the rows as bars. Shows a day's numbers while the pointer
 * is over it. Empty for a single day.
 */
export function DayChart({ days, column }: DayChartProps): ComponentChildren {
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined || first === last) return null;
  const startMs = Date.parse(first.value);
  const dayIndex = (value: string): number => (Date.parse(value) - startMs) / DAY_MS;
  const percentOf = ({ rows, classes }: Day): number => (100 * classes.disposable) / rows;
  const maxRows = Math.max(...days.map(({ rows }) => rows));
  const maxPercent = Math.max(...days.filter(({ rows }) => rows >= MIN_SCALING_ROWS * maxRows).map(percentOf));
  if (maxPercent === 0) return null;
  const peak = days.find((day) => percentOf(day) === maxPercent) as Day;
  const width = dayIndex(last.value) + 1;
  const toPercent = (index: number): string => `${((100 * index) / width).toFixed(2)}%`;
  const percentAxis = axisMaximum(Math.max(1, maxPercent));
  const rowsAxis = axisMaximum(Math.max(2, maxRows));
  const points = days.map(
    (day) => `${dayIndex(day.value) + 0.5},${(100 - (100 * percentOf(day)) / percentAxis).toFixed(1)}`,
  );
  return (
    <figure class="day-chart">
      <figcaption>
        Disposable rows by <bdi>{escapeInvisible(column)}</bdi>
      </figcaption>
      <p>Disposable, % of the day's rows</p>
      <Panel width={width} max={percentAxis} unit=" %">
        <polygon points={`0.5,100 ${points.join(" ")} ${width - 0.5},100`} />
        <polyline points={points.slice(0, -1).join(" ")} />
        <polyline class="last" points={points.slice(-2).join(" ")} />
      </Panel>
      <p>Rows per day</p>
      <Panel width={width} max={rowsAxis}>
        {days.map(({ value, rows }) => {
          const height = Number(((100 * rows) / rowsAxis).toFixed(1));
          return <rect key={value} x={dayIndex(value) + 0.1} y={100 - height} width="0.8" height={height} />;
        })}
      </Panel>
      <svg class="dates" aria-hidden="true">
        {chooseDates(startMs, width).map(({ day, label }) => (
          <text key={day} x={toPercent(day + 0.5)} y="100%" dy="-0.75em">
            {label}
          </text>
        ))}
        {days.map((day) => (
          <g key={day.value}>
            <rect x={toPercent(dayIndex(day.value))} width={toPercent(1)} />
            <text x="100%" y="1em">
              {day.value}: {formatNumber(day.classes.disposable)} of {pluralize(day.rows, "row", "rows")},{" "}
              {formatPercent(percentOf(day), 100)}
            </text>
          </g>
        ))}
      </svg>
      <p class="note">
        {first.value} to {last.value}. Highest share: <span class="number">{formatPercent(maxPercent, 100)}</span> on{" "}
        {peak.value}. Dashed: the last day may be incomplete.
      </p>
    </figure>
  );
}

interface PanelProps {
  /** Number of days. */
  readonly width: number;
  readonly max: number;
  readonly unit?: string;
  readonly children: ComponentChildren;
}

/** A drawing area from 0 to `max`, with the numbers of its axis. */
function Panel({ width, max, unit = "", children }: PanelProps): ComponentChildren {
  return (
    <>
      <div class="ticks" aria-hidden="true">
        {[max, max / 2, 0].map((value) => (
          <span key={value}>{formatNumber(value) + unit}</span>
        ))}
      </div>
      <svg viewBox={`0 0 ${width} 100`} preserveAspectRatio="none" aria-hidden="true">
        {[0, 50, 100].map((y) => (
          <path key={y} d={`M0 ${y}H${width}`} />
        ))}
        {children}
      </svg>
    </>
  );
}

function axisMaximum(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  return unit * (AXIS_FACTORS.find((factor) => factor * unit >= value) ?? 10);
}

interface TableProps {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** Index of a column to highlight. */
  readonly highlighted?: number;
}

/** A table that scrolls by itself. Numbers are right-aligned; row numbers have no thousands separators. */
export function Table({ title, head, rows, highlighted }: TableProps): ComponentChildren {
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
                <td key={j} class={cellClass(value, j)}>
                  {typeof value === "number" && head[j] !== "row" ? formatNumber(value) : escapeInvisible(`${value}`)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
