// Where ports meet adapters for the command line: paths, packages, lists.

import type { SyntaxOptions } from "../../address/options.ts";
import { Inquiries } from "../../bulk/live/inquiries.ts";
import type { ClassifierSetup } from "../../detection/classifier.ts";
import { createRouter, type Router } from "../../detection/router.ts";
import { createSurroundings, type Packages } from "../../detection/surroundings.ts";
import type { DnsOptions, DnsResolver } from "../../dns/resolver.ts";
import { parseServer } from "../../dns/servers.ts";
import { AddrsiftError } from "../../errors.ts";
import type { Confidence } from "../../lists/confidence.ts";
import type { CompiledLists } from "../../lists/table.ts";
import type * as DnsModule from "../bundles/dns.ts";
import type { Arguments } from "../options/arguments.ts";

/** What the entry file lends: the package's folder, and CommonJS `require`, which loads a package in half the time of `import`. */
export interface Host {
  readonly root: string;
  readonly load: (module: string) => unknown;
}

/** How many domains bulk work remembers; 65,536 are enough for millions of rows. */
export const BULK_CACHE_ENTRIES = 65_536;

// Ten minutes: who waits longer for one domain has mistyped.
const DNS_TIMEOUT_MAX_MS = 600_000;

/** The classifier's knowledge and policy by the options of `detect`. */
export function classifierSetup(
  host: Host,
  args: Arguments,
  lists: CompiledLists,
  cacheEntries: number,
): ClassifierSetup {
  return {
    lists,
    surroundings: createSurroundings(lists, packagesOf(host)),
    syntax: syntaxOptions(args),
    minConfidence: args.text("min-confidence") as Confidence,
    cacheEntries,
  };
}

/** The packages that the core asks for. */
export function packagesOf(host: Host): Packages {
  return {
    tldts: () => host.load("tldts") as ReturnType<Packages["tldts"]>,
    tr46: () => host.load("tr46") as ReturnType<Packages["tr46"]>,
    // With the slash: without it, Node's own deprecated module would come.
    punycode: () => host.load("punycode/") as ReturnType<Packages["punycode"]>,
  };
}

/**
 * The way to live DNS that the options ask for, undefined when not one question may be asked. What asks is loaded with the
 * first question: most calls have none. Throws AddrsiftError USAGE for a bad server or time.
 */
export function liveInquiries(
  args: Arguments,
  host: Host,
  setup: ClassifierSetup,
  use: "arguments" | "bulk",
): Inquiries | undefined {
  const mode = args.text("dns");
  const given = givenDnsOptions(args);
  if (args.flag("offline") || mode === "off" || (mode === "auto" && use === "bulk")) return undefined;
  const options = withEnvironment(given);
  let resolver: DnsResolver | undefined;
  let router: Router | undefined;
  const route: Router = (domain) => {
    resolver ??= loadDns(host, use).createDnsResolver(options);
    router ??= createRouter(resolver, setup);
    return router(domain);
  };
  return new Inquiries({ route, stop: () => resolver?.close() });
}

/** A one-off needs no cache, whose loading would cost it more than its question. */
function loadDns(host: Host, use: "arguments" | "bulk"): typeof DnsModule {
  return host.load(use === "bulk" ? "../dist/dns-cached.cjs" : "../dist/dns.cjs") as typeof DnsModule;
}

/** The resolver's settings by the options and the environment. Throws AddrsiftError USAGE for a bad time or name server. */
export function dnsOptions(args: Arguments): DnsOptions {
  return withEnvironment(givenDnsOptions(args));
}

interface GivenDnsOptions {
  readonly servers: readonly string[];
  readonly timeoutMs: number;
}

/** What the options alone say: it is judged whether DNS will be asked or not. */
function givenDnsOptions(args: Arguments): GivenDnsOptions {
  const text = args.text("dns-timeout") as string;
  const timeoutMs = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0;
  if (timeoutMs < 1 || timeoutMs > DNS_TIMEOUT_MAX_MS) {
    throw new AddrsiftError(
      "USAGE",
      `--dns-timeout ${text} is no time: give whole milliseconds from 1 to ${DNS_TIMEOUT_MAX_MS}`,
    );
  }
  const servers = args.list("dns-server");
  for (const server of servers) parseServer(server, "--dns-server");
  return { servers, timeoutMs };
}

/** The environment is no part of the call: it is judged only where it counts. */
function withEnvironment(given: GivenDnsOptions): DnsOptions {
  if (given.servers.length > 0) return given;
  const { ADDRSIFT_DNS_SERVERS = "" } = process.env;
  const servers = ADDRSIFT_DNS_SERVERS.split(/[\s,]+/).filter((server) => server !== "");
  for (const server of servers) parseServer(server, "ADDRSIFT_DNS_SERVERS");
  return { ...given, servers };
}

function syntaxOptions(args: Arguments): SyntaxOptions {
  return {
    noQuotedLocal: args.flag("no-quoted-local"),
    asciiOnly: args.flag("ascii-only"),
    allowDomainLiteral: args.flag("allow-domain-literal"),
    allowUnknownTld: args.flag("allow-unknown-tld"),
    allowReserved: args.flag("allow-reserved"),
    allowBareSuffix: args.flag("allow-bare-suffix"),
    allowLongLocal: args.flag("allow-long-local"),
  };
}
