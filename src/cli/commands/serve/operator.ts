// For the operator: the first lines of the log, deliveries and mail, records for the metrics, why the daemon is not
// ready, and signals.

import type { ErrorCode } from "../../../base/errors.ts";
import type { Attempt } from "../../../channels/attempt.ts";
import type { AttemptReport } from "../../../channels/delivery/deliverer.ts";
import { DELIVERIES } from "../../../channels/delivery/record.ts";
import { CHANNELS } from "../../../channels/record.ts";
import { type Keys, keyState } from "../../../keys/keys.ts";
import { type Counters, increment } from "../../../server/counters.ts";
import type { DeliveryBacklog, MetricSources } from "../../../server/metrics.ts";
import type { Store } from "../../../store/store.ts";
import { smtpEnvironment } from "../../open/channels.ts";
import type { Runtime, Signals } from "../../runtime.ts";
import { atFirstSignal } from "../../terminal/progress.ts";
import type { DaemonLog } from "./log.ts";
import type { ServeSettings } from "./settings.ts";

/** Logs where the daemon listens, and what may be wrong. `keys` are given where detection needs one. */
export function greet(
  log: DaemonLog,
  { home, publicUrl }: ServeSettings,
  runtime: Runtime,
  keys: Keys | undefined,
  facts: Readonly<Record<"url" | "dataVersion" | "store", string>> & { readonly metricsUrl: string | undefined },
): void {
  const { url, metricsUrl, dataVersion, store } = facts;
  const smtp = smtpEnvironment(runtime.env);
  const fields = {
    url,
    metrics_url: metricsUrl && `${metricsUrl}/metrics`,
    public_url: publicUrl?.href,
    version: versionOf(runtime),
    data_version: dataVersion,
    home: home.folder,
    store: store === home.folder ? undefined : store,
    detection: keys === undefined ? "open" : "with a key",
    mail: smtp.url !== undefined && smtp.from !== undefined ? "set" : "not set",
  };
  log.info(`listening on ${url}`, fields);
  if (keys !== undefined && !hasGoodKey(keys, runtime.now())) {
    const option = home.named ? ` --home ${home.folder}` : "";
    log.warn(
      "no one can use it yet, because there is no API key: make one with addrsift keys create --name NAME " +
        `--scopes emails:detect${option}`,
    );
  }
  if ((smtp.url === undefined) !== (smtp.from === undefined)) {
    const missing = smtp.url === undefined ? "ADDRSIFT_SMTP_URL" : "ADDRSIFT_SMTP_FROM";
    log.warn(`mail is disabled: also set ${missing}`);
  }
}

export function versionOf({ load }: Pick<Runtime, "load">): string {
  return load("../package.json").version;
}

function hasGoodKey(keys: Keys, now: number): boolean {
  try {
    return keys.list().some((key) => keyState(key, now) === "active");
  } catch {
    return true;
  }
}

/** Counts an attempt to deliver, and logs what will not be tried again and each channel that was switched off. */
export function noteAttempt(counters: Counters, log: DaemonLog, attempted: AttemptReport): void {
  const { channel, attempt, delivery, lostVerification } = attempted;
  const failed = delivery?.status === "failed";
  increment(counters.deliveries, attempt.ok ? "delivered" : failed ? "failed" : "retried");
  const { id, team, type } = channel;
  const reason = attempt.ok ? undefined : attempt.reason;
  if (failed) {
    const { id: message, event, attempts } = delivery;
    log.warn("a delivery failed for good", { channel: id, team, type, delivery: message, event, attempts, reason });
  }
  if (lostVerification) {
    const message = "the receiver wants no more events, so the channel is not verified: test it to use it again";
    log.warn(message, { channel: id, team, type, reason });
  }
}

export function noteMail(counters: Counters, attempt: Attempt): void {
  const refused = !attempt.ok && /refused/.test(attempt.reason);
  increment(counters.mails, attempt.ok ? "sent" : refused ? "refused" : "failed");
}

