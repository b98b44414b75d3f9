// The types of nsd.mjs, which the benches use as well.

export const hasNsd: boolean;
export function startNsd(
  zones: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly address: string; readonly port: number; stop(): Promise<void> }>;
