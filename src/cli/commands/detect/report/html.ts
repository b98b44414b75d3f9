// Text in HTML: nothing of an input can be markup, and no control or bidirectional character gets through.

import { shownNumber } from "../../../../base/shown.ts";
import { shownText } from "../../../terminal/escape.ts";

/** Text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  const named: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return shownText(text).replace(/[&<>"']/g, (char) => named[char] as string);
}

/** A table with a header for each column; cells are escaped. Numbers are aligned to the right. */
export function table(
  caption: string,
  titles: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const cell = (value: string | number): string =>
    typeof value === "number" ? `<td class="n">${shownNumber(value)}</td>` : `<td>${escapeHtml(value)}</td>`;
  const kind = (i: number): string => (typeof rows[0]?.[i] === "number" ? ' class="n"' : "");
  const head = titles.map((title, i) => `<th scope="col"${kind(i)}>${escapeHtml(title)}</th>`).join("");
  const body = rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`).join("\n");
  return `<div class="wide" tabindex="0" role="region" aria-label="${escapeHtml(caption)}"><table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}
