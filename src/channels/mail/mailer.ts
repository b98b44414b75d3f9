// Sends one message to one recipient through the operator's SMTP server, once.

import type * as nodemailer from "nodemailer";
import type { SyntaxFault } from "../../address/faults.ts";
import type { Mailbox } from "../../address/mailbox.ts";
import { FairLimiter, withTimeout } from "../../base/concurrency.ts";
import { usageError } from "../../base/errors.ts";
import { isLoopbackHost } from "../../base/ip.ts";
import type { Result } from "../../base/result.ts";
import { isTlsCode } from "../../outbound/faults.ts";
import type { Attempt, FailedAttempt } from "../attempt.ts";

export type Nodemailer = Pick<typeof nodemailer, "createTransport">;

export interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mailer {
  /** Never rejects. `id` determines the Message-ID, so that retries have the same one. `channelId` is for the log. */
  send(recipient: string, mail: Mail, id: string, channelId?: string): Promise<Attempt>;
}

// RFC 5321 §4.5.3.2 allows minutes, but here a person may be waiting.
const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 20_000;
const TOTAL_TIMEOUT_MS = 30_000;
// Mail servers limit connections per client, often to 10 or 20, and bursts look like spam.
const MAX_CONNECTIONS = 4;
// The sum with TOTAL_TIMEOUT_MS must be less than the lease of a delivery (60 s).
const QUEUE_TIMEOUT_MS = 15_000;

/** Creates a mailer. Loads nodemailer for the first message. */
export function createMailer(settings: SmtpSettings, parse: ParseMailbox, load: () => Nodemailer): Mailer {
  const limiter = new FairLimiter(MAX_CONNECTIONS);
  return {
    send: async (recipient, mail, id) => {
      const mailbox = parse(recipient);
      if (!mailbox.ok) return createFailure("the address of the channel is not valid: change it", true);
      const to = { name: "", address: formatMailbox(mailbox.value) };
      // nodemailer would drop angle brackets in a quoted local part, and so send to another address.
      if (/[<>]/.test(to.address)) return createFailure("the mail server does not accept this address", true);
      const transport = load().createTransport({
        url: settings.url,
        requireTLS: settings.requireTls,
        tls: { rejectUnauthorized: !settings.isLoopback },
        connectionTimeout: CONNECT_TIMEOUT_MS,
        greetingTimeout: CONNECT_TIMEOUT_MS,
        dnsTimeout: CONNECT_TIMEOUT_MS,
        socketTimeout: SOCKET_TIMEOUT_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      const message = composeMessage(settings, to, mail, id);
      const queueTimer = setTimeout(() => limiter.rejectWaiting(message, QUEUE_TIMEOUT), QUEUE_TIMEOUT_MS);
      try {
        await limiter.run(message, () => sendWithTimeout(transport.sendMail(message)));
        return { ok: true };
      } catch (error) {
        return error === QUEUE_TIMEOUT ? QUEUE_TIMEOUT : classifySmtpError(error);
      } finally {
        clearTimeout(queueTimer);
        transport.close();
      }
    },
  };
}

async function sendWithTimeout(attempt: Promise<unknown>): Promise<void> {
  const done = await withTimeout(
    TOTAL_TIMEOUT_MS,
    attempt.then(() => true),
  );
  if (done !== true) throw Object.assign(new Error("late"), { code: "ETIMEDOUT" });
}

function composeMessage(settings: SmtpSettings, to: { name: string; address: string }, mail: Mail, id: string): object {
  const { from } = settings;
  return {
    ...mail,
    from,
    to,
    // Set explicitly, so that nothing in a header can add a recipient.
    envelope: { from: { name: "", address: from.address }, to },
    messageId: `<${id}@${from.address.slice(from.address.lastIndexOf("@") + 1)}>`,
    headers: {
      // RFC 3834 §5: suppresses automatic replies.
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
    },
  };
}

// nodemailer's error codes from before DATA: no recipient can have got the message.
const EARLY_ERROR_CODES = /^(?:EAUTH|ENOAUTH|ETLS|EREQUIRETLS|EENVELOPE|EDNS)$/;

/** Sets `undelivered` only if the server rejected the message or failed before receiving it. */
function classifySmtpError(error: unknown): Attempt {
  const { code = "", originalCode = "", responseCode = 0, syscall, timeoutType = LATE_TIMEOUT } = error as SmtpError;
  const isEarlyTimeout = code === "ETIMEDOUT" && timeoutType !== LATE_TIMEOUT;
  const isEarly = EARLY_ERROR_CODES.test(code) || isTlsCode(originalCode) || syscall === "connect" || isEarlyTimeout;
  const undelivered = responseCode >= 400 || isEarly;
  return { ...describeSmtpError(error as SmtpError), ...(undelivered ? { undelivered: true as const } : {}) };
}

interface SmtpError {
  readonly code?: string;
  /** The code from Node or OpenSSL, if nodemailer replaced it. */
  readonly originalCode?: string;
  readonly responseCode?: number;
  readonly response?: string;
  readonly command?: string;
  readonly syscall?: string;
  readonly timeoutType?: string;
}

// nodemailer's `timeoutType` for a timeout at any step; its other values are for timeouts before the message.
const LATE_TIMEOUT = "SOCKET_TIMEOUT";

function describeSmtpError(error: SmtpError): FailedAttempt {
  const { code = "", originalCode = "", responseCode, command = "", timeoutType = "" } = error;
  const problem = PROBLEMS[originalCode] ?? PROBLEMS[timeoutType] ?? PROBLEMS[code];
  if (problem !== undefined) return createFailure(`the mail server ${problem}`);
  if (isTlsCode(originalCode)) {
    const remedy = "use the name in its certificate, or name its authority in NODE_EXTRA_CA_CERTS";
    return createFailure(`the certificate or TLS handshake of the mail server failed (${originalCode}): ${remedy}`);
  }
  if (responseCode !== undefined) {
    const isRecipient = command === "RCPT TO";
    // RFC 5321 §4.2.1: 5yz is permanent, 4yz is transient.
    const refused = responseCode >= 500 ? "refused" : "temporarily refused";
    const reason = `the mail server ${refused} ${REFUSED_PARTS[command] ?? "the connection"} (${responseCode})`;
    return { ...createFailure(reason, isRecipient && responseCode >= 500), response: error.response };
  }
  if (code === "EENVELOPE") return createFailure("the mail server does not accept this address", true);
  return createFailure(`the mail server can't be reached: ${CHECK_URL}`);
}

/** What the server refuses, by the SMTP command. */
const REFUSED_PARTS: Readonly<Record<string, string>> = {
  "MAIL FROM": "the sender, ADDRSIFT_SMTP_FROM",
  "RCPT TO": "the recipient",
  DATA: "the message",
};

const CHECK_URL = "the operator must check ADDRSIFT_SMTP_URL";
const BAD_LOGIN = "refused the credentials: the operator must correct ADDRSIFT_SMTP_URL";
const NO_TLS = "offers no safe TLS: the operator must correct ADDRSIFT_SMTP_URL";
const PROBLEMS: Readonly<Record<string, string>> = {
  EAUTH: BAD_LOGIN,
  ENOAUTH: BAD_LOGIN,
  ERR_SSL_WRONG_VERSION_NUMBER: "does not expect TLS on this port: the operator must use smtp://, not smtps://",
  ETLS: NO_TLS,
  EREQUIRETLS: NO_TLS,
  GREETING_TIMEOUT: "sent no greeting: if its port expects TLS, the operator must use smtps://",
  ETIMEDOUT: "did not answer in time",
  ECONNREFUSED: `refused the connection: ${CHECK_URL}`,
  ENOTFOUND: `has an unknown host name: ${CHECK_URL}`,
  EAI_AGAIN: `has a host name that can't be looked up now: ${CHECK_URL}`,
};

const QUEUE_TIMEOUT: FailedAttempt = {
  ...createFailure("too many messages are being sent to the mail server: try again later"),
  undelivered: true,
};

function createFailure(reason: string, isPermanent = false): FailedAttempt {
  return { ok: false, reason, verdict: isPermanent ? "give_up" : "retry" };
}

export type ParseMailbox = (address: string) => Result<Mailbox, Pick<SyntaxFault, "message">>;

export interface SmtpSettings {
  readonly url: string;
  readonly from: { readonly name: string; readonly address: string };
  /** Whether to require STARTTLS, so that credentials are not sent unencrypted. */
  readonly requireTls: boolean;
  /** Whether the server is on this machine. If so, a mail server's default self-signed certificate is accepted. */
  readonly isLoopback: boolean;
}

const NAME_ADDRESS = /^\s*(?:"([^"\\]{0,200})"|([^<>"]{0,200}?))\s*<([^<>\s]{1,320})>\s*$/;

