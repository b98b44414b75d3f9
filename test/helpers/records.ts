// Opens a store for a test, in a temporary folder and with a clock that the test sets.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { parseMailbox } from "../../src/address/mailbox.ts";
import { suggestAddress } from "../../src/address/suggestion.ts";
import { type ChannelDeps, Channels } from "../../src/channels/channels.ts";
import type { LeasedDelivery } from "../../src/channels/delivery/outbox.ts";
import { CHANNELS, type ChannelRecord } from "../../src/channels/record.ts";
import { VERIFICATION_MAILS, VERIFICATIONS } from "../../src/channels/verification-records.ts";
import { KEYS, Keys } from "../../src/keys/keys.ts";
import { Store } from "../../src/store/store.ts";
import { classify, lists } from "./classify.ts";
import { scratch } from "./run.ts";

/** Keys and channels in one store. */
export interface Records {
  readonly home: string;
  readonly path: string;
  readonly store: Store;
  readonly deps: ChannelDeps;
  readonly keys: Keys;
  readonly warnings: readonly string[];
  readonly channels: Channels;
  /** The current time of keys and channels, in milliseconds since 1970. */
  readonly clock: { nowMs: number };
  /** Opens the same store again, as another process would, at the clock's time. */
  readonly reopen: () => Records;
  readonly remove: () => void;
}

interface RecordOptions {
  /** An existing home. */
  readonly home?: string | undefined;
  readonly nowMs?: number;
  readonly canMail?: boolean;
}

/** Opens a store in a new home, or in an existing one. */
export function openRecords({ home: existing, nowMs, canMail = false }: RecordOptions = {}): Records {
  const files = existing === undefined ? scratch() : { path: existing, remove: (): void => {} };
  const home = existing ?? join(files.path, "home");
  const warnings: string[] = [];
  const warn = (line: string): void => void warnings.push(line);
  const clock = { nowMs: nowMs ?? Date.parse("2026-11-21T12:00:00Z") };
  const now = (): number => clock.nowMs;
  const store = new Store({ folder: home, file: "store.json", warn }, [
    KEYS,
    CHANNELS,
    VERIFICATIONS,
    VERIFICATION_MAILS,
  ]);
  const deps: ChannelDeps = {
    now,
    random: randomBytes,
    parseAddress: (address) => parseMailbox(address, {}, lists),
    isDisposable: (address) => {
      const { detection } = classify(address);
      return detection.syntax_validation && detection.disposable;
    },
    suggestAddress: (address) => suggestAddress(address, lists, (text) => parseMailbox(text, {}, lists).ok),
    blockedHostReason: (host) => (host === "10.0.0.1" ? "10.0.0.1 is private: allow it" : undefined),
    canMail,
    commandOptions: "",
  };
  return {
    home,
    path: join(home, "store.json"),
    store,
    deps,
    keys: new Keys(store, { now, random: randomBytes, warn }),
    warnings,
    channels: new Channels(store, deps),
    clock,
    reopen: () => openRecords({ home, nowMs: clock.nowMs }),
    remove: files.remove,
  };
}

/** Returns a delivery with its channel, as a sender gets it. */
export function createLeasedDelivery(
  { type, config }: Pick<ChannelRecord, "type" | "config">,
  body: string,
): LeasedDelivery {
  const fields = {
    id: "msg_1",
    channel_id: "ch_1",
    event: "channel.test",
    attempts: 1,
    attempt_log: [],
    created_at: 0,
  } as const;
  const channel = { id: "ch_1", team: "default", name: "ops", type, config, is_verified: true, created_at: "" };
  return { channel, delivery: { ...fields, status: "pending", next_attempt_at: 0, body } };
}
