// Tests the verification of email addresses with a real mail server: opening a link, confirming it, and what invalidates
// it.

import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { ChannelRecord } from "../../../src/channels/record.ts";
import { countMail } from "../../../src/channels/verification-records.ts";
import { listenOnFreePort } from "../../helpers/listening.ts";
import { type MailServer, startMailServer } from "../../helpers/mail-server.ts";
import { openTestNotifications, type TestNotifications } from "../../helpers/notifications.ts";
import { startLineRecorder } from "./mail/smtp-lines.ts";

const PUBLIC_URL = "https://notify.example.com";
const HOUR = 3_600_000;
const EMAIL = { name: "ops", type: "email", config: { address: "ops@example.org" } };

let server: MailServer;
let ctx: TestNotifications;
beforeAll(async () => {
  server = await startMailServer();
});
beforeEach(() => {
  ctx = openTestNotifications({ smtpUrl: server.url, publicUrl: PUBLIC_URL });
});
afterEach(() => {
  ctx.remove();
  server.mails.length = 0;
  server.refuse = () => undefined;
});
afterAll(() => server.close());

/** Returns the token of the latest mail. */
function mailedToken(): string {
  const text = server.mails.at(-1)?.message.text ?? "";
  return /\/verify\/([0-9a-f]{64})$/m.exec(text)?.[1] ?? "";
}

function isVerified({ id }: ChannelRecord): boolean | undefined {
  return ctx.channels.find("default", id)?.is_verified;
}

/** Confirms a token. Returns "verified" or the code of the fault. */
async function confirm(token: string): Promise<string> {
  const inspection = ctx.verifications.inspect(token);
  const confirmation = await ctx.verifications.confirm(token);
  if (inspection.ok !== confirmation.ok) throw new Error("inspect() and confirm() disagree");
  return confirmation.ok ? "verified" : confirmation.fault.code;
}

function faultMessage(token: string): string | undefined {
  const inspection = ctx.verifications.inspect(token);
  return inspection.ok ? undefined : inspection.fault.message;
}

it("the mailed link verifies an email channel, and works only once", async () => {
  const channel = await ctx.create(EMAIL);
  expect(server.mails).toHaveLength(1);
  expect(server.mails[0]?.to).toEqual(["ops@example.org"]);
  const token = mailedToken();
  const before = readFileSync(join(ctx.home, "store.json"), "utf8");
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  expect(before).not.toContain(token);
  // Opening the link, as mail scanners do, changes nothing.
  for (let i = 0; i < 3; i++) {
    expect(ctx.verifications.inspect(token)).toEqual({
      ok: true,
      value: { channelId: channel.id, address: "ops@example.org" },
    });
  }
  expect(readFileSync(join(ctx.home, "store.json"), "utf8")).toBe(before);
  expect(isVerified(channel)).toBe(false);
  expect((await ctx.verifications.confirm(token)).ok).toBe(true);
  expect(isVerified(channel)).toBe(true);
  expect(await confirm(token)).toBe("TOKEN_USED");
  expect(isVerified(channel)).toBe(true);
});

it("repeating a creation with its Idempotency-Key sends only one mail", async () => {
  const create = (team = "default") => ctx.notifications.create(team, EMAIL, "key");
  const [first, second, other] = await Promise.all([create(), create(), create("other")]);
  expect(second).toMatchObject({ fault: { code: "IDEMPOTENCY_KEY_IN_USE" } });
  const { channel } = (first as { value: { channel: object } }).value;
  expect([await create(), other]).toMatchObject([{ value: { channel } }, { ok: true }]);
  expect(await create()).toEqual(first);
  expect(server.mails).toHaveLength(2);
});

