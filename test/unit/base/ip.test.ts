// Which addresses and hosts are on this machine. The special ranges are in outbound/guard.test.ts.

import { describe, expect, it } from "vitest";
import { isLoopbackAddress, isLoopbackHost, isLoopbackName } from "../../../src/base/ip.ts";

describe("an address on this machine", () => {
  it.each([
    ["127.0.0.1", true],
    ["127.9.9.9", true],
    ["::1", true],
    ["::ffff:127.0.0.1", true],
    ["::ffff:10.0.0.1", false],
    ["10.0.0.1", false],
    ["0:0:0:0:0:0:0:1", true],
    ["::ffff:7f00:1", true],
    ["::1%lo", true],
    ["127.1", false],
    ["localhost", false],
    ["fe80::1", false],
    ["", false],
  ])("an address on this machine %s: %s", (address, expected) => {
    expect(isLoopbackAddress(address)).toBe(expected);
  });
});

describe("a host on this machine", () => {
  it.each([
    ["localhost", true],
    ["127.0.0.1", true],
    ["127.9.9.9", true],
    ["[::1]", true],
    ["[0:0:0:0:0:0:0:1]", true],
    ["[::ffff:127.0.0.1]", true],
    ["[::ffff:7f00:1]", true],
    ["[::2]", false],
    ["[::]", false],
    ["[127.0.0.1]", false],
    ["[localhost]", false],
    ["[]", false],
    ["::1", false],
    ["127.1", false],
    ["2130706433", false],
    ["10.0.0.1", false],
    ["localhost.example", false],
    ["", false],
  ])("a host on this machine %j: %s", (host, expected) => {
    expect(isLoopbackHost(host)).toBe(expected);
  });
});

describe("a loopback name", () => {
  it.each([
    ["localhost", true],
    ["localhost.", true],
    ["LOCALHOST", true],
    ["a.localhost", true],
    ["a.b.localhost.", true],
    [".localhost", false],
    ["notlocalhost", false],
    ["localhost..", false],
    ["localhost.example", false],
    ["127.0.0.1", false],
  ])("%j is one: %s", (host, expected) => {
    expect(isLoopbackName(host)).toBe(expected);
  });
});
