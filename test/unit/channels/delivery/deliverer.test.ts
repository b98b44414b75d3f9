// Tests deliveries to a real receiver that verifies signatures: tests, retries, rejections, subscriptions, limits, a
// wrong clock, and secrets that are sent nowhere else.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, it } from "vitest";
import { MAX_ATTEMPTS } from "../../../../src/channels/attempt.ts";
import { DELIVERIES, type DeliveryRecord } from "../../../../src/channels/delivery/record.ts";
import { createEvent } from "../../../../src/channels/events.ts";
import type { ChannelRecord } from "../../../../src/channels/record.ts";
import { Store } from "../../../../src/store/store.ts";
import { startMailServer } from "../../../helpers/mail-server.ts";
import { openTestNotifications, type TestNotifications } from "../../../helpers/notifications.ts";
import { type Answer, type Receiver, startReceiver, status } from "../../../helpers/receiver.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let receiver: Receiver;
let ctx: TestNotifications;
beforeEach(async () => {
  receiver = await startReceiver();
  ctx = openTestNotifications();
});
afterEach(async () => {
  ctx.remove();
  await receiver.close();
});

const webhookBody = (config: object = {}): Readonly<Record<string, unknown>> => ({
  name: "hook",
  type: "webhook",
  config: { url: `${receiver.url}/in`, ...config },
});

async function createVerified(config: object = {}): Promise<ChannelRecord> {
  const channel = await ctx.create(webhookBody(config));
  const outcome = await ctx.notifications.test("default", channel.id);
  if (!outcome.ok) throw new Error(outcome.fault.message);
  receiver.received.length = 0;
  return find(channel);
}

function find({ id }: { readonly id: string }): ChannelRecord {
  return ctx.channels.find("default", id) as ChannelRecord;
}

function secretOf(channel: ChannelRecord): string {
  return (channel.config as { secret?: string }).secret ?? "";
}

/** Returns the received payloads. Throws if a signature is invalid. */
function verifiedPayloads(channel: ChannelRecord): { readonly type: string; readonly data: Record<string, unknown> }[] {
  const webhook = new Webhook(secretOf(channel));
  return receiver.received.map(
    (request) =>
      webhook.verify(request.body, request.headers as Record<string, string>) as ReturnType<
        typeof verifiedPayloads
      >[number],
  );
}

function completedEvent(rows = 3): ReturnType<typeof createEvent<"detection.completed">> {
  const data = { rows, classes: { valid: rows }, duration_ms: 5, exit_status: 0, data_version: "2026.11" };
  return createEvent("detection.completed", data, ctx.clock.nowMs);
}

/** Opens the store of deliveries like another process. */
function openDeliveries({ home }: TestNotifications): Store {
  return new Store({ folder: home, file: "deliveries.json", warn: () => {} }, [DELIVERIES]);
}

/** Publishes an event and attempts all due deliveries. */
async function publishAndDeliver(): Promise<void> {
  await ctx.notifications.publish(completedEvent());
  await ctx.deliver();
}

it.each([200, 201, 204])("a webhook test that gets the status %i verifies the channel", async (code) => {
  receiver.answer = status(code);
  const channel = await ctx.create(webhookBody());
  expect(await ctx.notifications.test("default", channel.id)).toMatchObject({
    ok: true,
    value: {
      channel: { id: channel.id, name: "hook", is_verified: true },
      message: "The webhook accepted the test: the channel is verified.",
    },
  });
  expect(find(channel).is_verified).toBe(true);
  const [payload] = verifiedPayloads(channel);
  expect(payload).toMatchObject({ type: "channel.test", version: 1, data: { channel_id: channel.id } });
  expect(ctx.deliveries(channel)).toMatchObject([{ event: "channel.test", status: "delivered", attempts: 1 }]);
});

