// Opens the stores, in files of the home or in the database of ADDRSIFT_STORE, and the keys.

import { randomBytes } from "node:crypto";
import type { ErrorCode } from "../../base/errors.ts";
import { DELIVERIES } from "../../channels/delivery/record.ts";
import { CHANNELS } from "../../channels/record.ts";
import { VERIFICATION_MAILS, VERIFICATIONS } from "../../channels/verification-records.ts";
import { KEYS, Keys } from "../../keys/keys.ts";
import type { Collection, OpenBackend } from "../../store/collection.ts";
import type { StoreLocation } from "../../store/file-backend.ts";
import { PostgresBackend } from "../../store/postgresql/backend.ts";
import { Database } from "../../store/postgresql/database.ts";
import { type AccessObserver, Store } from "../../store/store.ts";
import type { GlobalOptions } from "../options/table.ts";
import type { Host } from "../runtime.ts";
import { warn as warnOnStderr } from "../terminal/output.ts";
import { requireHome } from "./lists.ts";

export type Warn = (line: string) => void;

/**
 * What uses the store. Only changes `by hand` may continue from the previous copy of a damaged store. The `daemon` logs
 * a lasting fault once, because requests do not log it.
 */
type StoreUse = "by hand" | "unattended" | "daemon";

export type Stores = Awaited<ReturnType<typeof openStores>>;

/** What to check after a change that continued from the previous copy. */
const RECOVERY_WARNINGS = {
  "store.json": "a key that was revoked after that time works again, see addrsift keys list",
  "deliveries.json": "an event that was recorded after that time is lost or may be sent again",
} as const;

/** Opens both stores. `warn` reports damage and an unavailable database. Throws AddrsiftError USAGE. */
export async function openStores(
  options: Pick<GlobalOptions, "home"> & Partial<GlobalOptions>,
  runtime: Host,
  use: StoreUse = "by hand",
  warn: Warn = (line) => warnOnStderr(runtime, line),
) {
  const { ADDRSIFT_STORE: url = "" } = runtime.env;
  const { packagesFolder } = runtime;
  const installCommand =
    packagesFolder === undefined
      ? "npm install pg (add --global if addrsift is installed globally)"
      : `npm install --prefix ${packagesFolder} pg`;
  const load = () => runtime.load("pg");
  const database = url === "" ? undefined : new Database({ url, load, installCommand, warn });
  /** The folder, or the database without user and password. */
  const title =
    database?.displayName ?? requireHome(use === "by hand" ? options : { ...options, quiet: true }, runtime).folder;
  const locate = (file: keyof typeof RECOVERY_WARNINGS, name: string): StoreLocation | OpenBackend => {
    if (database !== undefined) return (...parts) => new PostgresBackend(database, name, ...parts);
    const recoveryWarning = use === "by hand" ? RECOVERY_WARNINGS[file] : undefined;
    return { folder: title, file, warn, recoveryWarning };
  };
  // The database itself reports when it is unavailable, read-only or damaged.
  const codes: readonly ErrorCode[] =
    database === undefined ? ["STORE", "UNAVAILABLE", "READONLY", "FULL", "OPERATION"] : ["FULL"];
  let isStarted = false;
  const observe = use === "daemon" ? createFaultReporter(codes, warn, () => isStarted) : undefined;
  const openStore = (file: keyof typeof RECOVERY_WARNINGS, name: string, collections: readonly Collection<unknown>[]) =>
    new Store(locate(file, name), collections, observe?.(file));
  const records = openStore("store.json", "records", [KEYS, CHANNELS, VERIFICATIONS, VERIFICATION_MAILS]);
  // A separate store, so that deliveries don't slow down keys.
  const deliveries = openStore("deliveries.json", "deliveries", [DELIVERIES]);
  const stores = [records, deliveries];
  const refresh = async (): Promise<void> => {
    const results = await Promise.allSettled(stores.map((store) => store.refresh()));
    for (const result of results) if (result.status === "rejected") throw result.reason;
  };
  // If the error persists, each read reports it.
  await refresh().catch(() => {});
  return {
    records,
    deliveries,
    title,
    refresh,
    /** Starts to report faults, and to poll a database. A fault before this ends the daemon with its message. */
    start: () => {
      isStarted = true;
      for (const store of stores) store.startPolling();
    },
    close: async () => {
      await Promise.all(stores.map((store) => store.close()));
      await database?.close();
    },
  };
}

/** Returns observers by file. They warn when reads or changes begin to fail with one of `codes` and when they recover. */
function createFaultReporter(
  codes: readonly ErrorCode[],
  warn: Warn,
  isStarted: () => boolean,
): (file: string) => AccessObserver {
  const faults = new Map<string, { readonly access: string; readonly code: ErrorCode }>();
  return (file) => (access, fault) => {
    const statement = `${file} can be ${access === "read" ? "read" : "changed"}`;
    const last = faults.get(statement);
    const code = fault?.code ?? last?.code;
    if (!isStarted() || code === undefined || fault?.code === last?.code) return;
    if (fault === undefined) {
      // A check takes no lock and usually writes nothing. So after a failed change, its success only shows free space.
      if (access === "check" && last?.access === "change" && code !== "FULL") return;
      faults.delete(statement);
    } else {
      // Changes of a damaged file fail with STORE too, but its damage was reported when it was read.
      if (!codes.includes(code) || (access !== "read" && code === "STORE")) return;
      faults.set(statement, { access, code });
    }
    // Files on one disk become full or read-only together, which is reported once.
    const isDiskFault = code === "FULL" || code === "READONLY";
    const hasOtherFile = [...faults].some(([key, other]) => key !== statement && other.code === code);
    const recovery = isDiskFault ? "the store can be changed again" : `${statement} again`;
    if (!isDiskFault || !hasOtherFile) warn(fault?.message ?? recovery);
  };
}

export function openKeys(store: Store, now: () => number, warn: Warn = () => {}): Keys {
  return new Keys(store, { now, random: randomBytes, warn });
}
