// Opens channels and deliveries as the daemon does, but with a clock that the test sets. Deliveries go over real
// sockets to receivers and a mail server on loopback.

import * as ipaddr from "ipaddr.js";
import * as nodemailer from "nodemailer";
import * as undici from "undici";
import type { Deliverer } from "../../src/channels/delivery/deliverer.ts";
import type { Outbox } from "../../src/channels/delivery/outbox.ts";
import { DELIVERIES, type DeliveryRecord } from "../../src/channels/delivery/record.ts";
import { createMailer, parseSmtpSettings } from "../../src/channels/mail/mailer.ts";
import { Notifications } from "../../src/channels/notifications.ts";
import type { ChannelRecord } from "../../src/channels/record.ts";
import type { Verifications } from "../../src/channels/verifications.ts";
import { createClient } from "../../src/outbound/client.ts";
import { createGuard } from "../../src/outbound/guard.ts";
import { systemLookup } from "../../src/outbound/lookup.ts";
import { Store } from "../../src/store/store.ts";
import { classify } from "./classify.ts";
import { openRecords, type Records } from "./records.ts";

export interface NotificationOptions {
  /** An existing home. */
  readonly home?: string;
  readonly smtpUrl?: string;
  readonly publicUrl?: string;
  readonly returnsUnsendable?: boolean;
  readonly mailWaitMs?: number;
  /** Address ranges that requests may reach. Default: loopback. */
  readonly allowed?: readonly string[];
}

/** The opened notifications and their parts. `clock` is the time of all of them. */
export interface TestNotifications extends Records {
  readonly verifications: Verifications;
  readonly outbox: Outbox;
  readonly deliverer: Deliverer;
  readonly notifications: Notifications;
  /** Creates a channel and returns it with its secrets. */
  readonly create: (body: Readonly<Record<string, unknown>>, team?: string) => Promise<ChannelRecord>;
  /** Delivers until nothing is due at the clock's time. */
  readonly deliver: () => Promise<void>;
  readonly deliveries: (channel: { readonly id: string }) => DeliveryRecord[];
}

/** Opens notifications in a new home, or in the home of the options. */
export function openTestNotifications(options: NotificationOptions = {}): TestNotifications {
  // Signed messages contain the time of the real clock, so this clock starts at the same time.
  const records = openRecords({ home: options.home, nowMs: Date.now(), canMail: options.smtpUrl !== undefined });
  const { home, store, channels, clock, deps } = records;
  const settings = parseSmtpSettings(options.smtpUrl, "addrsift <noreply@example.com>", deps.parseAddress);
  const mailer =
    typeof settings === "string"
      ? `no mail can be sent: set ${settings}`
      : createMailer(settings, deps.parseAddress, () => nodemailer);
  const client = createClient({
    undici: () => undici,
    guard: () => createGuard(ipaddr, options.allowed ?? ["127.0.0.0/8", "::1"]),
    lookup: systemLookup,
  });
  const deliveryStore = new Store({ folder: home, file: "deliveries.json", warn: () => {} }, [DELIVERIES]);
  const notifications = new Notifications(store, deliveryStore, {
    ...deps,
    mailboxKey: (address) => (classify(address).detection as { normalized?: string }).normalized ?? address,
    publicUrl: options.publicUrl,
    sender: { now: Date.now, client, mailer },
    leaseMs: 60_000,
    jitter: () => 0,
    reportFailure: () => {},
    releasesUnsendable: options.returnsUnsendable ?? false,
    mailWaitMs: options.mailWaitMs,
  });
  const { verifications, outbox, deliverer } = notifications;
  return {
    ...records,
    verifications,
    outbox,
    deliverer,
    notifications,
    create: async (body, team = "default") => {
      const outcome = await notifications.create(team, body);
      if (!outcome.ok) throw new Error(outcome.fault.message);
      return channels.find(team, outcome.value.channel.id) as ChannelRecord;
    },
    deliver: async () => {
      do {
        await deliverer.settle([], clock.nowMs);
        await deliverer.waitUntilIdle();
      } while ((outbox.nextDue() ?? Number.POSITIVE_INFINITY) <= clock.nowMs);
    },
    deliveries: ({ id }) => outbox.find(outbox.list(id).map((delivery) => delivery.id)),
  };
}
