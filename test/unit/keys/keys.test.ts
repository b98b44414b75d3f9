// Tests API keys: format, checksum, expiry, revocation, last use, and what the store contains of them.

import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parseExpiry } from "../../../src/base/user-input.ts";
import { generateKeyText, isWellFormedKey } from "../../../src/keys/keys.ts";
import { SCOPES } from "../../../src/keys/scopes.ts";
import { BASE62, randomBase62 } from "../../../src/store/collection.ts";
import { openRecords, type Records } from "../../helpers/records.ts";

let records: Records;
beforeEach(() => {
  records = openRecords();
});
afterEach(() => records.remove());

const CLIENT = { peer: "192.0.2.7" };
const REQUEST = { name: "ci", scopes: ["emails:detect"], team: "default" } as const;

async function createKey(more: object = {}): Promise<{ text: string; id: string }> {
  const outcome = await records.keys.create({ ...REQUEST, ...more });
  if (!outcome.ok) throw new Error(outcome.fault);
  return { text: outcome.value.text, id: outcome.value.key.id };
}

it("the text of a key is adsf_ and 49 base62 characters, and passes the check of its checksum", () => {
  for (let i = 0; i < 200; i++) {
    const text = generateKeyText(randomBytes);
    expect(text).toMatch(/^adsf_[0-9A-Za-z]{49}$/);
    expect(isWellFormedKey(text)).toBe(true);
  }
});

it("the checksum of a key detects a wrong character, a swap of two neighbors and a missing character", () => {
  const text = generateKeyText(randomBytes);
  fc.assert(
    fc.property(fc.integer({ min: 5, max: text.length - 1 }), fc.constantFrom(...BASE62), (at, char) => {
      const mistyped = text.slice(0, at) + char + text.slice(at + 1);
      expect(isWellFormedKey(mistyped)).toBe(mistyped === text);
      const swapped = text.slice(0, at - 1) + text.charAt(at) + text.charAt(at - 1) + text.slice(at + 1);
      expect(isWellFormedKey(swapped)).toBe(swapped === text);
      expect(isWellFormedKey(text.slice(0, at) + text.slice(at + 1))).toBe(false);
    }),
    { numRuns: 500 },
  );
});

it("randomBase62 returns each character about equally often", () => {
  const bytes = Uint8Array.of(0, 61, 62, 247, 248, 255, 123, 124, 9);
  const requestedCounts: number[] = [];
  const base62 = randomBase62(9, (count) => {
    requestedCounts.push(count);
    return bytes;
  });
  // Bytes from 248 on are skipped.
  expect([base62, requestedCounts]).toEqual(["0z0zz090z", [9, 9]]);
  const text = randomBase62(62 * 5000, randomBytes);
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // The expected count is 5,000, with a standard deviation of 70. Bytes modulo 62 would give some characters 6,054.
  for (const count of counts.values()) expect(Math.abs(count - 5000)).toBeLessThan(500);
});

it("the store has only the digest of a new key", async () => {
  const { text, id } = await createKey({ expires: "90d" });
  const file = readFileSync(records.path, "utf8");
  expect(file).not.toContain(text);
  expect(file).not.toContain(text.slice(5, 40));
  expect(file).toContain(createHash("sha256").update(text).digest("hex"));
  expect(records.keys.list()).toEqual([
    {
      id,
      name: "ci",
      team: "default",
      scopes: ["emails:detect"],
      created_at: "2026-11-21T12:00:00.000Z",
      expires_at: "2027-02-19T12:00:00.000Z",
    },
  ]);
});

it.each([
  ["name", { name: "" }, /blank or too long/],
  ["name", { name: "x".repeat(101) }, /too long/],
  ["name", { name: "a\nb" }, /control/],
  ["team", { team: "two words" }, /not a team/],
  ["scopes", { scopes: [] }, /missing/],
  ["expires", { expires: "tomorrow" }, /not a time/],
  ["expires", { expires: "2026-02-30" }, /not a time/],
  ["expires", { expires: "2026-11-21" }, /past/],
  ["expires", { expires: "0d" }, /not a time/],
])("creating a key with an invalid %s is rejected: %j", async (field, more, message) => {
  const outcome = await records.keys.create({ ...REQUEST, ...more });
  expect(outcome).toEqual({ ok: false, fault: expect.stringMatching(message) });
  expect(outcome).toMatchObject({ fault: expect.stringMatching(`^${field} `) });
});

it("a key's scopes are stored once each, in the declared order", async () => {
  await createKey({ scopes: [...SCOPES].reverse().concat("emails:detect") });
  expect(records.keys.list()[0]?.scopes).toEqual(SCOPES);
});

const nowMs = Date.parse("2026-11-21T12:00:00Z");
it.each([
  ["12h", "2026-11-22T00:00:00.000Z"],
  ["90d", "2027-02-19T12:00:00.000Z"],
  ["2w", "2026-12-05T12:00:00.000Z"],
  ["2027-01-31", "2027-01-31T00:00:00.000Z"],
  ["2027-01-31T10:00+02:00", "2027-01-31T08:00:00.000Z"],
  ["2027-01-31T10:00:05.5Z", "2027-01-31T10:00:05.500Z"],
])("parseExpiry parses %s as %s", (text, time) => {
  expect(parseExpiry(text, nowMs)).toEqual({ ok: true, value: Date.parse(time) });
});

