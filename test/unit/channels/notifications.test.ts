// Tests replays, paused channels and changed secrets, and deliveries that only another process can send.

import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeAttempt, describeStatus } from "../../../src/channels/delivery/describe-attempt.ts";
import {
  type AttemptView,
  type DeliveryView,
  findFailingChannels,
  toDeliveryView,
} from "../../../src/channels/delivery/record.ts";
import { createEvent } from "../../../src/channels/events.ts";
import { CHANNELS, type ChannelRecord } from "../../../src/channels/record.ts";
import { openTestNotifications, type TestNotifications } from "../../helpers/notifications.ts";
import { type Receiver, startReceiver, status } from "../../helpers/receiver.ts";

const HOUR = 3_600_000;
const SECRETS = ["a", "b", "c"].map((letter) => `whsec_${Buffer.from(letter.repeat(32)).toString("base64")}`);

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

async function createVerified(config: object = {}): Promise<ChannelRecord> {
  const channel = await ctx.create({ name: "hook", type: "webhook", config: { url: `${receiver.url}/in`, ...config } });
  await ctx.notifications.test("default", channel.id);
  receiver.received.length = 0;
  return ctx.channels.find("default", channel.id) as ChannelRecord;
}

function publish(): Promise<unknown> {
  const data = { rows: 1, classes: {}, duration_ms: 1, exit_status: 0 as const, data_version: "a" };
  return ctx.notifications.publish(createEvent("detection.completed", data, ctx.clock.nowMs));
}

const ids = (): unknown[] => receiver.received.map(({ headers }) => headers["webhook-id"]);
const update = (id: string, config: object): Promise<unknown> => ctx.notifications.update("default", id, { config });

it("a replay sends the same body under the same id, and moves the delivery to the front of the list", async () => {
  const { id } = await createVerified();
  await publish();
  await ctx.deliver();
  const [first] = receiver.received;
  const [delivered] = ctx.deliveries({ id });
  const replayed = await ctx.notifications.replay("default", delivered?.id as string);
  expect(replayed).toMatchObject({ ok: true, value: { id: delivered?.id, status: "delivered", attempts: 2 } });
  expect(ids()).toEqual([delivered?.id, delivered?.id]);
  expect(receiver.received[1]?.body).toBe(first?.body);

  // The delivery with the latest attempt comes first.
  ctx.clock.nowMs += HOUR;
  await publish();
  await ctx.deliver();
  expect(ctx.deliveries({ id })[1]?.id).toBe(delivered?.id);
  ctx.clock.nowMs += HOUR;
  await ctx.notifications.replay("default", delivered?.id as string);
  expect(ctx.deliveries({ id })[0]?.id).toBe(delivered?.id);
});

it("a replay of a failed delivery restarts its retries", async () => {
  const { id } = await createVerified();
  receiver.answer = status(500);
  await publish();
  for (let i = 0; i < 10; i++) {
    await ctx.deliver();
    ctx.clock.nowMs += 48 * HOUR;
  }
  const [failed] = ctx.deliveries({ id });
  expect(failed).toMatchObject({ status: "failed", attempts: 10 });
  const replayed = await ctx.notifications.replay("default", failed?.id as string);
  expect(replayed).toMatchObject({
    value: {
      status: "pending",
      attempts: 11,
      retries_left: 9,
      last_error: "the webhook answered 500",
      next_attempt_at: new Date(ctx.clock.nowMs + 5000).toISOString(),
    },
  });
  receiver.answer = status(204);
  ctx.clock.nowMs += 5000;
  await ctx.deliver();
  expect(ctx.deliveries({ id })[0]).toMatchObject({ status: "delivered", attempts: 12 });
  expect(ctx.deliveries({ id })[0]?.attempt_log.map(({ ok, is_resend }) => [ok, is_resend])).toEqual([
    ...Array(10).fill([false, undefined]),
    [false, true],
    [true, undefined],
  ]);
  expect(new Set(ids()).size).toBe(1);
});