type Sources = Pick<MetricSources, "damaged" | "writable" | "deliveries" | "channels">;

/** The state of the records; what can't be read is left out, and counts as damaged. */
export function recordSources(store: Store, deliveries: Store, now: () => number): Sources {
  const each = <T>(look: (one: Store) => T) => ({ "store.json": look(store), "deliveries.json": look(deliveries) });
  return {
    damaged: () => each((one) => readable(() => one.isDamaged(), true)),
    writable: () => each((one) => storeFault(one, "") === undefined),
    deliveries: () => readable(() => deliveryState(deliveries, now()), undefined),
    channels: () => readable(() => channelCounts(store), []),
  };
}

function readable<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

function deliveryState(store: Store, now: number): DeliveryBacklog {
  let [pending, failed, oldest] = [0, 0, now];
  for (const { status, created_at: created } of store.records(DELIVERIES).values()) {
    if (status === "failed") failed += 1;
    if (status !== "pending") continue;
    pending += 1;
    oldest = Math.min(oldest, created);
  }
  return { pending, failed, oldestSeconds: Math.max(0, now - oldest) / 1000 };
}

function channelCounts(store: Store): ReturnType<MetricSources["channels"]> {
  const counts = new Map<string, { type: string; verified: boolean; count: number }>();
  for (const { type, is_verified: verified } of store.records(CHANNELS).values()) {
    const key = `${type} ${verified}`;
    const { count } = counts.get(key) ?? { count: 0 };
    counts.set(key, { type, verified, count: count + 1 });
  }
  return [...counts.values()];
}

/** The reason, with what to do; undefined when the daemon is ready. */
export function notReadyReason(stopping: boolean, store: Store, deliveries: Store): string | undefined {
  if (stopping) return "the daemon is stopping: try again when it is back";
  return storeFault(store, STORE_COPY) ?? storeFault(deliveries, DELIVERIES_COPY);
}

const STORE_COPY =
  "the store is damaged and its previous copy is used, so a key that was revoked last may work again: nothing is " +
  "changed or sent until an operator has fixed it";
const DELIVERIES_COPY = "the store of deliveries is damaged: nothing is sent until an operator has fixed it";

/** The fault of a store, without its path; `copyUsed` when its previous copy is in use. */
function storeFault(store: Store, copyUsed: string): string | undefined {
  try {
    if (store.isDamaged()) return copyUsed;
    const fault = store.checkWritable();
    return fault === undefined ? undefined : (NO_CHANGES[fault.code] ?? UNREADABLE);
  } catch {
    return UNREADABLE;
  }
}

const UNREADABLE = "the store can't be read: the daemon's log says why";
const NO_CHANGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  FULL: "the disk of the store is full, so nothing can be changed: make room",
  OPERATION: "the disk of the store fails, so nothing can be changed: the daemon's log says how",
  READONLY: "the store is read-only, so nothing can be changed: make its home or database writable",
};

const ENDS = { SIGINT: 130, SIGTERM: 143, SIGQUIT: 131 } as const;
/** Other daemons read their settings or open their log again at these. Node would open its debugger, or end. */
const NOTES = ["SIGHUP", "SIGUSR1", "SIGUSR2"] as const;

/**
 * Resolves with the first signal that ends the daemon, and its exit status; a second one ends the process immediately.
 * At a terminal SIGHUP is one, because the terminal is gone; other signals are only noted.
 */
export function signalReceived(
  signals: Signals,
  atTerminal: boolean,
  note: (signal: string) => void,
): Promise<{ readonly signal: string; readonly status: number }> {
  const ends: Readonly<Record<string, number>> = atTerminal ? { ...ENDS, SIGHUP: 129 } : ENDS;
  for (const name of NOTES) if (ends[name] === undefined) signals.on(name, () => note(name));
  return new Promise((resolve) => atFirstSignal(signals, ends, (signal, status) => resolve({ signal, status })));
}