const failures: readonly (readonly [string, Answer, RegExp])[] = [
  ["a redirect", status(302, { location: "/elsewhere" }), /answered 302: redirects are not followed/],
  ["410", status(410), /answered 410/],
  ["429", status(429, { "retry-after": "1" }), /answered 429/],
  ["a closed connection", (response) => response.destroy(), /closed the connection/],
];
it.each(failures)("a webhook test that gets %s fails without a retry", async (_, answer, message) => {
  receiver.answer = answer;
  const channel = await ctx.create(webhookBody());
  const outcome = await ctx.notifications.test("default", channel.id);
  expect(outcome).toMatchObject({ ok: false, fault: { code: "TEST_FAILED", message: expect.stringMatching(message) } });
  expect(find(channel).is_verified).toBe(false);
  ctx.clock.nowMs += 10 * DAY;
  await ctx.deliver();
  expect(receiver.received).toHaveLength(1);
  expect(ctx.deliveries(channel)).toMatchObject([{ status: "failed", attempts: 1 }]);
});

it("testing an incomplete, an unknown or another team's channel is rejected", async () => {
  const channel = await ctx.create(webhookBody());
  expect(await ctx.notifications.test("other", channel.id)).toMatchObject({ fault: { code: "NOT_FOUND" } });
  expect(await ctx.notifications.test("default", "ch_nothing")).toMatchObject({ fault: { code: "NOT_FOUND" } });
  const empty = await ctx.create({ name: "later", type: "webhook" });
  expect(await ctx.notifications.test("default", empty.id)).toMatchObject({ fault: { code: "INVALID_BODY" } });
  expect(receiver.connections()).toBe(0);
});

it("a test does not verify a webhook whose url changes during the test", async () => {
  const channel = await ctx.create(webhookBody());
  receiver.answer = async (response) => {
    await ctx.channels.update("default", channel.id, { config: { url: `${receiver.url}/other` } });
    response.writeHead(200).end();
  };
  expect(await ctx.notifications.test("default", channel.id)).toMatchObject({ fault: { code: "TEST_FAILED" } });
  expect(find(channel).is_verified).toBe(false);
});

it("an event is recorded for channels whose config includes it, and waits for unverified ones", async () => {
  const all = await createVerified();
  const some = await createVerified({ events: ["lists.updated"] });
  const none = await createVerified({ events: ["lists.update_failed"] });
  const unverified = await ctx.create(webhookBody());
  const paused = await createVerified({ enabled: false });
  const published = await ctx.notifications.publish(completedEvent());
  expect(published.deliveries).toHaveLength(2);
  const lists = { data_version: "2", previous_data_version: "1", disposable_added: 5, disposable_removed: 0 };
  await ctx.notifications.publish(createEvent("lists.updated", lists, ctx.clock.nowMs));
  await ctx.deliver();
  expect(ctx.deliveries(all).map(({ event }) => event)).toEqual([
    "lists.updated",
    "detection.completed",
    "channel.test",
  ]);
  expect(ctx.deliveries(some).map(({ event }) => event)).toEqual(["lists.updated", "channel.test"]);
  expect(ctx.deliveries(none).map(({ event }) => event)).toEqual(["channel.test"]);
  expect(ctx.deliveries(paused).map(({ event }) => event)).toEqual(["channel.test"]);
  expect(ctx.deliveries(unverified)).toMatchObject([
    { event: "lists.updated", status: "pending", attempts: 0 },
    { event: "detection.completed", status: "pending", attempts: 0 },
  ]);
  expect(receiver.received).toHaveLength(3);
  await ctx.notifications.test("default", unverified.id);
  await ctx.deliver();
  expect(ctx.deliveries(unverified).map(({ status }) => status)).toEqual(["delivered", "delivered", "delivered"]);
});

it("publishTo rejects an event that the channel does not receive, and waits if it is unverified", async () => {
  const channel = await createVerified({ events: ["lists.updated"] });
  const unverified = await ctx.create(webhookBody());
  const publishFault = async (id: string): Promise<string> => {
    const outcome = await ctx.notifications.publishTo(id, completedEvent());
    return outcome.ok ? "" : outcome.fault.message;
  };
  expect(await publishFault("ch_nothing")).toMatch(/there is no such channel/);
  expect(await publishFault(channel.id)).toMatch(/does not receive detection.completed: add it to config.events/);
  expect(await publishFault(unverified.id)).toBe("");
  await ctx.deliver();
  expect(ctx.deliveries(unverified)[0]).toMatchObject({ status: "pending", attempts: 0 });
  expect(receiver.received).toEqual([]);
  const { id } = await createVerified();
  expect(await ctx.notifications.publishTo(id, completedEvent())).toMatchObject({ ok: true, value: { rejected: 0 } });
});

