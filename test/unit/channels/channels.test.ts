// Tests channels: valid and invalid configs, patches, redacted responses, and ownership by team.

import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ChannelResponse } from "../../../src/channels/channels.ts";
import { mergePatch } from "../../../src/channels/config/patch.ts";
import { CHANNELS, type ChannelRecord } from "../../../src/channels/record.ts";
import { sha256Hex } from "../../../src/channels/verification-records.ts";
import { openRecords, type Records } from "../../helpers/records.ts";

let records: Records;
beforeEach(() => {
  records = openRecords();
});
afterEach(() => records.remove());

const TEAM = "default";
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const URL_TEXT = "https://hooks.example.com:8443/services/T0KEN?key=QUERY";
const FULL = { url: URL_TEXT, headers: { "X-Key": "HEADERVALUE", Authorization: "Bearer AUTH" }, secret: SECRET };

async function createChannel(body: object): Promise<ChannelResponse> {
  const outcome = await records.channels.create(TEAM, body);
  if (!outcome.ok) throw new Error(outcome.fault.message);
  return outcome.value;
}

/** Creates a verified webhook, by default with all fields. */
async function createWebhook(config: object = FULL): Promise<string> {
  const { channel } = await createChannel({ name: "ops", type: "webhook", config });
  await records.channels.setVerified(storedChannel(channel.id), true);
  return channel.id;
}

function storedChannel(id: string): ChannelRecord {
  return records.channels.find(TEAM, id) as ChannelRecord;
}

async function patchChannel(id: string, patch: unknown): Promise<ChannelRecord> {
  const outcome = await records.channels.update(TEAM, id, patch);
  if (!outcome.ok) throw new Error(outcome.fault.message);
  return storedChannel(id);
}

async function patchFault(id: string, patch: unknown): Promise<string> {
  const outcome = await records.channels.update(TEAM, id, patch);
  if (outcome.ok) throw new Error("the patch was accepted");
  expect(outcome.fault.code).toBe("INVALID_BODY");
  return outcome.fault.message;
}

it("creating a channel ignores null fields and warns about a blocked host", async () => {
  expect(await createChannel({ name: "ops", type: "webhook", config: null })).toMatchObject({
    channel: { config: {} },
    message: "config.url is missing: update the channel to add it",
  });
  const config = { url: "https://10.0.0.1/in", headers: null, secret: null, events: null };
  const { channel, message } = await createChannel({ name: "ops", type: "webhook", config });
  expect(Object.keys(channel.config)).toEqual(["url", "secret"]);
  expect(message).toBe("a test would fail now, because 10.0.0.1 is private: allow it");
});

it("creating a channel returns its fields in order, with a generated secret", async () => {
  const { channel, message } = await createChannel({ name: "ops", type: "webhook", config: URL_CONFIG });
  const keys = ["id", "name", "type", "config", "is_verified", "created_at", "url_digest", "secret_digest"];
  expect(Object.keys(channel)).toEqual(keys);
  expect(channel).toEqual({
    id: expect.stringMatching(/^ch_[0-9A-Za-z]{16}$/),
    name: "ops",
    type: "webhook",
    config: { url: "https://x.example/[redacted]", secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) },
    is_verified: false,
    created_at: "2026-11-21T12:00:00.000Z",
    url_digest: sha256Hex(URL_CONFIG.url).slice(0, 4),
    secret_digest: expect.stringMatching(/^[0-9a-f]{8}$/),
  });
  expect(message).toBe("test the channel to verify it");
  expect(storedChannel(channel.id).config).toMatchObject({ secret: (channel.config as { secret: string }).secret });
  // The generated secret is shown only once.
  expect(records.channels.get(TEAM, channel.id)).toMatchObject({ value: { config: { secret: "[redacted]" } } });
  const again = await records.channels.update(TEAM, channel.id, { name: "other" });
  expect(again).toMatchObject({ value: { message: "test the channel to verify it" } });
  expect(again).toMatchObject({ value: { channel: { config: { secret: "[redacted]" } } } });
});