it("a link is mailed to a misspelled provider only after a test, and to the corrected address at once", async () => {
  const body = { name: "ops", type: "email", config: { address: "ann@gmial.com" } };
  const question = expect.stringMatching(
    /^the address may be mistyped, so a link is emailed only on request: did you mean ann@gmail\.com\? Change it, or email a link anyway$/,
  );
  const outcome = await ctx.notifications.create("default", body);
  expect(outcome).toMatchObject({ value: { message: question } });
  const id = outcome.ok ? outcome.value.channel.id : "";
  const error = () => (ctx.notifications.get("default", id) as { value: object }).value;
  expect(error()).toMatchObject({ verification_error: question });
  expect(server.mails).toEqual([]);
  expect(await ctx.notifications.test("default", id)).toMatchObject({ ok: true });
  expect(error()).not.toHaveProperty("verification_error");
  const address = "ann@hotmial.com";
  const update = (config: object) => ctx.notifications.update("default", id, { config });
  expect(await update({ address })).toMatchObject({ value: { message: expect.stringMatching(/^the address may be/) } });
  expect(server.mails).toHaveLength(1);
  await update({ address: "ann@gmail.com" });
  expect(server.mails).toHaveLength(2);
});

it("repeating a creation sends the mail again if the mail server rejected it at first", async () => {
  server.refuse = () => 450;
  const create = () => ctx.notifications.create("default", EMAIL, "key");
  const failed = { value: { message: expect.stringMatching(/^the channel was saved, but .* refused .* \(450\)/) } };
  expect([await create(), await create()]).toMatchObject([failed, failed]);
  server.refuse = () => undefined;
  expect(await create()).toMatchObject({ value: { message: expect.stringMatching(/^a message was sent/) } });
  expect(server.mails).toHaveLength(1);
  await ctx.verifications.confirm(mailedToken());
  expect(await create()).toMatchObject({ value: { channel: { is_verified: true }, message: undefined } });
  expect(server.mails).toHaveLength(1);
});

it("responses about a channel say why its last verification mail was not sent, until another one is", async () => {
  server.refuse = (step) => (step === "recipient" ? 550 : undefined);
  const channel = await ctx.create(EMAIL);
  const errors = (): unknown[] => {
    const got = ctx.notifications.get("default", channel.id);
    return [got.ok && got.value.verification_error, ctx.notifications.list("default")[0]?.verification_error];
  };
  const failedAt = () => ctx.notifications.list("default")[0]?.verification_failed_at;
  const refused =
    "the message could not be sent, and is not retried: the mail server refused the recipient (550); " +
    "it said: 550 rejected by the test";
  expect(errors()).toEqual([refused, refused]);
  expect(failedAt()).toBe(new Date(ctx.clock.nowMs).toISOString());
  server.refuse = () => 451;
  await ctx.notifications.test("default", channel.id);
  expect(errors()).toEqual([expect.stringContaining("(451)"), expect.stringContaining("(451)")]);
  const sentBack = { verification_error: errors()[0] };
  expect(await ctx.notifications.update("default", channel.id, sentBack)).toMatchObject({ ok: true });
  server.refuse = () => undefined;
  await ctx.notifications.test("default", channel.id);
  expect(errors()).toEqual([undefined, undefined]);
});

it("repeating a creation sends the mail again if the first process ended while it was sending it", async () => {
  const silent = createServer(() => {});
  const slow = openTestNotifications({ smtpUrl: `smtp://127.0.0.1:${await listenOnFreePort(silent)}`, mailWaitMs: 50 });
  const first = await slow.notifications.create("default", EMAIL, "key");
  const second = await slow.notifications.create("default", EMAIL, "key");
  expect([first, second]).toMatchObject(Array(2).fill({ value: { message: expect.stringMatching(/server is slow/) } }));
  const restarted = openTestNotifications({ smtpUrl: server.url, publicUrl: PUBLIC_URL, home: slow.home });
  const repeated = await restarted.notifications.create("default", EMAIL, "key");
  expect(repeated).toMatchObject({ value: { message: expect.stringMatching(/^a message was sent/) } });
  expect(server.mails).toHaveLength(1);
  silent.close();
  restarted.remove();
  slow.remove();
});

