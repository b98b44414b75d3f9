// Tests which name server addresses and settings are accepted, and the errors for the others.

import { expect, it } from "vitest";
import { AddrsiftError } from "../../../src/base/errors.ts";
import { createDnsResolver } from "../../../src/dns/resolver.ts";
import { parseServer } from "../../../src/dns/servers.ts";
import { startNameServer } from "../../helpers/name-server.ts";

const GOOD: readonly (readonly [text: string, server: string])[] = [
  ["192.0.2.1", "192.0.2.1"],
  ["192.0.2.1:5353", "192.0.2.1:5353"],
  ["192.0.2.1:00053", "192.0.2.1:53"],
  ["2001:db8::1", "[2001:db8::1]"],
  ["::1", "[::1]"],
  ["[::1]", "[::1]"],
  ["[::1]:53", "[::1]:53"],
  ["[::ffff:192.0.2.1]:53", "[::ffff:192.0.2.1]:53"],
];

const BAD = [
  "",
  " ",
  "192.0.2.1:53 ",
  "192.0.2.1\n",
  "9".repeat(10_000),
  ...`dns.example.com 192.0.2 192.0.2.256 192.0.2.1: 192.0.2.1:0 192.0.2.1:65536 [192.0.2.1]:53 [::1 ::1]:53
    [::1]:99999 fe80::1%eth0`.split(/\s+/),
];

it.each(GOOD)("parseServer parses %s as %s", (text, server) => {
  expect(parseServer(text, "--dns-server")).toBe(server);
  expect(() => createDnsResolver({ servers: [text] })).not.toThrow();
});

it.each(BAD.map((text) => [text.slice(0, 30), text]))("parseServer rejects %j", (_, text) => {
  expect(() => parseServer(text as string, "--dns-server")).toThrow(AddrsiftError);
});

it.each([
  { timeoutMs: 0 },
  { timeoutMs: 1.5 },
  { timeoutMs: 1e9 },
  { maxQueriesInFlight: 0 },
  { cacheEntries: Number.NaN },
])("createDnsResolver rejects the out-of-range setting %j", (options) => {
  expect(() => createDnsResolver(options)).toThrow(AddrsiftError);
});

it.each(["", "not a name", "x".repeat(300), "a..b.com", "\u0000.com"])(
  "the resolver returns error on each lookup of the invalid name %j",
  async (name) => {
    const resolver = createDnsResolver({ servers: ["127.0.0.1:9"], timeoutMs: 300 });
    for (let i = 0; i < 2; i += 1) expect((await resolver.route(name)).status).toBe("error");
  },
);

it("a lookup fails if selectExchanges throws, and the failure is not cached", async () => {
  const server = await startNameServer(() => ({ mx: [[1, "mx.some-host.com"]] }));
  try {
    const resolver = createDnsResolver({ servers: [server.address], timeoutMs: 20_000 });
    const selectExchanges = (): never => {
      throw new Error("lists gone");
    };
    await expect(resolver.route("asked-domain.com", undefined, selectExchanges)).rejects.toThrow("lists gone");
    expect(await resolver.route("asked-domain.com")).toMatchObject({ status: "ok" });
  } finally {
    await server.stop();
  }
});
