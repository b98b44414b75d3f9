// The first lines of the daemon's log: where it listens, its settings, and what may be wrong with them.

import { isDynamicUser } from "../../../durable/folder.ts";
import { type KeyInfo, type Keys, keyState } from "../../../keys/keys.ts";
import { readSmtpEnvironment } from "../../composition/channels.ts";
import type { Runtime } from "../../runtime.ts";
import { readOr } from "./health.ts";
import type { DaemonLog } from "./log.ts";
import type { ServeSettings } from "./settings.ts";

const DATABASE_CONDITION = ", with ADDRSIFT_STORE as in the daemon's environment";

/** Logs where the daemon listens, its settings, and warnings. `keys`: undefined if detection needs no key. */
export function logStartup(
  log: DaemonLog,
  { home, publicUrl }: ServeSettings,
  runtime: Runtime,
  keys: Keys | undefined,
  facts: Readonly<Record<"url" | "dataVersion" | "store", string>> & { readonly metricsUrl: string | undefined },
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
  log.info(`listening on ${url}`, fields);
  const isActive = (key: KeyInfo): boolean => keyState(key, runtime.now()) === "active";
  if (keys !== undefined && !readOr(() => keys.list().some(isActive), true)) {
    const homeOption = home.isExplicit ? ` --home ${home.folder}` : "";
    const condition = isDynamicUser(process.getuid?.()) ? ", as UNDER SYSTEMD in addrsift-serve(1) shows" : "";
    log.warn(
      "no API key exists, so no one can use the daemon yet: run addrsift keys create --name NAME " +
        `--scopes emails:detect${fields.store === undefined ? homeOption + condition : DATABASE_CONDITION}`,
    );
  }
  if ((smtp.url === undefined) !== (smtp.from === undefined)) {
    const missing = smtp.url === undefined ? "ADDRSIFT_SMTP_URL" : "ADDRSIFT_SMTP_FROM";
    log.warn(`mail is disabled: also set ${missing}`);
  }
}

export function packageVersion({ load }: Pick<Runtime, "load">): string {
  return load("../package.json").version;
}