it("a delivery is on disk before its first attempt", async () => {
  const channel = await createVerified();
  let storedDelivery: unknown;
  receiver.answer = (response, { headers }) => {
    const stored = JSON.parse(readFileSync(join(ctx.home, "deliveries.json"), "utf8"));
    storedDelivery = stored.collections.deliveries.records[headers["webhook-id"] as string];
    response.writeHead(200).end();
  };
  await publishAndDeliver();
  expect(storedDelivery).toMatchObject({ status: "pending", attempts: 1, channel_id: channel.id });
});

it("a failed delivery is retried with the same id and body until it succeeds", async () => {
  const channel = await createVerified();
  receiver.answer = (response, _, count) => {
    ctx.clock.nowMs += 10 * count;
    response.writeHead(count < 3 ? 500 : 200).end();
  };
  await publishAndDeliver();
  expect(ctx.deliveries(channel)[0]).toMatchObject({
    status: "pending",
    attempts: 1,
    attempt_log: [{ ok: false, duration_ms: 10, http_status: 500, error: "the webhook answered 500" }],
  });
  await ctx.deliver();
  expect(receiver.received).toHaveLength(1);
  ctx.clock.nowMs += 5000;
  await ctx.deliver();
  expect(receiver.received).toHaveLength(2);
  ctx.clock.nowMs += 29_999;
  await ctx.deliver();
  expect(receiver.received).toHaveLength(2);
  ctx.clock.nowMs += 1;
  await ctx.deliver();
  expect(receiver.received).toHaveLength(3);
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(new Set(receiver.received.map((request) => request.body)).size).toBe(1);
  verifiedPayloads(channel);
  const [delivery] = ctx.deliveries(channel);
  expect(delivery).toMatchObject({
    status: "delivered",
    attempts: 3,
    attempt_log: [{ ok: false }, { ok: false }, { ok: true, duration_ms: 30, http_status: 200 }],
  });
  const views = ctx.notifications.deliveries("default", channel.id);
  expect(views).toMatchObject({
    value: [{ last_duration_ms: 30, last_http_status: 200, payload: JSON.parse(receiver.received[0]?.body ?? "") }, {}],
  });
  expect(views).not.toHaveProperty("value.0.last_error");
  expect(delivery).not.toHaveProperty("lease");
});

it.each([
  ["a text", " database\n is down ", "; it said: database is down"],
  ["a long text", "x".repeat(300), `; it said: ${"x".repeat(199)}…`],
  ["HTML", "<html>Bad Gateway</html>", ""],
  ["white space", "\r\n", ""],
])("the error of a failed delivery has the start of a response, if it is text: %s", async (_, body, shown) => {
  const channel = await createVerified();
  receiver.answer = (response) => response.writeHead(500).end(body);
  await publishAndDeliver();
  expect(ctx.deliveries(channel)[0]?.attempt_log[0]?.error).toBe(`the webhook answered 500${shown}`);
});

it("a delivery fails after its last attempt", async () => {
  const channel = await createVerified();
  receiver.answer = status(503);
  await ctx.notifications.publish(completedEvent());
  for (let i = 0; i < MAX_ATTEMPTS + 3; i++) {
    await ctx.deliver();
    ctx.clock.nowMs += 2 * DAY;
  }
  expect(receiver.received).toHaveLength(MAX_ATTEMPTS);
  expect(ctx.deliveries(channel)[0]).toMatchObject({
    status: "failed",
    attempts: MAX_ATTEMPTS,
    attempt_log: Array(MAX_ATTEMPTS).fill(expect.objectContaining({ error: "the webhook answered 503" })),
  });
});

