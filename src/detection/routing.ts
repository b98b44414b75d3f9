// Where a domain's mail goes, as a value, and the port through which DNS answers come in. No DNS here.

/** One mail exchanger (RFC 1035 §3.3.9), host in lower-case A-labels. */
export interface Exchange {
  readonly preference: number;
  readonly exchange: string;
}

/**
 * The outcome of asking DNS for a domain's mail routing:
 * `skipped` not asked; `ok` MX records; `implicit_mx` an address record alone (RFC 5321 §5.1); `null_mx` takes no mail
 * (RFC 7505); `no_mail` neither MX nor address; `nxdomain` no such name; the others are no answer.
 */
export type MailRouting =
  | { readonly status: "skipped" | "null_mx" | "no_mail" | "nxdomain" | "implicit_mx" }
  | { readonly status: "ok"; readonly exchanges: readonly Exchange[] }
  | { readonly status: "timeout" | "servfail" | "refused" | "error" };