/** Returns the settings, or the name of a missing variable. Throws AddrsiftError USAGE, without quoting the URL. */
export function parseSmtpSettings(
  url: string | undefined,
  from: string | undefined,
  parse: ParseMailbox,
): SmtpSettings | "ADDRSIFT_SMTP_URL" | "ADDRSIFT_SMTP_FROM" {
  if (url === undefined || url === "") return "ADDRSIFT_SMTP_URL";
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !["smtp:", "smtps:"].includes(parsed.protocol) || parsed.hostname === "") {
    throw usageError(
      "ADDRSIFT_SMTP_URL (or its file) is not an SMTP URL: give smtp://USER:PASSWORD@HOST:PORT or smtps://...",
    );
  }
  // nodemailer reads options from the query, which could turn off encryption or log the conversation.
  if (/[?#]/.test(url) || parsed.pathname.length > 1) {
    throw usageError(
      "ADDRSIFT_SMTP_URL (or its file) must end with the port, without /, ? or #: " +
        "write these as %2F, %3F and %23 in a password",
    );
  }
  if (from === undefined || from === "") return "ADDRSIFT_SMTP_FROM";
  const match = NAME_ADDRESS.exec(from);
  const address = match?.[3] ?? from.trim();
  const mailbox = parse(address);
  if (!mailbox.ok) {
    const example = "give an address such as me@example.com or Name <me@example.com>";
    throw usageError(`ADDRSIFT_SMTP_FROM is not an address, because ${mailbox.fault.message}: ${example}`);
  }
  const isLoopback = isLoopbackHost(parsed.hostname);
  return {
    url,
    from: { name: match?.[1] ?? match?.[2] ?? "", address: formatMailbox(mailbox.value) },
    requireTls: parsed.password !== "" && !isLoopback,
    isLoopback,
  };
}

export function formatMailbox({ localPart, domain }: Mailbox): string {
  return `${localPart}@${domain.ascii}`;
}
