// Tests when the secret is replaced, and how long the previous secret is valid. ../channels.test.ts tests the result of a
// patch.

import { expect, it } from "vitest";
import { replacesSecret } from "../../../../src/channels/config/patch.ts";
import { type ChannelConfig, type ChannelRecord, previousSecrets } from "../../../../src/channels/record.ts";

const SECRET = `whsec_${Buffer.alloc(24, "a").toString("base64")}`;
const URL_OF = "https://hooks.example.com/in";

const WEBHOOK = { url: URL_OF, secret: SECRET };

const before = { ...WEBHOOK, headers: { "X-Key": "1" } } as ChannelConfig;
const otherOrigin = "https://other.example.com/in";
it.each<[string, object, object, boolean]>([
  ["returns true if the origin changes", before, { ...WEBHOOK, url: otherOrigin }, true],
  ["returns true if the new url was sent with headers", before, { ...before, url: otherOrigin }, true],
  ["returns false if the origin stays", before, WEBHOOK, false],
  ["returns false if the url is removed", before, {}, false],
  ["returns false if there was no url", { headers: { "X-Key": "1" } }, WEBHOOK, false],
])("replacesSecret() %s", (_, oldConfig, newConfig, expected) => {
  expect(replacesSecret(oldConfig as ChannelConfig, newConfig as ChannelConfig)).toBe(expected);
});

const DAY_MS = 86_400_000;
it.each([
  ["has expired at its end", 0, []],
  ["is active a millisecond before its end", 1, ["old"]],
  ["is active if it ends in a day", DAY_MS, ["old"]],
  ["is not active if it ends in over a day, as after a fast clock", DAY_MS + 1, []],
])("the previous secret %s", (_, remainingMs, secrets) => {
  const previous_secrets = [{ secret: "old", until: 5 * DAY_MS + remainingMs }];
  const active = previousSecrets({ previous_secrets } as Partial<ChannelRecord> as ChannelRecord, 5 * DAY_MS);
  expect(active.map(({ secret }) => secret)).toEqual(secrets);
});
