// Tests replays, pauses and changed secrets; and deliveries that only another process can send.

import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findFailingChannels } from "../../../src/channels/delivery/record.ts";
import { createEvent } from "../../../src/channels/events.ts";
import { CHANNELS, type ChannelRecord } from "../../../src/channels/record.ts";
import { openTestNotifications, type TestNotifications } from "../../helpers/notifications.ts";
import { type Receiver, startReceiver, status } from "../../helpers/receiver.ts";

const HOUR = 3_600_000;
const SECRETS = ["a", "b", "c"].map((letter) => `whsec_${Buffer.from(letter.repeat(32)).toString("base64")}`);

let receiver: Receiver;
let at: TestNotifications;
beforeEach(async () => {
  receiver = await startReceiver();
  at = openTestNotifications();
});
afterEach(async () => {
  at.remove();
  await receiver.close();
});

async function verified(config: object = {}): Promise<ChannelRecord> {
  const channel = await at.create({ name: "hook", type: "webhook", config: { url: `${receiver.url}/in`, ...config } });
  await at.notifications.test("default", channel.id);
  receiver.received.length = 0;
  return at.channels.find("default", channel.id) as ChannelRecord;
}

function publish(): Promise<unknown> {
  const data = { rows: 1, classes: {}, duration_ms: 1, exit_status: 0 as const, data_version: "a" };
  return at.notifications.publish(createEvent("detection.completed", data, at.clock.nowMs));
}

const ids = (): unknown[] => receiver.received.map(({ headers }) => headers["webhook-id"]);
const update = (id: string, config: object): Promise<unknown> => at.notifications.update("default", id, { config });

describe("a replay", () => {
  it("a replay sends the same body under the same id, after success or failure", async () => {
    const { id } = await verified();
    await publish();
    await at.deliver();
    const [first] = receiver.received;
    const [delivered] = at.deliveries({ id });
    const again = await at.notifications.replay("default", delivered?.id as string);
    expect(again).toMatchObject({ ok: true, value: { id: delivered?.id, status: "delivered", attempts: 1 } });
    expect(ids()).toEqual([delivered?.id, delivered?.id]);
    expect(receiver.received[1]?.body).toBe(first?.body);

    receiver.answer = status(500);
    const retried = await at.notifications.replay("default", delivered?.id as string, id);
    expect(retried).toMatchObject({
      ok: true,
      value: { status: "pending", attempts: 1, last_error: "the webhook answered 500" },
    });
    receiver.answer = status(204);
    at.clock.nowMs += HOUR;
    await at.deliver();
    expect(at.deliveries({ id })[0]).toMatchObject({ status: "delivered", attempts: 2 });
    expect(new Set(ids()).size).toBe(1);
  });

  it("a replay is rejected for unknown, unverified, paused or running deliveries", async () => {
    const { id } = await verified();
    await publish();
    const replay = (delivery: string, team = "default", of?: string): Promise<unknown> =>
      at.notifications.replay(team, delivery, of);
    const fault = (code: string, message: RegExp): object => ({
      ok: false,
      fault: { code, message: expect.stringMatching(message) },
    });
    const [delivery] = at.deliveries({ id });
    const own = delivery?.id as string;
    expect(await replay("msg_nothing")).toMatchObject(fault("NOT_FOUND", /no such delivery/));
    expect(await replay(own, "others")).toMatchObject(fault("NOT_FOUND", /no such delivery/));
    expect(await replay(own, "default", "ch_other")).toMatchObject(fault("NOT_FOUND", /no such delivery/));
    const [taken] = await at.outbox.leaseDue(1);
    expect(await replay(own)).toMatchObject(fault("RATE_LIMITED", /are running/));
    await at.outbox.finish(taken?.delivery as never, { ok: true }, () => 0);
    await update(id, { enabled: false });
    expect(await replay(own)).toMatchObject(fault("INVALID_BODY", /paused: set config.enabled/));
    await update(id, { enabled: null, url: `${receiver.url}/other` });
    expect(await replay(own)).toMatchObject(fault("INVALID_BODY", /not verified/));
    expect(receiver.received).toEqual([]);
  });
});

describe("the last delivery", () => {
  it("the last delivery is in the channel's responses; a day of failures makes it failing", async () => {
    const { id } = await verified();
    const last = (): unknown => at.notifications.list("default").find((channel) => channel.id === id)?.last_delivery;
    const isFailing = (): boolean => findFailingChannels(at.deliveries({ id }), at.clock.nowMs).has(id);
    expect(last()).toMatchObject({ status: "delivered" });
    receiver.answer = status(500);
    at.clock.nowMs += HOUR;
    await publish();
    await at.deliver();
    expect(last()).toMatchObject({ status: "pending", error: "the webhook answered 500" });
    expect(at.notifications.get("default", id)).toMatchObject({ value: { last_delivery: last() } });
    expect(await update(id, { ...(last() as object) })).toMatchObject({ ok: false });
    expect(await at.notifications.update("default", id, { last_delivery: last() })).toMatchObject({ ok: true });
    expect(isFailing()).toBe(false);
    at.clock.nowMs += 24 * HOUR;
    expect(isFailing()).toBe(true);
    receiver.answer = status(204);
    await at.deliver();
    expect([last(), isFailing()]).toMatchObject([{ status: "delivered" }, false]);
  });
});

