// Connects channels with HTTP clients, the operator's mail server, the lists and the stores.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseMailbox } from "../../address/mailbox.ts";
import type { SyntaxOptions } from "../../address/options.ts";
import { suggestAddress } from "../../address/suggestion.ts";
import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import { AddrsiftError, describeSystemError, isAddrsiftError, usageError } from "../../base/errors.ts";
import { quoteForShell } from "../../base/format-text.ts";
import { lazy } from "../../base/memoize.ts";
import type { Attempt } from "../../channels/attempt.ts";
import type { ChannelDeps } from "../../channels/channels.ts";
import type { AttemptReport } from "../../channels/delivery/deliverer.ts";
import { createMailer, type Mailer, type ParseMailbox, parseSmtpSettings } from "../../channels/mail/mailer.ts";
import { Notifications } from "../../channels/notifications.ts";
import { Classifier } from "../../detection/classifier.ts";
import type { Detection } from "../../detection/detection.ts";
import { createDetection } from "../../detection/format.ts";
import { type ClientDeps, createClient } from "../../outbound/client.ts";
import { blockedHostReason, createGuard, type Guard } from "../../outbound/guard.ts";
import { systemLookup } from "../../outbound/lookup.ts";
import type { ProxyFor } from "../../outbound/proxy.ts";
import type { Host, Runtime } from "../runtime.ts";
import type { ListsAndOverrides } from "./overrides.ts";
import type { Stores, Warn } from "./stores.ts";

interface ChannelSettings {
  /** Private ranges that webhooks may reach. If empty, $ADDRSIFT_ALLOW_PRIVATE applies. */
  readonly allowPrivate: readonly string[];
  readonly publicUrl: string | undefined;
  readonly listsAndOverrides: () => ListsAndOverrides;
  /** The folder of --home, for commands in messages. */
  readonly home?: string | undefined;
  readonly warn: Warn;
  /** Set only in the daemon, which has waiting API callers and retries deliveries that commands can't send. */
  readonly daemon?: {
    /** The daemon's loopback URL, if it listens only on loopback. */
    readonly localUrl: () => string | undefined;
    readonly proxy: ProxyFor | undefined;
    readonly onAttempt: (report: AttemptReport) => void;
    readonly onMail: (attempt: Attempt, channelId?: string) => void;
  };
}

export type ChannelServices = ReturnType<typeof openChannelServices>;

// Longer than any attempt: the limit of mail is 30 s, of a webhook 15 s.
const LEASE_MS = 60_000;
// A mail server usually accepts a message within 2 s, and API callers do not wait much longer.
const MAIL_WAIT_MS = 5000;

export function openChannelServices(
  { records: store, deliveries, refresh }: Pick<Stores, "records" | "deliveries" | "refresh">,
  { env, now: clock }: Pick<Host, "env" | "now">,
  { allowPrivate, publicUrl, listsAndOverrides, home, warn, daemon }: ChannelSettings,
) {
  // Machines must agree on when a lease expires.
  const now = deliveries.clock(clock);
  const guard = createLazyGuard(allowPrivate, env);
  const smtp = readSmtpEnvironment(env);
  const parse = (address: string, syntax: SyntaxOptions) => parseMailbox(address, syntax, listsAndOverrides().lists);
  const parseAddress: ChannelDeps["parseAddress"] = (address) => parse(address, channelSyntax(address));
  const mailer = openMailer(smtp, (address) => parse(address, ANY_DOMAIN), daemon?.onMail);
  const client = createClient({ ...clientDeps(guard), proxy: daemon?.proxy });
  const notifications = new Notifications(store, deliveries, {
    now,
    random: randomBytes,
    parseAddress,
    isDisposable: (address) => {
      const detection = classify(address, listsAndOverrides());
      return detection.syntax_validation && detection.disposable;
    },
    suggestAddress: (address) => suggestAddress(address, listsAndOverrides().lists, (text) => parseAddress(text).ok),
    canMail: smtp.url !== undefined && smtp.from !== undefined,
    blockedHostReason: (hostname) => blockedHostReason(hostname, guard()),
    mailboxKey: (address) => {
      const detection = classify(address, listsAndOverrides());
      return detection.syntax_validation ? detection.normalized : address;
    },
    ...(daemon === undefined && { commandOptions: home === undefined ? "" : ` --home ${quoteForShell(home)}` }),
    publicUrl,
    localUrl: daemon?.localUrl,
    sender: { now, client, mailer },
    leaseMs: LEASE_MS,
    jitter: Math.random,
    releasesUnsendable: daemon === undefined,
    reportFailure: (failure) => {
      // The store itself reports these.
      const reportedByStore = daemon === undefined ? /^UNAVAILABLE$/ : /^(?:UNAVAILABLE|READONLY|FULL|STORE)$/;
      if (isAddrsiftError(failure) && reportedByStore.test(failure.code)) return;
      warn(failure instanceof Error ? failure.message : String(failure));
    },
    onAttempt: daemon?.onAttempt,
    mailWaitMs: daemon && MAIL_WAIT_MS,
  });
  const { verifications, deliverer } = notifications;
  return { notifications, verifications, deliverer, refresh };
}