it("a Retry-After longer than the retry delay postpones the retry", async () => {
  const channel = await createVerified();
  receiver.answer = (response, _, count) => {
    if (count === 1) response.writeHead(429, { "Retry-After": "3600" });
    response.end();
  };
  await publishAndDeliver();
  ctx.clock.nowMs += HOUR - 1;
  await ctx.deliver();
  expect(receiver.received).toHaveLength(1);
  ctx.clock.nowMs += 1;
  await ctx.deliver();
  expect(ctx.deliveries(channel)[0]).toMatchObject({ status: "delivered", attempts: 2 });
});

it("a response with status 410 stops retries and ends the channel's verification", async () => {
  const channel = await createVerified();
  receiver.answer = status(410);
  await publishAndDeliver();
  expect(find(channel).is_verified).toBe(false);
  expect(ctx.deliveries(channel)[0]).toMatchObject({ status: "failed", attempts: 1 });
  await publishAndDeliver();
  ctx.clock.nowMs += DAY;
  await ctx.deliver();
  expect(ctx.deliveries(channel)[0]).toMatchObject({ status: "pending", attempts: 0 });
  expect(receiver.received).toHaveLength(1);
});

it("a delivery waits while its channel is unverified, and fails after three days", async () => {
  const channel = await createVerified();
  await ctx.notifications.publish(completedEvent(1));
  await ctx.notifications.publish(completedEvent(2));
  await ctx.channels.update("default", channel.id, { config: { url: `${receiver.url}/other` } });
  await ctx.deliver();
  expect(receiver.received).toHaveLength(0);
  expect(ctx.deliveries(channel)[0]).toMatchObject({
    status: "pending",
    attempts: 0,
    unsent_reason: expect.stringMatching(/not verified/),
  });
  await ctx.notifications.test("default", channel.id);
  await ctx.deliver();
  expect(verifiedPayloads(find(channel)).map(({ data: { rows } }) => rows)).toEqual([undefined, 1, 2]);
  await ctx.notifications.publish(completedEvent());
  await ctx.channels.update("default", channel.id, { config: { url: `${receiver.url}/third` } });
  ctx.clock.nowMs += 3 * DAY + 1;
  await ctx.deliver();
  expect(ctx.deliveries(channel)[0]).toMatchObject({ status: "failed", attempts: 0 });
});

it("deleting a channel deletes its deliveries", async () => {
  const channel = await createVerified();
  await ctx.notifications.publish(completedEvent());
  await ctx.notifications.delete("default", channel.id);
  await ctx.deliver();
  expect(receiver.received).toHaveLength(0);
  expect(ctx.outbox.list(channel.id).filter(({ status: state }) => state === "pending")).toEqual([]);
  expect(ctx.notifications.deliveries("default", channel.id)).toMatchObject({ fault: { code: "NOT_FOUND" } });
});

it("at most eight attempts of a team run at once, and attempts of other teams still start", async () => {
  const hooks: ChannelRecord[] = [];
  for (let i = 0; i < 6; i++) hooks.push(await createVerified());
  const other = await ctx.create(webhookBody(), "others");
  await ctx.notifications.test("others", other.id);
  for (let i = 0; i < 3; i++) await ctx.notifications.publish(completedEvent(i));
  const first = await ctx.outbox.leaseDue(16);
  const teams = first.map(({ channel }) => channel.team);
  expect(teams.filter((team) => team === "default")).toHaveLength(8);
  expect(teams.filter((team) => team === "others")).toHaveLength(2);
  expect(hooks.every((hook) => first.filter(({ channel }) => channel.id === hook.id).length <= 2)).toBe(true);
  expect(await ctx.outbox.leaseDue(16)).toEqual([]);
});

