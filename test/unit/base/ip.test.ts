// Tests which addresses and hosts are loopback. outbound/guard.test.ts tests the special ranges.

import { describe, expect, it } from "vitest";
import { isLoopbackAddress, isLoopbackHost, isLoopbackName } from "../../../src/base/ip.ts";

describe.each([
  [
    "a loopback address",
    isLoopbackAddress,
    "127.0.0.1 127.9.9.9 ::1 ::ffff:127.0.0.1 0:0:0:0:0:0:0:1 ::ffff:7f00:1 ::1%lo",
    "::ffff:10.0.0.1 10.0.0.1 127.1 localhost fe80::1",
  ],
  [
    "a loopback host",
    isLoopbackHost,
    "localhost 127.0.0.1 127.9.9.9 [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1]",
    "[::2] [::] [127.0.0.1] [localhost] [] ::1 127.1 2130706433 10.0.0.1 localhost.example",
  ],
  [
    "a loopback name",
    isLoopbackName,
    "localhost localhost. LOCALHOST a.localhost a.b.localhost.",
    ".localhost notlocalhost localhost.. localhost.example 127.0.0.1",
  ],
])("%s", (description, predicate, matching, others) => {
  it.each(matching.split(" "))(`%j is ${description}`, (text) => expect(predicate(text)).toBe(true));
  it.each(["", ...others.split(" ")])(`%j is not ${description}`, (text) => expect(predicate(text)).toBe(false));
});
