// Text in HTML: nothing of an input can be markup, and no control or bidirectional character gets through.

import { escapeHtml, shownNumber } from "../../../../base/shown.ts";
import { shownText } from "../../../terminal/escape.ts";

/** Text for an element or a quoted attribute. */
export function shownHtml(text: string): string {
  return escapeHtml(shownText(text));
}

/** A table with a header for each column; cells are escaped. Numbers are aligned to the right. */
export function table(
  caption: string,
  titles: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const cell = (value: string | number): string =>
    typeof value === "number" ? `<td class="n">${shownNumber(value)}</td>` : `<td>${shownHtml(value)}</td>`;
  const kind = (i: number): string => (typeof rows[0]?.[i] === "number" ? ' class="n"' : "");
  const head = titles.map((title, i) => `<th scope="col"${kind(i)}>${shownHtml(title)}</th>`).join("");
  const body = rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`).join("\n");
  return `<div class="wide" tabindex="0" role="region" aria-label="${shownHtml(caption)}"><table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}
