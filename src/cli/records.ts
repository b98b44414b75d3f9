// Where the rooms that keep records meet the world: the home, the clock, randomness, the lists. The commands and the daemon share it.

import { randomBytes } from "node:crypto";
import { parseMailbox } from "../address/mailbox.ts";
import { encodeUtf8 } from "../address/octets.ts";
import { Channels } from "../channels/channels.ts";
import { CHANNELS } from "../channels/record.ts";
import { Classifier } from "../detection/classifier.ts";
import { createSurroundings } from "../detection/surroundings.ts";
import { Keys } from "../keys/keys.ts";
import { KEYS } from "../keys/record.ts";
import { Store } from "../store/store.ts";
import type { Arguments } from "./arguments.ts";
import { builtInLists, type Host, packagesOf } from "./compose.ts";
import { homeFolder } from "./home.ts";
import { shownText } from "./shown-text.ts";
import { writeNow } from "./streams.ts";

/** `store.json` in the home, with keys and channels. `warn` takes lines about what was mended. */
export function openStore(args: Arguments, warn: (line: string) => void = warnPerson): Store {
  return new Store({ folder: homeFolder(args), file: "store.json", warn }, [KEYS, CHANNELS]);
}

/** The keys of a store. */
export function openKeys(store: Store, warn: (line: string) => void = warnPerson): Keys {
  return new Keys(store, { now: Date.now, random: randomBytes, warn });
}

/** The channels of a store; addresses are judged by the built-in lists. */
export function openChannels(store: Store, host: Host): Channels {
  const { ADDRSIFT_SMTP_URL, ADDRSIFT_SMTP_FROM } = process.env;
  return new Channels(store, {
    now: Date.now,
    random: randomBytes,
    ...addressPorts(host),
    canMail: [ADDRSIFT_SMTP_URL, ADDRSIFT_SMTP_FROM].every((value) => value !== undefined && value !== ""),
  });
}

function addressPorts(host: Host): Pick<ConstructorParameters<typeof Channels>[1], "parseAddress" | "isDisposable"> {
  const lists = builtInLists(host, "pieces");
  const surroundings = createSurroundings(lists, packagesOf(host));
  const classifier = new Classifier({ lists, surroundings, syntax: {}, minConfidence: "legacy", cacheEntries: 0 });
  return {
    parseAddress: (address) => parseMailbox(address, {}, surroundings),
    isDisposable: (address) => {
      const octets = encodeUtf8(address);
      classifier.classify(octets, 0, octets.length);
      return classifier.verdict.disposable;
    },
  };
}

function warnPerson(line: string): void {
  writeNow(2, `addrsift: ${shownText(line)}\n`);
}
