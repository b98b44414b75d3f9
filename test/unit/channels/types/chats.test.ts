// Tests chat services: their URLs, their messages against the published schemas, and how responses are classified.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import * as ipaddr from "ipaddr.js";
import * as undici from "undici";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseConfig } from "../../../../src/channels/config/parse.ts";
import { type ChannelEvent, createEvent } from "../../../../src/channels/events.ts";
import { CHANNEL_TYPES } from "../../../../src/channels/kinds.ts";
import { TYPE_DEFINITIONS } from "../../../../src/channels/types/table.ts";
import { createClient } from "../../../../src/outbound/client.ts";
import { createGuard } from "../../../../src/outbound/guard.ts";
import { systemLookup } from "../../../../src/outbound/lookup.ts";
import { anyText } from "../../../helpers/any-text.ts";
import { CHATS, type Chat, respondAsService, respondWith, SERVICES } from "../../../helpers/chat-services.ts";
import { type Answer, type Receiver, startReceiver } from "../../../helpers/receiver.ts";
import { createLeasedDelivery } from "../../../helpers/records.ts";
import { sampleSize } from "../../../helpers/sampling.ts";

const NOW = Date.parse("2026-11-21T12:00:00.123Z");
const CLASSES = {
  valid: 1_234_567,
  invalid: 2,
  disposable: 3,
  relay: 4,
  public: 5,
  role: 6,
  subaddressed: 7,
  unknown: 8,
};
const COMPLETED = createEvent(
  "detection.completed",
  { rows: 1_234_569, classes: CLASSES, duration_ms: 61_234, exit_status: 1, data_version: "2026-11-20-92911899" },
  NOW,
);
const UPDATED = createEvent(
  "lists.updated",
  { data_version: "b", previous_data_version: "a", disposable_added: 1200, disposable_removed: 3 },
  NOW,
);
const updateFailed = (reason: string): ChannelEvent =>
  createEvent("lists.update_failed", { data_version: "a", reason }, NOW);
const TESTED = createEvent("channel.test", { channel_id: "ch_7Qw2eRt5yUi8oPa1" }, NOW);
const EVENTS = [TESTED, COMPLETED, UPDATED, updateFailed("the source answered 503")];

const messageFor = (chat: Chat, event: ChannelEvent): unknown => TYPE_DEFINITIONS[chat].service?.createMessage(event);

it.each(CHATS.flatMap((chat) => EVENTS.map((event) => [chat, event.type, event] as const)))(
  "%s accepts the message about the event %s",
  (chat, _, event) => {
    expect(SERVICES[chat].problems(messageFor(chat, event))).toEqual([]);
  },
);

it.each(CHATS)(
  "messages stay within the limits of %s, with markup escaped",
  (chat) => {
    const classes = fc.dictionary(fc.stringMatching(/^[a-z_]{1,12}$/), fc.nat(), {
      maxKeys: 14,
      noNullPrototype: true,
    });
    const reasons = fc.oneof(
      anyText({ maxLength: 9000 }),
      fc.constantFrom(
        "<!channel> @all @here & <@U1> **x** [a](https://b.example)",
        "😀".repeat(5000),
        "&<>@_*".repeat(900),
      ),
    );
    fc.assert(
      fc.property(classes, fc.nat(), reasons, (counts, rows, reason) => {
        const data = { rows, classes: counts, duration_ms: rows, exit_status: 0, data_version: "2026-11-20-92911899" };
        const events = [createEvent("detection.completed", data, NOW), updateFailed(`x${reason}`)];
        for (const event of events) expect(SERVICES[chat].problems(messageFor(chat, event))).toEqual([]);
      }),
      { numRuns: sampleSize(100) },
    );
  },
  60_000,
);

it("a chat message has all numbers of the payload in its text", () => {
  expect((messageFor("slack", COMPLETED) as { text: string }).text).toBe(
    "Detection completed\n1,234,569 rows were classified in 1 min 1 s.\nValid: 1,234,567\nInvalid: 2\nDisposable: 3\nRelay: 4\nPublic: 5\nRole: 6\nSubaddressed: 7\nUnknown: 8\nExit status: 1\nLists: 2026-11-20-92911899\nTime: 2026-11-21T12:00:00.123Z",
  );
  for (const chat of CHATS) {
    const text = JSON.stringify(messageFor(chat, COMPLETED));
    for (const part of ["Detection completed", "1,234,569", "Disposable", "2026-11-20-92911899"]) {
      expect(text).toContain(part);
    }
  }
});

