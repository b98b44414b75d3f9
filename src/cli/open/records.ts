// Opens the stores of a run (files in the home, or the PostgreSQL database that ADDRSIFT_STORE names), and keys and
// channels over them with the real outside: the clock, randomness, the lists.

import { randomBytes } from "node:crypto";
import { type ParserContext, parseMailbox } from "../../address/mailbox.ts";
import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import type { ChannelPorts } from "../../channels/channels.ts";
import { DELIVERIES } from "../../channels/delivery/record.ts";
import { CHANNELS } from "../../channels/record.ts";
import { VERIFICATION_MAILS, VERIFICATIONS } from "../../channels/verification-records.ts";
import { Classifier } from "../../detection/classifier.ts";
import type { Detection } from "../../detection/detection.ts";
import { toDetection } from "../../detection/format.ts";
import { createParserContext } from "../../detection/parser-context.ts";
import { Keys } from "../../keys/keys.ts";
import { KEYS } from "../../keys/record.ts";
import type { OpenBacking } from "../../store/backing.ts";
import { Database } from "../../store/postgresql/database.ts";
import { StoreTable } from "../../store/postgresql/store-table.ts";
import { Store } from "../../store/store.ts";
import type { StoreLocation } from "../../store/store-file.ts";
import type { GlobalOptions } from "../options/shared.ts";
import type { Host } from "../runtime.ts";
import { warn as warnPerson } from "../terminal/say.ts";
import { homeFolder, type Known } from "./known.ts";
import { smtpIsSet } from "./smtp.ts";

export type Warn = (line: string) => void;

/**
 * A change `by hand` continues from the previous copy of a damaged store; an `unattended` one, by the daemon or a
 * job, does not.
 */
type StoreUse = "by hand" | "unattended";

export type Stores = Awaited<ReturnType<typeof openStores>>;

/** Things to look at after a change that continued from a copy. */
const ADOPTS = {
  "store.json": "a key that was revoked after that time works again, see addrsift keys list",
  "deliveries.json": "an event that was recorded after that time is lost or may be sent again",
} as const;

/** Both stores. `warn` gets lines about damage and about a database that is away. Throws AddrsiftError USAGE. */
export async function openStores(
  options: Pick<GlobalOptions, "home">,
  runtime: Host,
  use: StoreUse = "by hand",
  warn: Warn = (line) => warnPerson(runtime, line),
) {
  const database = openDatabase(runtime, warn);
  const place = (file: keyof typeof ADOPTS, name: string): StoreLocation | OpenBacking => {
    if (database !== undefined) return (...parts) => new StoreTable(database, name, ...parts);
    return { folder: homeFolder(options, runtime), file, warn, adopts: use === "by hand" ? ADOPTS[file] : undefined };
  };
  const records = new Store(place("store.json", "records"), [KEYS, CHANNELS, VERIFICATIONS, VERIFICATION_MAILS]);
  const deliveries = new Store(place("deliveries.json", "deliveries"), [DELIVERIES]);
  const both = [records, deliveries];
  const fresh = async (): Promise<void> => {
    const all = await Promise.allSettled(both.map((store) => store.fresh()));
    for (const one of all) if (one.status === "rejected") throw one.reason;
  };
  // Each reading says what is wrong.
  await fresh().catch(() => {});
  return {
    /** Keys, channels and their verifications. */
    records,
    deliveries,
    /** Where they are: a folder, or a database without user and password. */
    title: database?.title ?? homeFolder(options, runtime),
    /** As `Store.fresh`, of both. Throws AddrsiftError AWAY or STORE. */
    fresh,
    follow: () => {
      for (const store of both) store.follow();
    },
    close: async () => {
      await Promise.all(both.map((store) => store.close()));
      await database?.close();
    },
  };
}

/** The database that ADDRSIFT_STORE names; undefined where records are in the home. Throws AddrsiftError USAGE. */
function openDatabase(runtime: Host, warn: Warn): Database | undefined {
  const { ADDRSIFT_STORE: url = "" } = runtime.env;
  return url === "" ? undefined : new Database({ url, load: () => runtime.load("pg"), warn });
}

export function openKeys(store: Store, runtime: Host, warn: Warn = (line) => warnPerson(runtime, line)): Keys {
  return new Keys(store, { now: runtime.now, random: randomBytes, warn });
}

export function channelPorts(
  addresses: Pick<ChannelPorts, "parseAddress" | "isDisposable">,
  runtime: Host,
  hostRefusal: ChannelPorts["hostRefusal"] = () => undefined,
): ChannelPorts {
  return { now: runtime.now, random: randomBytes, ...addresses, hostRefusal, canMail: smtpIsSet(runtime) };
}

/** Checks addresses against the current lists and overrides. */
export function addressPorts(known: () => Known) {
  const parserContext = (): ParserContext => createParserContext(known().lists);
  const classify = (address: string): Detection => {
    const classifier = new Classifier({ ...known(), parserContext: parserContext() });
    const bytes = encodeUtf8(address);
    classifier.classify(bytes, 0, bytes.length);
    return toDetection(address, classifier, undefined);
  };
  return {
    parseAddress: (address: string) => parseMailbox(address, {}, parserContext()),
    isDisposable: (address: string) => {
      const detection = classify(address);
      return detection.syntax_validation && detection.disposable;
    },
    /** Gives the same text for all spellings of a mailbox. */
    mailboxKey: (address: string) => {
      const detection = classify(address);
      return detection.syntax_validation ? detection.normalized : address;
    },
  };
}
