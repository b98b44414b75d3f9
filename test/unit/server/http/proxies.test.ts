// Tests the client's address behind proxies: trusted proxies determine it, never the client itself.

import { expect, it } from "vitest";
import { clientAddress, createProxyCheck } from "../../../../src/server/http/origins.ts";

const isTrustedProxy = createProxyCheck(["127.0.0.1", "10.0.0.0/8", "fd00::/8"]);

it.each([
  ["127.0.0.1", "203.0.113.7", "203.0.113.7"],
  ["127.0.0.1", "203.0.113.7, 10.1.2.3", "203.0.113.7"],
  ["::ffff:127.0.0.1", "203.0.113.7", "203.0.113.7"],
  // The client sent the first entry.
  ["127.0.0.1", "8.8.8.8, 203.0.113.7", "203.0.113.7"],
  ["127.0.0.1", "127.0.0.1, 203.0.113.7", "203.0.113.7"],
  ["127.0.0.1", "203.0.113.7:4711", "203.0.113.7"],
  ["fd00::1", "[2001:db8::7]:4711", "2001:db8::7"],
  ["fd00::1", "2001:db8::7", "2001:db8::7"],
  // If all addresses are trusted, the first one is the client's.
  ["127.0.0.1", "10.1.2.3", "10.1.2.3"],
  // The header of a peer that is not a proxy is ignored.
  ["203.0.113.9", "10.1.2.3", "203.0.113.9"],
  ["127.0.0.1", "unknown", "127.0.0.1"],
  ["127.0.0.1", "203.0.113.7, _hidden, 10.1.2.3", "10.1.2.3"],
  ["127.0.0.1", "", "127.0.0.1"],
  ["", "203.0.113.7", ""],
])("the client of peer %j with X-Forwarded-For %j is %j", (peer, forwardedFor, client) => {
  expect(clientAddress(peer, forwardedFor, isTrustedProxy)).toBe(client);
});

it.each(["10.0.0.0/33", "10.0.0", "proxy.example.com", "", "::/129", "fe80::1%lo"])(
  "--trust-proxy rejects %j",
  (text) => {
    expect(() => createProxyCheck([text])).toThrow(
      /^--trust-proxy or ADDRSIFT_TRUST_PROXY has ".*", which is not a range of addresses: give one such as/,
    );
  },
);
