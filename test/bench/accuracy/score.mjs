// Counts for the accuracy bench: hits out of n, with Wilson's 95 % interval if n is small, and Markdown tables.

const Z = 1.96;
/** With fewer inputs than this, a share is printed with its interval. */
const SMALL = 400;

/**
 * Counts the inputs for which `classify` returns `expected`, or a promise of it. Returns undefined for a tool without
 * `classify`.
 */
export async function score(classify, inputs, expected = true) {
  if (classify === undefined) return undefined;
  let hits = 0;
  for (const input of inputs) if (Boolean(await classify(input)) === expected) hits++;
  return { hits, n: inputs.length };
}

/** Returns Wilson's 95 % interval of a share, between 0 and 1. */
export function interval({ hits, n }) {
  if (n === 0) return [0, 1];
  const share = hits / n;
  const middle = share + Z ** 2 / (2 * n);
  const half = Z * Math.sqrt((share * (1 - share)) / n + Z ** 2 / (4 * n ** 2));
  const scale = 1 + Z ** 2 / n;
  return [Math.max(0, (middle - half) / scale), Math.min(1, (middle + half) / scale)];
}

/** Formats "97.5 %", or "97.5 % (95–99)" for a small n, or a dash if undefined. Never rounds up to 100 or down to 0. */
export function renderShare(counts) {
  if (counts === undefined) return "–";
  const percent = (counts.hits / counts.n) * 100;
  const text = renderPercent(percent);
  if (counts.n >= SMALL) return `${text} %`;
  const [low, high] = interval(counts).map((bound) => Math.round(bound * 100));
  return `${text} % (${low}–${high})`;
}

function renderPercent(percent) {
  if (percent === 0 || percent === 100) return `${percent}`;
  return Math.min(99.9, Math.max(0.1, percent)).toFixed(1);
}

/** Formats "3 of 500", or a dash if undefined. */
export function renderCount(counts) {
  return counts === undefined ? "–" : `${counts.hits} of ${counts.n}`;
}

/** Formats a Markdown table. The first column is text, the others are right-aligned. */
export function renderTable(header, rows) {
  const rule = header.map((_, column) => (column === 0 ? "---" : "--:"));
  return [header, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
