// Tests deliveries to a real receiver that verifies signatures: tests, retries, rejections, subscriptions, limits, a
// wrong clock, and secrets that are sent nowhere else.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAX_ATTEMPTS } from "../../../../src/channels/attempt.ts";
import { DELIVERIES, type DeliveryRecord } from "../../../../src/channels/delivery/record.ts";
import { createEvent } from "../../../../src/channels/events.ts";
import type { ChannelRecord } from "../../../../src/channels/record.ts";
import { Store } from "../../../../src/store/store.ts";
import { type MailServer, startMailServer } from "../../../helpers/mail-server.ts";
import { openTestNotifications, type TestNotifications } from "../../../helpers/notifications.ts";
import { type Answer, type Receiver, startReceiver, status } from "../../../helpers/receiver.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

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

const body = (config: object = {}): Readonly<Record<string, unknown>> => ({
  name: "hook",
  type: "webhook",
  config: { url: `${receiver.url}/in`, ...config },
});

async function verified(config: object = {}): Promise<ChannelRecord> {
  const channel = await at.create(body(config));
  const outcome = await at.notifications.test("default", channel.id);
  if (!outcome.ok) throw new Error(outcome.fault.message);
  receiver.received.length = 0;
  return find(channel);
}

function find({ id }: { readonly id: string }): ChannelRecord {
  return at.channels.find("default", id) as ChannelRecord;
}

function secretOf(channel: ChannelRecord): string {
  return (channel.config as { secret?: string }).secret ?? "";
}

/** The payloads that came, each with a good signature. */
function payloads(channel: ChannelRecord): { readonly type: string; readonly data: Record<string, unknown> }[] {
  const webhook = new Webhook(secretOf(channel));
  return receiver.received.map(
    (one) => webhook.verify(one.body, one.headers as Record<string, string>) as ReturnType<typeof payloads>[number],
  );
}

function completed(rows = 3): ReturnType<typeof createEvent<"detection.completed">> {
  const data = { rows, classes: { valid: rows }, duration_ms: 5, exit_status: 0, data_version: "2026.11" };
  return createEvent("detection.completed", data, at.clock.nowMs);
}

/** The store of deliveries, as another process has it. */
function deliveriesOf({ home }: TestNotifications): Store {
  return new Store({ folder: home, file: "deliveries.json", warn: () => {} }, [DELIVERIES]);
}

/** Publishes an event and delivers what is due. */
async function send(): Promise<void> {
  await at.notifications.publish(completed());
  await at.deliver();
}

describe("the test of a webhook", () => {
  it.each([200, 201, 204])("a test response of %i verifies the webhook", async (code) => {
    receiver.answer = status(code);
    const channel = await at.create(body());
    expect(await at.notifications.test("default", channel.id)).toMatchObject({
      ok: true,
      value: {
        channel: { id: channel.id, name: "hook", is_verified: true },
        message: "The webhook accepted the test: the channel is verified.",
      },
    });
    expect(find(channel).is_verified).toBe(true);
    const [payload] = payloads(channel);
    expect(payload).toMatchObject({ type: "channel.test", version: 1, data: { channel_id: channel.id } });
    expect(at.deliveries(channel)).toMatchObject([{ event: "channel.test", status: "delivered", attempts: 1 }]);
  });

  const failures: readonly (readonly [string, Answer, RegExp])[] = [
    ["a redirect", status(302, { location: "/elsewhere" }), /answered 302: redirects are not followed/],
    ["410", status(410), /answered 410/],
    ["429", status(429, { "retry-after": "1" }), /answered 429/],
    ["a closed connection", (response) => response.destroy(), /closed the connection/],
  ];
  it.each(failures)("a test response of %s fails without a retry", async (_, answer, message) => {
    receiver.answer = answer;
    const channel = await at.create(body());
    const outcome = await at.notifications.test("default", channel.id);
    expect(outcome).toMatchObject({
      ok: false,
      fault: { code: "TEST_FAILED", message: expect.stringMatching(message) },
    });
    expect(find(channel).is_verified).toBe(false);
    at.clock.nowMs += 10 * DAY;
    await at.deliver();
    expect(receiver.received).toHaveLength(1);
    expect(at.deliveries(channel)).toMatchObject([{ status: "failed", attempts: 1 }]);
  });

  it("rejects a test of another team's, an unknown or an incomplete channel", async () => {
    const channel = await at.create(body());
    expect(await at.notifications.test("other", channel.id)).toMatchObject({ fault: { code: "NOT_FOUND" } });
    expect(await at.notifications.test("default", "ch_nothing")).toMatchObject({ fault: { code: "NOT_FOUND" } });
    const empty = await at.create({ name: "later", type: "webhook" });
    expect(await at.notifications.test("default", empty.id)).toMatchObject({ fault: { code: "INVALID_BODY" } });
    expect(receiver.connections()).toBe(0);
  });

  it("a test does not verify a channel that changed meanwhile", async () => {
    const channel = await at.create(body());
    receiver.answer = async (response) => {
      await at.channels.update("default", channel.id, { config: { url: `${receiver.url}/other` } });
      response.writeHead(200).end();
    };
    expect(await at.notifications.test("default", channel.id)).toMatchObject({ fault: { code: "TEST_FAILED" } });
    expect(find(channel).is_verified).toBe(false);
  });
});

