// Tests when headers are dropped, and how long the previous secret is valid. ../channels.test.ts tests the result of a
// patch.

import { describe, expect, it } from "vitest";
import { dropsHeaders } from "../../../../src/channels/config/patch.ts";
import { type ChannelConfig, type ChannelRecord, previousSecret } from "../../../../src/channels/record.ts";

const SECRET = `whsec_${Buffer.alloc(24, "a").toString("base64")}`;
const URL_OF = "https://hooks.example.com/in";

const WEBHOOK = { url: URL_OF, secret: SECRET };

describe("headers are dropped", () => {
  const before = { ...WEBHOOK, headers: { "X-Key": "1" } } as ChannelConfig;
  const otherOrigin = "https://other.example.com/in";
  it.each<[string, object, object, boolean]>([
    ["when the origin changes", before, { ...WEBHOOK, url: otherOrigin }, true],
    ["not when they were sent with the new origin", before, { ...before, url: otherOrigin }, false],
    ["not when they are removed at the same origin", before, WEBHOOK, false],
    ["not when there were none", WEBHOOK, { ...WEBHOOK, url: otherOrigin }, false],
    ["not when there was no url", { headers: { "X-Key": "1" } }, WEBHOOK, false],
  ])("headers are dropped %s", (_, oldConfig, newConfig, expected) => {
    expect(dropsHeaders(oldConfig as ChannelConfig, newConfig as ChannelConfig)).toBe(expected);
  });
});

describe("the previous secret", () => {
  const DAY_MS = 86_400_000;
  it.each([
    ["not at its end", 0, undefined],
    ["a millisecond before its end", 1, "old"],
    ["for a day", DAY_MS, "old"],
    ["not for longer than a day, which a fast clock wrote", DAY_MS + 1, undefined],
  ])("the previous secret is active %s", (_, remainingMs, secret) => {
    const previous_secret = { secret: "old", until: 5 * DAY_MS + remainingMs };
    expect(previousSecret({ previous_secret } as ChannelRecord, 5 * DAY_MS)).toBe(secret);
  });
});
