// What is kept of verifications: tokens by their digest alone, and how many mails went to a mailbox lately.

import type { Collection } from "../../store/collection.ts";
import { isObject } from "../record.ts";

const STATES = ["open", "used", "replaced"] as const;

/** A token that was mailed. Its id in the collection is the SHA-256 of the token, in hexadecimal. */
export interface VerificationRecord {
  readonly channel_id: string;
  /** What it verifies: the address that it was sent to, as it stood in the channel. */
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly expires_at: number;
  /** `replaced`: a newer token took its place, or the address did not stay. */
  readonly state: (typeof STATES)[number];
}

/** A token in a state that only a later version knows: it opens nothing here. */
export type LaterVerification = Omit<VerificationRecord, "state"> & { readonly state: string };

/** Tokens of all channels. */
export const VERIFICATIONS: Collection<VerificationRecord, LaterVerification> = {
  name: "verifications",
  isRecord: isVerification,
  isLater: isLaterVerification,
  migrations: [],
};

function isVerification(value: unknown): value is VerificationRecord {
  return isAnyVerification(value) && isKnown(value.state);
}

function isLaterVerification(value: unknown): value is LaterVerification {
  return isAnyVerification(value) && !isKnown(value.state);
}

function isKnown(state: string): boolean {
  return STATES.some((known) => known === state);
}

function isAnyVerification(value: unknown): value is LaterVerification {
  if (!isObject(value)) return false;
  const { channel_id, address, expires_at, state } = value;
  return [channel_id, address, state].every((text) => typeof text === "string") && typeof expires_at === "number";
}

/** The mails of the last day to one mailbox. The id is the SHA-256 of its canonical address. */
export interface MailCount {
  /** Milliseconds since 1970, the oldest first. */
  readonly sent_at: readonly number[];
}

/** Mails by mailbox, whatever the team and the channel. */
export const VERIFICATION_MAILS: Collection<MailCount> = {
  name: "verification_mails",
  isRecord: isMailCount,
  migrations: [],
};

function isMailCount(value: unknown): value is MailCount {
  if (!isObject(value)) return false;
  const { sent_at } = value;
  return Array.isArray(sent_at) && sent_at.every((time) => typeof time === "number");
}