it("a verification link expires after 24 hours", async () => {
  const channel = await ctx.create(EMAIL);
  ctx.clock.nowMs += 24 * HOUR - 1;
  expect(ctx.verifications.inspect(mailedToken()).ok).toBe(true);
  ctx.clock.nowMs += 1;
  expect(await confirm(mailedToken())).toBe("TOKEN_EXPIRED");
  expect(ctx.notifications.get("default", channel.id)).toMatchObject({
    value: {
      verification_error: "the link or token has expired after 24 hours: request another",
      verification_expires_at: new Date(ctx.clock.nowMs).toISOString(),
    },
  });
  expect(isVerified(channel)).toBe(false);
});

it("changing the address ends the verification, invalidates the old link and sends a new one", async () => {
  const channel = await ctx.create(EMAIL);
  const first = mailedToken();
  await ctx.verifications.confirm(first);
  const changed = await ctx.notifications.update("default", channel.id, { config: { address: "new@example.org" } });
  expect(changed).toMatchObject({ ok: true, value: { channel: { is_verified: false } } });
  const second = mailedToken();
  expect(server.mails.at(-1)?.to).toEqual(["new@example.org"]);
  const restored = await ctx.notifications.update("default", channel.id, { config: { address: "ops@example.org" } });
  expect(restored.ok).toBe(true);
  expect(faultMessage(first)).toBe(
    "this link or token was already used, and the channel has since been changed or deleted: request another",
  );
  expect(faultMessage(second)).toBe("the channel no longer has this address: request another");
  // Old links stay invalid even after the address was changed back.
  expect(await confirm(second)).toBe("TOKEN_EXPIRED");
  expect(await confirm(first)).toBe("TOKEN_USED");
  expect(isVerified(channel)).toBe(false);
  expect(await confirm(mailedToken())).toBe("verified");
});

it("a used link does not report a verified address after its channel was deleted", async () => {
  const channel = await ctx.create(EMAIL);
  const token = mailedToken();
  await ctx.verifications.confirm(token);
  expect(faultMessage(token)).toBe("this link or token was already used: the address is verified");
  await ctx.notifications.delete("default", channel.id);
  expect(faultMessage(token)).toMatch(/since been changed or deleted/);
});

it("a verification link stays valid if other fields of the channel change", async () => {
  const channel = await ctx.create(EMAIL);
  await ctx.notifications.update("default", channel.id, { name: "renamed", config: { events: ["lists.updated"] } });
  expect(server.mails).toHaveLength(1);
  expect(await confirm(mailedToken())).toBe("verified");
});

it("a resent verification link replaces the previous one", async () => {
  const channel = await ctx.create(EMAIL);
  const first = mailedToken();
  expect(await ctx.notifications.verify("default", channel.id)).toMatchObject({ ok: true });
  expect(server.mails).toHaveLength(2);
  expect(await confirm(first)).toBe("TOKEN_EXPIRED");
  expect(faultMessage(first)).toBe("a newer link or token replaced this one: use the latest message");
  expect(await confirm(mailedToken())).toBe("verified");
});

it("a link keeps working until a newer one is sent, and channels show when it ends and why that failed", async () => {
  const channel = await ctx.create(EMAIL);
  const first = mailedToken();
  const end = new Date(ctx.clock.nowMs + 24 * HOUR).toISOString();
  for (const code of [450, 451]) {
    ctx.clock.nowMs += HOUR;
    server.refuse = () => code;
    expect((await ctx.notifications.test("default", channel.id)).ok).toBe(false);
    const state = {
      verification_error: expect.stringContaining(`(${code})`),
      verification_failed_at: new Date(ctx.clock.nowMs).toISOString(),
      verification_expires_at: end,
    };
    expect(ctx.notifications.list("default")).toMatchObject([state]);
  }
  expect(ctx.verifications.mailState(channel.id)).toBe("accepted");
  expect(ctx.verifications.inspect(first).ok).toBe(true);
  server.refuse = () => undefined;
  await ctx.notifications.test("default", channel.id);
  expect(faultMessage(first)).toBe("a newer link or token replaced this one: use the latest message");
  server.refuse = () => 451;
  await ctx.notifications.test("default", channel.id);
  expect(await confirm(mailedToken())).toBe("verified");
});

