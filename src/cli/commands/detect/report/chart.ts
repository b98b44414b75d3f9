// Bars as inline SVG, drawn as the page at / draws them. Each row says its name and number, so those who can't see bars miss nothing.

import { shownNumber } from "../../../../base/shown.ts";
import { shownHtml } from "./html.ts";

/** A bar. */
export interface Bar {
  readonly name: string;
  readonly rows: number;
}

/** Bars in the order in which they are given; the longest has the whole width. */
export function barChart(bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ rows }) => rows));
  const items = bars.map(({ name, rows }) => {
    const fill = `<rect class="fill" width="${((100 * rows) / most).toFixed(2)}%" height="100%" rx="5"/>`;
    const svg = `<svg aria-hidden="true"><rect class="track" width="100%" height="100%" rx="5"/>${fill}</svg>`;
    return `<li><span>${shownHtml(name)}</span>${svg}<span>${shownNumber(rows)}</span></li>`;
  });
  return `<ul class="bars">\n${items.join("\n")}\n</ul>`;
}