it("a delivered event stays delivered, with its success in the log, after failed and killed replays", async () => {
  const { id } = await createVerified();
  ctx.clock.nowMs += HOUR;
  await publish();
  await ctx.deliver();
  const [delivered] = ctx.deliveries({ id });
  const success = delivered?.attempt_log[0];
  const deliveryId = delivered?.id as string;
  const expectStillDelivered = (): void => {
    expect(ctx.deliveries({ id })[0]).toMatchObject({ id: deliveryId, status: "delivered" });
    expect(ctx.deliveries({ id })[0]?.attempt_log[0]).toEqual(success);
    expect(ctx.notifications.list("default")[0]?.last_success).toBe(new Date(success?.at as number).toISOString());
    expect(ctx.outbox.nextDue()).toBeUndefined();
  };
  receiver.answer = status(503);
  for (let i = 0; i < 25; i++) {
    ctx.clock.nowMs += HOUR;
    expect(await ctx.notifications.replay("default", deliveryId)).toMatchObject({
      ok: true,
      value: { status: "delivered", attempts: i + 2, last_error: "the webhook answered 503" },
    });
    expectStillDelivered();
  }
  expect(ctx.deliveries({ id })[0]?.attempt_log).toHaveLength(20);
  const [channel] = ctx.notifications.list("default");
  expect(channel?.last_delivery).toMatchObject({ status: "failed", error: "the webhook answered 503" });
  expect(channel).not.toHaveProperty("failing_since");

  // A process is killed during a replay. It is logged as running until the lease ends, and is not continued.
  ctx.clock.nowMs += HOUR;
  const killed = openTestNotifications({ home: ctx.home });
  killed.clock.nowMs = ctx.clock.nowMs;
  expect(await killed.outbox.replay(ctx.channels.find("default", id) as ChannelRecord, deliveryId)).toBeTypeOf(
    "object",
  );
  const describeLast = (): string[] => {
    const views = ctx.notifications.deliveries("default", id);
    const view = (views.ok ? views.value[0] : undefined) as DeliveryView;
    return [describeStatus(view), describeAttempt(view.attempt_log.at(-1) as AttemptView)];
  };
  expect(describeLast()).toEqual(["running", "resend running"]);
  ctx.clock.nowMs += 61_000;
  expect(describeLast()).toEqual(["delivered", "resend interrupted: its process stopped"]);
  const sent = receiver.received.length;
  await ctx.deliver();
  expect(receiver.received).toHaveLength(sent);
  expectStillDelivered();
  receiver.answer = status(204);
  expect(await ctx.notifications.replay("default", deliveryId)).toMatchObject({ value: { status: "delivered" } });
  expect(ctx.notifications.list("default")[0]).not.toHaveProperty("failing_since");
});

it("while an attempt is running, an earlier one without an outcome counts as interrupted", () => {
  const times = { created_at: 0, next_attempt_at: 0, attempts: 2, attempt_log: [{ at: 1 }, { at: 2 }] };
  const ids = { id: "msg_1", channel_id: "ch_1", event: "channel.test", status: "pending" } as const;
  const { attempt_log: log } = toDeliveryView({ ...ids, ...times, body: "{}" }, true);
  expect(log.map(describeAttempt)).toEqual(["interrupted: its process stopped", "running"]);
});

it("after a failed replay of an event from before the last success, failing_since is the time of the replay", async () => {
  const { id } = await createVerified();
  receiver.answer = status(410);
  await publish();
  await ctx.deliver();
  receiver.answer = status(204);
  ctx.clock.nowMs += HOUR;
  await ctx.notifications.test("default", id);
  receiver.answer = status(500);
  ctx.clock.nowMs += HOUR;
  const failed = ctx.deliveries({ id }).find((delivery) => delivery.status === "failed");
  await ctx.notifications.replay("default", failed?.id as string);
  expect(ctx.notifications.list("default")[0]).toMatchObject({
    last_success: new Date(ctx.clock.nowMs - HOUR).toISOString(),
    failing_since: new Date(ctx.clock.nowMs).toISOString(),
  });
});