describe("an event", () => {
  it("an event reaches only the verified channels that receive it", async () => {
    const all = await verified();
    const some = await verified({ events: ["lists.updated"] });
    const none = await verified({ events: ["lists.update_failed"] });
    const unverified = await at.create(body());
    const published = await at.notifications.publish(completed());
    expect(published.deliveries).toHaveLength(1);
    const lists = { data_version: "2", previous_data_version: "1", disposable_added: 5, disposable_removed: 0 };
    await at.notifications.publish(createEvent("lists.updated", lists, at.clock.nowMs));
    await at.deliver();
    expect(at.deliveries(all).map(({ event }) => event)).toEqual([
      "lists.updated",
      "detection.completed",
      "channel.test",
    ]);
    expect(at.deliveries(some).map(({ event }) => event)).toEqual(["lists.updated", "channel.test"]);
    expect(at.deliveries(none).map(({ event }) => event)).toEqual(["channel.test"]);
    expect(at.deliveries(unverified)).toEqual([]);
    expect(receiver.received).toHaveLength(3);
  });

  it("publishTo records an event only if the channel receives it, and waits for verification", async () => {
    const channel = await verified({ events: ["lists.updated"] });
    const unverified = await at.create(body());
    const refused = async (id: string): Promise<string> => {
      const outcome = await at.notifications.publishTo(id, completed());
      return outcome.ok ? "" : outcome.fault.message;
    };
    expect(await refused("ch_nothing")).toMatch(/there is no such channel/);
    expect(await refused(channel.id)).toMatch(/does not receive detection.completed: add it to config.events/);
    expect(await refused(unverified.id)).toBe("");
    await at.deliver();
    expect(at.deliveries(unverified)[0]).toMatchObject({ status: "pending", attempts: 0 });
    expect(receiver.received).toEqual([]);
    const good = await verified();
    expect(await at.notifications.publishTo(good.id, completed())).toMatchObject({ ok: true, value: { rejected: 0 } });
  });

  it("an event is on disk before its first attempt", async () => {
    const channel = await verified();
    let seen: unknown;
    receiver.answer = (response, { headers }) => {
      const stored = JSON.parse(readFileSync(join(at.home, "deliveries.json"), "utf8"));
      seen = stored.collections.deliveries.records[headers["webhook-id"] as string];
      response.writeHead(200).end();
    };
    await send();
    expect(seen).toMatchObject({ status: "pending", attempts: 1, channel_id: channel.id });
  });

  it("retries an event under its id with a new timestamp and signature", async () => {
    const channel = await verified();
    receiver.answer = (response, _, count) => response.writeHead(count < 3 ? 500 : 200).end();
    await send();
    expect(at.deliveries(channel)[0]).toMatchObject({
      status: "pending",
      attempts: 1,
      last_error: "the webhook answered 500",
    });
    await at.deliver();
    expect(receiver.received).toHaveLength(1);
    at.clock.nowMs += 5000;
    await at.deliver();
    expect(receiver.received).toHaveLength(2);
    at.clock.nowMs += 29_999;
    await at.deliver();
    expect(receiver.received).toHaveLength(2);
    at.clock.nowMs += 1;
    await at.deliver();
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(receiver.received.map((one) => one.body)).size).toBe(1);
    payloads(channel);
    const [delivery] = at.deliveries(channel);
    expect(delivery).toMatchObject({ status: "delivered", attempts: 3 });
    expect(delivery).not.toHaveProperty("lease");
    expect(delivery).not.toHaveProperty("last_error");
  });

  it("an event fails after the last attempt", async () => {
    const channel = await verified();
    receiver.answer = status(503);
    await at.notifications.publish(completed());
    for (let i = 0; i < MAX_ATTEMPTS + 3; i++) {
      await at.deliver();
      at.clock.nowMs += 2 * DAY;
    }
    expect(receiver.received).toHaveLength(MAX_ATTEMPTS);
    expect(at.deliveries(channel)[0]).toMatchObject({
      status: "failed",
      attempts: MAX_ATTEMPTS,
      last_error: "the webhook answered 503",
    });
  });

  it("a longer Retry-After delays the retry", async () => {
    const channel = await verified();
    receiver.answer = (response, _, count) => {
      if (count === 1) response.writeHead(429, { "Retry-After": "3600" });
      response.end();
    };
    await send();
    at.clock.nowMs += HOUR - 1;
    await at.deliver();
    expect(receiver.received).toHaveLength(1);
    at.clock.nowMs += 1;
    await at.deliver();
    expect(at.deliveries(channel)[0]).toMatchObject({ status: "delivered", attempts: 2 });
  });

  it("status 410 stops retries and ends the verification", async () => {
    const channel = await verified();
    receiver.answer = status(410);
    await send();
    expect(find(channel).is_verified).toBe(false);
    expect(at.deliveries(channel)[0]).toMatchObject({ status: "failed", attempts: 1 });
    expect((await at.notifications.publish(completed())).deliveries).toEqual([]);
    at.clock.nowMs += DAY;
    await at.deliver();
    expect(receiver.received).toHaveLength(1);
  });

  it("an event waits for an unverified channel and fails after three days", async () => {
    const channel = await verified();
    await at.notifications.publish(completed(1));
    await at.notifications.publish(completed(2));
    await at.channels.update("default", channel.id, { config: { url: `${receiver.url}/other` } });
    await at.deliver();
    expect(receiver.received).toHaveLength(0);
    expect(at.deliveries(channel)[0]).toMatchObject({
      status: "pending",
      attempts: 0,
      last_error: expect.stringMatching(/not verified/),
    });
    await at.notifications.test("default", channel.id);
    at.clock.nowMs += 60_000;
    await at.deliver();
    expect(payloads(find(channel)).map(({ data: { rows } }) => rows)).toEqual([undefined, 1, 2]);
    await at.notifications.publish(completed());
    await at.channels.update("default", channel.id, { config: { url: `${receiver.url}/third` } });
    at.clock.nowMs += 3 * DAY + 1;
    await at.deliver();
    expect(at.deliveries(channel)[0]).toMatchObject({ status: "failed", attempts: 0 });
  });

  it("deleting a channel deletes its deliveries", async () => {
    const channel = await verified();
    await at.notifications.publish(completed());
    await at.notifications.delete("default", channel.id);
    await at.deliver();
    expect(receiver.received).toHaveLength(0);
    expect(at.outbox.list(channel.id).filter(({ status: state }) => state === "pending")).toEqual([]);
    expect(at.notifications.deliveries("default", channel.id)).toMatchObject({ fault: { code: "NOT_FOUND" } });
  });

  it("at most eight attempts of a team run at once; other teams continue", async () => {
    const hooks: ChannelRecord[] = [];
    for (let i = 0; i < 6; i++) hooks.push(await verified());
    const other = await at.create(body(), "others");
    await at.notifications.test("others", other.id);
    for (let i = 0; i < 3; i++) await at.notifications.publish(completed(i));
    const first = await at.outbox.leaseDue(16);
    const teams = first.map(({ channel }) => channel.team);
    expect(teams.filter((team) => team === "default")).toHaveLength(8);
    expect(teams.filter((team) => team === "others")).toHaveLength(2);
    expect(hooks.every((hook) => first.filter(({ channel }) => channel.id === hook.id).length <= 2)).toBe(true);
    expect(await at.outbox.leaseDue(16)).toEqual([]);
  });

  it("a hanging receiver does not delay other channels", async () => {
    const slow = await startReceiver();
    const hanging = await at.create({ ...body(), config: { url: slow.url } });
    await at.notifications.test("default", hanging.id);
    const good = await verified();
    const held: (() => void)[] = [];
    slow.answer = (response) => void held.push(() => response.writeHead(200).end());
    for (let i = 0; i < 5; i++) await at.notifications.publish(completed(i));
    const delivered = at.deliver();
    await expect.poll(() => receiver.received.length).toBe(5);
    // Two at once, by any process.
    expect(slow.received.length).toBeLessThanOrEqual(1 + 2);
    slow.answer = status(200);
    for (const answer of held) answer();
    await delivered;
    expect(at.deliveries(good).filter(({ status: state }) => state === "delivered")).toHaveLength(6);
    expect(at.deliveries(hanging).filter(({ status: state }) => state === "delivered")).toHaveLength(6);
    await slow.close();
  });
});

