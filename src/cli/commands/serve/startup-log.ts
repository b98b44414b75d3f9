// The first lines of the daemon's log: where it listens, its settings, and what may be wrong with them.

import { readFileSync } from "node:fs";
import { closestNames, formatAlternatives } from "../../../base/closest-names.ts";
import { isDynamicUser, SERVICE_COMMAND } from "../../../durable/folder.ts";
import { type KeyInfo, type Keys, keyState } from "../../../keys/keys.ts";
import { readSmtpEnvironment } from "../../composition/channels.ts";
import { SERVE } from "../../options/serve.ts";
import type { OptionSpec } from "../../options/table.ts";
import type { Runtime } from "../../runtime.ts";
import { readOr } from "./health.ts";
import type { DaemonLog } from "./log.ts";
import type { ServeSettings } from "./settings.ts";

const DATABASE_CONDITION = ", with ADDRSIFT_STORE as in the daemon's environment";
/** Open files that are not connections of clients: lookups, deliveries, the store. */
const OTHER_FILES = 100;

/** Logs where the daemon listens, if it does, its settings, and warnings. `keys`: undefined if detection needs no key. */
export function logStartup(
  log: DaemonLog,
  { home, publicUrl }: ServeSettings,
  runtime: Runtime,
  keys: Keys | undefined,
  facts: Readonly<Record<"dataVersion" | "store", string> & Record<"url" | "metricsUrl", string | undefined>>,
): void {
  const { url, metricsUrl, dataVersion, store } = facts;
  const smtp = readSmtpEnvironment(runtime.env);
  const fields = {
    url,
    metrics_url: metricsUrl && `${metricsUrl}/metrics`,
    public_url: publicUrl?.href,
    version: packageVersion(runtime),
    data_version: dataVersion,
    home: home.folder,
    store: store === home.folder ? undefined : store,
    detection: keys === undefined ? "open" : "with a key",
    mail: smtp.url !== undefined && smtp.from !== undefined ? "set" : "not set",
  };
  if (url !== undefined) log.notice(`listening on ${url}`, fields);
  const isActive = (key: KeyInfo): boolean => keyState(key, runtime.now()) === "active";
  if (keys !== undefined && !readOr(() => keys.list().some(isActive), true)) {
    const homeOption = home.isExplicit ? ` --home ${home.folder}` : "";
    const condition = isDynamicUser(process.getuid?.()) ? `: ${SERVICE_COMMAND}` : "";
    log.warn(
      "no API key exists, so no one can use the daemon yet: run addrsift keys create --name NAME " +
        `--scopes emails:detect${fields.store === undefined ? homeOption + condition : DATABASE_CONDITION}`,
    );
  }
  if ((smtp.url === undefined) !== (smtp.from === undefined)) {
    const missing = smtp.url === undefined ? "ADDRSIFT_SMTP_URL" : "ADDRSIFT_SMTP_FROM";
    log.warn(`mail is disabled: also set ${missing}`);
  }
  warnOfMistypedVariables(runtime.env, log);
}

/** Returns `maxConnections`, or what the limit of open files allows. At that limit, libuv closes new connections silently. */
export function limitConnections(maxConnections: number, log: DaemonLog): number {
  const limits = readOr(() => readFileSync("/proc/self/limits", "utf8"), "");
  const maxFiles = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  const allowed = Math.max(maxFiles - OTHER_FILES, Math.floor(maxFiles / 2));
  const message = `the limit of open files is ${maxFiles}, so --max-connections is ${allowed}: raise the limit (ulimit -n)`;
  if (allowed < maxConnections) log.warn(message);
  return Math.min(allowed, maxConnections);
}

/** Variables that are not the variable of one option. */
const OTHER_VARIABLES = ["HOME", "STORE", "DNS_SERVERS", "ALLOW_PRIVATE", "SMTP_URL", "SMTP_URL_FILE", "SMTP_FROM"];

/** Warns about variables that are similar to one that the daemon reads. Kubernetes and programs may set others. */
function warnOfMistypedVariables(env: Runtime["env"], log: DaemonLog): void {
  const options: readonly OptionSpec[] = SERVE.options;
  const names = options.flatMap(({ environment }) => environment ?? []);
  names.push(...OTHER_VARIABLES.map((name) => `ADDRSIFT_${name}`));
  for (const name of Object.keys(env)) {
    if (!name.startsWith("ADDRSIFT_") || names.includes(name)) continue;
    const similar = closestNames(name, names);
    if (similar.length > 0) log.warn(`${name} has no effect: did you mean ${formatAlternatives(similar)}?`);
  }
}

export function packageVersion({ load }: Pick<Runtime, "load">): string {
  return load("../package.json").version;
}
