// Reads the Prometheus text format, as far as our own /metrics has it.

/** One value with its labels. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** All samples, by the name of their metric. */
export type Metrics = ReadonlyMap<string, readonly Sample[]>;

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

export function readMetrics(text: string): Metrics {
  const metrics = new Map<string, Sample[]>();
  for (const line of text.split("\n")) {
    const [, name, labels = "", value] = line.startsWith("#") ? [] : (LINE.exec(line) ?? []);
    if (name === undefined) continue;
    const samples = metrics.get(name) ?? [];
    samples.push({ labels: labelsIn(labels), value: Number(value) });
    metrics.set(name, samples);
  }
  return metrics;
}

function labelsIn(text: string): Record<string, string> {
  return Object.fromEntries(Array.from(text.matchAll(LABEL), ([, name = "", value = ""]) => [name, unescaped(value)]));
}

function unescaped(value: string): string {
  return value.replace(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char));
}

/** The only value of a metric; undefined when there is none. */
export function onlyValue(metrics: Metrics, name: string): number | undefined {
  return metrics.get(name)?.[0]?.value;
}

/** The values of a metric by one of its labels, summed, the largest first; nothing for zeros. */
export function countsBy(
  metrics: Metrics,
  name: string,
  label: string,
): { readonly name: string; readonly count: number }[] {
  const sums = new Map<string, number>();
  for (const { labels, value } of metrics.get(name) ?? []) {
    const key = labels[label] ?? "";
    sums.set(key, (sums.get(key) ?? 0) + value);
  }
  return [...sums]
    .map(([key, count]) => ({ name: key, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
}