it("testing an unverified email channel resends the link; testing a verified one sends a test", async () => {
  const channel = await ctx.create(EMAIL);
  expect(await ctx.notifications.test("default", channel.id)).toMatchObject({ ok: true });
  expect(server.mails.at(-1)?.message.subject).toBe("Confirm this address for notifications");
  await ctx.verifications.confirm(mailedToken());
  expect(await ctx.notifications.test("default", channel.id)).toMatchObject({ ok: true });
  expect(server.mails.at(-1)?.message.subject).toBe("[ops] Test notification");
  expect(ctx.deliveries(channel)).toMatchObject([{ event: "channel.test", status: "delivered" }]);
});

it("requesting a verification of a verified channel sends nothing", async () => {
  const channel = await ctx.create(EMAIL);
  await ctx.verifications.confirm(mailedToken());
  expect(await ctx.notifications.verify("default", channel.id)).toMatchObject({
    ok: true,
    value: { channel: { is_verified: true }, message: "The channel is already verified. Nothing was sent." },
  });
  expect(server.mails).toHaveLength(1);
});

it("a mailbox gets at most five verification mails a day over all channels, teams and spellings", async () => {
  const spellings = ["jane.doe", "janedoe", "Jane.Doe+x", "j.a.n.e.doe"].map((name) => `${name}@gmail.com`);
  spellings.splice(3, 0, "janedoe@googlemail.com");
  const channels: ChannelRecord[] = [];
  for (const [i, address] of spellings.entries()) {
    channels.push(await ctx.create({ ...EMAIL, config: { address } }, `team-${i}`));
    ctx.clock.nowMs += HOUR;
  }
  expect(server.mails).toHaveLength(5);
  const sixth = await ctx.notifications.verify("team-0", channels[0]?.id ?? "");
  expect(sixth).toMatchObject({ ok: false, fault: { code: "RATE_LIMITED", retryAfterSeconds: 19 * 3600 } });
  expect(server.mails).toHaveLength(5);
  // The rejected request invalidates no link.
  expect(await confirm(mailedToken())).toBe("verified");
  ctx.clock.nowMs += 19 * HOUR;
  expect(await ctx.notifications.verify("team-0", channels[0]?.id ?? "")).toMatchObject({ ok: true });
  expect(await ctx.notifications.verify("team-1", channels[1]?.id ?? "")).toMatchObject({
    fault: { code: "RATE_LIMITED" },
  });
});

it("concurrent requests can't send a sixth verification mail to a mailbox", async () => {
  const channel = await ctx.create(EMAIL);
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => ctx.notifications.verify("default", channel.id)));
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(4);
  expect(server.mails).toHaveLength(5);
});

it("verification mails that a fast clock counted don't block a mailbox", async () => {
  const channel = await ctx.create(EMAIL);
  ctx.clock.nowMs += 10 * 365 * 24 * HOUR;
  for (let i = 0; i < 5; i++) {
    expect(await ctx.verifications.request("default", channel.id)).toMatchObject({ ok: true });
  }
  const futureToken = mailedToken();
  expect(await ctx.verifications.request("default", channel.id)).toMatchObject({ ok: false });
  ctx.clock.nowMs -= 10 * 365 * 24 * HOUR;
  expect(await confirm(futureToken)).toBe("TOKEN_EXPIRED");
  expect(await ctx.verifications.request("default", channel.id)).toMatchObject({ ok: true });
  expect(await confirm(mailedToken())).toBe("verified");
});

