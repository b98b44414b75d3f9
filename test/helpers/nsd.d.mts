// The types of nsd.mjs, which benchmarks use too.

export const hasNsd: boolean;
export function startNsd(
  zones: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly address: string; readonly port: number; stop(): Promise<void> }>;