it("the response to a new destination names the channel that has it", async () => {
  const id = await createWebhook();
  const url = storedChannel(id).config.url;
  const other = await createChannel({ name: "other", type: "webhook", config: { url } });
  expect(other.message).toBe(`the channel ops (${id}) has the same url; test the channel to verify it`);
  const renamed = await records.channels.update(TEAM, other.channel.id, { name: "third" });
  expect(renamed).toMatchObject({ value: { message: "test the channel to verify it" } });
});

it("creating a channel redacts a secret that the client sent", async () => {
  const { channel } = await createChannel({ name: "ops", type: "webhook", config: FULL });
  expect(channel.config).toEqual({
    url: "https://hooks.example.com:8443/[redacted]",
    headers: { "X-Key": "[redacted]", Authorization: "[redacted]" },
    secret: "[redacted]",
  });
});

it.each([
  ["email", undefined, /config\.address is missing/],
  ["email", {}, /config\.address is missing/],
  ["email", { address: "ops@example.org" }, /ADDRSIFT_SMTP_URL/],
  ["webhook", undefined, /config\.url is missing/],
  ["webhook", { events: ["lists.updated"] }, /config\.url is missing/],
])("the response to creating type %s with config %j names the next step", async (type, config, message) => {
  const response = await createChannel({ name: "ops", type, config });
  expect(response.message).toMatch(message);
  expect(response.channel.is_verified).toBe(false);
  expect(response.channel.config).toEqual(config ?? {});
});

it("a team can't create more than 1,000 channels", async () => {
  const first = storedChannel(await createWebhook());
  await records.store.change((transaction) => {
    for (let i = 1; i < 1000; i += 1) transaction.records(CHANNELS).set(`ch_${i}`, { ...first, id: `ch_${i}` });
  });
  expect(await records.channels.create(TEAM, { name: "one more", type: "email" })).toEqual({
    ok: false,
    fault: { code: "LIMIT_REACHED", message: "the team has 1000 channels: delete one first" },
  });
  expect((await records.channels.create("other", { name: "first", type: "email" })).ok).toBe(true);
});

it("a team can't store more than 1 MiB of channels, but can still shrink them", async () => {
  const headers = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`X-${i}`, "x".repeat(390)]));
  const config = { url: "https://hooks.example.com/in", headers };
  const first = storedChannel((await createChannel({ name: "a", type: "webhook", config })).channel.id);
  const id = (i: number): string => `ch_${String(i).padStart(16, "0")}`;
  await records.store.change((transaction) => {
    const count = Math.floor((1 << 20) / Buffer.byteLength(JSON.stringify(first)));
    for (let i = 1; i < count; i += 1) transaction.records(CHANNELS).set(id(i), { ...first, id: id(i) });
  });
  const limit = {
    ok: false,
    fault: { code: "LIMIT_REACHED", message: expect.stringMatching(/^the team has over 1 MiB of channels: delete/) },
  };
  expect(await records.channels.create(TEAM, { name: "b", type: "webhook", config })).toEqual(limit);
  const longer = { config: { headers: { "X-0": "x".repeat(500) } } };
  expect((await records.channels.update(TEAM, first.id, { name: "b" })).ok).toBe(true);
  const small = await createChannel({ name: "c", type: "email" });
  expect(await records.channels.update(TEAM, small.channel.id, { name: "d" })).toMatchObject({ ok: true });
  await records.store.change((transaction) => {
    transaction.records(CHANNELS).set(id(1000), { ...first, id: id(1000) });
  });
  expect(await records.channels.update(TEAM, id(1), longer)).toEqual(limit);
  expect(await records.channels.update(TEAM, id(1), { config: { headers: null } })).toMatchObject({ ok: true });
  expect((await records.channels.create("other", { name: "b", type: "webhook", config })).ok).toBe(true);
});