it("a replay is rejected if the delivery is unknown or running, or its channel unverified or paused", async () => {
  const { id } = await createVerified();
  await publish();
  const replay = (deliveryId: string, team = "default", channelId?: string): Promise<unknown> =>
    ctx.notifications.replay(team, deliveryId, channelId);
  const fault = (code: string, message: RegExp): object => ({
    ok: false,
    fault: { code, message: expect.stringMatching(message) },
  });
  const [delivery] = ctx.deliveries({ id });
  const deliveryId = delivery?.id as string;
  expect(await replay("msg_nothing")).toMatchObject(fault("NOT_FOUND", /no such delivery/));
  expect(await replay(deliveryId, "others")).toMatchObject(fault("NOT_FOUND", /no such delivery/));
  expect(await replay(deliveryId, "default", "ch_other")).toMatchObject(fault("NOT_FOUND", /no such delivery/));
  const [leased] = await ctx.outbox.leaseDue(1);
  expect(await replay(deliveryId)).toMatchObject(fault("DELIVERY_IN_PROGRESS", /being sent now: wait for its outcome/));
  await ctx.outbox.finish(leased?.delivery as never, { ok: true }, () => 0);
  await update(id, { enabled: false });
  expect(await replay(deliveryId)).toMatchObject(
    fault("INVALID_BODY", /paused: resume it first \(addrsift channels update ch_\S+ --config enabled=true\)$/),
  );
  await update(id, { enabled: null, url: `${receiver.url}/other` });
  expect(await replay(deliveryId)).toMatchObject(fault("INVALID_BODY", /not verified/));
  expect(receiver.received).toEqual([]);
});

it("responses about a channel have its last delivery and success, and since when deliveries fail", async () => {
  const { id } = await createVerified();
  const listed = () => ctx.notifications.list("default").find((channel) => channel.id === id);
  const latest = (): unknown => listed()?.last_delivery;
  const isFailing = (): boolean => findFailingChannels(ctx.deliveries({ id }), ctx.clock.nowMs).has(id);
  expect(latest()).toMatchObject({ status: "delivered" });
  const [succeededAt, failedAt] = [0, HOUR].map((ms) => new Date(ctx.clock.nowMs + ms).toISOString());
  expect([listed()?.last_success, listed()?.failing_since]).toEqual([succeededAt, undefined]);
  receiver.answer = status(500);
  ctx.clock.nowMs += HOUR;
  await ctx.notifications.test("default", id);
  expect([listed()?.last_success, listed()?.failing_since]).toEqual([succeededAt, undefined]);
  await publish();
  await ctx.deliver();
  expect([listed()?.last_success, listed()?.failing_since]).toEqual([succeededAt, failedAt]);
  expect(listed()?.pending_deliveries).toBe(1);
  const retryAt = ctx.deliveries({ id }).find(({ status }) => status === "pending")?.next_attempt_at as number;
  ctx.clock.nowMs = retryAt;
  await ctx.deliver();
  expect(listed()?.failing_since).toBe(failedAt);
  expect(latest()).toMatchObject({ status: "pending", error: "the webhook answered 500" });
  expect(ctx.notifications.get("default", id)).toMatchObject({ value: { last_delivery: latest() } });
  expect(await update(id, { ...(latest() as object) })).toMatchObject({ ok: false });
  const unchanged = { ok: true, value: { channel: listed() } };
  expect(await ctx.notifications.update("default", id, { ...listed(), code: "SUCCESS" })).toMatchObject(unchanged);
  expect(isFailing()).toBe(false);
  ctx.clock.nowMs += 24 * HOUR;
  expect(isFailing()).toBe(true);
  receiver.answer = status(204);
  await ctx.deliver();
  expect([latest(), isFailing()]).toMatchObject([{ status: "delivered" }, false]);
  expect(listed()).toMatchObject({ last_success: new Date(ctx.clock.nowMs).toISOString() });
  expect(listed()).not.toHaveProperty("failing_since");
});

it("a paused channel receives only tests; its pending events wait, and new events are not recorded", async () => {
  const { id } = await createVerified();
  await publish();
  await update(id, { enabled: false });
  expect(ctx.notifications.get("default", id)).toMatchObject({
    value: { is_verified: true, config: { enabled: false } },
  });
  await publish();
  await ctx.deliver();
  expect(receiver.received).toEqual([]);
  expect(ctx.deliveries({ id })[0]).toMatchObject({
    status: "pending",
    attempts: 0,
    unsent_reason: "the channel is paused: the delivery waits for up to three days",
  });
  expect(await ctx.notifications.test("default", id)).toMatchObject({ ok: true });
  receiver.received.length = 0;
  await update(id, { enabled: true });
  // It is due at once, not at its next check.
  expect(ctx.notifications.deliveries("default", id)).not.toHaveProperty("value.1.last_error");
  await ctx.deliver();
  expect(ids()).toHaveLength(1);
});

it.each([["false"], [0], ["no"]])("config.enabled rejects %j", async (enabled) => {
  const { id } = await createVerified();
  expect(await update(id, { enabled })).toMatchObject({
    ok: false,
    fault: { message: "config.enabled must be true or false: false pauses the channel" },
  });
});