it.each(["", ..."90 d -1d 1.5d 100000d 2027-1-1 2027-13-01 2027-02-29 2027-01-01T25:00Z 31.1.2027".split(" ")])(
  "parseExpiry rejects %j",
  (text) => {
    expect(parseExpiry(text, nowMs)).toMatchObject({ ok: false });
  },
);

it("check() accepts a valid key, and reports a malformed, unknown, expired or revoked one", async () => {
  const [valid, shortLived, revoked] = [await createKey(), await createKey({ expires: "12h" }), await createKey()];
  await records.keys.revoke(revoked.id);
  const check = (text: string): string => {
    const outcome = records.keys.check(text, CLIENT);
    return outcome.ok ? outcome.value.id : outcome.fault;
  };
  expect(check(valid.text)).toBe(valid.id);
  expect(check(`${valid.text} `)).toBe("malformed");
  expect(check("")).toBe("malformed");
  expect(check("x".repeat(1_000_000))).toBe("malformed");
  expect(check(generateKeyText(randomBytes))).toBe("unknown");
  expect(check(shortLived.text)).toBe(shortLived.id);
  records.clock.nowMs += 12 * 3_600_000;
  expect(check(shortLived.text)).toBe("expired");
  expect(check(revoked.text)).toBe("revoked");
});

it("a key revoked by another process is rejected soon", async () => {
  const { text, id } = await createKey();
  expect(records.keys.check(text, CLIENT).ok).toBe(true);
  await records.reopen().keys.revoke(id);
  await expect
    .poll(() => records.keys.check(text, CLIENT), { interval: 20 })
    .toMatchObject({ ok: false, fault: "revoked", key: { id } });
  records.keys.check(text, CLIENT);
  expect(records.warnings).toEqual([`the client 192.0.2.7 sends the API key ${id}, which is revoked`]);
});

it("the last use of a key is written at most once a minute", async () => {
  const { text, id } = await createKey();
  const lastUsedAt = (): string | undefined => records.reopen().keys.list()[0]?.last_used_at;
  records.keys.check(text, CLIENT);
  await expect.poll(lastUsedAt).toBe("2026-11-21T12:00:00.000Z");
  const before = readFileSync(records.path, "utf8");
  records.clock.nowMs += 59_000;
  for (let i = 0; i < 100; i++) records.keys.check(text, CLIENT);
  await records.keys.flush();
  expect(readFileSync(records.path, "utf8")).toBe(before);
  records.clock.nowMs += 1_000;
  records.keys.check(text, CLIENT);
  await records.keys.flush();
  expect(lastUsedAt()).toBe("2026-11-21T12:01:00.000Z");
  expect(records.keys.list()[0]?.id).toBe(id);
});

it("the first use of a key is written soon, also if the use of another key was just written", async () => {
  const [first, second] = [await createKey(), await createKey()];
  const usedIds = (): string[] =>
    records
      .reopen()
      .keys.list()
      .flatMap(({ id, last_used_at }) => (last_used_at === undefined ? [] : [id]));
  records.keys.check(first.text, CLIENT);
  await expect.poll(usedIds).toEqual([first.id]);
  records.keys.check(second.text, CLIENT);
  await expect.poll(usedIds, { timeout: 20_000 }).toEqual([first.id, second.id]);
});

it("the next use of a key overwrites a last_used_at that a fast clock set in the future", async () => {
  const { text } = await createKey();
  const lastUsedAt = (): string | undefined => records.reopen().keys.list()[0]?.last_used_at;
  records.clock.nowMs += 10 * 365 * 86_400_000;
  records.keys.check(text, CLIENT);
  await records.keys.flush();
  expect(lastUsedAt()).toMatch(/^2036-/);
  records.clock.nowMs -= 10 * 365 * 86_400_000;
  records.keys.check(text, CLIENT);
  await records.keys.flush();
  expect(lastUsedAt()).toBe("2026-11-21T12:00:00.000Z");
});

it("an unexpected failure to write the last use of a key is a warning, and the next try is a minute later", async () => {
  const { text } = await createKey();
  const useKey = async (): Promise<void> => {
    records.keys.check(text, CLIENT);
    await records.keys.flush();
  };
  // Dates end at 8.64e15.
  records.clock.nowMs = 9e15;
  await useKey();
  expect(records.warnings).toEqual(["the last uses of API keys were not saved: Invalid time value"]);
  records.clock.nowMs += 59_000;
  await useKey();
  expect(records.warnings).toHaveLength(1);
  records.clock.nowMs += 1_000;
  await useKey();
  expect(records.warnings).toHaveLength(2);
});

it("revoking a key again keeps the time of the first revocation", async () => {
  const { id } = await createKey();
  const first = await records.keys.revoke(id);
  expect(first?.revoked_at).toBe("2026-11-21T12:00:00.000Z");
  records.clock.nowMs += 1000;
  expect(await records.keys.revoke(id)).toEqual(first);
  expect(await records.keys.revoke("key_0000000000000000")).toBeUndefined();
});