it("a hanging receiver does not delay other channels", async () => {
  const slow = await startReceiver();
  const hanging = await ctx.create({ ...webhookBody(), config: { url: slow.url } });
  await ctx.notifications.test("default", hanging.id);
  const good = await createVerified();
  const pendingResponses: (() => void)[] = [];
  slow.answer = (response) => void pendingResponses.push(() => response.writeHead(200).end());
  for (let i = 0; i < 5; i++) await ctx.notifications.publish(completedEvent(i));
  const delivered = ctx.deliver();
  await expect.poll(() => receiver.received.length).toBe(5);
  // The test, and at most two attempts at once over all processes.
  expect(slow.received.length).toBeLessThanOrEqual(1 + 2);
  slow.answer = status(200);
  for (const respond of pendingResponses) respond();
  await delivered;
  expect(ctx.deliveries(good).filter(({ status: state }) => state === "delivered")).toHaveLength(6);
  expect(ctx.deliveries(hanging).filter(({ status: state }) => state === "delivered")).toHaveLength(6);
  await slow.close();
});

it("an email delivery is retried after a temporary rejection, and fails if the mailbox is rejected", async () => {
  const server = await startMailServer();
  const mailCtx = openTestNotifications({ smtpUrl: server.url, publicUrl: "https://n.example.com" });
  const channel = await mailCtx.create({ name: "Büro <ops>", type: "email", config: { address: "ops@example.org" } });
  const token = /verify\/([0-9a-f]{64})/.exec(server.mails[0]?.message.text ?? "")?.[1] ?? "";
  await mailCtx.verifications.confirm(token);
  server.refuse = (step) => (step === "data" && server.recipients.length < 3 ? 451 : undefined);
  await mailCtx.notifications.publish(completedEvent(1_234_567));
  await mailCtx.deliver();
  expect(mailCtx.deliveries(channel)[0]).toMatchObject({
    status: "pending",
    attempt_log: [
      { error: "the mail server temporarily refused the message (451); it said: 451 rejected by the test" },
    ],
  });
  mailCtx.clock.nowMs += 5000;
  await mailCtx.deliver();
  const { message } = server.mails[1] ?? {};
  expect(message?.subject).toBe("[Büro <ops>] Detection completed");
  expect(message?.text).toContain("1,234,567 rows were classified");
  expect(message?.html).toContain("Büro &lt;ops&gt;");
  expect(message?.messageId).toBe(`<${mailCtx.deliveries(channel)[0]?.id}@example.com>`);
  server.refuse = (step) => (step === "recipient" ? 550 : undefined);
  await mailCtx.notifications.publish(completedEvent());
  await mailCtx.deliver();
  expect(mailCtx.deliveries(channel)[0]).toMatchObject({ status: "failed", attempts: 1 });
  mailCtx.remove();
  await server.close();
});

it("changing the url of a webhook can't send its stored headers or secret to another origin", async () => {
  const other = await startReceiver();
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const channel = await createVerified({ headers: { "X-Api-Key": "hidden-value" }, secret });
  const attackConfigs: readonly object[] = [
    { url: `${other.url}/in` },
    { url: `${other.url}/in`, headers: { "X-Api-Key": "[redacted]" } },
    { url: `${other.url}/in`, secret: "[redacted]" },
    { url: `http://127.0.0.1:${receiver.port}@127.0.0.1:${other.port}/` },
    { url: `http://localhost:${other.port}/` },
  ];
  for (const config of attackConfigs) {
    await ctx.channels.update("default", channel.id, { config });
    await ctx.notifications.test("default", channel.id);
    // Restores the channel, whatever the attack changed.
    const restored = { url: `${receiver.url}/in`, headers: { "X-Api-Key": "hidden-value" }, secret };
    await ctx.channels.update("default", channel.id, { config: restored });
  }
  for (const { headers, body: text } of other.received) {
    expect(headers["x-api-key"] ?? "").not.toContain("hidden");
    expect(() => new Webhook(secret).verify(text, headers as Record<string, string>)).toThrow();
  }
  receiver.received.length = 0;
  receiver.answer = status(307, { location: `${other.url}/stolen` });
  await ctx.notifications.test("default", channel.id);
  expect(receiver.received).toHaveLength(1);
  expect(other.received.every(({ url }) => url !== "/stolen")).toBe(true);
  await other.close();
});

