// A record that a hand has changed is damage of its file, by the file's own rule, and not a list that can't be shown.

import { describe, expect, it } from "vitest";
import { DELIVERIES } from "../../../src/channels/delivery/record.ts";
import { CHANNELS } from "../../../src/channels/record.ts";

const CHANNEL = {
  id: "ch_1",
  team: "default",
  name: "n",
  type: "webhook",
  config: { url: "https://a.example/", headers: { "X-A": "b" }, secret: "whsec_x", events: ["channel.test"] },
  is_verified: false,
  created_at: "2026-11-21T12:00:00.000Z",
};

const DELIVERY = {
  id: "msg_1",
  channel_id: "ch_1",
  event: "channel.test",
  status: "delivered",
  attempts: 1,
  created_at: 5,
};

describe("a channel", () => {
  it("as it is written is a record", () => expect(CHANNELS.isRecord(CHANNEL)).toBe(true));

  it.each([
    { url: "nope" },
    { url: 5 },
    { headers: 5 },
    { headers: ["a"] },
    { headers: { "X-A": 5 } },
    { events: 5 },
    { events: "channel.test" },
    { events: [5] },
    { events: null },
  ])("with a config of %j is none", (config) =>
    expect(CHANNELS.isRecord({ ...CHANNEL, config: { ...CHANNEL.config, ...config } })).toBe(false),
  );
});

describe("a delivery", () => {
  it("as it is written is a record", () => expect(DELIVERIES.isRecord(DELIVERY)).toBe(true));

  it.each([{ created_at: 1e300 }, { last_attempt_at: "x" }, { last_attempt_at: 8.64e15 + 1 }, { next_attempt_at: {} }])(
    "with %j is none",
    (times) => expect(DELIVERIES.isRecord({ ...DELIVERY, ...times })).toBe(false),
  );
});
