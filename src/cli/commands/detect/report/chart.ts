// Bars as inline SVG. Their colours are variables of the page's style, so that they follow its light or dark theme and print.

import { shownNumber } from "../../../../base/shown.ts";
import { drawSvg } from "./echarts.mjs";
import { escapeHtml } from "./html.ts";

/** A bar. */
export interface Bar {
  readonly name: string;
  readonly rows: number;
}

// In CSS pixels, at the width of a small phone; wider screens scale the picture up.
const WIDTH = 300;
const BAR_HEIGHT = 24;
const LABEL_WIDTH = 128;
// Colours that stand for variables, because the library calculates with colours.
const COLOURS: Readonly<Record<string, string>> = { "#010203": "var(--text)", "#010204": "var(--bar)" };
const [TEXT, BAR] = Object.keys(COLOURS) as [string, string];

/** Bars, the largest first as they are given, each with its name and number. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const height = bars.length * BAR_HEIGHT + 8;
  const text = { fontFamily: "sans-serif", fontSize: 12, color: TEXT };
  const total = Math.max(...bars.map(({ rows }) => rows), 1);
  const svg = drawSvg(WIDTH, height, {
    grid: { left: LABEL_WIDTH, right: 64, top: 4, bottom: 4 },
    xAxis: { type: "value", show: false, max: total },
    yAxis: {
      type: "category",
      inverse: true,
      data: bars.map(({ name }) => name),
      axisLine: { show: false },
      axisTick: { show: false },
      axisLabel: { ...text, width: LABEL_WIDTH - 10, overflow: "truncate", interval: 0 },
    },
    series: [
      {
        type: "bar",
        data: bars.map(({ rows }) => rows),
        itemStyle: { color: BAR, borderRadius: 2 },
        barWidth: 14,
        barMinHeight: 1,
        label: {
          show: true,
          position: "right",
          ...text,
          formatter: ({ value }: { readonly value: unknown }) => shownNumber(Number(value)),
        },
      },
    ],
  });
  const said = `${title}: ${bars.map(({ name, rows }) => `${name} ${shownNumber(rows)}`).join(", ")}`;
  const coloured = Object.entries(COLOURS).reduce((all, [from, to]) => all.replaceAll(from, to), svg);
  // The picture takes the width of its place.
  return coloured
    .replace(/^<svg [^>]*>/, `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeHtml(said)}">`)
    .replace(/<style[\s\S]*?<\/style>/g, "");
}
