// Bounds on requests and failures, with a clock that the test sets.

import { describe, expect, it } from "vitest";
import { addressGroup, FailureLimit, TokenBuckets } from "../../../../src/server/http/authorization.ts";

describe("a bucket of tokens", () => {
  it("lets through so many at once, and then so many a second", () => {
    let now = 0;
    const buckets = new TokenBuckets(5, () => now);
    const takeAll = (): number => {
      let count = 0;
      while (buckets.take("key") === 0) count += 1;
      return count;
    };
    expect(takeAll()).toBe(5);
    expect(buckets.take("key")).toBe(1);
    now = 400;
    expect(takeAll()).toBe(2);
    now = 10_000;
    expect(takeAll()).toBe(5);
    expect(buckets.take("another")).toBe(0);
  });

  it("says how long to wait in whole seconds", () => {
    const buckets = new TokenBuckets(1, () => 0);
    expect(buckets.take("key")).toBe(0);
    expect(buckets.take("key")).toBe(1);
  });

  it("forgets the longest known instead of growing without end", () => {
    const buckets = new TokenBuckets(1, () => 0);
    expect(buckets.take("first")).toBe(0);
    for (let i = 0; i < 20_000; i += 1) buckets.take(`name ${i}`);
    expect(buckets.take("first")).toBe(0);
  });
});

describe("a busy name", () => {
  it("a busy name is not forgotten when many others come", () => {
    const buckets = new TokenBuckets(1, () => 0);
    expect(buckets.take("busy")).toBe(0);
    for (let i = 0; i < 20_000; i += 1) {
      buckets.take(`name ${i}`);
      if (i % 5000 === 0) expect(buckets.take("busy")).toBe(1);
    }
  });
});

describe("the limit of failures", () => {
  it("counts within a minute and begins again after it", () => {
    let now = 0;
    const failures = new FailureLimit(20, () => now);
    for (let i = 0; i < 20; i += 1) expect(failures.count("10.0.0.1")).toBe(0);
    now = 15_000;
    expect(failures.count("10.0.0.1")).toBe(45);
    expect(failures.count("10.0.0.2")).toBe(0);
    now = 59_999;
    expect(failures.count("10.0.0.1")).toBe(1);
    now = 60_000;
    expect(failures.count("10.0.0.1")).toBe(0);
  });
});

describe("one address", () => {
  it.each([
    ["10.0.0.1", "10.0.0.1"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::6", "2001:db8:1:2"],
    ["2001:db8::6", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
    ["", ""],
  ])("%s counts as %s", (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});