it("finished deliveries are deleted after 30 days, but pending ones are kept", async () => {
  const channel = await createVerified();
  receiver.answer = status(204);
  for (let i = 0; i < 4; i++) await ctx.notifications.publish(completedEvent(i));
  await ctx.deliver();
  expect(ctx.deliveries(channel)).toHaveLength(5);
  ctx.clock.nowMs += 31 * DAY;
  await ctx.notifications.publish(completedEvent(99));
  expect(ctx.deliveries(channel)).toMatchObject([{ status: "pending" }]);
});

it("a channel has at most 2,000 pending and 1,000 finished deliveries", async () => {
  const channel = await createVerified();
  const { added, rejected } = await ctx.outbox.add(
    Array.from({ length: 2000 }, () => channel),
    completedEvent(),
  );
  expect([added.length, rejected]).toEqual([2000, 0]);
  expect((await ctx.outbox.add([channel], completedEvent())).rejected).toBe(1);
  await openDeliveries(ctx).change((transaction) => {
    const deliveries = transaction.records(DELIVERIES);
    for (const [id, delivery] of deliveries) deliveries.set(id, { ...delivery, status: "delivered" });
  });
  await ctx.outbox.add([channel], completedEvent());
  const remaining = ctx.deliveries(channel);
  expect(remaining).toHaveLength(1001);
  expect(remaining[0]).toMatchObject({ status: "pending" });
  expect(remaining[1]?.id).toBe(added.at(-1)?.delivery.id);
});

it("a delivery is leased to one process until the lease expires", async () => {
  const channel = await createVerified();
  await ctx.notifications.publish(completedEvent());
  const other = openTestNotifications({ home: ctx.home });
  const [ownLeases, otherLeases] = await Promise.all([ctx.outbox.leaseDue(5), other.outbox.leaseDue(5)]);
  expect(ownLeases.length + otherLeases.length).toBe(1);
  other.clock.nowMs += 59_999;
  expect(await other.outbox.leaseDue(5)).toEqual([]);
  other.clock.nowMs += 1;
  const [secondLease] = await other.outbox.leaseDue(5);
  expect(secondLease?.delivery).toMatchObject({ attempts: 2 });
  // The first process finishes late: its failure does not count any more, but a success does.
  const [first] = [...ownLeases, ...otherLeases];
  const late = ownLeases.length === 1 ? ctx : openTestNotifications({ home: ctx.home });
  await late.outbox.finish(first?.delivery as never, { ok: false, reason: "late", verdict: "give_up" }, () => 0);
  expect(ctx.deliveries(channel)[0]).toMatchObject({
    status: "pending",
    attempts: 2,
    attempt_log: [{ ok: false, error: "late" }, {}],
  });
  late.clock.nowMs = Number(first?.delivery.attempt_log[0]?.at) + 65_000;
  await late.outbox.finish(first?.delivery as never, { ok: true }, () => 0);
  expect(ctx.deliveries(channel)[0]).toMatchObject({
    status: "delivered",
    attempt_log: [{ ok: true, duration_ms: 65_000 }, {}],
  });
});

it("the deliveries of a channel never contain its secrets", async () => {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const channel = await createVerified({
    url: `${receiver.url}/path-hidden?key=hidden`,
    headers: { "X-Key": "hidden-header" },
    secret,
  });
  receiver.answer = (response, { headers }) => {
    response.writeHead(500).end(`path-hidden key=hidden ${headers["x-key"]} ${secret}`);
  };
  await publishAndDeliver();
  const texts = JSON.stringify([
    ctx.notifications.deliveries("default", channel.id),
    readFileSync(join(ctx.home, "deliveries.json"), "utf8"),
    receiver.received.map((request) => request.body),
    await ctx.notifications.test("default", channel.id),
  ]);
  expect(texts).not.toMatch(/hidden/);
  expect(texts).not.toContain(secret);
});