it("repeating a creation with its Idempotency-Key, team and body returns the same channel for 24 hours", async () => {
  const body = { name: "once", type: "webhook", config: { url: "https://x.example/in" } };
  // Reopens the store for each call, like another process.
  const create = async (team = TEAM, requestBody: object = body) => {
    const outcome = await records.reopen().channels.create(team, requestBody, "key");
    return outcome.ok ? outcome.value : outcome.fault.code;
  };
  const first = (await create()) as ChannelResponse;
  const other = (await create("other")) as ChannelResponse;
  expect([other.isRepeated, other.channel.id === first.channel.id]).toEqual([undefined, false]);
  expect(await create(TEAM, { ...body, name: "twice" })).toBe("IDEMPOTENCY_KEY_REUSED");
  const reordered = { config: body.config, type: body.type, name: body.name };
  expect(await create(TEAM, reordered)).toEqual({ ...first, isRepeated: true });
  await patchChannel(first.channel.id, { config: { secret: SECRET } });
  expect(await create()).toBe("IDEMPOTENCY_KEY_REUSED");
  records.clock.nowMs += 86_399_999;
  expect(await create("other")).toEqual({ ...other, isRepeated: true });
  records.clock.nowMs += 1;
  expect(await create("other")).not.toHaveProperty("isRepeated");
  expect(records.channels.list("other")).toHaveLength(2);
});

it("a channel name is limited in characters, not UTF-16 units", async () => {
  const { channel } = await createChannel({ name: "🔔".repeat(100), type: "email" });
  expect(channel.name).toBe("🔔".repeat(100));
  const outcome = await records.channels.create(TEAM, { name: "🔔".repeat(101), type: "email" });
  expect(outcome.ok).toBe(false);
});

const webhookBody = (config: object): object => ({ name: "a", type: "webhook", config });
const emailBody = (config: object): object => ({ name: "a", type: "email", config });
const URL_CONFIG = { url: "https://x.example/" };
const headersBody = (value: object): object => webhookBody({ ...URL_CONFIG, headers: value });
const numberedHeaders = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, "a"]));

