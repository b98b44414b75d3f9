// Opens notifications with the real outside: sockets, the mail server, the clock, the outbox in the home. For
// commands and the daemon.

import { randomBytes } from "node:crypto";
import { isAddrsiftError } from "../../base/errors.ts";
import type { OptionValues } from "../../bulk/run/option-table.ts";
import type { Attempt } from "../../channels/attempt.ts";
import { Channels } from "../../channels/channels.ts";
import { type Attempted, createSender, Deliverer } from "../../channels/delivery/deliverer.ts";
import { Outbox } from "../../channels/delivery/outbox.ts";
import { createMailer, type Mailer } from "../../channels/mail/mailer.ts";
import { type ParseMailbox, smtpSettings } from "../../channels/mail/smtp-settings.ts";
import { Notifications } from "../../channels/notifications.ts";
import { Verifications } from "../../channels/verifications.ts";
import { createClient } from "../../outbound/client.ts";
import { hostRefusal } from "../../outbound/connector.ts";
import type { ProxyFor } from "../../outbound/proxy.ts";
import type { ALLOW_PRIVATE } from "../options/shared.ts";
import type { Host } from "../runtime.ts";
import { clientParts, openGuard } from "./http.ts";
import type { Known } from "./known.ts";
import { addressPorts, channelPorts, type Stores, type Warn } from "./records.ts";
import { smtpEnvironment } from "./smtp.ts";

export interface NotifySettings {
  /** The daemon's URL as others reach it. */
  readonly publicUrl: string | undefined;
  /** Where a daemon answers its own machine, if only that. */
  readonly ownUrl?: () => string | undefined;
  /** The lists and overrides that addresses are checked against. */
  readonly known: () => Known;
  readonly proxy?: ProxyFor | undefined;
  readonly warn: Warn;
  /** A command, which leaves what it can't send to the daemon. */
  readonly returnsUnsendable: boolean;
  /** A person started the change and reads the warnings. */
  readonly interactive: boolean;
  /** Receives each attempt to deliver. */
  readonly onAttempt?: (attempted: Attempted) => void;
  readonly onMail?: (attempt: Attempt) => void;
}

/** The options that notifications need; a command without --allow-private uses only the environment's ranges. */
export type NotifyOptions = Partial<OptionValues<typeof ALLOW_PRIVATE>>;

export type ChannelServices = ReturnType<typeof openChannelServices>;

// Longer than any attempt: mail has 30 s, a webhook 15 s.
const LEASE_MS = 60_000;
// A good mail server takes a message within a second or two; a caller of the API has a patience of its own.
const MAIL_WAIT_MS = 5000;

/** Opens notifications over the stores. Throws AddrsiftError USAGE for wrong settings. */
export function openChannelServices(options: NotifyOptions, runtime: Host, stores: Stores, settings: NotifySettings) {
  const { records: store, deliveries } = stores;
  // Several machines must agree on when a lease ends.
  const now = deliveries.clock(runtime.now);
  const random = randomBytes;
  const { warn } = settings;
  const addresses = addressPorts(settings.known);
  const guard = openGuard(options["allow-private"] ?? [], runtime);
  const ports = { ...channelPorts(addresses, runtime, (hostname) => hostRefusal(hostname, guard())), now };
  const mailer = openMailer(runtime, addresses.parseAddress, settings.onMail);
  const { mailboxKey } = addresses;
  const { publicUrl, ownUrl } = settings;
  const verifications = new Verifications(store, { now, random, mailer, publicUrl, ownUrl, mailboxKey });
  const outbox = new Outbox(deliveries, {
    now,
    random,
    channels: store,
    leaseMs: LEASE_MS,
  });
  const client = createClient({ ...clientParts(guard), proxy: settings.proxy });
  const send = createSender({ now, client, mailer });
  const report = (failure: unknown): void => {
    // The store tells by itself that it is away.
    if (isAddrsiftError(failure) && failure.code === "AWAY") return;
    warn(failure instanceof Error ? failure.message : String(failure));
  };
  const deliverer = new Deliverer({
    outbox,
    channels: new Channels(store, ports),
    send,
    now,
    random: Math.random,
    returnsUnsendable: settings.returnsUnsendable,
    report,
    observe: settings.onAttempt,
  });
  const mailWaitMs = settings.interactive ? undefined : MAIL_WAIT_MS;
  const notifications = new Notifications(store, ports, { verifications, outbox, deliverer, mailWaitMs });
  return { notifications, verifications, deliverer, stores };
}

/** The mailer, or the line that says which setting is missing. */
function openMailer(runtime: Host, parse: ParseMailbox, onMail: NotifySettings["onMail"] = () => {}): Mailer | string {
  const { url, from } = smtpEnvironment(runtime);
  const settings = smtpSettings(url, from, parse);
  if (typeof settings === "string") return `no mail can be sent: the operator must set ${settings}`;
  const mailer = createMailer(settings, parse, () => require("nodemailer"));
  return {
    send: async (...message) => {
      const attempt = await mailer.send(...message);
      onMail(attempt);
      return attempt;
    },
  };
}
