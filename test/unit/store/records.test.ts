// Tests which values are valid records. An invalid manual edit is damage; a later version's additions are rejected as
// newer.

import { expect, it } from "vitest";
import type { Shape } from "../../../src/base/shapes.ts";
import { DELIVERIES } from "../../../src/channels/delivery/record.ts";
import { CHANNELS } from "../../../src/channels/record.ts";
import { VERIFICATION_MAILS, VERIFICATIONS } from "../../../src/channels/verification-records.ts";
import { KEYS } from "../../../src/keys/keys.ts";
import type { Collection } from "../../../src/store/collection.ts";
import { formatDocument, validateRecord } from "../../../src/store/document.ts";

const TIME = "2026-11-21T12:00:00.000Z";
const EVENTS = ["channel.test", "detection.completed", "lists.updated", "lists.update_failed"];
const CHANNEL = {
  id: "ch_1",
  team: "default",
  name: "n",
  type: "webhook",
  config: { url: "https://a.example/", headers: { "X-A": "b" }, secret: "whsec_x", events: EVENTS, enabled: true },
  is_verified: false,
  created_at: TIME,
  creation: { key: "ab", request: "cd" },
  previous_secrets: [{ secret: "whsec_y", until: 5 }],
};
const DELIVERY = {
  id: "msg_1",
  channel_id: "ch_1",
  event: "channel.test",
  status: "pending",
  attempts: 1,
  created_at: 5,
  body: "{}",
  attempt_log: [{ at: 6, ok: false, duration_ms: 3, http_status: 500, error: "no", is_resend: true }, { at: 6 }],
  next_attempt_at: 7,
  unsent_reason: "no",
  once: true,
  lease: { holder: "by_1", until: 8 },
};
const KEY = {
  id: "key_1",
  name: "n",
  team: "default",
  scopes: ["emails:detect", ...["create", "read", "update", "delete", "test"].map((right) => `notifications:${right}`)],
  digest: "0".repeat(64),
  created_at: TIME,
  expires_at: TIME,
  revoked_at: TIME,
  last_used_at: TIME,
};
const VERIFICATION = { channel_id: "ch_1", address: "a@example.org", expires_at: 5 };

/** Records with all fields and words of 1.0.0. A shape that rejects one of them would reject existing stores. */
const RECORDS_OF_1_0_0: readonly (readonly [Collection<unknown>, object])[] = [
  ...["email", "webhook", "slack", "mattermost", "rocketchat", "msteams", "discord", "googlechat"].map(
    (type) => [CHANNELS, { ...CHANNEL, type }] as const,
  ),
  [CHANNELS, { ...CHANNEL, config: { address: "a@example.org" } }],
  ...EVENTS.map((event) => [DELIVERIES, { ...DELIVERY, event }] as const),
  ...["delivered", "failed"].map((status) => [DELIVERIES, { ...DELIVERY, status }] as const),
  [KEYS, KEY],
  ...["open", "used", "replaced"].map((state) => [VERIFICATIONS, { ...VERIFICATION, state }] as const),
  [VERIFICATION_MAILS, { sent_at: [5] }],
];

/** Returns the paths of objects that accept unknown fields. There must be none: such a field is from a later version. */
function openObjects({ type, properties, additionalProperties, items }: Shape, path: string): string[] {
  const fields = Object.entries((properties ?? {}) as Record<string, Shape>);
  const isOpen = type === "object" && additionalProperties === undefined;
  const nested = fields.flatMap(([name, field]) => openObjects(field, `${path}.${name}`));
  return [...(isOpen ? [path] : []), ...nested, ...(items === undefined ? [] : openObjects(items, `${path}[]`))];
}

it.each(RECORDS_OF_1_0_0)(
  "a record of $name as 1.0.0 wrote it is valid, and its shape rejects unknown fields",
  (collection, value) => {
    expect(validateRecord(value, collection)).toBe(value);
    expect(openObjects(collection.shape, collection.name)).toEqual([]);
  },
);

it.each([
  ...[
    { url: "nope" },
    { url: 5 },
    { headers: 5 },
    { headers: ["a"] },
    { headers: { "X-A": 5 } },
    { events: 5 },
    { events: "channel.test" },
    { events: [5] },
    { events: null },
  ].map((config) => [CHANNELS, { ...CHANNEL, config: { ...CHANNEL.config, ...config } }] as const),
  ...[
    { created_at: 1e300 },
    { attempt_log: [{ at: "x" }] },
    { attempt_log: [{ at: 8.64e15 + 1 }] },
    { next_attempt_at: {} },
    { next_attempt_at: undefined },
    { body: undefined },
    { body: "not JSON" },
  ].map((fields) => [DELIVERIES, { ...DELIVERY, ...fields }] as const),
])("an invalid record of $name is reported as not valid: case %#", (collection, value) => {
  expect(() => validateRecord(JSON.parse(JSON.stringify(value)), collection)).toThrow(/is not valid$/);
});

it.each([
  [CHANNELS, { ...CHANNEL, type: "telepathy" }],
  [CHANNELS, { ...CHANNEL, type: "telepathy", config: { topic: "x" }, priority: 5 }],
  [CHANNELS, { ...CHANNEL, config: { ...CHANNEL.config, events: ["moon.rose"] } }],
  [DELIVERIES, { ...DELIVERY, event: "moon.rose" }],
  [DELIVERIES, { ...DELIVERY, status: "paused" }],
  [DELIVERIES, { ...DELIVERY, lease: { holder: "a", until: 5, host: "b" } }],
  [DELIVERIES, { ...DELIVERY, attempt_log: [{ at: 5, host: "b" }] }],
  [KEYS, { ...KEY, scopes: ["emails:detect", "lists:update"] }],
] as const)(
  "a record of $name with additions of a later version is rejected as newer, not as damaged: case %#",
  (collection, value) => {
    expect(() => validateRecord(value, collection)).toThrow(/has a word or a field that this version does not know$/);
  },
);

it("formatDocument does not format an unchanged record again", () => {
  let formatCount = 0;
  const record = {
    get id() {
      formatCount += 1;
      return "ch_1";
    },
  };
  formatDocument(new Map([["channels", new Map([["ch_1", record]])]]));
  const records = new Map<string, object>([["ch_1", record]]).set("ch_2", { id: "ch_2" });
  const empty = new Map<string, object>();
  const file = formatDocument(
    new Map([
      ["keys", empty],
      ["channels", records],
      ["deliveries", empty],
    ]),
  );
  expect(JSON.parse(new TextDecoder().decode(file))).toEqual({
    format: 1,
    collections: {
      keys: { schema: 1, records: {} },
      channels: { schema: 1, records: { ch_1: { id: "ch_1" }, ch_2: { id: "ch_2" } } },
      deliveries: { schema: 1, records: {} },
    },
  });
  expect(formatCount).toBe(1);
});
