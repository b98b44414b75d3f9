// Opens keys and channels over their store with the real outside: the clock, randomness, the lists. For commands and the daemon.

import { randomBytes } from "node:crypto";
import { type ParserContext, parseMailbox } from "../../address/mailbox.ts";
import { encodeUtf8 } from "../../base/bytes/octets.ts";
import { type ChannelPorts, Channels } from "../../channels/channels.ts";
import { Classifier } from "../../detection/classifier.ts";
import type { Detection } from "../../detection/detection.ts";
import { toDetection } from "../../detection/format.ts";
import { createParserContext } from "../../detection/parser-context.ts";
import { Keys } from "../../keys/keys.ts";
import type { Store } from "../../store/store.ts";
import type { Runtime } from "../runtime.ts";
import { warn as warnPerson } from "../terminal/say.ts";
import type { Known } from "./classifier.ts";
import { smtpIsSet } from "./smtp.ts";
import type { Warn } from "./stores.ts";

/** The keys of a store. */
export function openKeys(store: Store, runtime: Runtime, warn: Warn = (line) => warnPerson(runtime, line)): Keys {
  return new Keys(store, { now: runtime.now, random: randomBytes, warn });
}

/** The channels of a store. */
export function openChannels(
  store: Store,
  addresses: AddressPorts,
  runtime: Runtime,
  hostRefusal: ChannelPorts["hostRefusal"] = () => undefined,
): Channels {
  const { now } = runtime;
  return new Channels(store, { now, random: randomBytes, ...addresses, hostRefusal, canMail: smtpIsSet(runtime) });
}

/** The checks of addresses that channels need. */
export interface AddressPorts extends Pick<ChannelPorts, "parseAddress" | "isDisposable"> {
  /** Gives the same text for all spellings of a mailbox. */
  readonly mailboxKey: (address: string) => string;
}

/** Checks addresses against the current lists and overrides. */
export function addressPorts(known: () => Known): AddressPorts {
  const surroundings = (): ParserContext => createParserContext(known().lists);
  const classify = (address: string): Detection => {
    const classifier = new Classifier({ ...known(), surroundings: surroundings() });
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
