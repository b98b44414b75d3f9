// The fields and words of all records, and which values are records: a hand's change is damage of the file, and what a later
// version added is that version's.

import { describe, expect, it } from "vitest";
import type { Shape } from "../../../src/base/shapes.ts";
import { DELIVERIES } from "../../../src/channels/delivery/record.ts";
import { CHANNELS } from "../../../src/channels/record.ts";
import { VERIFICATION_MAILS, VERIFICATIONS } from "../../../src/channels/verification-records.ts";
import { KEYS } from "../../../src/keys/record.ts";
import { type Collection, schemaOf } from "../../../src/store/collection.ts";
import { judge } from "../../../src/store/document.ts";

const EVENTS = "channel.test|detection.completed|lists.updated|lists.update_failed";
/** Fields and words of records, beside the schema that they have. */
const HELD: Readonly<Record<string, readonly [schema: number, fields: string]>> = {
  channels: [
    1,
    `id team name type=email|webhook|slack|mattermost|rocketchat|msteams|discord config.address? config.events?=${EVENTS} config.enabled? config.url?
    config.headers? config.secret? is_verified created_at previous_secret?.secret previous_secret?.until`,
  ],
  deliveries: [
    1,
    `id channel_id attempts created_at body last_attempt_at? next_attempt_at? last_error? once? lease?.holder lease?.until
    event=${EVENTS} status=pending|delivered|failed`,
  ],
  keys: [
    1,
    `id name team
    scopes=emails:detect|notifications:create|notifications:read|notifications:update|notifications:delete|notifications:test
    digest created_at expires_at? revoked_at? last_used_at?`,
  ],
  verification_mails: [1, "sent_at"],
  verifications: [1, "channel_id address expires_at state=open|used|replaced"],
};

const ADVICE = `Records of this collection have other fields or words than before. Give the collection another migration, if only
(record) => record, so that an older addrsift says which schema it lacks; then change the schema and the fields here.`;

function fieldsOf(shape: Shape, path = ""): string[] {
  const { properties, items, enum: words } = shape;
  if (words !== undefined || items?.enum !== undefined) return [`${path}=${(words ?? items.enum).join("|")}`];
  const entries = Object.entries((properties ?? {}) as Record<string, Shape>);
  if (entries.length === 0) return [path];
  return entries.flatMap(([name, field]) => {
    const isNeeded = shape["required"]?.includes(name) === true;
    return fieldsOf(field, `${path === "" ? "" : `${path}.`}${name}${isNeeded ? "" : "?"}`);
  });
}

/** Every object is closed: a field that it does not know is a later version's. */
function openObjects({ type, properties, additionalProperties, items }: Shape, path: string): string[] {
  const inside = Object.entries((properties ?? {}) as Record<string, Shape>);
  const isOpen = type === "object" && additionalProperties === undefined;
  const below = inside.flatMap(([name, field]) => openObjects(field, `${path}.${name}`));
  return [...(isOpen ? [path] : []), ...below, ...(items === undefined ? [] : openObjects(items, `${path}[]`))];
}

const COLLECTIONS: readonly Collection<unknown>[] = [CHANNELS, DELIVERIES, KEYS, VERIFICATION_MAILS, VERIFICATIONS];

describe("records hold", () => {
  it.each(COLLECTIONS.map((one) => [one.name, one] as const))(
    "%s: the fields and words of their schema",
    (name, one) => {
      const [schema, fields] = HELD[name] ?? [];
      const known = fields?.split(/\s+/).sort();
      expect([schemaOf(one), ...fieldsOf(one.shape).sort()], ADVICE).toEqual([schema, ...(known ?? [])]);
      expect(openObjects(one.shape, name)).toEqual([]);
    },
  );
});

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
  body: "{}",
};
const KEY = {
  id: "key_1",
  name: "n",
  team: "default",
  scopes: ["emails:detect"],
  digest: "0".repeat(64),
  created_at: "2026-11-21T12:00:00.000Z",
};

const good = (collection: Collection<unknown>, value: unknown): unknown => judge(value, 1, collection);

it.each([
  [CHANNELS, CHANNEL],
  [DELIVERIES, DELIVERY],
  [KEYS, KEY],
] as const)("a record of $name is as it was written", (collection, value) => {
  expect(good(collection, value)).toBe(value);
});

describe("a record that a hand has changed", () => {
  const damage = /is not valid$/;

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
  ])("a record of channels with a config of %j is damaged", (config) =>
    expect(() => good(CHANNELS, { ...CHANNEL, config: { ...CHANNEL.config, ...config } })).toThrow(damage),
  );

  it.each([
    { created_at: 1e300 },
    { last_attempt_at: "x" },
    { last_attempt_at: 8.64e15 + 1 },
    { next_attempt_at: {} },
    { status: "pending" },
    { body: undefined },
  ])("a record of deliveries with %j is damaged", (fields) =>
    expect(() => good(DELIVERIES, { ...DELIVERY, ...fields })).toThrow(damage),
  );
});

it.each([
  [CHANNELS, { ...CHANNEL, type: "telepathy" }],
  [CHANNELS, { ...CHANNEL, type: "telepathy", config: { topic: "x" }, priority: 5 }],
  [CHANNELS, { ...CHANNEL, config: { ...CHANNEL.config, events: ["moon.rose"] } }],
  [DELIVERIES, { ...DELIVERY, event: "moon.rose" }],
  [DELIVERIES, { ...DELIVERY, status: "paused" }],
  [DELIVERIES, { ...DELIVERY, status: "pending", next_attempt_at: 5, lease: { holder: "a", until: 5, host: "b" } }],
  [KEYS, { ...KEY, scopes: ["emails:detect", "lists:update"] }],
] as const)("a record of $name with what a later version added is that version's: %#", (collection, value) => {
  expect(() => good(collection, value)).toThrow(/has a word or a field that this version does not know$/);
});