const SLACK = "https://hooks.slack.com/services/T000/B000/XXXX";
const TEAMS_OLD =
  "https://prod-186.westus.logic.azure.com:443/workflows/3f29/triggers/manual/paths/invoke?api-version=2016-06-01&sp=x&sv=1.0&sig=y";
const TEAMS =
  "https://default5c07.61.environment.api.powerplatform.com:443/powerautomate/automations/direct/workflows/3f29/triggers/manual/paths/invoke?api-version=1&sp=x&sv=1.0&sig=y";
const CONNECTOR = "https://contoso.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4";
const GOOGLE_CHAT = "https://chat.googleapis.com/v1/spaces/AAAAxxxx/messages?key=x&token=y";
const DISCORD = `https://discord.com/api/webhooks/123456789012345678/${"x".repeat(68)}`;

it.each([
  ["slack", SLACK],
  ["slack", "https://hooks.slack-gov.com/services/T000/B000/XXXX"],
  ["slack", "https://mattermost.example.com/hooks/xxxxxxxxxxxxxxxxxxxxxxxxxx"],
  ["slack", "http://chat.internal:8065/team/hooks/xxxxxxxxxxxxxxxxxxxxxxxxxx"],
  ["slack", "https://user:pw@mattermost.example.com/hooks/xxxxxxxxxxxxxxxxxxxxxxxxxx"],
  ["slack", "https://rocket.example.com/hooks/5f1/rocket.cat%2Fabc"],
  ["slack", "https://rocket.example.com/hooks/5f1/user/abc"],
  ["msteams", TEAMS],
  ["msteams", TEAMS_OLD],
  ["msteams", "https://gateway.example.com/teams/workflows/3f29/triggers/manual/paths/invoke?sig=y"],
  ["discord", DISCORD],
  ["discord", DISCORD.replace("/api/", "/api/v10/").replace("discord.", "ptb.discord.")],
  ["discord", `${DISCORD}?thread_id=123456789012345678`],
  ["googlechat", GOOGLE_CHAT],
  ["googlechat", `${GOOGLE_CHAT}&threadKey=x&messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD`],
] as const)("a chat channel of type %s accepts the url %s", (type, url) => {
  expect(parseConfig(type, { url })).toEqual({ ok: true, value: { url: new URL(url).href } });
});

it.each([
  ["slack", "https://hooks.slack.com/", /must be an incoming webhook/],
  [
    "slack",
    "https://hooks.slack.com/workflows/T000/A000/1/x",
    /is a trigger of Workflow Builder, .*: create an incoming/,
  ],
  ["slack", "https://hooks.slack.com/triggers/T000/1/x", /is a trigger of Workflow Builder/],
  ["slack", "https://example.com/in", /must be an incoming webhook/],
  ["slack", SLACK.replace("https", "http"), /must begin with https/],
  ["slack", SLACK.replace("//", "//user:pw@"), /^config\.url must have no user name or password: copy it/],
  ["slack", SLACK.replace("//", "//:pw@"), /must have no user name or password/],
  ["msteams", TEAMS.replace("//", "//user@"), /must have no user name or password/],
  ["msteams", CONNECTOR, /must be an incoming webhook of Microsoft Teams/],
  ["discord", DISCORD.replace("//", "//user:pw@"), /must have no user name or password/],
  ["slack", DISCORD, /belongs to Discord: create a channel of type discord/],
  ["slack", TEAMS, /create a channel of type msteams/],
  ["msteams", TEAMS.replace(/&sig=.*/, ""), /copy it whole/],
  ["msteams", "https://make.powerautomate.com/environments/x/flows/y", /copy it whole/],
  ["msteams", SLACK, /create a channel of type slack/],
  ["discord", `${DISCORD}/slack`, /webhooks\/ID\/TOKEN$/],
  ["discord", "https://discord.com/channels/1/2", /must be an incoming webhook of Discord/],
  ["discord", "https://discord.gg/abc", /must be an incoming webhook of Discord/],
  ["discord", "ftp://discord.com/api", /must be an http or https URL/],
  ["discord", "https://discord.com/[redacted]", /is redacted/],
  ["googlechat", GOOGLE_CHAT.replace(/&token=.*/, ""), /must be an incoming webhook of Google Chat: copy it whole/],
  ["googlechat", "https://chat.google.com/room/AAAA", /must be an incoming webhook of Google Chat: copy it whole/],
  ["googlechat", SLACK, /create a channel of type slack/],
  ["slack", GOOGLE_CHAT, /create a channel of type googlechat/],
  ["webhook", SLACK, /^config\.url belongs to Slack: create a channel of type slack$/],
  ["webhook", DISCORD, /^config\.url belongs to Discord: create a channel of type discord$/],
  ["webhook", GOOGLE_CHAT, /^config\.url belongs to Google Chat: create a channel of type googlechat$/],
] as const)("a channel of type %s rejects the url %s", (type, url, why) => {
  expect(parseConfig(type, { url })).toMatchObject({
    ok: false,
    fault: { code: "INVALID_BODY", message: expect.stringMatching(why) },
  });
});