// The operator's mail server decides which domains it delivers to.
const ANY_DOMAIN: SyntaxOptions = { allowReserved: true, allowUnknownTld: true };
// RFC 6762 appendix G: top-level domains that are used in private networks, apart from those that are reserved.
const PRIVATE_TLD = /\.(?:intranet|private|corp|home|lan)$/i;

/** Accepts the domains of private networks, but no other unknown top-level domain, which is probably mistyped. */
function channelSyntax(address: string): SyntaxOptions {
  return { allowReserved: true, allowUnknownTld: PRIVATE_TLD.test(address) };
}

function classify(address: string, listsAndOverrides: ListsAndOverrides): Detection {
  const classifier = new Classifier({ ...listsAndOverrides, syntax: channelSyntax(address) });
  const bytes = encodeUtf8(address);
  classifier.classify(bytes, 0, bytes.length);
  return createDetection(address, classifier);
}

function openMailer(
  { url, from }: ReturnType<typeof readSmtpEnvironment>,
  parse: ParseMailbox,
  onMail: NonNullable<ChannelSettings["daemon"]>["onMail"] = () => {},
): Mailer | string {
  const settings = parseSmtpSettings(url, from, parse);
  if (typeof settings === "string") return `mail is disabled until the operator sets ${settings}`;
  const mailer = createMailer(settings, parse, () => require("nodemailer"));
  return {
    send: async (recipient, mail, id, channelId) => {
      const attempt = await mailer.send(recipient, mail, id, channelId);
      onMail(attempt, channelId);
      return attempt;
    },
  };
}

/**
 * Reads the operator's mail settings: ADDRSIFT_SMTP_URL, or the file in ADDRSIFT_SMTP_URL_FILE, and ADDRSIFT_SMTP_FROM.
 * Throws AddrsiftError USAGE.
 */
export function readSmtpEnvironment(env: Runtime["env"]) {
  const { ADDRSIFT_SMTP_URL: url = "", ADDRSIFT_SMTP_URL_FILE: file = "", ADDRSIFT_SMTP_FROM: from = "" } = env;
  if (url !== "" && file !== "") {
    throw usageError("ADDRSIFT_SMTP_URL and ADDRSIFT_SMTP_URL_FILE are both set: set one of them");
  }
  return { url: (file === "" ? url : readSecretFile(file)) || undefined, from: from || undefined };
}

/** Reads the first line of a file, such as a systemd credential or a container secret. */
function readSecretFile(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const message = `can't read the file in ADDRSIFT_SMTP_URL_FILE: ${describeSystemError(error)}`;
    throw new AddrsiftError("USAGE", message, error);
  }
  const [line = ""] = text.split(/\r?\n/, 1);
  if (line.trim() !== "") return line.trim();
  throw usageError("the first line of the file in ADDRSIFT_SMTP_URL_FILE is empty: write the mail server's URL there");
}

/** Parses the daemon's public URL, without a trailing slash; undefined for "". Throws AddrsiftError USAGE. */
export function parsePublicUrl(text: string): URL | undefined {
  if (text === "") return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.username === "" && url.password === "" && !/[?#\s\\]/.test(text);
  if (url === undefined || !isPlain || !/^https?:$/.test(url.protocol)) {
    // The text may contain a password, so the message omits it.
    throw usageError(
      "the public URL (--public-url or ADDRSIFT_PUBLIC_URL) is not usable: give http or https, a host " +
        "and at most a path, such as https://addrsift.example.com",
    );
  }
  url.pathname = url.pathname.replace(/\/+$/, "");
  return url;
}

export function clientDeps(guard: () => Guard): ClientDeps {
  return { undici: () => require("undici"), guard, lookup: systemLookup };
}

/** Creates the address guard for these ranges, else for those of the environment. Throws AddrsiftError USAGE. */
export function createLazyGuard(allowPrivate: readonly string[], env: Runtime["env"]): () => Guard {
  const { ADDRSIFT_ALLOW_PRIVATE = "" } = env;
  const ranges = (allowPrivate.length > 0 ? allowPrivate : [ADDRSIFT_ALLOW_PRIVATE]).flatMap((text) => text.split(","));
  const allowed = ranges.map((text) => text.trim()).filter((text) => text !== "");
  const guard = lazy(() => createGuard(require("ipaddr.js"), allowed));
  // Reject invalid ranges now. Without ranges, the package is loaded for the first request.
  if (allowed.length > 0) guard();
  return guard;
}
