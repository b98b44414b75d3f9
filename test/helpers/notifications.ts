// Opens channels and deliveries as the daemon does, but with a clock that the test sets. Deliveries go over real
// sockets to receivers and a mail server on loopback.

import { randomBytes } from "node:crypto";
import * as ipaddr from "ipaddr.js";
import * as nodemailer from "nodemailer";
import * as undici from "undici";
import { parseMailbox } from "../../src/address/mailbox.ts";
import { type ChannelDeps, Channels } from "../../src/channels/channels.ts";
import type { Deliverer } from "../../src/channels/delivery/deliverer.ts";
import type { Outbox } from "../../src/channels/delivery/outbox.ts";
import { DELIVERIES, type DeliveryRecord } from "../../src/channels/delivery/record.ts";
import { createMailer, parseSmtpSettings } from "../../src/channels/mail/mailer.ts";
import { Notifications } from "../../src/channels/notifications.ts";
import { CHANNELS, type ChannelRecord } from "../../src/channels/record.ts";
import { VERIFICATION_MAILS, VERIFICATIONS } from "../../src/channels/verification-records.ts";
import type { Verifications } from "../../src/channels/verifications.ts";
import { KEYS } from "../../src/keys/keys.ts";
import { createClient } from "../../src/outbound/client.ts";
import { createGuard } from "../../src/outbound/guard.ts";
import { systemLookup } from "../../src/outbound/lookup.ts";
import { Store } from "../../src/store/store.ts";
import { classify, lists } from "./classify.ts";
import { scratch } from "./run.ts";

export interface NotificationOptions {
  /** An existing home. */
  readonly home?: string;
  readonly smtpUrl?: string;
  readonly publicUrl?: string;
  readonly leaseMs?: number;
  readonly returnsUnsendable?: boolean;
  readonly mailWaitMs?: number;
  /** Address ranges that requests may reach. Default: loopback. */
  readonly allowed?: readonly string[];
}

/** The opened notifications and their parts. */
export interface TestNotifications {
  readonly home: string;
  readonly store: Store;
  readonly channels: Channels;
  readonly verifications: Verifications;
  readonly outbox: Outbox;
  readonly deliverer: Deliverer;
  readonly notifications: Notifications;
  /** The current time of all parts, in milliseconds since 1970. */
  readonly clock: { nowMs: number };
  readonly failures: unknown[];
  /** Creates a channel and returns it with its secrets. */
  readonly create: (body: Readonly<Record<string, unknown>>, team?: string) => Promise<ChannelRecord>;
  /** Delivers until nothing is due at the clock's time. */
  readonly deliver: () => Promise<void>;
  readonly deliveries: (channel: { readonly id: string }) => DeliveryRecord[];
  readonly remove: () => void;
}

/** Opens notifications in a new home, or in the home of the options. */
export function openTestNotifications(options: NotificationOptions = {}): TestNotifications {
  const files = scratch();
  const home = options.home ?? `${files.path}/home`;
  // Signed messages contain the time of the real clock, so this clock starts at the same time.
  const clock = { nowMs: Date.now() };
  const now = (): number => clock.nowMs;
  const parse = (address: string): ReturnType<typeof parseMailbox> => parseMailbox(address, {}, lists);
  const failures: unknown[] = [];
  const warn = (): void => {};
  const store = new Store({ folder: home, file: "store.json", warn }, [
    KEYS,
    CHANNELS,
    VERIFICATIONS,
    VERIFICATION_MAILS,
  ]);
  const ports = {
    now,
    random: randomBytes,
    parseAddress: parse,
    isDisposable: (address) => (classify(address).detection as { disposable?: boolean }).disposable === true,
    blockedHostReason: () => undefined,
    canMail: options.smtpUrl !== undefined,
  } satisfies ChannelDeps;
  const channels = new Channels(store, ports);
  const settings = parseSmtpSettings(options.smtpUrl, "addrsift <noreply@example.com>", parse);
  const mailer =
    typeof settings === "string"
      ? `no mail can be sent: set ${settings}`
      : createMailer(settings, parse, () => nodemailer);
  const client = createClient({
    undici: () => undici,
    guard: () => createGuard(ipaddr, options.allowed ?? ["127.0.0.0/8", "::1"]),
    lookup: systemLookup,
  });
  const deliveryStore = new Store({ folder: home, file: "deliveries.json", warn }, [DELIVERIES]);
  const notifications = new Notifications(store, deliveryStore, {
    ...ports,
    mailboxKey: (address) => (classify(address).detection as { normalized?: string }).normalized ?? address,
    publicUrl: options.publicUrl,
    sender: { now: Date.now, client, mailer },
    leaseMs: options.leaseMs ?? 60_000,
    jitter: () => 0,
    reportFailure: (failure) => void failures.push(failure),
    releasesUnsendable: options.returnsUnsendable ?? false,
    mailWaitMs: options.mailWaitMs,
  });
  const { verifications, outbox, deliverer } = notifications;
  return {
    home,
    store,
    channels,
    verifications,
    outbox,
    deliverer,
    notifications,
    clock,
    failures,
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
    deliveries: ({ id }) => outbox.find(outbox.list(id).map((one) => one.id)),
    remove: files.remove,
  };
}