/** Invalid bodies, and the messages that reject them. */
const INVALID_BODIES: readonly (readonly [description: string, body: unknown, message: RegExp])[] = [
  ["an array", [], /^the body /],
  ["null", null, /^the body /],
  ["no name", { type: "email" }, /^name is missing/],
  ["a name that is not a string", { name: 5, type: "email" }, /^name /],
  ["an empty name", { name: "", type: "email" }, /^name /],
  ["a blank name", { name: "  ", type: "email" }, /^name /],
  ["a long name", { name: "x".repeat(101), type: "email" }, /^name /],
  ["a name with a control character", { name: "a\u0007", type: "email" }, /^name /],
  ["a name with a C1 control character", { name: "a\u009b", type: "email" }, /^name /],
  ["no type", { name: "a" }, /^type is missing/],
  ["an unknown type", { name: "a", type: "sms" }, /^type is unknown: use email, webhook/],
  ["a type from the prototype", { name: "a", type: "constructor" }, /^type /],
  ["an unknown field", { name: "a", type: "email", is_verified: true }, /^is_verified /],
  ["a config that is not an object", { name: "a", type: "email", config: "x" }, /^config /],
  ["an unknown config field", emailBody({ adress: "a@example.org" }), /^config\.adress /],
  ["a field of the other type", emailBody({ url: "https://x.example/" }), /^config\.url /],
  ["__proto__", JSON.parse('{"name":"a","type":"email","config":{"__proto__":{"a":"b"}}}'), /^config\.__proto__/],
  ["an address that is not a string", emailBody({ address: 1 }), /^config\.address\b/],
  ["a malformed address", emailBody({ address: "ops@@example.org" }), /^config\.address: there is more than one @$/],
  ["an empty address", emailBody({ address: "" }), /^config\.address\b/],
  ["two addresses", emailBody({ address: "a@example.org,b@example.org" }), /^config\.address\b/],
  ["a second recipient", emailBody({ address: "ops@example.org\r\nRCPT TO:<evil@example.org>" }), /^config\.address\b/],
  ["a disposable address", emailBody({ address: "ops@mailinator.com" }), /^config\.address: .*disposable/],
  ["an unknown event", emailBody({ events: ["all"] }), /^config\.events .*detection\.completed/],
  ["an empty list of events", emailBody({ events: [] }), /^config\.events is empty: leave it out or send null/],
  ["events that are not a list", emailBody({ events: "channel.test" }), /^config\.events /],
  ["a url that is not a string", webhookBody({ url: {} }), /^config\.url /],
  ["known and unknown events", emailBody({ events: ["lists.updated", "all"] }), /^config\.events .*detection/],
  ["a url whose scheme only ends in https", webhookBody({ url: "xhttps://x.example/" }), /^config\.url /],
  ["a url of another scheme", webhookBody({ url: "ftp://x.example/" }), /^config\.url /],
  ["a javascript url", webhookBody({ url: "javascript:alert(1)" }), /^config\.url /],
  ["a relative url", webhookBody({ url: "/in" }), /^config\.url /],
  ["a url without slashes", webhookBody({ url: "https:x.example" }), /^config\.url /],
  ["a url without host", webhookBody({ url: "https://" }), /^config\.url /],
  ["a url with a line break", webhookBody({ url: "https://x.ex\nample/" }), /^config\.url /],
  ["a url with a backslash", webhookBody({ url: "https://x.example\\@y.example/" }), /^config\.url /],
  ["a long url", webhookBody({ url: `https://x.example/${"a".repeat(2048)}` }), /^config\.url /],
  ["a redacted url", webhookBody({ url: "https://x.example/[redacted]" }), /^config\.url /],
  ["a secret without url", webhookBody({ secret: SECRET }), /^config\.url is missing/],
  ["headers without url", webhookBody({ headers: { A: "b" } }), /^config\.url is missing/],
  ["a short secret", webhookBody({ ...URL_CONFIG, secret: `whsec_${btoa("x".repeat(23))}` }), /^config\.secret /],
  ["a long secret", webhookBody({ ...URL_CONFIG, secret: `whsec_${btoa("x".repeat(65))}` }), /^config\.secret /],
  ["a secret without prefix", webhookBody({ ...URL_CONFIG, secret: btoa("x".repeat(32)) }), /^config\.secret /],
  [
    "a badly padded secret",
    webhookBody({ ...URL_CONFIG, secret: `whsec_${btoa("x".repeat(32))}=` }),
    /^config\.secret/,
  ],
  ["a secret that is not a string", webhookBody({ url: "https://x.example/", secret: 7 }), /^config\.secret /],
  ["a redacted url in lowercase", webhookBody({ url: "https://x.example/%5bredacted%5d" }), /^config\.url /],
  ["a name with a bidi character", { name: "ops\u202egnp", type: "email" }, /^name has .*: remove them/],
  ["a redacted secret", webhookBody({ url: "https://x.example/", secret: "[redacted]" }), /^config\.secret /],
  ["headers that are not an object", headersBody([]), /^config\.headers /],
  [
    "more than 8 KiB of headers",
    headersBody(Object.fromEntries(["A", "B", "C"].map((name) => [name, "v".repeat(2730)]))),
    /^config\.headers has 8193 bytes .*at most 8192/,
  ],
  ["a header with an invalid name", headersBody({ "X Key": "a" }), /^config\.headers /],
  ["a header with an empty name", headersBody({ "": "a" }), /^config\.headers /],
  ["a header with a line break", headersBody({ "X-Key": "a\r\nHost: evil" }), /^config\.headers\.X-Key /],
  ["a header with an empty value", headersBody({ "X-Key": "" }), /^config\.headers\.X-Key /],
  ["a header with a number", headersBody({ "X-Key": 1 }), /^config\.headers\.X-Key /],
  ["a header that is not ASCII", headersBody({ "X-Key": "ä" }), /^config\.headers\.X-Key /],
  ["a redacted header", headersBody({ "X-Key": "[redacted]" }), /^config\.headers\.X-Key /],
  ["a repeated header", headersBody({ "X-Key": "a", "x-key": "b" }), /^config\.headers\.x-key .*repeated/],
  ["21 headers", headersBody(numberedHeaders(21)), /^config\.headers has more than 20 headers/],
  ..."Host connection Transfer-Encoding content-type Content-Length webhook-id Webhook-Signature Upgrade"
    .split(" ")
    .map(
      (name) =>
        [`the header ${name}`, headersBody({ [name]: "a" }), /^config\.headers\.\S+ is set by addrsift/] as const,
    ),
];