describe("an email channel", () => {
  let server: MailServer;
  beforeEach(async () => {
    server = await startMailServer();
  });
  afterEach(() => server.close());

  it("email deliveries retry like webhooks and fail when the mailbox is rejected", async () => {
    const mailing = openTestNotifications({ smtpUrl: server.url, publicUrl: "https://n.example.com" });
    const channel = await mailing.create({ name: "Büro <ops>", type: "email", config: { address: "ops@example.org" } });
    const token = /verify\/([0-9a-f]{64})/.exec(server.mails[0]?.message.text ?? "")?.[1] ?? "";
    await mailing.verifications.confirm(token);
    server.refuse = (step) => (step === "data" && server.recipients.length < 3 ? 451 : undefined);
    await mailing.notifications.publish(completed(1_234_567));
    await mailing.deliver();
    expect(mailing.deliveries(channel)[0]).toMatchObject({
      status: "pending",
      last_error: "the mail server refused the message (451)",
    });
    mailing.clock.nowMs += 5000;
    await mailing.deliver();
    const { message } = server.mails[1] ?? {};
    expect(message?.subject).toBe("[Büro <ops>] Detection completed");
    expect(message?.text).toContain("1,234,567 rows were classified");
    expect(message?.html).toContain("Büro &lt;ops&gt;");
    expect(message?.messageId).toBe(`<${mailing.deliveries(channel)[0]?.id}@example.com>`);
    server.refuse = (step) => (step === "recipient" ? 550 : undefined);
    await mailing.notifications.publish(completed());
    await mailing.deliver();
    expect(mailing.deliveries(channel)[0]).toMatchObject({ status: "failed", attempts: 1 });
    mailing.remove();
  });
});

