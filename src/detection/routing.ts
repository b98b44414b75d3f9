// A domain's mail routing, and the interface of resolvers.

/** One mail exchanger (RFC 1035 §3.3.9). */
export interface Exchange {
  readonly preference: number;
  /** Host name in lower-case A-labels, without the final dot. */
  readonly exchange: string;
  /** Set only if looked up. */
  readonly addresses?: readonly string[] | undefined;
}

/**
 * Outcome of a lookup. `skipped`: no lookup; `ok`: MX records; `implicit_mx`: only an address record (RFC 5321 §5.1);
 * `null_mx`: accepts no mail (RFC 7505); `no_mail`: neither MX nor address; `nxdomain`: no such name. The other
 * statuses mean that DNS did not answer.
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

/** Mail routing of a domain. */
export interface MailRouting {
  readonly status: RoutingStatus;
  /** With `ok`, the lowest preference first; with `implicit_mx`, the domain itself with its addresses. */
  readonly exchanges?: readonly Exchange[] | undefined;
  /** Start of the lookup, in milliseconds since 1970. */
  readonly checkedAt?: number | undefined;
  /** Duration of the lookup in milliseconds. */
  readonly durationMs?: number | undefined;
}

/** Selects the exchanges whose addresses are needed, most useful first. */
export type SelectExchanges = (exchanges: readonly Exchange[]) => readonly string[];

export interface MailResolver {
  /**
   * Looks up the routing of a domain in lower-case A-labels, within the resolver's own deadline. If `signal` is aborted,
   * rejects with its reason. Any other exception becomes the status `error`, without its message: log it here. The
   * resolver may call `selectExchanges` to learn which exchanges need addresses.
   */
  route(asciiDomain: string, signal?: AbortSignal, selectExchanges?: SelectExchanges): Promise<MailRouting>;
}

export function isAnswer(status: RoutingStatus): boolean {
  return status === "ok" || status === "implicit_mx" || acceptsNoMail(status);
}

/** Reports whether DNS answered that the domain accepts no mail. */
export function acceptsNoMail(status: RoutingStatus): boolean {
  return status === "nxdomain" || status === "null_mx" || status === "no_mail";
}
