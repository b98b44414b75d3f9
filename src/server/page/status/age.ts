// How old the lists are.

/** A version begins with the day on which its sources were taken. */
export function ageDays(dataVersion: string | undefined, nowMs: number): number | undefined {
  const taken = Date.parse(dataVersion?.slice(0, 10) ?? "");
  return Number.isNaN(taken) ? undefined : Math.max(0, Math.floor((nowMs - taken) / 86_400_000));
}
