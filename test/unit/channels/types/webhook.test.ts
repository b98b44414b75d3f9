// Tests webhooks against a real receiver that verifies each signature with the standardwebhooks package.

import { randomBytes } from "node:crypto";
import fc from "fast-check";
import * as ipaddr from "ipaddr.js";
import { Webhook } from "standardwebhooks";
import * as undici from "undici";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parseRetryAfter } from "../../../../src/channels/types/post.ts";
import { signWebhook, TYPE_DEFINITIONS } from "../../../../src/channels/types/table.ts";
import { createClient } from "../../../../src/outbound/client.ts";
import { createGuard } from "../../../../src/outbound/guard.ts";
import { systemLookup } from "../../../../src/outbound/lookup.ts";
import { type Answer, type Receiver, startReceiver, status } from "../../../helpers/receiver.ts";
import { createLeasedDelivery } from "../../../helpers/records.ts";

const client = createClient({
  undici: () => undici,
  guard: () => createGuard(ipaddr, ["127.0.0.0/8"]),
  lookup: systemLookup,
});
const secret = `whsec_${randomBytes(32).toString("base64")}`;
const BODY = '{"type":"channel.test","data":{"name":"Grüße ✓"}}';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

function send(headers: Readonly<Record<string, string>> = { "X-Team": "ops" }): Promise<unknown> {
  const channel = { type: "webhook", config: { url: `${receiver.url}/in`, headers, secret } } as const;
  return TYPE_DEFINITIONS.webhook.send(
    { client, now: Date.now, mailer: "no mail" },
    createLeasedDelivery(channel, BODY),
  );
}

function verifyRequest({ headers, body }: Receiver["received"][number], key = secret): unknown {
  return new Webhook(key).verify(body, headers as Record<string, string>);
}

it("a webhook request is signed JSON with the channel's headers", async () => {
  expect(await send()).toMatchObject({ ok: true });
  const [received] = receiver.received;
  expect(received).toMatchObject({ method: "POST", url: "/in", body: BODY });
  expect(received?.headers).toMatchObject({
    "content-type": "application/json",
    "x-team": "ops",
    "webhook-id": "msg_1",
  });
  expect(verifyRequest(received as never)).toEqual(JSON.parse(BODY));
  expect(() => verifyRequest(received as never, `whsec_${randomBytes(32).toString("base64")}`)).toThrow();
});

it("a channel's headers can't replace Webhook-Id, Webhook-Signature or Content-Type", async () => {
  await send({ "Webhook-Id": "msg_2", "CONTENT-TYPE": "text/plain", "webhook-signature": "v1,x" });
  expect(receiver.received[0]?.headers).toMatchObject({ "webhook-id": "msg_1", "content-type": "application/json" });
  verifyRequest(receiver.received[0] as never);
});

it.each([200, 201, 202, 204, 299])("a webhook response of %i is a success", async (code) => {
  receiver.answer = status(code);
  expect(await send()).toEqual({ ok: true, httpStatus: code });
});

const failures: readonly (readonly [string, Answer, object])[] = [
  ["301", status(301, { location: "/" }), { reason: /answered 301: redirects are not followed, give the final URL/ }],
  ["304", status(304), { reason: /304/ }],
  ["400", status(400), { reason: "the webhook answered 400" }],
  ["401", status(401), { reason: /401: check the secret and the headers/ }],
  ["404", status(404), { reason: "the webhook answered 404: check the URL" }],
  ["410", status(410), { verdict: "gone", reason: /410: the receiver wants no more events/ }],
  ["429", status(429, { "Retry-After": "120" }), { retryAfterMs: 120_000 }],
  ["500", status(500), { reason: "the webhook answered 500" }],
  ["503", status(503, { "Retry-After": "99999999" }), { retryAfterMs: 86_400_000 }],
  ["599", status(599), { reason: "the webhook answered 599" }],
];
it.each(failures)("a webhook response of %s is a failure with its reason", async (_, answer, expectedFields) => {
  receiver.answer = answer;
  const attempt = await send();
  const expected = Object.entries(expectedFields).map(([key, value]) => [
    key,
    value instanceof RegExp ? expect.stringMatching(value) : value,
  ]);
  expect(attempt).toMatchObject({ ok: false, verdict: "retry", ...Object.fromEntries(expected) });
  expect(receiver.received).toHaveLength(1);
});

it("a delivery succeeds if the connection closes after the response headers, and fails if it closes before", async () => {
  receiver.answer = (response) => response.destroy();
  expect(await send()).toMatchObject({
    ok: false,
    reason: expect.stringMatching(/^127\.0\.0\.1:\d+ closed the connection without a complete answer$/),
  });
  receiver.answer = (response) => {
    response.writeHead(200, { "Content-Length": "1000000000" });
    response.write("x");
    setTimeout(() => response.destroy(), 20);
  };
  expect(await send()).toMatchObject({ ok: true });
});

it("a webhook response of a gigabyte counts as success, and most of it is not read", async () => {
  let sentBytes = 0;
  receiver.answer = (response) => {
    const chunk = Buffer.alloc(65_536);
    response.writeHead(200, { "Content-Length": String(2 ** 30) });
    const fill = (): void => {
      while (!response.destroyed && sentBytes < 2 ** 30) {
        sentBytes += chunk.length;
        if (!response.write(chunk)) break;
      }
    };
    response.on("drain", fill).on("error", () => {});
    fill();
  };
  expect(await send()).toMatchObject({ ok: true });
  expect(sentBytes).toBeLessThan(2 ** 26);
});

const now = Date.parse("2026-11-21T19:00:00Z");
it.each([
  ["0", 0],
  ["120", 120_000],
  [" 5 ", 5000],
  ["86401", 86_400_000],
  ["Sat, 21 Nov 2026 19:01:00 GMT", 60_000],
  ["Sat, 21 Nov 2026 18:00:00 GMT", undefined],
  ["-5", undefined],
  ["soon", undefined],
  ["", undefined],
  [undefined, undefined],
  ["99999999999999", undefined],
])("Retry-After %j is parsed as %j ms", (value, ms) => expect(parseRetryAfter(value, now)).toBe(ms));

it("the signature of a webhook equals that of the standardwebhooks package", () => {
  const bytes = fc.uint8Array({ minLength: 24, maxLength: 64 });
  const id = fc.stringMatching(/^msg_[A-Za-z0-9]{1,40}$/);
  const body = fc.string({ unit: "grapheme" });
  fc.assert(
    fc.property(bytes, id, body, fc.date({ noInvalidDate: true }), (key, event, text, time) => {
      const base64 = `whsec_${Buffer.from(key).toString("base64")}`;
      const headers = signWebhook(base64, event, time.getTime(), text);
      expect(headers["webhook-signature"]).toBe(new Webhook(base64).sign(event, time, text));
      expect(headers["webhook-id"]).toBe(event);
      expect(headers["webhook-timestamp"]).toBe(String(Math.floor(time.getTime() / 1000)));
    }),
  );
});