it("a team sends at most thirty verification mails an hour", async () => {
  const { id } = await ctx.create({ ...EMAIL, config: {} });
  await ctx.store.change((transaction) => {
    for (let i = 0; i < 28; i++) countMail(transaction, { team: "default", mailbox: `m${i}`, sentAt: ctx.clock.nowMs });
  });
  const messages: (string | undefined)[] = [];
  for (let i = 0; i < 4; i++) {
    const config = { address: `m${i}x@example.org` };
    const outcome = await ctx.notifications.update("default", id, { config });
    messages.push(outcome.ok ? outcome.value.message : outcome.fault.message);
  }
  expect(server.mails).toHaveLength(2);
  expect(messages[1]).not.toMatch(/within an hour/);
  expect(messages.slice(2)).toEqual(
    Array(2).fill("the channel was saved, but the team has requested 30 verifications within an hour: try again later"),
  );
  expect(await ctx.verifications.request("default", id)).toMatchObject({
    fault: { code: "RATE_LIMITED", retryAfterSeconds: 3600 },
  });
  expect(await ctx.notifications.create("others", EMAIL)).toMatchObject({ ok: true });
  expect(server.mails).toHaveLength(3);
  ctx.clock.nowMs += HOUR + 1;
  expect(await ctx.verifications.request("default", id)).toMatchObject({ ok: true });
});

it("a verification mail that the server rejects does not count against the limit", async () => {
  server.refuse = (step) => (step === "data" ? 451 : undefined);
  const { id } = await ctx.create(EMAIL);
  for (let i = 0; i < 6; i++) {
    expect(await ctx.notifications.verify("default", id)).toMatchObject({ fault: { code: "TEST_FAILED" } });
  }
  server.refuse = () => undefined;
  expect(await ctx.notifications.verify("default", id)).toMatchObject({ ok: true });
});

it("a verification mail to a refused address counts against the team's limit, but not the mailbox's", async () => {
  server.refuse = (step) => (step === "recipient" ? 550 : undefined);
  const { id } = await ctx.create(EMAIL);
  const outcomes = [];
  for (let i = 0; i < 30; i++) outcomes.push(await ctx.notifications.verify("default", id));
  server.refuse = () => undefined;
  expect(outcomes[28]).toMatchObject({ fault: { code: "TEST_FAILED" } });
  const message = "the team has requested 30 verifications within an hour: try again later";
  expect(outcomes[29]).toMatchObject({ fault: { code: "RATE_LIMITED", message } });
  ctx.clock.nowMs += HOUR + 1;
  expect(await ctx.notifications.verify("default", id)).toMatchObject({ ok: true });
});

it("a verification mail counts against the limit if the server disconnects without a response to it", async () => {
  const disconnecting = await startLineRecorder({ closesAfterMessage: true });
  const uncertain = openTestNotifications({ smtpUrl: disconnecting.url, publicUrl: PUBLIC_URL });
  const { id } = await uncertain.create(EMAIL);
  for (let i = 0; i < 4; i++) {
    expect(await uncertain.notifications.verify("default", id)).toMatchObject({ fault: { code: "TEST_FAILED" } });
  }
  expect(await uncertain.notifications.verify("default", id)).toMatchObject({ fault: { code: "RATE_LIMITED" } });
  expect(disconnecting.lines.filter((line) => line === ".")).toHaveLength(5);
  uncertain.remove();
  disconnecting.close();
});

it.each(["at the greeting", "before the greeting"] as const)(
  "a verification mail does not count against the limit if the server disconnects %s",
  async (when) => {
    const busy = createServer((socket) => socket.end("421 busy\r\n"));
    const smtpUrl = `smtp://127.0.0.1:${await listenOnFreePort(busy)}`;
    if (when === "before the greeting") busy.close();
    const rejected = openTestNotifications({ smtpUrl, publicUrl: PUBLIC_URL });
    const { id } = await rejected.create(EMAIL);
    for (let i = 0; i < 6; i++) {
      expect(await rejected.notifications.verify("default", id)).toMatchObject({ fault: { code: "TEST_FAILED" } });
    }
    rejected.remove();
    busy.close();
  },
);

