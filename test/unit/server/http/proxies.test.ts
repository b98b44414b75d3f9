// Tests the client address behind proxies: taken from trusted proxies, never from what a client sends.

import { describe, expect, it } from "vitest";
import { clientAddress, createProxyCheck } from "../../../../src/server/http/origins.ts";

const trusts = createProxyCheck(["127.0.0.1", "10.0.0.0/8", "fd00::/8"]);

describe("the caller", () => {
  it.each([
    ["127.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["127.0.0.1", "203.0.113.7, 10.1.2.3", "203.0.113.7"],
    ["::ffff:127.0.0.1", "203.0.113.7", "203.0.113.7"],
    // Written by the caller, before its own address.
    ["127.0.0.1", "8.8.8.8, 203.0.113.7", "203.0.113.7"],
    ["127.0.0.1", "127.0.0.1, 203.0.113.7", "203.0.113.7"],
    ["127.0.0.1", "203.0.113.7:4711", "203.0.113.7"],
    ["fd00::1", "[2001:db8::7]:4711", "2001:db8::7"],
    ["fd00::1", "2001:db8::7", "2001:db8::7"],
    // The whole way is trusted: the farthest is the caller.
    ["127.0.0.1", "10.1.2.3", "10.1.2.3"],
    // A caller that is not a proxy may say what it likes.
    ["203.0.113.9", "10.1.2.3", "203.0.113.9"],
    ["127.0.0.1", "unknown", "127.0.0.1"],
    ["127.0.0.1", "203.0.113.7, _hidden, 10.1.2.3", "10.1.2.3"],
    ["127.0.0.1", "", "127.0.0.1"],
    ["", "203.0.113.7", ""],
  ])("the client of peer %j with X-Forwarded-For %j is %j", (peer, list, caller) => {
    expect(clientAddress(peer, list, trusts)).toBe(caller);
  });
});

it.each(["10.0.0.0/33", "10.0.0", "proxy.example.com", "", "::/129", "fe80::1%lo"])(
  "--trust-proxy rejects %j",
  (text) => {
    expect(() => createProxyCheck([text])).toThrow(/is not a range of addresses: give one such as/);
  },
);
