// The config that a patch makes, and when headers are dropped or the verification ends. Channels are in ../channels.test.ts.

import { describe, expect, it } from "vitest";
import { dropsHeaders, endsVerification, patchConfig, previousSecret } from "../../../../src/channels/config/patch.ts";
import type { ChannelConfig, ChannelRecord } from "../../../../src/channels/record.ts";

const SECRET = `whsec_${Buffer.alloc(24, "a").toString("base64")}`;
const URL_OF = "https://hooks.example.com/in";

function channel(type: "webhook" | "email", config: object): ChannelRecord {
  const facts = { id: "ch_1", team: "default", name: "ops", is_verified: true, created_at: "2026-11-22T05:00:00.000Z" };
  return { ...facts, type, config: config as ChannelConfig };
}

const patched = (record: ChannelRecord, patch: unknown): unknown => {
  const outcome = patchConfig(record, patch);
  return outcome.ok ? outcome.value : outcome.fault.message;
};

const WEBHOOK = { url: URL_OF, secret: SECRET };

describe("a patch of the config", () => {
  it("takes no field that its type does not have", () => {
    expect(patched(channel("webhook", WEBHOOK), { queue: "now" })).toMatch(/^config\.queue is not a field /);
  });

  it("a patch of the config that is missing changes nothing, and null empties it", () => {
    expect(patched(channel("webhook", WEBHOOK), undefined)).toEqual(WEBHOOK);
    expect(patched(channel("webhook", WEBHOOK), null)).toEqual({});
  });

  it.each([["x"], [7], [true], [[]]])("must be an object, not %j", (patch) => {
    expect(patched(channel("webhook", WEBHOOK), patch)).toBe("config must be an object: give the fields to change");
  });

  it("a patch of the config that takes the last header away leaves no empty headers", () => {
    const stored = channel("webhook", { ...WEBHOOK, headers: { "X-Key": "1" } });
    expect(patched(stored, { headers: { "x-key": null } })).toEqual(WEBHOOK);
  });
});

describe("headers are dropped", () => {
  const before = { ...WEBHOOK, headers: { "X-Key": "1" } } as ChannelConfig;
  const elsewhere = "https://other.example.com/in";
  it.each<[string, object, object, boolean]>([
    ["when the origin changes", before, { ...WEBHOOK, url: elsewhere }, true],
    ["not when they were sent with the new origin", before, { ...before, url: elsewhere }, false],
    ["not when they are removed at the same origin", before, WEBHOOK, false],
    ["not when there were none", WEBHOOK, { ...WEBHOOK, url: elsewhere }, false],
    ["not when there was no url", { headers: { "X-Key": "1" } }, WEBHOOK, false],
  ])("headers are dropped %s", (_, old, fresh, expected) => {
    expect(dropsHeaders(old as ChannelConfig, fresh as ChannelConfig)).toBe(expected);
  });
});

describe("verification ends", () => {
  it.each<[string, object, object, boolean]>([
    ["with another url", WEBHOOK, { ...WEBHOOK, url: `${URL_OF}2` }, true],
    ["with another secret", WEBHOOK, { ...WEBHOOK, secret: "other" }, true],
    ["with another address", { address: "a@b.com" }, { address: "c@b.com" }, true],
    ["not with other events", WEBHOOK, { ...WEBHOOK, events: [] }, false],
    ["not with other headers", WEBHOOK, { ...WEBHOOK, headers: { a: "b" } }, false],
  ])("a channel's verification ends %s", (_, old, fresh, expected) => {
    expect(endsVerification(old as ChannelConfig, fresh as ChannelConfig)).toBe(expected);
  });
});

describe("the previous secret", () => {
  const DAY_MS = 86_400_000;
  it.each([
    ["at its end", 0, undefined],
    ["a moment before its end", 1, "old"],
    ["for a day", DAY_MS, "old"],
    ["not for longer, because a fast clock wrote that", DAY_MS + 1, undefined],
  ])("the previous secret counts %s", (_, left, secret) => {
    const record = { ...channel("webhook", WEBHOOK), previous_secret: { secret: "old", until: 5 * DAY_MS + left } };
    expect(previousSecret(record, 5 * DAY_MS)).toBe(secret);
  });
});
