// Counts as bars. Each row says its number, so the bars are decoration for those who can't see them.

import type { ComponentChildren } from "preact";
import { shownNumber } from "../../base/shown.ts";
import { type Bar, share } from "./text.ts";

export function Bars({ bars, total }: { readonly bars: readonly Bar[]; readonly total: number }): ComponentChildren {
  return (
    <ul class="bars">
      {bars.map(({ name, count, tone }) => (
        <li key={name}>
          <span class="bar-name">{name}</span>
          <svg class={`bar ${tone}`} aria-hidden="true">
            <rect class="track" width="100%" height="100%" rx="5" />
            <rect class="fill" width={`${total === 0 ? 0 : (100 * count) / total}%`} height="100%" rx="5" />
          </svg>
          <span class="bar-count">
            {shownNumber(count)} <small>{share(count, total)}</small>
          </span>
        </li>
      ))}
    </ul>
  );
}