describe("a paused channel", () => {
  it("a paused channel receives only tests; pending events wait, new ones are not recorded", async () => {
    const { id } = await verified();
    await publish();
    await update(id, { enabled: false });
    expect(at.notifications.get("default", id)).toMatchObject({
      value: { is_verified: true, config: { enabled: false } },
    });
    await publish();
    await at.deliver();
    expect(receiver.received).toEqual([]);
    expect(at.deliveries({ id })[0]).toMatchObject({
      status: "pending",
      attempts: 0,
      last_error: "the channel is paused: the delivery waits for it, at most three days",
    });
    expect(await at.notifications.test("default", id)).toMatchObject({ ok: true });
    receiver.received.length = 0;
    await update(id, { enabled: true });
    at.clock.nowMs += HOUR;
    await at.deliver();
    expect(ids()).toHaveLength(1);
  });

  it.each([["false"], [0], ["no"]])("config.enabled rejects %j", async (enabled) => {
    const { id } = await verified();
    expect(await update(id, { enabled })).toMatchObject({
      ok: false,
      fault: { message: "config.enabled must be true or false: false pauses the channel" },
    });
  });
});

describe("a changed secret", () => {
  /** Which of the secrets the latest message is signed with. */
  function signers(): (string | undefined)[] {
    const { body, headers } = receiver.received.at(-1) as Receiver["received"][number];
    return SECRETS.filter((secret) => {
      try {
        return new Webhook(secret).verify(body, headers as Record<string, string>) !== undefined;
      } catch {
        return false;
      }
    });
  }

  it("a changed secret signs together with the previous one for 24 hours", async () => {
    const [first, second, third] = SECRETS;
    // A signature has the real time.
    at.clock.nowMs = Date.now();
    const { id } = await verified({ secret: first });
    await update(id, { secret: second });
    expect(at.notifications.get("default", id)).toMatchObject({ value: { is_verified: true } });
    await publish();
    await at.deliver();
    expect(signers()).toEqual([first, second]);
    expect(receiver.received.at(-1)?.headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
    at.clock.nowMs += 23 * HOUR;
    await update(id, { events: ["detection.completed"] });
    await publish();
    await at.deliver();
    expect(signers()).toEqual([first, second]);
    expect(JSON.stringify([at.channels.list("default"), at.notifications.get("default", id)])).not.toMatch(/YWFh|YmJi/);
    await at.store.change((draft) => {
      const channels = draft.records(CHANNELS);
      const channel = channels.get(id) as ChannelRecord;
      expect(channel.previous_secret?.until).toBe(at.clock.nowMs + HOUR);
      channels.set(id, { ...channel, previous_secret: { secret: first as string, until: Date.now() - 1 } });
    });
    await publish();
    await at.deliver();
    expect(signers()).toEqual([second]);
    at.clock.nowMs = Date.now();
    await update(id, { secret: third });
    await at.notifications.test("default", id);
    expect(signers()).toEqual([second, third]);
    expect(at.channels.find("default", id)?.previous_secret?.secret).toBe(second);
    await update(id, { revoke_previous: true });
    await at.notifications.test("default", id);
    expect(signers()).toEqual([third]);
    await update(id, { secret: first, revoke_previous: true });
    await publish();
    await at.deliver();
    expect(signers()).toEqual([first]);
    expect(await update(id, { revoke_previous: null })).toMatchObject({ ok: true });
    expect(await update(id, { revoke_previous: 1 })).toMatchObject({
      fault: { message: expect.stringMatching(/true or false/) },
    });
  });

  it("the previous secret is not used for another origin", async () => {
    const other = await startReceiver();
    const { id } = await verified({ secret: SECRETS[0] });
    await update(id, { secret: SECRETS[1] });
    await update(id, { url: `${other.url}/in`, secret: SECRETS[2] });
    expect(at.channels.find("default", id)).not.toHaveProperty("previous_secret");
    await at.notifications.test("default", id);
    expect(other.received[0]?.headers["webhook-signature"]).toMatch(/^v1,\S+$/);
    await other.close();
  });
});

describe("a process that leaves the rest to the daemon", () => {
  it("a process releases deliveries that it can't send and sends the others", async () => {
    const channel = await verified();
    const address = await at.create({ name: "ops", type: "email", config: { address: "ops@example.org" } });
    await at.channels.setVerified(address, true);
    await publish();
    const command = openTestNotifications({ home: at.home, returnsUnsendable: true, allowed: [] });
    command.clock.nowMs = at.clock.nowMs;
    const own = [channel, address].flatMap((one) => at.deliveries(one).filter(({ event }) => event !== "channel.test"));
    const records = await command.deliverer.settle(
      own.map(({ id }) => id),
      // Waiting so long would fail the test.
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
      expect(record).not.toHaveProperty("last_attempt_at");
    }
    await at.deliver();
    expect(at.deliveries(channel)[0]).toMatchObject({ status: "delivered", attempts: 1 });
    command.remove();
  });

  it("a process that can't send fails a test", async () => {
    const channel = await verified();
    const command = openTestNotifications({ home: at.home, returnsUnsendable: true, allowed: [] });
    expect(await command.notifications.test("default", channel.id)).toMatchObject({
      ok: false,
      fault: { code: "TEST_FAILED" },
    });
    expect(command.deliveries(channel)[0]).toMatchObject({ status: "failed", attempts: 1 });
    command.remove();
  });
});
