// Tests which Host headers a daemon on loopback accepts.

import { expect, it } from "vitest";
import { createHostCheck } from "../../../../src/server/http/origins.ts";

const isAllowedHost = createHostCheck(undefined);

it.each(
  `localhost LocalHost:8025 127.0.0.1 127.0.0.1:8025 127.1.2.3 [::1] [::1]:8025 localhost:
    [0:0:0:0:0:0:0:1]:8025 [::ffff:127.0.0.1]`.split(/\s+/),
)("a loopback daemon accepts Host: %s", (host) => {
  expect(isAllowedHost(host)).toBe(true);
  // The second check uses the remembered host.
  expect(isAllowedHost(host)).toBe(true);
});

it.each([
  "",
  "a".repeat(5000),
  ...`example.com localhost.example.com localhost. notlocalhost 127.0.0.1.example.com 127.0.0.256 127.0.0.01
      127.1 2130706433 0x7f.0.0.1 0.0.0.0 10.0.0.1 ::1 [::2] [127.0.0.1] [] [::ffff:10.0.0.1]
      localhost:8025:1 localhost@example.com localhost/x`.split(/\s+/),
])("a loopback daemon rejects Host: %s", (host) => {
  expect(isAllowedHost("localhost")).toBe(true);
  expect(isAllowedHost(host)).toBe(false);
});

it("a loopback daemon rejects a missing Host in the first request", () => {
  expect(createHostCheck(undefined)("")).toBe(false);
  expect(createHostCheck(new URL("https://api.example.com"))("")).toBe(false);
});

it("a loopback daemon accepts the public URL's host with any port", () => {
  const check = createHostCheck(new URL("https://Api.Example.com/base"));
  expect(check("api.example.com")).toBe(true);
  expect(check("API.EXAMPLE.COM:443")).toBe(true);
  expect(check("example.com")).toBe(false);
  expect(check("localhost")).toBe(true);
});
