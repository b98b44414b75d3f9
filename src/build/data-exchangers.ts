// Maintainers' program: proposes rows for mail-exchangers.tsv. It looks up the mail exchangers of the newest domains in
// the sources disposable-email-domains (D) and castle (C), and prints the exchangers and IP addresses that at least
// three of them share, except those that have a row already or serve a public, relay or protected domain. An exchanger
// may belong to a small hosting provider, so a person must review each row and name its provider.
//   npm run data:exchangers [-- --days 60] [--dns-server ADDR[:PORT]]

import { isIPv4 } from "node:net";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readBuildInputs } from "../curation/build-inputs.ts";
import { closestName } from "../curation/names.ts";
import type { Rows } from "../curation/read-data.ts";
import { createDnsResolver } from "../dns/resolver.ts";
import { runProgram } from "./generated.ts";

const MIN_NAMES = 3;
const MAX_NAMES_SHOWN = 5;
const DAY_MS = 86_400_000;

/** The mail exchangers of a domain, each with its IPv4 addresses. */
type Exchangers = ReadonlyMap<string, readonly string[]>;

await runProgram(async () => {
  const { values } = parseArgs({
    options: { days: { type: "string", default: "60" }, "dns-server": { type: "string", multiple: true } },
  });
  const { lists, snapshots } = readBuildInputs(join(import.meta.dirname, "../.."));
  const newest = [snapshots.D, snapshots.C].flatMap(({ names, version, date }) => {
    const datedNames = Array.from(names, ([name, [since = ""]]) => [name, since] as const);
    const last = datedNames.reduce((latest, [, since]) => (since > latest ? since : latest), "");
    const from = new Date(Date.parse(last || date) - Number(values.days) * DAY_MS).toISOString().slice(0, 10);
    console.log(`# names of ${version} since ${from}`);
    return datedNames.filter(([, since]) => since > from).map(([name]) => name);
  });
  const resolver = createDnsResolver({ servers: values["dns-server"] ?? [], waitMs: "unbounded" });
  const findExchangers = async (names: Iterable<string>): Promise<Map<string, Exchangers>> => {
    const lookups = Array.from(new Set(names), async (name) => [name, await exchangersOf(name)] as const);
    return new Map(await Promise.all(lookups));
  };
  const exchangersOf = async (name: string): Promise<Exchangers> => {
    const routing = await resolver.route(name, undefined, (all) => all.map(({ exchange }) => exchange));
    // Ignores domains without MX records: their mail goes to the addresses of their web sites.
    const exchanges = routing.status === "ok" ? (routing.exchanges ?? []) : [];
    return new Map(exchanges.map(({ exchange, addresses = [] }) => [exchange, addresses.filter(isIPv4)]));
  };
  const exchangers = await findExchangers(newest);
  const legitimate = await findExchangers(
    [lists.public, lists.relays, lists.protected].flatMap((rows) => [...rows.keys()]),
  );
  const proposed = proposeRows(exchangers, legitimate, lists.exchanges);
  for (const [key, names] of proposed) {
    const nameList = `${[...names].slice(0, MAX_NAMES_SHOWN).join(", ")}${names.size > MAX_NAMES_SHOWN ? " …" : ""}`;
    const match = isIPv4(key) ? "address" : "exact";
    console.log([key, match, "disposable", "PROVIDER", `${names.size} new names: ${nameList}`].join("\t"));
  }
  const formatCount = (results: Map<string, Exchangers>): string =>
    `${[...results.values()].filter(({ size }) => size > 0).length} of ${results.size}`;
  console.log(
    `# ${proposed.length} proposed; exchangers of ${formatCount(exchangers)} new names and ${formatCount(legitimate)} legitimate ones`,
  );
});

/** Returns exchangers of several domains, and IP addresses of several exchangers, each with its domains. */
function proposeRows(candidates: Map<string, Exchangers>, legitimate: Map<string, Exchangers>, rows: Rows) {
  const isKnown = (host: string): boolean =>
    closestName(host, (name) => rows.get(name)?.[1] === "suffix" || (name === host && rows.has(name))) !== undefined;
  const legitimateKeys = new Set([...legitimate.values()].flatMap((exchangers) => [...exchangers].flat(2)));
  const domains = new Map<string, Set<string>>();
  const hosts = new Map<string, Set<string>>();
  for (const [domain, exchangers] of candidates) {
    for (const [host, addresses] of exchangers) {
      if (isKnown(host) || legitimateKeys.has(host)) continue;
      for (const key of [host, ...addresses]) {
        domains.set(key, new Set([...(domains.get(key) ?? []), domain]));
        hosts.set(key, new Set([...(hosts.get(key) ?? []), host]));
      }
    }
  }
  return [...domains]
    .filter(([key, { size }]) => size >= MIN_NAMES && !legitimateKeys.has(key) && !rows.has(key))
    .filter(([key]) => !isIPv4(key) || (hosts.get(key)?.size ?? 0) >= MIN_NAMES)
    .sort(([, one], [, other]) => other.size - one.size);
}
