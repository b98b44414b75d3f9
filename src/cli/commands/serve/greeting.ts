// What the daemon says when it starts: where it listens and how it is set up, and settings that will not do what they look like.

import type { Keys } from "../../../keys/keys.ts";
import type { SmtpEnvironment } from "../../open/smtp.ts";
import type { DaemonLog } from "./log.ts";
import type { ServeSettings } from "./settings.ts";

/** What the first lines are made from. */
export interface GreetingFacts {
  readonly settings: ServeSettings;
  readonly smtp: SmtpEnvironment;
  readonly keys: Keys;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly url: string;
  readonly metricsUrl: string | undefined;
  readonly version: string;
  readonly dataVersion: string;
  /** Where keys and channels are. */
  readonly store: string;
  /** Detection needs no key. */
  readonly open: boolean;
}

/** Logs the first lines. */
export function greet(log: DaemonLog, facts: GreetingFacts): void {
  const { settings, smtp, url, metricsUrl, version, dataVersion, store, open } = facts;
  const { home, publicUrl } = settings;
  const fields = {
    url,
    metrics_url: metricsUrl && `${metricsUrl}/metrics`,
    public_url: publicUrl?.href,
    version,
    data_version: dataVersion,
    home: home.folder,
    store: store === home.folder ? undefined : store,
    detection: open ? "open" : "with a key",
    mail: smtp.url !== undefined && smtp.from !== undefined ? "set" : "not set",
  };
  log.info(fields, `listening on ${url}`);
  for (const line of doubts(facts)) log.warn({}, line);
}

function doubts({ settings, smtp, keys, now, open }: GreetingFacts): string[] {
  const lines: string[] = [];
  if (!open && !hasGoodKey(keys, now)) {
    const home = settings.home.named ? ` --home ${settings.home.folder}` : "";
    lines.push(
      `no one can use it yet, because there is no API key: make one with addrsift keys create --name NAME --scopes emails:detect${home}`,
    );
  }
  if ((smtp.url === undefined) !== (smtp.from === undefined)) {
    const missing = smtp.url === undefined ? "ADDRSIFT_SMTP_URL" : "ADDRSIFT_SMTP_FROM";
    lines.push(`no mail can be sent, because only one of two settings is there: set ${missing} too`);
  }
  return lines;
}

function hasGoodKey(keys: Keys, now: number): boolean {
  try {
    return keys.list().some(({ revoked_at: revoked, expires_at: ends }) => {
      return revoked === undefined && (ends === undefined || Date.parse(ends) > now);
    });
  } catch {
    // The database is away: the log has a line about that.
    return true;
  }
}