/** Configs of a webhook at the limits. */
const CONFIGS_AT_LIMITS: readonly (readonly [description: string, config: object])[] = [
  ...[24, 63, 64].map(
    (bytes) => [`a secret of ${bytes} bytes`, { secret: `whsec_${btoa("x".repeat(bytes))}` }] as const,
  ),
  ["20 headers", { headers: numberedHeaders(20) }],
  ["8192 bytes of headers", { headers: { "X-1": "v".repeat(4096), "X-2": "v".repeat(4090) } }],
];

it.each(CONFIGS_AT_LIMITS)("creating a channel accepts %s", async (_, config) => {
  const outcome = await records.channels.create(TEAM, webhookBody({ url: "https://x.example/", ...config }));
  expect(outcome).toMatchObject({ ok: true });
  expect(records.channels.list(TEAM)).toHaveLength(1);
});

it.each(INVALID_BODIES)("creating a channel rejects %s", async (_, body, message) => {
  const outcome = await records.channels.create(TEAM, body);
  expect(outcome).toEqual({ ok: false, fault: { code: "INVALID_BODY", message: expect.stringMatching(message) } });
  expect((outcome as { fault: { message: string } }).fault.message).toMatch(/: /);
  expect(records.channels.list(TEAM)).toEqual([]);
});

it("updating a channel with its own redacted response changes nothing", async () => {
  const id = await createWebhook();
  const before = storedChannel(id);
  const response = records.channels.get(TEAM, id);
  if (!response.ok) throw new Error("the channel was not found");
  const file = readFileSync(records.path, "utf8");
  expect(await patchChannel(id, { code: "SUCCESS", ...response.value })).toEqual(before);
  // A delivery or another verification message may have changed the state since the client read it.
  const at = "2026-01-01T00:00:00.000Z";
  const state = { last_delivery: { status: "pending", at }, failing_since: null, verification_expires_at: at };
  expect(await patchChannel(id, { ...response.value, ...state })).toEqual(before);
  expect(readFileSync(records.path, "utf8")).toBe(file);
  expect(await patchChannel(id, { config: { headers: { "x-KEY": "[redacted]" } } })).toEqual(before);
});

