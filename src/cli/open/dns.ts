// Live DNS by the options of `detect` and `serve` and by the environment.

import { Inquiries } from "../../bulk/live/inquiries.ts";
import type { ClassifierSetup } from "../../detection/classifier.ts";
import { createRouter, type Router } from "../../detection/router.ts";
import type { DnsOptions, DnsResolver } from "../../dns/resolver.ts";
import { parseServer } from "../../dns/servers.ts";
import { AddrsiftError } from "../../errors.ts";
import type { DnsOption } from "../options/shared.ts";
import type { OptionValues } from "../options/types.ts";
import type { Runtime } from "../runtime.ts";

// Ten minutes: who waits longer for one domain has mistyped.
const DNS_TIMEOUT_MAX_MS = 600_000;

/** The resolver's settings by options and environment. Throws AddrsiftError USAGE for a bad time or name server. */
export function dnsOptions(options: OptionValues<DnsOption>, runtime: Pick<Runtime, "env">): DnsOptions {
  return withEnvironment(checkDnsOptions(options), runtime);
}

/** What the options say by themselves: it is checked whether DNS will be asked or not. Throws AddrsiftError USAGE. */
export function checkDnsOptions(options: OptionValues<DnsOption>): DnsOptions {
  const text = options["dns-timeout"];
  const timeoutMs = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0;
  if (timeoutMs < 1 || timeoutMs > DNS_TIMEOUT_MAX_MS) {
    throw new AddrsiftError(
      "USAGE",
      `--dns-timeout ${text} is no time: give whole milliseconds from 1 to ${DNS_TIMEOUT_MAX_MS}`,
    );
  }
  const servers = options["dns-server"];
  for (const server of servers) parseServer(server, "--dns-server");
  return { servers, timeoutMs };
}

/** The environment is not part of the call: it is checked only where it counts. */
function withEnvironment(given: DnsOptions, { env }: Pick<Runtime, "env">): DnsOptions {
  if ((given.servers ?? []).length > 0) return given;
  const { ADDRSIFT_DNS_SERVERS = "" } = env;
  const servers = ADDRSIFT_DNS_SERVERS.split(/[\s,]+/).filter((server) => server !== "");
  for (const server of servers) parseServer(server, "ADDRSIFT_DNS_SERVERS");
  return { ...given, servers };
}

/** A file of the build that makes resolvers. */
interface DnsBundle {
  createDnsResolver(options: DnsOptions): DnsResolver;
}

/**
 * The way to live DNS. What asks is loaded with the first question, because most calls have none; a one-off needs no cache,
 * whose loading would cost it more than its question.
 */
export function openInquiries(
  given: DnsOptions,
  runtime: Pick<Runtime, "env" | "bundle">,
  setup: ClassifierSetup,
  use: "arguments" | "bulk",
): Inquiries {
  // A run of rows is in no hurry for any one of them.
  const options: DnsOptions = { ...withEnvironment(given, runtime), waitMs: "unbounded" };
  let resolver: DnsResolver | undefined;
  let router: Router | undefined;
  const route: Router = (domain) => {
    resolver ??= (runtime.bundle(use === "bulk" ? "dns-cached" : "dns") as DnsBundle).createDnsResolver(options);
    router ??= createRouter(resolver, setup);
    return router(domain);
  };
  return new Inquiries({ route, stop: () => resolver?.close() });
}
