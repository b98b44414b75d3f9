// Signatures are those of the standardwebhooks package, byte for byte.

import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { signWebhook } from "../../../../src/channels/types/webhook.ts";

const secret = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((key) => `whsec_${Buffer.from(key).toString("base64")}`);
const id = fc.stringMatching(/^msg_[A-Za-z0-9]{1,40}$/);

describe("a signature", () => {
  it("a signature is what the package makes", () => {
    fc.assert(
      fc.property(
        secret,
        id,
        fc.string({ unit: "grapheme" }),
        fc.date({ noInvalidDate: true }),
        (key, event, body, time) => {
          const headers = signWebhook(key, event, time.getTime(), body);
          expect(headers["webhook-signature"]).toBe(new Webhook(key).sign(event, time, body));
        },
      ),
    );
  });

  it("a signature is accepted by the package, and refused for another body, id or secret", () => {
    fc.assert(
      fc.property(secret, secret, id, fc.json(), (key, other, event, body) => {
        fc.pre(key !== other);
        const headers = { ...signWebhook(key, event, Date.now(), body) };
        new Webhook(key).verify(body, headers);
        expect(() => new Webhook(key).verify(`${body} `, headers)).toThrow();
        expect(() => new Webhook(key).verify(body, { ...headers, "webhook-id": `${event}x` })).toThrow();
        expect(() => new Webhook(other).verify(body, headers)).toThrow();
      }),
    );
  });

  it("a signature is that of the specification's example", () => {
    const headers = signWebhook(
      "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      "msg_p5jXN8AQM9LWM0D4loKWxJek",
      1614265330000,
      '{"test": 2432232314}',
    );
    expect(headers).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });
});