const OTHER_URL = "https://hooks.example.com:8443/other";
const OTHER_PORT = "https://hooks.example.com/x";
const OTHER_SECRET = `whsec_${btoa("y".repeat(24))}`;
/** Patches of a verified webhook with all fields; its config afterwards, and whether it is still verified. */
const PATCHES: readonly (readonly [patch: object, config: object, verified: boolean])[] = [
  [{ name: "new" }, FULL, true],
  [{ config: {} }, FULL, true],
  [{ config: { events: ["lists.updated"] } }, { ...FULL, events: ["lists.updated"] }, true],
  [{ config: { headers: { "X-Key": null } } }, { ...FULL, headers: { Authorization: "Bearer AUTH" } }, true],
  [{ config: { headers: { "x-key": "b" } } }, { ...FULL, headers: { ...FULL.headers, "X-Key": "b" } }, true],
  [{ config: { headers: null } }, { url: URL_TEXT, secret: SECRET }, true],
  [{ config: { headers: { "X-Key": null, authorization: null } } }, { url: URL_TEXT, secret: SECRET }, true],
  [{ config: { url: OTHER_URL } }, { ...FULL, url: OTHER_URL }, false],
  [{ config: { url: "HTTPS://HOOKS.example.com:8443/services/T0KEN?key=QUERY" } }, FULL, true],
  [{ config: { secret: OTHER_SECRET } }, { ...FULL, secret: OTHER_SECRET }, true],
  [{ config: { secret: SECRET } }, FULL, true],
  [{ config: { url: OTHER_PORT, secret: SECRET } }, { url: OTHER_PORT, secret: SECRET }, false],
  [
    {
      config: {
        url: "http://hooks.example.com:8443/x",
        secret: SECRET,
        headers: { "X-Key": "new", Authorization: "[redacted]" },
      },
    },
    { url: "http://hooks.example.com:8443/x", secret: SECRET, headers: { "X-Key": "new" } },
    false,
  ],
  [{ config: { url: null } }, {}, false],
  [{ config: null }, {}, false],
];

it.each(PATCHES)("updating a channel accepts %j", async (patch, config, verified) => {
  const id = await createWebhook();
  const channel = await patchChannel(id, patch);
  expect(channel.config).toEqual(config);
  expect(channel.is_verified).toBe(verified);
});

it.each([
  "https://evil.example/in",
  "https://hooks.example.com/services/T0KEN",
  "http://hooks.example.com:8443/services/T0KEN",
  "https://hooks.example.com.evil.example:8443/",
  "https://hooks.example.com:8443@evil.example/",
])("moving a webhook to %s, another origin, drops its headers and secret", async (url) => {
  const id = await createWebhook();
  const outcome = await records.channels.update(TEAM, id, {
    config: { url, secret: "[redacted]", headers: { "X-Key": "[redacted]" } },
  });
  const { config } = storedChannel(id);
  expect(config).toEqual({ url, secret: expect.stringMatching(/^whsec_/) });
  const { secret } = config as { secret: string };
  expect(secret).not.toBe(SECRET);
  expect(outcome).toMatchObject({
    value: {
      channel: { is_verified: false, config: { secret } },
      message: expect.stringMatching(/the secret was replaced and any previous headers were removed; test the channel/),
    },
  });
});

it("removing the secret of a webhook generates a new one, which only that response shows", async () => {
  const id = await createWebhook();
  const outcome = await records.channels.update(TEAM, id, { config: { secret: null } });
  const { secret } = storedChannel(id).config as { secret: string };
  expect(secret).not.toBe(SECRET);
  expect(outcome).toMatchObject({ value: { channel: { is_verified: true, config: { secret } } } });
  expect(records.channels.get(TEAM, id)).toMatchObject({ value: { config: { secret: "[redacted]" } } });
});

it("config.email is a synonym of config.address", async () => {
  const { channel } = await createChannel({ name: "a", type: "email", config: { email: "ops@example.org" } });
  expect(channel.config).toEqual({ address: "ops@example.org" });
  expect((await patchChannel(channel.id, { config: { email: "two@example.org" } })).config.address).toBe(
    "two@example.org",
  );
  expect(await patchFault(channel.id, { config: { email: "x", address: "y@a.org" } })).toMatch(/^config\.email /);
});

