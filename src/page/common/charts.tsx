// Charts and tables of the page and the report. Screen readers get the numbers, not the drawings.

import type { ComponentChildren } from "preact";
import { escapeInvisible, formatNumber, formatPercent } from "../../base/format-text.ts";
import type { Bar, Day } from "./text.ts";

/** A horizontal bar for each count. One percent of `total` has the same length in every chart. */
export function BarChart({
  bars,
  total,
}: {
  readonly bars: readonly Bar[];
  readonly total: number;
}): ComponentChildren {
  return (
    <ul class="bars">
      {bars.map(({ name, count, tone }) => (
        <li key={name}>
          <span>{escapeInvisible(name)}</span>
          <span class="number">
            {formatNumber(count)} <small>{formatPercent(count, total)}</small>
          </span>
          <svg class={tone} aria-hidden="true">
            <rect class="track" width="100%" height="100%" rx="5" />
            <rect class="fill" width={`${((100 * count) / Math.max(total, 1)).toFixed(2)}%`} height="100%" rx="5" />
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

const DAY_MS = 86_400_000;
/** Possible maxima of the axis, in percent. */
const AXIS_MAXIMA = [1, 2, 4, 10, 20, 30, 50, 100] as const;
/** Days with less than this part of the largest day's rows don't scale the axis, because their shares are noise. */
const MIN_SCALING_ROWS = 0.1;
/** In percent of the chart. Low, so that most of the line is above the bars. */
const MAX_BAR_HEIGHT = 50;

interface DayChartProps {
  readonly days: readonly Day[];
  readonly column: string;
}

/** Shows the share of disposable rows by day as a line, over the rows as bars. Empty for a single day. */
export function DayChart({ days, column }: DayChartProps): ComponentChildren {
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined || first === last) return null;
  const xOf = ({ value }: Day): number => (Date.parse(value) - Date.parse(first.value)) / DAY_MS;
  const percentOf = ({ rows, classes }: Day): number => (100 * classes.disposable) / rows;
  const maxRows = Math.max(...days.map(({ rows }) => rows));
  const maxPercent = Math.max(...days.filter(({ rows }) => rows >= MIN_SCALING_ROWS * maxRows).map(percentOf));
  const axisMax = AXIS_MAXIMA.find((percent) => percent >= maxPercent) ?? 100;
  if (maxPercent === 0) return null;
  const peak = days.find((day) => percentOf(day) === maxPercent) as Day;
  const points = days.map((day) => `${xOf(day) + 0.5},${(100 - (100 * percentOf(day)) / axisMax).toFixed(1)}`);
  const width = xOf(last) + 1;
  return (
    <figure class="day-chart">
      <figcaption>
        Share of disposable rows by <bdi>{escapeInvisible(column)}</bdi>
      </figcaption>
      <div class="ticks" aria-hidden="true">
        {[axisMax, axisMax / 2, 0].map((percent) => (
          <span key={percent}>{percent} %</span>
        ))}
      </div>
      <svg viewBox={`0 0 ${width} 100`} preserveAspectRatio="none" aria-hidden="true">
        {days.map((day) => {
          const height = Number(((MAX_BAR_HEIGHT * day.rows) / maxRows).toFixed(1));
          return <rect key={day.value} x={xOf(day) + 0.1} y={100 - height} width="0.8" height={height} />;
        })}
        {[0, 50, 100].map((y) => (
          <path key={y} class="grid" d={`M0 ${y}H${width}`} />
        ))}
        <polyline points={points.slice(0, -1).join(" ")} />
        <polyline class="last" points={points.slice(-2).join(" ")} />
      </svg>
      <p class="note row spread">
        <span>{first.value}</span> <span>{last.value}</span>
      </p>
      <p class="note">
        Highest: {formatPercent(maxPercent, 100)} on {peak.value}. Bars: rows, up to {formatNumber(maxRows)} per day.
        Dashed: the last day may be incomplete.
      </p>
    </figure>
  );
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
    return typeof value === "number" || value?.endsWith(" %") === true ? "number" : undefined;
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
