// Tests authorization: every kind of key and web page, for a route that allows anonymous callers and one that does not.

import { expect, it } from "vitest";
import type { KeyInfo } from "../../../../src/keys/keys.ts";
import { type AccessSettings, createAuthorization } from "../../../../src/server/http/authorization.ts";
import { RequestHeaders } from "../../../../src/server/http/request-context.ts";
import { ROUTES } from "../../../../src/server/routes/table.ts";

const KEY = { id: "k1", team: "default", scopes: ["emails:detect"] } as unknown as KeyInfo;
const [detect, channels, health] = ["detectAddress", "listChannels", "health"].map((id) => {
  const route = ROUTES.find((candidate) => candidate.id === id);
  if (route === undefined) throw new Error(`no route ${id}`);
  return route;
}) as [(typeof ROUTES)[number], (typeof ROUTES)[number], (typeof ROUTES)[number]];

interface Calls {
  readonly failures: string[];
  refreshes: number;
}

function authorizeWith(
  anonymousDetection: AccessSettings["anonymousDetection"],
  calls: Calls = { failures: [], refreshes: 0 },
) {
  return createAuthorization({
    check: (text) => {
      if (text === "good") return { ok: true, value: KEY };
      if (text === "broken") throw new Error("the store can't be read");
      return { ok: false, fault: text === "old" ? "expired" : "unknown" };
    },
    anonymousDetection,
    origins: new Set(["https://app.example.com"]),
    rateLimit: undefined,
    now: () => 0,
    refresh: async () => {
      calls.refreshes += 1;
    },
    onKeyFailure: (fault) => calls.failures.push(fault),
  });
}

const request = (...raw: string[]) => ({
  headers: new RequestHeaders(["Host", "localhost:8025", ...raw]),
  peer: "192.0.2.1",
});

/** Returns the error code of a rejection, or else the caller's id. */
async function codeOf(authorization: ReturnType<ReturnType<typeof authorizeWith>>): Promise<string> {
  const { rejection, caller } = await authorization;
  if (rejection === undefined) return caller === undefined ? "no key" : caller.id;
  return (JSON.parse(String(rejection.body)) as { code: string }).code;
}

const bearer = (text: string): string[] => ["Authorization", `Bearer ${text}`];
const site = (word: string): string[] => ["Sec-Fetch-Site", word];
const origin = (url: string): string[] => ["Origin", url];

it.each([
  [health, "no one", [], "no key"],
  [detect, "no one", [], "MISSING_API_KEY"],
  [detect, "no one", ["Authorization", ""], "MISSING_API_KEY"],
  [detect, "everyone", [], "no key"],
  [detect, "everyone", site("cross-site"), "no key"],
  [detect, "this machine", [], "no key"],
  [channels, "everyone", [], "MISSING_API_KEY"],
  [channels, "this machine", [], "MISSING_API_KEY"],
  [detect, "this machine", site("same-origin"), "no key"],
  [detect, "this machine", site("none"), "no key"],
  [detect, "this machine", site("same-site"), "CROSS_SITE"],
  [detect, "this machine", site("cross-site"), "CROSS_SITE"],
  [detect, "this machine", [...site("cross-site"), ...origin("https://app.example.com")], "no key"],
  [detect, "this machine", [...site("cross-site"), ...origin("https://evil.example")], "CROSS_SITE"],
  [detect, "this machine", origin("http://localhost:8025"), "no key"],
  [detect, "this machine", origin("http://localhost:1"), "CROSS_SITE"],
  [detect, "this machine", origin("null"), "CROSS_SITE"],
] as const)(
  "without a key, with detection open to $1 and the headers $2, authorizing $id gives $3",
  async (route, audience, raw, code) => {
    expect(await codeOf(authorizeWith(audience)(route, request(...raw)))).toBe(code);
  },
);

it.each([
  [detect, bearer("good"), "k1"],
  [channels, bearer("good"), "INSUFFICIENT_SCOPE"],
  [health, bearer("whatever"), "no key"],
  [detect, bearer("old"), "INVALID_API_KEY"],
  [detect, bearer("nobody"), "INVALID_API_KEY"],
  [detect, ["Authorization", "Basic Z29vZA=="], "INVALID_API_KEY"],
  [detect, ["Authorization", "Bearer"], "INVALID_API_KEY"],
  [detect, ["Authorization", "Bearer a b"], "INVALID_API_KEY"],
  [detect, bearer("x".repeat(257)), "INVALID_API_KEY"],
  [detect, [...bearer("good"), ...bearer("good")], "INVALID_API_KEY"],
] as const)(
  "with the headers $1, authorizing $id gives $2, whoever may detect without a key",
  async (route, raw, code) => {
    for (const audience of ["no one", "everyone", "this machine"] as const) {
      expect(await codeOf(authorizeWith(audience)(route, request(...raw)))).toBe(code);
    }
  },
);

it("a malformed key counts as a failure at once; an unknown key only after a refresh of the store", async () => {
  const calls: Calls = { failures: [], refreshes: 0 };
  const check = authorizeWith("no one", calls);
  await check(detect, request(...bearer("good"), ...bearer("good")));
  await check(detect, request("Authorization", "Basic x"));
  expect(calls).toEqual({ failures: ["malformed", "malformed"], refreshes: 0 });
  await check(detect, request(...bearer("nobody")));
  expect(calls).toEqual({ failures: ["malformed", "malformed", "unknown"], refreshes: 1 });
  await expect(check(detect, request(...bearer("broken")))).rejects.toThrow("can't be read");
  expect(calls.refreshes).toBe(2);
});

it("after 20 failures of an address, invalid keys get 429 and valid keys still work", async () => {
  const check = authorizeWith("no one");
  for (let i = 0; i < 20; i += 1)
    expect(await codeOf(check(detect, request(...bearer("old"))))).toBe("INVALID_API_KEY");
  expect(await codeOf(check(detect, request(...bearer("old"))))).toBe("RATE_LIMITED");
  expect(await codeOf(check(detect, request(...bearer("good"))))).toBe("k1");
});