it.each([`${DISCORD}/slack`, "https://hooks.slack.com/triggers/T000/1/x", TEAMS])(
  "a webhook channel accepts the url %s, which may accept its JSON, and keeps any stored url",
  (url) => {
    expect(parseConfig("webhook", { url })).toMatchObject({ ok: true });
    const stored = { url: SLACK, enabled: false };
    expect(parseConfig("webhook", { url: "https://hooks.slack.com/[redacted]" }, stored)).toMatchObject({ ok: true });
  },
);

it.each(CHATS)("a chat channel of type %s accepts only url, events and enabled", (type) => {
  expect(parseConfig(type, {})).toEqual({ ok: true, value: {} });
  for (const field of ["secret", "headers", "address"]) {
    expect(parseConfig(type, { [field]: "x" })).toMatchObject({
      ok: false,
      fault: { message: `config.${field} is not a field of type ${type}: use url, events, enabled` },
    });
  }
});

it.each(CHANNEL_TYPES)("the channel type %s is in the manual and has a test server", (type) => {
  const manual = readFileSync("man/addrsift-channels.md", "utf8");
  expect(manual, `man/addrsift-channels.md must say what ${type} is`).toContain(`\`${type}\``);
  const { service } = TYPE_DEFINITIONS[type];
  const testedServices = [undefined, ...CHATS.map((chat) => TYPE_DEFINITIONS[chat].service)];
  expect(testedServices.includes(service), `test/helpers/chat-services.ts needs a stand-in for ${type}`).toBe(true);
});

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

function send(chat: Chat, answer: Answer, allowed = ["127.0.0.0/8"]): Promise<unknown> {
  receiver.answer = answer;
  const client = createClient({
    undici: () => undici,
    guard: () => createGuard(ipaddr, allowed),
    lookup: systemLookup,
  });
  const config = { url: `${receiver.url}${SERVICES[chat].path}` };
  const leased = createLeasedDelivery({ type: chat, config }, JSON.stringify(COMPLETED));
  return TYPE_DEFINITIONS[chat].send({ client, now: () => NOW, mailer: "no mail" }, leased);
}

it.each(CHATS)("%s receives a JSON message at the full path of its URL", async (chat) => {
  const problems: string[] = [];
  expect(await send(chat, respondAsService(chat, problems))).toMatchObject({ ok: true });
  expect(problems).toEqual([]);
  const { method, url, headers } = receiver.received.at(-1) as Receiver["received"][number];
  expect([method, headers["content-type"]]).toEqual(["POST", "application/json"]);
  expect(url.startsWith(SERVICES[chat].path)).toBe(true);
});

