// The operator's mail settings, read from the environment: the server that sends mail, and the sender.

import type { Mailbox } from "../../address/mailbox.ts";
import { AddrsiftError } from "../../base/errors.ts";
import { isLoopbackHost } from "../../base/ip.ts";
import type { Result } from "../../base/result.ts";

/** Parses an address by the project's one parser. */
export type ParseMailbox = (address: string) => Result<Mailbox, unknown>;

export interface SmtpSettings {
  /** smtp: or smtps:, with credentials if any. */
  readonly url: string;
  /** The sender's address, and the name before it. */
  readonly from: { readonly name: string; readonly address: string };
  /** STARTTLS is required: credentials must not cross a network unencrypted. */
  readonly requireTls: boolean;
  /** The server is on this machine, so its certificate proves nothing: a mail server's own default one is taken. */
  readonly loopback: boolean;
}

const NAME_ADDRESS = /^\s*(?:"([^"\\]{0,200})"|([^<>"]{0,200}?))\s*<([^<>\s]{1,320})>\s*$/;

/** Gives the name of a missing variable. Throws AddrsiftError USAGE for a wrong value, without the URL. */
export function smtpSettings(
  url: string | undefined,
  from: string | undefined,
  parse: ParseMailbox,
): SmtpSettings | "ADDRSIFT_SMTP_URL" | "ADDRSIFT_SMTP_FROM" {
  if (url === undefined || url === "") return "ADDRSIFT_SMTP_URL";
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !["smtp:", "smtps:"].includes(parsed.protocol) || parsed.hostname === "") {
    throw new AddrsiftError(
      "USAGE",
      "ADDRSIFT_SMTP_URL (or its file) is not an SMTP URL: give smtp://USER:PASSWORD@HOST:PORT or smtps://...",
    );
  }
  // nodemailer takes settings from a query, which would switch off encryption or print the conversation.
  if (/[?#]/.test(url)) {
    throw new AddrsiftError(
      "USAGE",
      "ADDRSIFT_SMTP_URL (or its file) must end with the port, without ? or #: " +
        "write these as %3F and %23 in a password",
    );
  }
  if (from === undefined || from === "") return "ADDRSIFT_SMTP_FROM";
  const named = NAME_ADDRESS.exec(from);
  const address = named?.[3] ?? from.trim();
  const mailbox = parse(address);
  if (!mailbox.ok) {
    throw new AddrsiftError(
      "USAGE",
      "ADDRSIFT_SMTP_FROM is not an address: give one such as me@example.com or Name <me@example.com>",
    );
  }
  const loopback = isLoopbackHost(parsed.hostname);
  return {
    url,
    from: { name: named?.[1] ?? named?.[2] ?? "", address: spelled(mailbox.value) },
    requireTls: parsed.password !== "" && !loopback,
    loopback,
  };
}

/** An address as an envelope holds it: the domain in A-labels. */
export function spelled({ localPart, domain }: Mailbox): string {
  return `${localPart}@${domain.ascii}`;
}
