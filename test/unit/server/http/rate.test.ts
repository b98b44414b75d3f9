// Tests rate limits on requests and failed keys, with a clock that the test sets.

import { expect, it } from "vitest";
import { addressGroup, FixedWindowCounter } from "../../../../src/server/http/authorization.ts";

it("FixedWindowCounter resets after its window", () => {
  let now = 0;
  const failures = new FixedWindowCounter(20, 60_000, () => now);
  for (let i = 0; i < 20; i += 1) expect(failures.count("10.0.0.1")).toBe(0);
  now = 15_000;
  expect(failures.count("10.0.0.1")).toBe(45);
  expect(failures.count("10.0.0.2")).toBe(0);
  now = 59_999;
  expect(failures.count("10.0.0.1")).toBe(1);
  now = 60_000;
  expect(failures.count("10.0.0.1")).toBe(0);
});

it("FixedWindowCounter drops the least recently used names", () => {
  const requests = new FixedWindowCounter(1, 1000, () => 0);
  expect(requests.count("first")).toBe(0);
  for (let i = 0; i < 20_000; i += 1) requests.count(`name ${i}`);
  expect(requests.count("first")).toBe(0);
});

it("FixedWindowCounter keeps a busy name while it drops others", () => {
  const requests = new FixedWindowCounter(1, 1000, () => 0);
  expect(requests.count("busy")).toBe(0);
  for (let i = 0; i < 20_000; i += 1) {
    requests.count(`name ${i}`);
    if (i % 5000 === 0) expect(requests.count("busy")).toBe(1);
  }
});

it.each([
  ["10.0.0.1", "10.0.0.1"],
  ["::ffff:10.0.0.1", "10.0.0.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8:1:2::6", "2001:db8:1:2"],
  ["2001:db8::6", "2001:db8:0:0"],
  ["::1", "127.0.0.1"],
  ["127.8.9.1", "127.0.0.1"],
  ["::ffff:127.0.0.1", "127.0.0.1"],
  ["::2", "0:0:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0"],
  ["", ""],
])("rate limits count requests from %s for the group %s", (address, group) => {
  expect(addressGroup(address)).toBe(group);
});