it.each([
  ["slack", respondWith(200, '{"success":true}')],
  ["msteams", respondWith(200, '{"status":"posted"}')],
  ["msteams", respondWith(202, "")],
  ["discord", respondWith(204, "")],
] as const)("a delivery to %s succeeds if the service confirms it", async (chat, answer) => {
  expect(await send(chat, answer)).toMatchObject({ ok: true });
});
it.each([
  ["slack", 200, "", "retry", /answered 200, but not "ok"/],
  ["slack", 200, "<html>Sign in</html>", "retry", /answered 200, but not "ok"/],
  ["slack", 200, '{"success":false}', "retry", /answered 200, but not "ok"/],
  ["slack", 400, "invalid_payload", "give_up", /400 \(invalid_payload\): it did not understand/],
  ["slack", 403, "action_prohibited", "retry", /answered 403$/],
  ["slack", 403, "invalid_token", "gone", /403 \(invalid_token\): make a new webhook/],
  ["slack", 404, "no_service", "gone", /404 \(no_service\): make a new webhook/],
  ["slack", 404, "<html>Not found</html>", "retry", /answered 404: check the URL$/],
  ["slack", 410, "channel_is_archived", "gone", /410 \(channel_is_archived\)/],
  ["slack", 500, "rollup_error", "retry", /answered 500$/],
  ["slack", 302, "", "retry", /redirects are not followed/],
  ["msteams", 200, "<html>Sign in</html>", "retry", /answered 200, but not as a workflow/],
  ["msteams", 400, '{"error":{"code":"WorkflowTriggerIsNotEnabled"}}', "retry", /the workflow is off/],
  ["msteams", 401, '{"error":{"code":"DirectApiAuthorizationRequired"}}', "retry", /401: copy the whole URL again/],
  ["msteams", 404, '{"error":{"code":"WorkflowNotFound"}}', "gone", /404 \(WorkflowNotFound\)/],
  ["msteams", 410, "", "gone", /410: the receiver wants no more events/],
  ["discord", 200, "<html>Sign in</html>", "retry", /not with a message/],
  ["discord", 400, '{"code":50035,"message":"Invalid Form Body"}', "give_up", /400 \(50035\)/],
  ["discord", 401, '{"code":50027,"message":"Invalid Webhook Token"}', "gone", /401 \(50027\)/],
  ["discord", 404, '{"code":10015,"message":"Unknown Webhook"}', "gone", /404 \(10015\): the webhook was deleted/],
  ["discord", 404, '{"code":0,"message":"404: Not Found"}', "retry", /answered 404: check the URL$/],
  ["discord", 503, "", "retry", /answered 503$/],
  ["googlechat", 200, "<html>Sign in</html>", "retry", /not with a message/],
  ["googlechat", 400, '{"error":{"status":"INVALID_ARGUMENT"}}', "give_up", /400 \(INVALID_ARGUMENT\): it did not/],
  ["googlechat", 403, '{"error":{"status":"PERMISSION_DENIED"}}', "retry", /403: copy the whole URL again$/],
  ["googlechat", 404, '{"error":{"status":"NOT_FOUND"}}', "gone", /404 \(NOT_FOUND\): make a new webhook/],
] as const)(
  "a delivery to %s with the response %i %s fails with the verdict %s",
  async (chat, status, body, verdict, reason) => {
    expect(await send(chat, respondWith(status, body))).toEqual({
      ok: false,
      httpStatus: status,
      verdict,
      reason: expect.stringMatching(reason),
    });
  },
);

it.each(CHATS)("a 429 response of %s delays the retry by its Retry-After", async (chat) => {
  expect(await send(chat, respondWith(429, "", { "retry-after": "7" }))).toMatchObject({
    verdict: "retry",
    retryAfterMs: 7000,
    reason: "the webhook answered 429",
  });
});

it.each(CHATS)("the reason of a failed delivery to %s never quotes the response", async (chat) => {
  for (const status of [200, 400, 401, 404, 410, 500]) {
    for (const code of ['"S3CR3T"', '{"toString":"S3CR3T","valueOf":"S3CR3T"}']) {
      const body = `{"code":${code},"error":{"code":${code},"status":${code}},"message":"S3CR3T"}`;
      expect(JSON.stringify(await send(chat, respondWith(status, body)))).not.toContain("S3CR3T");
    }
  }
});

it.each(CHATS)("no request is sent to a %s webhook at a blocked address", async (chat) => {
  const before = receiver.connections();
  expect(await send(chat, SERVICES[chat].accept, [])).toMatchObject({
    ok: false,
    reason: expect.stringMatching(/^127.0.0.1 is a loopback address/),
  });
  expect(receiver.connections()).toBe(before);
});
