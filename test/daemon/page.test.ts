// Tests the web UI at `/` over real sockets: its security headers, caching and compression.

import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type CheckedApi, openCheckedApi } from "../helpers/api-contract.ts";
import { type Daemon, send, startDaemon, testDaemon } from "../helpers/daemon.ts";

let daemon: Daemon;
let api: CheckedApi;

beforeAll(async () => {
  daemon = await startDaemon(["--dns", "off"]);
  api = await openCheckedApi(daemon.port);
});
afterAll(() => daemon.stop());

it("the web UI is one file whose Content-Security-Policy allows only its own script and style", async () => {
  const { status, headers, text } = await api.send("GET", "/");
  expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
  expect(headers).toMatchObject({ "referrer-policy": "no-referrer", "x-content-type-options": "nosniff" });
  expect(headers).not.toHaveProperty("set-cookie");
  const policy = headers["content-security-policy"] as string;
  for (const [, element, content] of text.matchAll(/<(script type="module"|style)>([\s\S]*?)<\/(?:script|style)>/g)) {
    const digest = createHash("sha256")
      .update(content as string)
      .digest("base64");
    expect(policy).toContain(`${element === "style" ? "style" : "script"}-src 'sha256-${digest}'`);
  }
  expect(policy).toMatch(/^default-src 'none'; /);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
  expect(text).not.toMatch(/ (style|on\w+)="/);
  expect(text).toContain("This page needs JavaScript.");
  expect(text.match(/(?:src|href|action)="(?!data:|#|openapi\.json)/g)).toBeNull();
});

it.each(["/", "/openapi.json"])("%s gets 304 if the ETag matches", async (path) => {
  const { headers } = await api.send("GET", path);
  const tag = headers.etag as string;
  expect(headers["cache-control"]).toBe("no-cache");
  for (const cachedTag of [tag, `"other", ${tag}`, "*", tag.slice(2)]) {
    const notModified = await send(daemon.port, "GET", path, { headers: { "if-none-match": cachedTag } });
    expect([notModified.status, notModified.text, notModified.headers.etag]).toEqual([304, "", tag]);
  }
  expect((await send(daemon.port, "GET", path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
});

it("the web UI is served compressed", async () => {
  const compressed = await send(daemon.port, "GET", "/", { headers: { "accept-encoding": "gzip" } });
  expect(compressed.headers["content-encoding"]).toBe("gzip");
  expect(Number(compressed.headers["content-length"])).toBeLessThan(60_000);
  expect((await send(daemon.port, "HEAD", "/")).text).toBe("");
});

it("--no-page removes the web UI and its route in the OpenAPI document", async () => {
  const { port } = await testDaemon(["--dns", "off", "--no-page"]);
  expect((await send(port, "GET", "/")).json["code"]).toBe("NOT_FOUND");
  const { document } = await openCheckedApi(port);
  expect(Object.keys(document.paths)).not.toContain("/");
  expect(Object.keys(api.document.paths)).toContain("/");
});
