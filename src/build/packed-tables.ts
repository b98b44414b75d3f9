// Makes a table inside of a package smaller, for programs in browsers and workers.

import { createRequire } from "node:module";
import type { Plugin } from "esbuild";

/** Replaces the contents of files whose path matches. */
export function replacing(filter: RegExp, contents: (path: string) => string): Plugin {
  return {
    name: `replacing ${filter}`,
    setup: ({ onLoad }) => onLoad({ filter }, ({ path }) => ({ contents: contents(path) })),
  };
}

type Row = readonly [range: number | readonly [first: number, last: number], ...what: unknown[]];

/** The table of UTS #46 without its code points: a row begins where the one before ends (18 KB packed instead of 46). */
export const PACKED_TABLE: Plugin = replacing(/\btr46.lib.mappingTable\.json$/, (path) => {
  const table = createRequire(import.meta.url)(path) as readonly Row[];
  const packed = table.map(([range, ...what]) => [typeof range === "number" ? 0 : range[1] - range[0], ...what]);
  if (JSON.stringify(unpackRows(packed)) !== JSON.stringify(table)) throw new Error(`${path} can't be packed`);
  return `${unpackRows}module.exports = unpackRows(JSON.parse(${JSON.stringify(JSON.stringify(packed))}));`;
});

/** The rows of the table; built into the code that needs them. */
function unpackRows(packed: unknown[][]): unknown[][] {
  let next = 0;
  return packed.map(([length, ...what]) => {
    const first = next;
    next += (length as number) + 1;
    return [length === 0 ? first : [first, next - 1], ...what];
  });
}