describe("a key that may change and test channels", () => {
  it("changing the url can't send stored headers or the secret to another origin", async () => {
    const other = await startReceiver();
    const secret = `whsec_${randomBytes(32).toString("base64")}`;
    const channel = await verified({ headers: { "X-Api-Key": "hidden-value" }, secret });
    const tries: readonly object[] = [
      { url: `${other.url}/in` },
      { url: `${other.url}/in`, headers: { "X-Api-Key": "[redacted]" } },
      { url: `${other.url}/in`, secret: "[redacted]" },
      { url: `http://127.0.0.1:${receiver.port}@127.0.0.1:${other.port}/` },
      { url: `http://localhost:${other.port}/` },
    ];
    for (const config of tries) {
      await at.channels.update("default", channel.id, { config });
      await at.notifications.test("default", channel.id);
      // The owner's way back, independent of what the try left behind.
      const restored = { url: `${receiver.url}/in`, headers: { "X-Api-Key": "hidden-value" }, secret };
      await at.channels.update("default", channel.id, { config: restored });
    }
    for (const { headers, body: text } of other.received) {
      expect(headers["x-api-key"] ?? "").not.toContain("hidden");
      expect(() => new Webhook(secret).verify(text, headers as Record<string, string>)).toThrow();
    }
    receiver.received.length = 0;
    receiver.answer = status(307, { location: `${other.url}/stolen` });
    await at.notifications.test("default", channel.id);
    expect(receiver.received).toHaveLength(1);
    expect(other.received.every(({ url }) => url !== "/stolen")).toBe(true);
    await other.close();
  });
});

