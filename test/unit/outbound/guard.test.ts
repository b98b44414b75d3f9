// Tests which addresses requests may reach: special addresses by kind, and the ranges that an operator allows.

import fc from "fast-check";
import * as ipaddr from "ipaddr.js";
import { expect, it } from "vitest";
import { AddrsiftError } from "../../../src/base/errors.ts";
import { blockedHostReason, createGuard } from "../../../src/outbound/guard.ts";

const guard = createGuard(ipaddr, []);

/** Special addresses by their kind. */
const SPECIAL: Readonly<Record<string, string>> = {
  "a loopback address": "127.0.0.1 127.255.255.254 ::1 ::ffff:127.0.0.1",
  "an unspecified address": "0.0.0.0 0.1.2.3 ::",
  "a private address": "10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 fc00::1 fd12:3456::1",
  "a link-local address": "169.254.169.254 ::ffff:a9fe:a9fe fe80::1 fe80::1%eth0 2606:4700::1%eth0",
  "an address behind a carrier's NAT": "100.64.0.1",
  "a reserved address":
    "192.0.0.1 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 240.0.0.1 ::ffff:0:7f00:1 2001:db8::1 " +
    "fec0::1 100::1 4000::1 e000::1 3ffe::1 3fff::1",
  "a multicast address": "224.0.0.1 ff02::1",
  "a broadcast address": "255.255.255.255",
  "a NAT64 address": "64:ff9b::7f00:1 64:ff9b:1::a00:1",
  "a 6to4 address": "2002:7f00:1::",
  "a Teredo address": "2001:0:7f00:1::",
  "an address of a cloud's own services": "168.63.129.16 ::ffff:168.63.129.16",
  "an ISATAP address": "2a00:1450::5efe:7f00:1 2a00:1450::200:5efe:808:808",
  "an unknown address": "localhost",
};

it.each([
  ...Object.entries(SPECIAL).flatMap(([kind, all]) => all.split(" ").map((address) => [address, kind] as const)),
  ["", "an unknown address"] as const,
])("the guard blocks %s as %s", (address, kind) => {
  expect(guard.blockedKind(address)).toBe(kind);
});

it("the guard blocks ::/96, the former range of IPv4-compatible addresses", () => {
  expect(guard.blockedKind("::7f00:1")).toBeDefined();
});

it.each(
  `1.1.1.1 93.184.215.14 172.32.0.1 192.167.255.255 168.63.129.17 2606:4700:4700::1111
    2a00:1450::1:5efe:7f00:1 ::ffff:8.8.8.8`.split(/\s+/),
)("the guard allows %s", (address) => expect(guard.blockedKind(address)).toBeUndefined());

it("the guard treats an IPv4-mapped address like its IPv4 address", () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(guard.blockedKind(`::ffff:${address}`)).toBe(guard.blockedKind(address));
    }),
  );
});

it.each([
  [" 10.0.0.0/8 ", "10.9.9.9", "11.0.0.1", "192.168.0.1"],
  ["127.0.0.0/8", "::ffff:127.0.0.1", "1.1.1.1", "10.0.0.1"],
  ["127.0.0.1", "127.0.0.1", "8.8.8.8", "127.0.0.2"],
  ["fe80::/10", "fe80::1", "1.1.1.1", "fe80::1%eth0"],
  ["fd00::/8", "fd00::5", "2606:4700::1", "fc00::1"],
  ["::1", "::1", "1.1.1.1", "127.0.0.1"],
  ["::ffff:10.0.0.0/104", "10.1.1.1", "1.1.1.1", "192.168.0.1"],
  ["::ffff:0:0/96", "169.254.169.254", "1.1.1.1", "::1"],
  ["0.0.0.0/0", "169.254.169.254", "1.1.1.1", "::1"],
  ["64:ff9b::/96", "64:ff9b::7f00:1", "1.1.1.1", "127.0.0.1"],
])("if %s is allowed, the guard allows %s and %s but blocks %s", (range, inRange, publicAddress, other) => {
  const guardWithRange = createGuard(ipaddr, [range]);
  expect(guardWithRange.blockedKind(inRange)).toBeUndefined();
  expect(guardWithRange.blockedKind(publicAddress)).toBeUndefined();
  expect(guardWithRange.blockedKind(other)).toBeDefined();
});

it.each([
  "",
  ...`10 10/8 10.0.0.0/33 10.0.0.0/-1 10.0.0.0/8/8 10.0.0.0/ ::/129 fe80::%1/10 localhost 0x7f.1
      10.0.0.0/1e1 ::ffff:10.0.0.0/8 ::ffff:10.0.0.0/95 ::ffff:a00:0/0`.split(/\s+/),
])("createGuard rejects the range %j", (text) => expect(() => createGuard(ipaddr, [text])).toThrow(AddrsiftError));

it.each([
  ["10/8", 'ADDRSIFT_ALLOW_PRIVATE has "10/8", which is not a range of addresses: give one such as 10.0.0.0/8'],
  ["::ffff:10.0.0.0/32", "covers more than the IPv4 addresses that it names: for IPv4 give 10.0.0.0/32"],
  ["::ffff:10.0.0.0/33", "the IPv4 addresses that it names: give at least /96, or an IPv4 range"],
])("the error about the range %s names the fix", (text, message) => {
  expect(() => createGuard(ipaddr, [text])).toThrow(message);
});

it.each([
  ["localhost", "localhost is a loopback address"],
  ["a.localhost", "a.localhost is a loopback address"],
  ["[::1]", "::1 is a loopback address"],
  ["10.0.0.1", "10.0.0.1 is a private address"],
  ["8.8.8.8", undefined],
  ["example.com", undefined],
])("blockedHostReason of %s: %s", (host, reason) => {
  const remedy = "requests go only to public addresses; the operator can allow its range with --allow-private";
  expect(blockedHostReason(host, guard)).toBe(reason && `${reason}: ${remedy}`);
});
