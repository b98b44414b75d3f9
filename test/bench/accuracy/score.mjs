// Counts for the accuracy bench: hits out of n, with Wilson's 95 % interval if n is small, and Markdown tables.

const Z = 1.96;
/** Below this many inputs a share is shown with its interval. */
const SMALL = 400;

/**
 * How many of the inputs get the wanted answer; undefined for a tool that makes no such claim. Answers may be promises.
 */
export async function score(answer, inputs, wanted = true) {
  if (answer === undefined) return undefined;
  let hits = 0;
  for (const input of inputs) if (Boolean(await answer(input)) === wanted) hits++;
  return { hits, n: inputs.length };
}

/** The 95 % interval of Wilson's score for a share, between 0 and 1. */
export function interval({ hits, n }) {
  if (n === 0) return [0, 1];
  const share = hits / n;
  const middle = share + Z ** 2 / (2 * n);
  const half = Z * Math.sqrt((share * (1 - share)) / n + Z ** 2 / (4 * n ** 2));
  const scale = 1 + Z ** 2 / n;
  return [Math.max(0, (middle - half) / scale), Math.min(1, (middle + half) / scale)];
}

/**
 * "97.5 %", with "(95–99)" behind it where n is small; a dash for what was not measured. Never rounded up to 100 or
 * down to 0.
 */
export function renderShare(counted) {
  if (counted === undefined) return "–";
  const percent = (counted.hits / counted.n) * 100;
  const text = renderPercent(percent);
  if (counted.n >= SMALL) return `${text} %`;
  const [low, high] = interval(counted).map((bound) => Math.round(bound * 100));
  return `${text} % (${low}–${high})`;
}

function renderPercent(percent) {
  if (percent === 0 || percent === 100) return `${percent}`;
  return Math.min(99.9, Math.max(0.1, percent)).toFixed(1);
}

/** "3 of 500", for faults, which are few; a dash for what was not measured. */
export function renderCount(counted) {
  return counted === undefined ? "–" : `${counted.hits} of ${counted.n}`;
}

/** A table in Markdown; the first column is text, the others are to the right. */
export function renderTable(header, rows) {
  const rule = header.map((_, column) => (column === 0 ? "---" : "--:"));
  return [header, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
