// Tests that MX and address records without a public mail host are dropped.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { filterPublicAddresses, SPECIAL_USE, toExchanges } from "../../../src/dns/exchanges.ts";

const UNUSABLE = `127.0.0.1 8.8.8.8 mail.999 mail.0x7f mail.0x mail.localhost MAIL.LOCALHOST mx.local mx.invalid
  mx.corp.internal`.split(/\s+/);

it.each(UNUSABLE)("toExchanges drops the exchange %s", (exchange) => {
  expect(toExchanges([{ priority: 1, exchange }])).toEqual([]);
});

it.each(["mx1.4mail.com", "mx.0x.com", "0xmail.de", "mx.localhost.com", "a.xn--p1ai"])(
  "toExchanges keeps the exchange %s",
  (exchange) => {
    expect(toExchanges([{ priority: 1, exchange }])).toEqual([{ preference: 1, exchange }]);
  },
);

it("SPECIAL_USE has exactly the single labels of data/special-use.tsv", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../data/special-use.tsv"), "utf8");
  const names = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  // The names of several labels in the list are for documentation.
  const labels = names.map((line) => line.split("\t")[0] as string).filter((name) => !name.includes("."));
  expect([...SPECIAL_USE].sort()).toEqual(labels.sort());
});

it.each(["4000::1", "100:0:0:1::1", "5f00::1", "::1", "fe80::1", "2001:db8::1", "::ffff:10.0.0.1"])(
  "filterPublicAddresses drops the address %s",
  async (address) => {
    expect(await filterPublicAddresses([address])).toEqual([]);
  },
);

it.each(["2606:4700::1111", "2a00:1450:4001:81b::200e", "8.8.4.4"])(
  "filterPublicAddresses keeps the address %s",
  async (address) => {
    expect(await filterPublicAddresses([address])).toEqual([address]);
  },
);