it("at most two tests of a channel and eight of a team run at once; further tests get a Retry-After", async () => {
  const channels = await Promise.all(Array.from({ length: 6 }, () => ctx.create(webhookBody())));
  const other = await ctx.create(webhookBody(), "others");
  const pendingResponses: (() => void)[] = [];
  receiver.answer = (response) => void pendingResponses.push(() => response.writeHead(200).end());
  const tests = channels.flatMap(({ id }) => Array.from({ length: 5 }, () => ctx.notifications.test("default", id)));
  await expect.poll(() => pendingResponses.length).toBe(8);
  const otherTest = ctx.notifications.test("others", other.id);
  await expect.poll(() => pendingResponses.length).toBe(9);
  for (const respond of pendingResponses) respond();
  const outcomes = await Promise.all(tests);
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(8);
  for (const outcome of outcomes.filter(({ ok }) => !ok)) {
    expect(outcome).toMatchObject({ fault: { code: "RATE_LIMITED", retryAfterSeconds: 15 } });
  }
  expect(await otherTest).toMatchObject({ ok: true });
  expect(receiver.connections()).toBe(9);
  receiver.answer = status(204);
  expect(await ctx.notifications.test("default", channels[0]?.id ?? "")).toMatchObject({ ok: true });
});

it.each(["oldest", "latest"])("a team over its limit loses deliveries, not another team's %s ones", async (order) => {
  const victim = await ctx.create(webhookBody(), "victim");
  const greedy = await Promise.all(Array.from({ length: 10 }, () => ctx.create(webhookBody(), "greedy")));
  await openDeliveries(ctx).change((transaction) => {
    const deliveries = transaction.records(DELIVERIES);
    const add = (channel: ChannelRecord, count: number): void => {
      for (let i = 0; i < count; i++) {
        const id = `msg_${channel.id}_${i}`;
        const times = { attempts: 1, attempt_log: [], created_at: ctx.clock.nowMs, body: "{}" };
        deliveries.set(id, { id, channel_id: channel.id, event: "channel.test", status: "delivered", ...times });
      }
    };
    if (order === "oldest") add(victim, 20);
    for (const channel of greedy) add(channel, 150);
    if (order === "latest") add(victim, 20);
  });
  for (let i = 0; i < 3; i++) await ctx.notifications.test("greedy", greedy[0]?.id ?? "");
  expect(ctx.deliveries(victim)).toHaveLength(20);
  const all = greedy.reduce((sum, channel) => sum + ctx.deliveries(channel).length, 0);
  // The limit of 1,000, and the last test, which finished after the pruning.
  expect(all + 20).toBe(1001);
});

it("a delivery that a fast clock created in the future is due at once", async () => {
  await createVerified();
  ctx.clock.nowMs += 10 * HOUR;
  await ctx.notifications.publish(completedEvent());
  ctx.clock.nowMs -= 10 * HOUR;
  await ctx.deliver();
  expect(receiver.received).toHaveLength(1);
});

it("a retry that a fast clock scheduled is due at once; a regular retry is not", async () => {
  const channel = await createVerified();
  receiver.answer = status(500);
  ctx.clock.nowMs += 72 * HOUR;
  await publishAndDeliver();
  ctx.clock.nowMs -= 72 * HOUR;
  receiver.answer = status(429, { "retry-after": "86400" });
  await ctx.deliver();
  expect(receiver.received).toHaveLength(2);
  await ctx.deliver();
  expect(receiver.received).toHaveLength(2);
  expect(ctx.deliveries(channel)[0]).toMatchObject({ status: "pending", attempts: 2 });
});

it("a lease that a fast clock took in the future counts as ended", async () => {
  await createVerified();
  await ctx.notifications.publish(completedEvent());
  ctx.clock.nowMs += HOUR;
  expect(await ctx.outbox.leaseDue(5)).toHaveLength(1);
  expect(await ctx.outbox.leaseDue(5)).toEqual([]);
  ctx.clock.nowMs -= HOUR;
  const leases: readonly { readonly delivery: DeliveryRecord }[] = await ctx.outbox.leaseDue(5);
  expect(leases.map(({ delivery }) => delivery.attempts)).toEqual([2]);
});