/** Returns the secrets that the latest message is signed with. */
function signingSecrets(): (string | undefined)[] {
  const { body, headers } = receiver.received.at(-1) as Receiver["received"][number];
  return SECRETS.filter((secret) => {
    try {
      return new Webhook(secret).verify(body, headers as Record<string, string>) !== undefined;
    } catch {
      return false;
    }
  });
}

it("for 24 hours after a change of the secret, messages are signed with the new and the previous one", async () => {
  const [first, second, third] = SECRETS;
  // The standardwebhooks package compares a signature's timestamp with the real time.
  ctx.clock.nowMs = Date.now();
  const { id } = await createVerified({ secret: first });
  await update(id, { secret: second });
  expect(ctx.notifications.get("default", id)).toMatchObject({ value: { is_verified: true } });
  await publish();
  await ctx.deliver();
  expect(signingSecrets()).toEqual([first, second]);
  expect(receiver.received.at(-1)?.headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
  ctx.clock.nowMs += 23 * HOUR;
  await update(id, { events: ["detection.completed"] });
  await publish();
  await ctx.deliver();
  expect(signingSecrets()).toEqual([first, second]);
  const responses = [ctx.channels.list("default"), ctx.notifications.get("default", id)];
  expect(JSON.stringify(responses)).not.toMatch(/YWFh|YmJi/);
  await ctx.store.change((transaction) => {
    const channels = transaction.records(CHANNELS);
    const channel = channels.get(id) as ChannelRecord;
    expect(channel.previous_secrets?.[0]?.until).toBe(ctx.clock.nowMs + HOUR);
    channels.set(id, { ...channel, previous_secrets: [{ secret: first as string, until: Date.now() - 1 }] });
  });
  await publish();
  await ctx.deliver();
  expect(signingSecrets()).toEqual([second]);
  ctx.clock.nowMs = Date.now();
  await update(id, { secret: third });
  await ctx.notifications.test("default", id);
  expect(signingSecrets()).toEqual([second, third]);
  expect(ctx.channels.find("default", id)?.previous_secrets?.[0]?.secret).toBe(second);
  await update(id, { revoke_previous: true });
  await ctx.notifications.test("default", id);
  expect(signingSecrets()).toEqual([third]);
  await update(id, { secret: first, revoke_previous: true });
  await publish();
  await ctx.deliver();
  expect(signingSecrets()).toEqual([first]);
  expect(await update(id, { revoke_previous: null })).toMatchObject({ ok: true });
  expect(await update(id, { revoke_previous: 1 })).toMatchObject({
    fault: { message: expect.stringMatching(/true or false/) },
  });
});

it("each secret that was replaced in the last 24 hours still signs, and a tenth replacement is rejected", async () => {
  const [first, second, third] = SECRETS;
  ctx.clock.nowMs = Date.now() - 23 * HOUR;
  const { id } = await createVerified({ secret: first });
  await update(id, { secret: second });
  const since = ctx.clock.nowMs;
  ctx.clock.nowMs = Date.now();
  const updated = await update(id, { secret: third });
  const until = new Date(ctx.clock.nowMs + 24 * HOUR).toISOString();
  expect(updated).toMatchObject({ value: { channel: { previous_secret_until: until } } });
  const patch = (value: unknown) => ctx.notifications.update("default", id, { previous_secret_until: value });
  expect(await patch(until)).toMatchObject({ ok: true });
  expect(await patch(null)).toMatchObject({ fault: { message: expect.stringContaining("config.revoke_previous") } });
  await ctx.notifications.test("default", id);
  expect(signingSecrets()).toEqual([first, second, third]);
  expect(receiver.received.at(-1)?.headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+ v1,\S+$/);
  // The current secret signs once, also if it was used before.
  await update(id, { secret: second });
  await ctx.notifications.test("default", id);
  expect(receiver.received.at(-1)?.headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+ v1,\S+$/);
  for (let i = 0; i < 7; i += 1) await update(id, { secret: null });
  const rejected = { fault: { code: "LIMIT_REACHED", message: expect.stringMatching(/changed 9 times in 24 hours/) } };
  expect(await update(id, { secret: null })).toMatchObject(rejected);
  ctx.clock.nowMs = since + 24 * HOUR;
  expect(await update(id, { secret: null })).toMatchObject({ ok: true });
  expect(JSON.stringify(ctx.channels.find("default", id))).not.toContain(first);
  await update(id, { secret: null, revoke_previous: true });
  expect(ctx.channels.find("default", id)).not.toHaveProperty("previous_secrets");
});

it("the previous secret is not used after the url moves to another origin", async () => {
  const other = await startReceiver();
  const { id } = await createVerified({ secret: SECRETS[0] });
  await update(id, { secret: SECRETS[1] });
  await update(id, { url: `${other.url}/in`, secret: SECRETS[2] });
  expect(ctx.channels.find("default", id)).not.toHaveProperty("previous_secrets");
  await ctx.notifications.test("default", id);
  expect(other.received[0]?.headers["webhook-signature"]).toMatch(/^v1,\S+$/);
  await other.close();
});

it("a process releases deliveries that it can't send, so that the daemon can send them", async () => {
  const channel = await createVerified();
  const address = await ctx.create({ name: "ops", type: "email", config: { address: "ops@example.org" } });
  await ctx.channels.setVerified(address, true);
  await publish();
  const command = openTestNotifications({ home: ctx.home, returnsUnsendable: true, allowed: [] });
  command.clock.nowMs = ctx.clock.nowMs;
  const events = [channel, address].flatMap((one) =>
    ctx.deliveries(one).filter(({ event }) => event !== "channel.test"),
  );
  const records = await command.deliverer.settle(
    events.map(({ id }) => id),
    // The call must return before this deadline: waiting for it would fail the test.
    command.clock.nowMs + 600_000,
  );
  expect(records.map(({ status: state, attempts }) => [state, attempts])).toEqual([
    ["pending", 0],
    ["pending", 0],
  ]);
  expect(command.deliverer.unsendableReason(address.id)).toMatch(/^no mail can be sent/);
  expect(command.deliverer.unsendableReason(channel.id)).toMatch(/^127.0.0.1 is a loopback address/);
  for (const record of records) {
    expect(record).not.toHaveProperty("lease");
    expect(record.attempt_log).toEqual([]);
  }
  await ctx.deliver();
  expect(ctx.deliveries(channel)[0]).toMatchObject({ status: "delivered", attempts: 1 });
  command.remove();
});

it("tests and resends in a process that can't send to the channel fail without a trace", async () => {
  const channel = await createVerified();
  const command = openTestNotifications({ home: ctx.home, returnsUnsendable: true, allowed: [] });
  await publish();
  await ctx.deliver();
  const before = [ctx.deliveries(channel), ctx.notifications.get("default", channel.id)];
  expect(await command.notifications.test("default", channel.id)).toMatchObject({
    ok: false,
    fault: {
      code: "TEST_FAILED",
      message: expect.stringMatching(/^127.0.0.1 is a loopback address.*--allow-private$/),
    },
  });
  for (const { id } of ctx.deliveries(channel)) {
    expect(await command.notifications.replay("default", id)).toMatchObject({
      ok: true,
      value: { status: "delivered", attempts: 1, last_error: expect.stringMatching(/--allow-private$/) },
    });
  }
  expect([ctx.deliveries(channel), ctx.notifications.get("default", channel.id)]).toEqual(before);
  command.remove();
});

it("a resend that is left to another process restarts the retries there", async () => {
  const channel = await createVerified();
  receiver.answer = status(503);
  await publish();
  for (let i = 0; i < 4; i += 1) {
    await ctx.deliver();
    ctx.clock.nowMs += 3_600_000;
  }
  const [pending] = ctx.deliveries(channel);
  expect(pending).toMatchObject({ status: "pending", attempts: 4 });
  const command = openTestNotifications({ home: ctx.home, returnsUnsendable: true, allowed: [] });
  command.clock.nowMs = ctx.clock.nowMs;
  const replayed = await command.notifications.replay("default", pending?.id as string);
  expect(replayed).toMatchObject({ ok: true, value: { retries_left: 10 } });
  expect(ctx.deliveries(channel)[0]).toMatchObject({ status: "pending", attempts: 4 });
  await ctx.deliver();
  const [retried] = ctx.deliveries(channel);
  expect(retried?.attempt_log.at(-1)).toMatchObject({ ok: false, is_resend: true });
  expect((retried?.next_attempt_at ?? 0) - ctx.clock.nowMs).toBeLessThan(10_000);
  command.remove();
});
