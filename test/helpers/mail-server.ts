// A real SMTP server on loopback (npm smtp-server). It records envelopes and messages, and rejects what a test sets.

import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";
import { listenOnFreePort } from "./listening.ts";

/** A received message with its envelope. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The message's bytes, decoded as Latin-1. */
  readonly raw: string;
  readonly message: Email;
}

export interface MailServer {
  readonly url: string;
  readonly mails: ReceivedMail[];
  /** All recipients of RCPT TO, accepted or not. */
  readonly recipients: string[];
  /** Returns the reply code that rejects a step, or undefined to accept it. */
  refuse: (step: "from" | "recipient" | "data", address: string) => number | undefined;
  /** Waits until `wanted` messages have arrived, and returns all of them. */
  waitForMails(wanted: number, timeoutMs?: number): Promise<ReceivedMail[]>;
  close(): Promise<void>;
}

/** Starts a server that accepts everything without credentials. With TLS its certificate is self-signed. */
export async function startMailServer({
  tls,
  refusesLogins = false,
}: {
  readonly tls?: "offered" | "always";
  readonly refusesLogins?: boolean;
} = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const recipients: string[] = [];
  const checkStep = (step: "from" | "recipient" | "data", address: string): Error | null => {
    const code = mailServer.refuse(step, address);
    return code === undefined ? null : Object.assign(new Error("rejected by the test"), { responseCode: code });
  };
  const server = new SMTPServer({
    disabledCommands: [...(refusesLogins ? [] : ["AUTH"]), ...(tls === "offered" ? [] : ["STARTTLS"])],
    allowInsecureAuth: true,
    secure: tls === "always",
    disableReverseLookup: true,
    logger: false,
    onMailFrom: ({ address }, _session, done) => done(checkStep("from", address)),
    onRcptTo: ({ address }, _session, done) => {
      recipients.push(address);
      done(checkStep("recipient", address));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", async () => {
        const refusal = checkStep("data", "");
        if (refusal !== null) return done(refusal);
        const bytes = Buffer.concat(chunks);
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? "" : (mailFrom?.address ?? "");
        const to = rcptTo.map(({ address }) => address);
        mails.push({ from, to, raw: bytes.toString("latin1"), message: await PostalMime.parse(bytes) });
        done();
      });
    },
  });
  skipGreetingDelay(server);
  // A client that rejects the certificate aborts the handshake.
  server.on("error", () => {});
  const port = await listenOnFreePort(server.server);
  const mailServer: MailServer = {
    url: `smtp${tls === "always" ? "s" : ""}://127.0.0.1:${port}`,
    mails,
    recipients,
    refuse: () => undefined,
    waitForMails: async (wanted, timeoutMs = 120_000) => {
      const end = Date.now() + timeoutMs;
      while (mails.length < wanted && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
      return mails;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mailServer;
}

/**
 * Skips the 0.1 s that smtp-server waits before its greeting to detect clients that talk too early. Tests with hundreds
 * of mails would be slow otherwise.
 */
function skipGreetingDelay(server: SMTPServer): void {
  const connect = server.connect.bind(server);
  server.connect = (...args) => {
    connect(...args);
    const connection = [...server.connections].at(-1);
    connection?.connectionReady();
    if (connection !== undefined) connection.connectionReady = () => {};
  };
}
