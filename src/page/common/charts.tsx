// Bars, lines by day and tables for the page and the report. Screen readers get the numbers, not the drawings.

import type { ComponentChildren } from "preact";
import { escapeInvisible, formatNumber, formatPercent } from "../../base/format-text.ts";
import type { Bar, Day } from "./text.ts";

/** All rows are the whole width in each chart, so that one percent always has the same length. */
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

/** A line of a `<dl class="lines">`. */
export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A line for the rows of each day, and one for the disposable ones; nothing for a single day. */
export function DayChart({ days }: { readonly days: readonly Day[] }): ComponentChildren {
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined || first === last) return null;
  const start = Date.parse(first.value);
  const most = Math.max(...days.map(({ rows }) => rows));
  const points = (of: "rows" | "disposable"): string =>
    days
      .map(({ value, [of]: count }) => {
        const x = (100 * (Date.parse(value) - start)) / (Date.parse(last.value) - start);
        return `${x.toFixed(2)},${(40 - (40 * count) / most).toFixed(2)}`;
      })
      .join(" ");
  return (
    <>
      <svg class="days" viewBox="0 -1 100 42" preserveAspectRatio="none" aria-hidden="true">
        <polyline class="accent" points={points("rows")} vector-effect="non-scaling-stroke" />
        <polyline class="bad" points={points("disposable")} vector-effect="non-scaling-stroke" />
      </svg>
      <p class="note">
        {first.value} to {last.value}, up to {formatNumber(most)} rows a day; the red line is disposable rows.
      </p>
    </>
  );
}

interface TableProps {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** The index of a column to mark. */
  readonly chosen?: number;
}

/** A table that scrolls in itself. Numbers are aligned to the right. */
export function Table({ title, head, rows, chosen }: TableProps): ComponentChildren {
  const [first = []] = rows;
  const kind = (value: string | number | undefined, column: number): string | undefined => {
    if (column === chosen) return "chosen";
    return typeof value === "number" || value?.endsWith(" %") === true ? "number" : undefined;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section class="wide" tabIndex={0} aria-label={title}>
      <table>
        <thead>
          <tr>
            {head.map((name, i) => (
              <th key={i} scope="col" class={kind(first[i], i)}>
                {escapeInvisible(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {row.map((value, j) => (
                <td key={j} class={kind(value, j)}>
                  {typeof value === "number" ? formatNumber(value) : escapeInvisible(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
