// DNS lookups, set up from the options of `detect` and `serve` and the environment.

import { PendingLookups } from "../../bulk/run/dns-lookahead.ts";
import type { OptionValues } from "../../bulk/run/option-table.ts";
import type { ClassifierSetup } from "../../detection/classifier.ts";
import { createMailRouter, type MailRouter } from "../../detection/detector.ts";
import type { DnsOptions, DnsResolver } from "../../dns/resolver.ts";
import { parseServer } from "../../dns/servers.ts";
import type { DNS_OPTIONS } from "../options/table.ts";
import type { Runtime } from "../runtime.ts";

/** Converts the DNS options, also if DNS will not be used. Throws AddrsiftError USAGE. */
export function parseDnsOptions(options: OptionValues<(typeof DNS_OPTIONS)[number]>): DnsOptions {
  const servers = options["dns-server"];
  for (const server of servers) parseServer(server, "--dns-server");
  return { servers, timeoutMs: options["dns-timeout"] };
}

/** Adds the name servers of the environment, which are checked only if DNS is used. Throws AddrsiftError USAGE. */
export function withEnvironmentServers(options: DnsOptions, env: Runtime["env"]): DnsOptions {
  if ((options.servers ?? []).length > 0) return options;
  const { ADDRSIFT_DNS_SERVERS = "" } = env;
  const servers = ADDRSIFT_DNS_SERVERS.split(/[\s,]+/).filter((server) => server !== "");
  for (const server of servers) parseServer(server, "ADDRSIFT_DNS_SERVERS");
  return { ...options, servers };
}

/** Opens DNS lookups. The resolver is loaded for the first lookup, because most calls need none. */
export function openLookups(options: DnsOptions, setup: ClassifierSetup): PendingLookups {
  // In bulk input no single row is urgent.
  const bulkOptions: DnsOptions = { ...options, waitMs: "unbounded" };
  let resolverPromise: Promise<DnsResolver> | undefined;
  let routerPromise: Promise<MailRouter> | undefined;
  const route: MailRouter = async (domain) => {
    resolverPromise ??= import("../../dns/resolver.ts").then(({ createDnsResolver }) => createDnsResolver(bulkOptions));
    routerPromise ??= resolverPromise.then((resolver) => createMailRouter(resolver, setup));
    return (await routerPromise)(domain);
  };
  return new PendingLookups({ route, stop: () => void resolverPromise?.then((resolver) => resolver.close()) });
}