describe("the outbox", () => {
  it("finished deliveries are deleted after 30 days, pending ones are not", async () => {
    const channel = await verified();
    receiver.answer = status(204);
    for (let i = 0; i < 4; i++) await at.notifications.publish(completed(i));
    await at.deliver();
    expect(at.deliveries(channel)).toHaveLength(5);
    at.clock.nowMs += 31 * DAY;
    await at.notifications.publish(completed(99));
    expect(at.deliveries(channel)).toMatchObject([{ status: "pending" }]);
  });

  it("rejects more than 2,000 pending deliveries of a channel and keeps the latest 1,000 finished ones", async () => {
    const channel = await verified();
    const { added, rejected } = await at.outbox.add(
      Array.from({ length: 2000 }, () => channel),
      completed(),
    );
    expect([added.length, rejected]).toEqual([2000, 0]);
    expect((await at.outbox.add([channel], completed())).rejected).toBe(1);
    await deliveriesOf(at).change((draft) => {
      const deliveries = draft.records(DELIVERIES);
      for (const [id, delivery] of deliveries) deliveries.set(id, { ...delivery, status: "delivered" });
    });
    await at.outbox.add([channel], completed());
    const left = at.deliveries(channel);
    expect(left).toHaveLength(1001);
    expect(left[0]).toMatchObject({ status: "pending" });
    expect(left[1]?.id).toBe(added.at(-1)?.delivery.id);
  });

  it("leases a delivery to one process; the lease expires", async () => {
    const channel = await verified();
    await at.notifications.publish(completed());
    const other = openTestNotifications({ home: at.home });
    const [mine, theirs] = await Promise.all([at.outbox.leaseDue(5), other.outbox.leaseDue(5)]);
    expect(mine.length + theirs.length).toBe(1);
    other.clock.nowMs += 59_999;
    expect(await other.outbox.leaseDue(5)).toEqual([]);
    other.clock.nowMs += 1;
    const [again] = await other.outbox.leaseDue(5);
    expect(again?.delivery).toMatchObject({ attempts: 2 });
    // The first comes back late: its failure is not the last word, a success is.
    const [first] = [...mine, ...theirs];
    const late = mine.length === 1 ? at : openTestNotifications({ home: at.home });
    await late.outbox.finish(first?.delivery as never, { ok: false, reason: "late", verdict: "give_up" }, () => 0);
    expect(at.deliveries(channel)[0]).toMatchObject({ status: "pending", attempts: 2 });
    await late.outbox.finish(first?.delivery as never, { ok: true }, () => 0);
    expect(at.deliveries(channel)[0]).toMatchObject({ status: "delivered" });
  });
});

it("deliveries never contain a secret", async () => {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const channel = await verified({
    url: `${receiver.url}/path-hidden?key=hidden`,
    headers: { "X-Key": "hidden-header" },
    secret,
  });
  receiver.answer = status(500);
  await send();
  const shown = JSON.stringify([
    at.notifications.deliveries("default", channel.id),
    readFileSync(join(at.home, "deliveries.json"), "utf8"),
    receiver.received.map((one) => one.body),
    await at.notifications.test("default", channel.id),
  ]);
  expect(shown).not.toMatch(/hidden/);
  expect(shown).not.toContain(secret);
});

describe("tests at the same time", () => {
  it("at most two tests of a channel and eight of a team run at once; others get a Retry-After", async () => {
    const channels = await Promise.all(Array.from({ length: 6 }, () => at.create(body())));
    const other = await at.create(body(), "others");
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

it.each(["oldest", "latest"])("a team's new deliveries evict its own, never another team's %s", async (place) => {
  const victim = await at.create(body(), "victim");
  const greedy = await Promise.all(Array.from({ length: 10 }, () => at.create(body(), "greedy")));
  await deliveriesOf(at).change((draft) => {
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
});

describe("after a clock that was ahead", () => {
  it("a delivery recorded by a fast clock is due now", async () => {
    await verified();
    at.clock.nowMs += 10 * HOUR;
    await at.notifications.publish(completed());
    at.clock.nowMs -= 10 * HOUR;
    await at.deliver();
    expect(receiver.received).toHaveLength(1);
  });

  it("a delivery rescheduled by a fast clock is due now; a regular one is not", async () => {
    const channel = await verified();
    receiver.answer = status(500);
    at.clock.nowMs += 72 * HOUR;
    await send();
    at.clock.nowMs -= 72 * HOUR;
    receiver.answer = status(429, { "retry-after": "86400" });
    await at.deliver();
    expect(receiver.received).toHaveLength(2);
    await at.deliver();
    expect(receiver.received).toHaveLength(2);
    expect(at.deliveries(channel)[0]).toMatchObject({ status: "pending", attempts: 2 });
  });

  it("a lease from a fast clock has ended", async () => {
    await verified();
    await at.notifications.publish(completed());
    at.clock.nowMs += HOUR;
    expect(await at.outbox.leaseDue(5)).toHaveLength(1);
    expect(await at.outbox.leaseDue(5)).toEqual([]);
    at.clock.nowMs -= HOUR;
    const again: readonly { readonly delivery: DeliveryRecord }[] = await at.outbox.leaseDue(5);
    expect(again.map(({ delivery }) => delivery.attempts)).toEqual([2]);
  });
});
