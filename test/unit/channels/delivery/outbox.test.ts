// Limits of what one team, or a clock that was wrong, can do to the outbox: it can't hold its places with tests, push out another team's history, or
// make a delivery wait for a time that was never meant.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DELIVERIES, type DeliveryRecord } from "../../../../src/channels/delivery/record.ts";
import { createEvent } from "../../../../src/channels/events.ts";
import type { ChannelRecord } from "../../../../src/channels/record.ts";
import { Store } from "../../../../src/store/store.ts";
import { type Notifying, openNotifying } from "../../../helpers/notifications.ts";
import { type Receiver, startReceiver, status } from "../../../helpers/receiver.ts";

const HOUR = 3_600_000;

let receiver: Receiver;
let at: Notifying;
beforeEach(async () => {
  receiver = await startReceiver();
  at = openNotifying();
});
afterEach(async () => {
  at.remove();
  await receiver.close();
});

function create(team = "default"): Promise<ChannelRecord> {
  return at.create({ name: "hook", type: "webhook", config: { url: `${receiver.url}/in` } }, team);
}

async function verified(): Promise<ChannelRecord> {
  const channel = await create();
  expect(await at.notifications.test("default", channel.id)).toMatchObject({ ok: true });
  receiver.received.length = 0;
  return channel;
}

function publish(): Promise<unknown> {
  const data = { rows: 1, classes: {}, duration_ms: 5, exit_status: 0, data_version: "1" } as const;
  return at.notifications.publish(createEvent("detection.completed", data, at.clock.nowMs));
}

describe("tests at the same time", () => {
  it("tests at the same time are two for a channel and eight for a team, and the others learn when to come back", async () => {
    const channels = await Promise.all(Array.from({ length: 6 }, () => create()));
    const other = await create("others");
    const held: (() => void)[] = [];
    receiver.answer = (response) => void held.push(() => response.writeHead(200).end());
    const asked = channels.flatMap(({ id }) => Array.from({ length: 5 }, () => at.notifications.test("default", id)));
    await expect.poll(() => held.length).toBe(8);
    const waiting = at.notifications.test("others", other.id);
    await expect.poll(() => held.length).toBe(9);
    for (const release of held) release();
    const outcomes = await Promise.all(asked);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(8);
    for (const outcome of outcomes.filter(({ ok }) => !ok)) {
      expect(outcome).toMatchObject({ fault: { code: "RATE_LIMITED", retryAfterSeconds: 15 } });
    }
    expect(await waiting).toMatchObject({ ok: true });
    expect(receiver.connections()).toBe(9);
    receiver.answer = status(204);
    expect(await at.notifications.test("default", channels[0]?.id ?? "")).toMatchObject({ ok: true });
  });
});

it.each(["oldest", "latest"])(
  "a team with very many deliveries pushes out its own history, and no other team's, whose are the %s",
  async (place) => {
    const victim = await create("victim");
    const greedy = await Promise.all(Array.from({ length: 10 }, () => create("greedy")));
    const store = new Store({ folder: at.home, file: "deliveries.json", warn: () => {} }, [DELIVERIES]);
    await store.change((draft) => {
      const deliveries = draft.records(DELIVERIES);
      const add = (channel: ChannelRecord, count: number): void => {
        for (let i = 0; i < count; i++) {
          const id = `msg_${channel.id}_${i}`;
          const times = { attempts: 1, created_at: at.clock.nowMs, body: "{}" };
          deliveries.set(id, { id, channel_id: channel.id, event: "channel.test", status: "delivered", ...times });
        }
      };
      if (place === "oldest") add(victim, 20);
      for (const channel of greedy) add(channel, 150);
      if (place === "latest") add(victim, 20);
    });
    for (let i = 0; i < 3; i++) await at.notifications.test("greedy", greedy[0]?.id ?? "");
    expect(at.deliveries(victim)).toHaveLength(20);
    const all = greedy.reduce((sum, channel) => sum + at.deliveries(channel).length, 0);
    // The last test has ended since.
    expect(all + 20).toBe(1001);
  },
);

describe("after a clock that was ahead", () => {
  it("a delivery that was recorded then is due now", async () => {
    await verified();
    at.clock.nowMs += 10 * HOUR;
    await publish();
    at.clock.nowMs -= 10 * HOUR;
    await at.deliver();
    expect(receiver.received).toHaveLength(1);
  });

  it("a delivery that was put off then is due now, and one that waits as it should is not", async () => {
    const channel = await verified();
    receiver.answer = status(500);
    at.clock.nowMs += 72 * HOUR;
    await publish();
    await at.deliver();
    at.clock.nowMs -= 72 * HOUR;
    receiver.answer = status(429, { "retry-after": "86400" });
    await at.deliver();
    expect(receiver.received).toHaveLength(2);
    await at.deliver();
    expect(receiver.received).toHaveLength(2);
    expect(at.deliveries(channel)[0]).toMatchObject({ status: "pending", attempts: 2 });
  });

  it("a lease that was given then holds nothing", async () => {
    await verified();
    await publish();
    at.clock.nowMs += HOUR;
    expect(await at.outbox.take(5)).toHaveLength(1);
    expect(await at.outbox.take(5)).toEqual([]);
    at.clock.nowMs -= HOUR;
    const again: readonly { readonly delivery: DeliveryRecord }[] = await at.outbox.take(5);
    expect(again.map(({ delivery }) => delivery.attempts)).toEqual([2]);
  });
});