it("changing the address of a channel ends its verification, and a disposable address is rejected", async () => {
  const { channel } = await createChannel(emailBody({ address: "ops@example.org" }));
  await records.channels.setVerified(storedChannel(channel.id), true);
  expect((await patchChannel(channel.id, { config: { address: "ops@example.org" } })).is_verified).toBe(true);
  expect(await patchFault(channel.id, { config: { address: "ops@mailinator.com" } })).toMatch(/^config\.address\b/);
  expect((await patchChannel(channel.id, { config: { address: "two@example.org" } })).is_verified).toBe(false);
});

it("adding the url to a webhook that was created without config generates a secret", async () => {
  const { channel } = await createChannel({ name: "later", type: "webhook" });
  const outcome = await records.channels.update(TEAM, channel.id, { config: { url: "https://x.example/in" } });
  expect(outcome).toMatchObject({
    value: { channel: { config: { secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]/) } } },
  });
});

it.each([
  [null, /^the body/],
  [[], /^the body/],
  [{ name: null }, /^name is missing/],
  [{ name: "" }, /^name /],
  [{ type: "email" }, /^type is read-only/],
  [{ is_verified: false }, /^is_verified is read-only/],
  [{ id: "ch_x" }, /^id is read-only/],
  [{ created_at: "2026-01-01T00:00:00.000Z" }, /^created_at is read-only .*, and send only the fields to change$/],
  [{ enabled: false }, /^enabled is not a field of a channel: use name, or put it in config$/],
  [{ config: { previous_secret_until: null } }, /^config\.previous_secret_until is not a field of type webhook/],
  [
    { previous_secret_until: "2026-11-29T00:00:00Z" },
    /^previous_secret_until is read-only .* with config\.revoke_previous$/,
  ],
  [{ team: "default" }, /^team /],
  [{ config: [] }, /^config /],
  [{ config: { url: "https://other.example/[redacted]" } }, /^config\.url is redacted/],
  [{ config: { url: "https://hooks.example.com:8443/[redacted]?x" } }, /^config\.url is redacted/],
  [{ config: { headers: { "X-New": "[redacted]" } } }, /^config\.headers\.X-New is redacted/],
  [{ config: { headers: { "X-Key": "a", "x-key": "b" } } }, /^config\.headers\.\S+ .*repeated/],
  [{ config: { address: "a@example.org" } }, /^config\.address\b/],
  [{ config: { secret: "whsec_x" } }, /^config\.secret /],
])("updating a channel rejects %j", async (patch, message) => {
  const id = await createWebhook();
  const before = storedChannel(id);
  expect(await patchFault(id, patch)).toMatch(message);
  expect(storedChannel(id)).toEqual(before);
});

it("another team's channel is not found", async () => {
  const id = await createWebhook();
  for (const unknown of [id, "ch_0000000000000000", "", "__proto__"]) {
    const outcomes = [
      records.channels.get("other", unknown),
      await records.channels.update("other", unknown, { name: "x" }),
      await records.channels.update("other", unknown, null),
      await records.channels.delete("other", unknown),
    ];
    for (const outcome of outcomes)
      expect(outcome).toEqual({ ok: false, fault: { code: "NOT_FOUND", message: expect.any(String) } });
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
  }
  expect(records.channels.list("other")).toEqual([]);
  expect(storedChannel(id).name).toBe("ops");
});

it("setVerified verifies a channel only if its url has not changed since the test", async () => {
  const id = await createWebhook();
  const tested = storedChannel(id);
  await patchChannel(id, { config: { url: "https://hooks.example.com:8443/other" } });
  expect(await records.channels.setVerified(tested, true)).toBe(false);
  expect(storedChannel(id).is_verified).toBe(false);
  expect(await records.channels.setVerified(storedChannel(id), true)).toBe(true);
  expect(storedChannel(id).is_verified).toBe(true);
  await records.channels.delete(TEAM, id);
  expect(await records.channels.setVerified(tested, true)).toBe(false);
});

// Appendix A of the RFC.
it.each([
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])("merging %j with the patch %j returns %j", (target, patch, result) => {
  expect(mergePatch(target, patch)).toEqual(result);
});
