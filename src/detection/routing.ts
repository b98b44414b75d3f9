// Where a domain's mail goes, as a value, and the interface of what asks DNS.

/** One mail exchanger (RFC 1035 §3.3.9). */
export interface Exchange {
  readonly preference: number;
  /** Host name in lower-case A-labels, without the final dot. */
  readonly exchange: string;
  /** If they were asked for. */
  readonly addresses?: readonly string[];
}

/**
 * The outcome of asking DNS for a domain's mail routing: `skipped` not asked; `ok` MX records; `implicit_mx` only an
 * address record (RFC 5321 §5.1); `null_mx` takes no mail (RFC 7505); `no_mail` neither MX nor address; `nxdomain` no
 * such name. The others are not answers.
 */
export const ROUTING_STATUSES = [
  "skipped",
  "ok",
  "implicit_mx",
  "null_mx",
  "no_mail",
  "nxdomain",
  "timeout",
  "servfail",
  "refused",
  "error",
] as const;
export type RoutingStatus = (typeof ROUTING_STATUSES)[number];

export interface MailRouting {
  readonly status: RoutingStatus;
  /** With `ok`, the lowest preference first; with `implicit_mx`, the domain itself with its addresses. */
  readonly exchanges?: readonly Exchange[];
  /** When it was asked: milliseconds since 1970, UTC. */
  readonly checkedAt?: number;
  readonly durationMs?: number;
}

/** Names the exchanges whose addresses would show more, the most useful first. */
export type SelectExchanges = (exchanges: readonly Exchange[]) => readonly string[];

export interface MailResolver {
  /**
   * Returns the routing of a domain in lower-case A-labels, within the resolver's own deadline. Rejects only when
   * `signal` is aborted, with its reason. The resolver may ask `addressesWanted` which addresses to add.
   */
  route(asciiDomain: string, signal?: AbortSignal, selectExchanges?: SelectExchanges): Promise<MailRouting>;
}

export function isAnswer(status: RoutingStatus): boolean {
  return status === "ok" || status === "implicit_mx" || acceptsNoMail(status);
}

/** True when DNS answered that nothing there takes mail. */
export function acceptsNoMail(status: RoutingStatus): boolean {
  return status === "nxdomain" || status === "null_mx" || status === "no_mail";
}
