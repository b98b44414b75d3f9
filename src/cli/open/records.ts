// Where the rooms that keep records meet the world: the home, the clock, randomness, the lists. The commands and the daemon share it.

import { randomBytes } from "node:crypto";
import { parseMailbox, type Surroundings } from "../../address/mailbox.ts";
import { encodeUtf8 } from "../../bytes/octets.ts";
import { type ChannelPorts, Channels } from "../../channels/channels.ts";
import { CHANNELS } from "../../channels/record.ts";
import { VERIFICATION_MAILS, VERIFICATIONS } from "../../channels/verification/record.ts";
import { Classifier } from "../../detection/classifier.ts";
import type { Detection } from "../../detection/detection.ts";
import { toDetection } from "../../detection/format.ts";
import { createSurroundings } from "../../detection/surroundings.ts";
import { Keys } from "../../keys/keys.ts";
import { KEYS } from "../../keys/record.ts";
import type { CompiledLists } from "../../lists/table.ts";
import { Store } from "../../store/store.ts";
import type { Arguments } from "../options/arguments.ts";
import { shownText } from "../terminal/escape.ts";
import { writeNow } from "../terminal/streams.ts";
import { type Host, packagesOf } from "./compose.ts";
import { homeFolder } from "./home.ts";

/**
 * `store.json` in the home, with keys, channels and their verifications. What a person changes by hand goes on from the previous
 * copy of a damaged store; what changes `unattended`, by the daemon or a job, does not. `warn` takes lines about damage.
 */
export function openStore(
  args: Arguments,
  use: "by hand" | "unattended" = "by hand",
  warn: (line: string) => void = warnPerson,
): Store {
  const adopts =
    use === "by hand" ? "a key that was revoked after that is good again, see addrsift keys list" : undefined;
  return new Store({ folder: homeFolder(args), file: "store.json", warn, adopts }, [
    KEYS,
    CHANNELS,
    VERIFICATIONS,
    VERIFICATION_MAILS,
  ]);
}

/** The keys of a store. */
export function openKeys(store: Store, warn: (line: string) => void = warnPerson): Keys {
  return new Keys(store, { now: Date.now, random: randomBytes, warn });
}

/** The channels of a store. */
export function openChannels(store: Store, addresses: AddressPorts): Channels {
  const { ADDRSIFT_SMTP_URL, ADDRSIFT_SMTP_FROM } = process.env;
  return new Channels(store, {
    now: Date.now,
    random: randomBytes,
    ...addresses,
    canMail: [ADDRSIFT_SMTP_URL, ADDRSIFT_SMTP_FROM].every((value) => value !== undefined && value !== ""),
  });
}

/** What channels ask about addresses. */
export interface AddressPorts extends Pick<ChannelPorts, "parseAddress" | "isDisposable"> {
  /** One text for all spellings of a mailbox. */
  readonly mailboxKey: (address: string) => string;
}

/** Answers from the lists of the moment. */
export function addressPorts(host: Host, lists: () => CompiledLists): AddressPorts {
  const surroundings = (): Surroundings => createSurroundings(lists(), packagesOf(host));
  const classify = (address: string): Detection => {
    const classifier = new Classifier({ lists: lists(), surroundings: surroundings() });
    const octets = encodeUtf8(address);
    classifier.classify(octets, 0, octets.length);
    return toDetection(address, classifier, undefined);
  };
  return {
    parseAddress: (address) => parseMailbox(address, {}, surroundings()),
    isDisposable: (address) => {
      const detection = classify(address);
      return detection.syntax_validation && detection.disposable;
    },
    mailboxKey: (address) => {
      const detection = classify(address);
      return detection.syntax_validation ? detection.normalized : address;
    },
  };
}

/** Says a line on standard error, whatever --quiet says: something was mended or lost. */
export function warnPerson(line: string): void {
  writeNow(2, `addrsift: ${shownText(line)}\n`);
}