it.each(["", "x", "0".repeat(64), "../store", "__proto__", "constructor", "a".repeat(10_000)])(
  "the unknown token $0 verifies nothing",
  async (token) => expect(await confirm(token)).toBe("NOT_FOUND"),
);

it("only one of 20 concurrent uses of a token succeeds", async () => {
  await ctx.create(EMAIL);
  const token = mailedToken();
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => ctx.verifications.confirm(token)));
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
});

it("a pasted token verifies only its own channel", async () => {
  const channel = await ctx.create(EMAIL);
  const other = await ctx.create({ ...EMAIL, config: { address: "other@example.org" } });
  const token = mailedToken();
  const rejected = { ok: false, fault: { code: "NOT_FOUND", message: expect.stringContaining("for another channel") } };
  expect(await ctx.verifications.confirm(token, channel.id)).toMatchObject(rejected);
  expect(await ctx.verifications.confirm(token, other.id)).toMatchObject({ ok: true });
  expect(isVerified(other)).toBe(true);
  expect(isVerified(channel)).toBe(false);
});

it("a deleted channel's token is rejected", async () => {
  const channel = await ctx.create(EMAIL);
  await ctx.channels.delete("default", channel.id);
  expect(await confirm(mailedToken())).toBe("TOKEN_EXPIRED");
});

it("a token's record is deleted a month after the token expired", async () => {
  await ctx.create(EMAIL);
  const token = mailedToken();
  ctx.clock.nowMs += 32 * 24 * HOUR;
  expect(await confirm(token)).toBe("TOKEN_EXPIRED");
  await ctx.create({ ...EMAIL, config: { address: "other@example.org" } });
  expect(await confirm(token)).toBe("NOT_FOUND");
});

it("without SMTP settings, a channel is saved, and its message names the missing setting", async () => {
  const noMail = openTestNotifications();
  const outcome = await noMail.notifications.create("default", EMAIL);
  expect(outcome).toMatchObject({
    ok: true,
    value: { channel: { is_verified: false }, message: expect.stringMatching(/ADDRSIFT_SMTP_URL/) },
  });
  const { id } = (outcome as { value: { channel: { id: string } } }).value.channel;
  for (const request of [noMail.notifications.verify("default", id), noMail.notifications.test("default", id)]) {
    expect(await request).toMatchObject({
      ok: false,
      fault: { code: "TEST_FAILED", message: expect.stringMatching(/ADDRSIFT_SMTP_URL/) },
    });
  }
  noMail.remove();
});

it.each([
  ["has no address", { name: "n", type: "email" }, "INVALID_BODY"],
  ["is a webhook", { name: "n", type: "webhook", config: { url: "https://hooks.example.com/" } }, "INVALID_BODY"],
])("requesting a verification of a channel that %s is rejected", async (_, body, code) => {
  const { id } = await ctx.create(body);
  expect(await ctx.notifications.verify("default", id)).toMatchObject({ ok: false, fault: { code } });
  expect(await ctx.notifications.verify("other", id)).toMatchObject({ ok: false, fault: { code: "NOT_FOUND" } });
  expect(server.mails).toHaveLength(0);
});

it("without a public URL, the verification mail has a token and the command line that accepts it", async () => {
  const local = openTestNotifications({ smtpUrl: server.url });
  const channel = await local.create(EMAIL);
  const { text = "", html = "" } = server.mails.at(-1)?.message ?? {};
  const token = /^ {4}([0-9a-f]{64})$/m.exec(text)?.[1] ?? "";
  for (const part of [text, html]) {
    for (const words of [token, `addrsift channels verify ${channel.id}`]) expect(part).toContain(words);
    expect(part).not.toMatch(/https?:/);
  }
  expect(await local.verifications.confirm(token, channel.id)).toMatchObject({ ok: true });
  local.remove();
});
