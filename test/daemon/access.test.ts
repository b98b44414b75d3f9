// Tests access over real sockets: keys, scopes, rate limits, hosts, and the order of checks.

import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type CheckedApi, openCheckedApi } from "../helpers/api-contract.ts";
import {
  type Daemon,
  makeKey,
  type Reply,
  revokeKey,
  send,
  sendRaw,
  startDaemon,
  testDaemon,
} from "../helpers/daemon.ts";
import { scratch } from "../helpers/run.ts";

const DETECT = "/api/v1/emails/detect";
const DOMAINS = "/api/v1/domains";
const CHANNELS = "/api/v1/team/notifications/channels";

const files = scratch();
const home = join(files.path, "home");
const start = (...args: string[]): Promise<Daemon> => testDaemon(["--dns", "off", ...args], { home });
afterAll(async () => {
  await local.stop();
  files.remove();
});

let local: Daemon;
let api: CheckedApi;
let fullKey: string;
beforeAll(async () => {
  fullKey = (await makeKey(home)).text;
  local = await startDaemon(["--dns", "off"], { home });
  api = await openCheckedApi(local.port);
});

function code({ json }: Reply): unknown {
  return json["code"];
}

it("a request with a valid key and the required scope gets 200", async () => {
  // The scheme is case-insensitive.
  for (const scheme of ["Bearer", "bearer", "BEARER "]) {
    const { status, json } = await api.send("GET", CHANNELS, { headers: { authorization: `${scheme} ${fullKey}` } });
    expect([status, json]).toMatchObject([200, { code: "SUCCESS", data: [] }]);
  }
});

it("a request without a key gets 401 MISSING_API_KEY and how to send one", async () => {
  for (const headers of [{}, { authorization: "" }]) {
    const reply = await api.send("GET", CHANNELS, { headers });
    expect(reply.status).toBe(401);
    expect(reply.json).toEqual({
      code: "MISSING_API_KEY",
      message: expect.stringContaining("Authorization: Bearer"),
    });
    expect(reply.headers["www-authenticate"]).toBe('Bearer realm="addrsift"');
  }
});

const createRevoked = async (): Promise<string> => {
  const { text, id } = await makeKey(home);
  await revokeKey(home, id);
  return text;
};
it.each([
  ["malformed", async () => "adsf_tooshort"],
  ["malformed", async () => `${fullKey}x`],
  ["unknown", async () => (await makeKey(join(files.path, "other"))).text],
  ["expired", async () => (await makeKey(home, { expires: "1d", nowMs: Date.now() - 2 * 86_400_000 })).text],
  ["revoked", createRevoked],
])("a key that is %s gets 401 INVALID_API_KEY", async (reason, createText) => {
  const key = await createText();
  const reply = await api.send("GET", CHANNELS, { key });
  expect(reply.status).toBe(401);
  expect(reply.json).toEqual({ code: "INVALID_API_KEY", message: expect.stringMatching(/: .*(create|send|check)/) });
  expect(reply.headers["www-authenticate"]).toBe(
    `Bearer realm="addrsift", error="invalid_token", error_description="The API key is ${reason}"`,
  );
  expect(reply.text).not.toContain(key);
});

it("a key without the scheme Bearer gets 401 with the scheme to send", async () => {
  const basic = Buffer.from(`${fullKey}:`).toString("base64");
  for (const authorization of [fullKey, `Basic ${basic}`, `Token ${fullKey}`]) {
    const reply = await api.send("GET", CHANNELS, { headers: { authorization } });
    const message = expect.stringMatching(/^the API key was sent without the scheme Bearer: send it as "Auth/);
    expect([reply.status, reply.json]).toEqual([401, { code: "INVALID_API_KEY", message }]);
  }
});

it("a key without the required scope gets 403 with the name of the scope", async () => {
  const { text: key } = await makeKey(home, { scopes: ["notifications:read"] });
  expect((await api.send("GET", CHANNELS, { key })).status).toBe(200);
  const expectations: [string, string, string][] = [
    ["POST", CHANNELS, "notifications:create"],
    ["PATCH", `${CHANNELS}/ch_x`, "notifications:update"],
    ["DELETE", `${CHANNELS}/ch_x`, "notifications:delete"],
    ["GET", `${DETECT}?email=a@x.com`, "emails:detect"],
    ["POST", DETECT, "emails:detect"],
    ["GET", `${DOMAINS}/a%2.com`, "emails:detect"],
    ["POST", `${DOMAINS}/detect`, "emails:detect"],
  ];
  for (const [method, path, scope] of expectations) {
    const reply = await api.send(method, path, { key });
    expect(reply.status).toBe(403);
    expect(reply.json).toEqual({ code: "INSUFFICIENT_SCOPE", message: expect.stringContaining(scope) });
    expect(reply.headers["www-authenticate"]).toContain(`error="insufficient_scope", scope="${scope}"`);
  }
});

const path = `${DETECT}?email=a@x.com`;

it("detection on loopback needs no key, but an invalid key is rejected", async () => {
  expect((await api.send("GET", path)).status).toBe(200);
  expect((await api.send("GET", path, { key: fullKey })).status).toBe(200);
  expect(code(await api.send("GET", path, { key: "adsf_wrong" }))).toBe("INVALID_API_KEY");
});

it("detection needs a key if a public URL is set or the daemon listens on other addresses than loopback", async () => {
  for (const args of [
    ["--public-url", "https://api.example.com"],
    ["--host", "0.0.0.0"],
  ]) {
    const { port } = await start(...args);
    expect(code(await send(port, "GET", path))).toBe("MISSING_API_KEY");
    expect(code(await send(port, "POST", DETECT, { body: { emails: [] } }))).toBe("MISSING_API_KEY");
    expect(code(await send(port, "GET", `${DOMAINS}/a%2.com`))).toBe("MISSING_API_KEY");
    expect(code(await send(port, "POST", `${DOMAINS}/detect`, { body: "{" }))).toBe("MISSING_API_KEY");
    expect((await send(port, "GET", `${DOMAINS}/gmail.com`, { key: fullKey })).status).toBe(200);
    expect((await send(port, "GET", path, { key: fullKey })).status).toBe(200);
  }
});

it("--public-detect allows only detection without a key, on every address", async () => {
  const { port } = await start("--host", "0.0.0.0", "--public-detect", "--public-url", "https://api.example.com");
  expect((await send(port, "GET", path)).status).toBe(200);
  expect(code(await send(port, "GET", path, { key: "adsf_wrong" }))).toBe("INVALID_API_KEY");
  expect(code(await send(port, "GET", CHANNELS))).toBe("MISSING_API_KEY");
});

it("a daemon on loopback answers 421 to another Host, for any path", async () => {
  for (const path of ["/healthz", "/metrics", "/openapi.json", `${DETECT}?email=a@x.com`, "/nowhere"]) {
    const reply = await send(local.port, "GET", path, { headers: { host: "evil.example" }, key: fullKey });
    expect([reply.status, code(reply)]).toEqual([421, "MISDIRECTED_REQUEST"]);
  }
});

it.each(["2130706433", "::ffff:127.0.0.1"])("an unknown Host gets 421 with --host %s", async (host) => {
  const started = await start("--host", host).catch((error: Error) => error);
  // A machine may have no IPv6.
  if (started instanceof Error) return expect(started.message).toContain("no such address");
  // The first request has an empty host in its target: the check compares each host with the last accepted one.
  const emptyHost = "GET http:///metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  expect(await sendRaw(started.port, [emptyHost])).toMatch(/^HTTP\/1.1 421 /);
  const statusFor = async (name: string): Promise<number> =>
    (await send(started.port, "GET", "/metrics", { headers: { host: name } })).status;
  expect([await statusFor("rebound.example.com"), await statusFor("localhost")]).toEqual([421, 200]);
});

it("on loopback, Host may name the public URL; on other addresses, it may name any host", async () => {
  const proxied = await start("--public-url", "https://api.example.com/base");
  expect((await send(proxied.port, "GET", "/healthz", { headers: { host: "api.example.com" } })).status).toBe(200);
  expect((await send(proxied.port, "GET", "/healthz", { headers: { host: "evil.example" } })).status).toBe(421);
  const open = await start("--host", "0.0.0.0");
  expect((await send(open.port, "GET", "/healthz", { headers: { host: "any.example" } })).status).toBe(200);
});

it("a missing or repeated Host gets 400", async () => {
  expect(await sendRaw(local.port, ["GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"])).toMatch(/^HTTP\/1.1 400 /);
  const repeated = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  expect(await sendRaw(local.port, [repeated])).toMatch(/^HTTP\/1.1 400 .*BAD_REQUEST/s);
});

it("/metrics is served on loopback without a public URL, or with --metrics-public", async () => {
  const response = await api.send("GET", "/metrics");
  expect(response.status).toBe(200);
  expect(response.headers["content-type"]).toContain("text/plain");
  expect(response.text).toContain('addrsift_http_requests_total{route="/openapi.json",method="GET",status="200"}');
  expect(response.text).toContain("process_resident_memory_bytes");
  const withPublicUrl = await start("--public-url", "https://api.example.com");
  expect(code(await send(withPublicUrl.port, "GET", "/metrics"))).toBe("NOT_FOUND");
  const open = await start("--public-url", "https://api.example.com", "--metrics-public");
  expect((await send(open.port, "GET", "/metrics")).status).toBe(200);
});

it("metrics count requests by route, method and status, and addresses by class", async () => {
  const { port } = await start();
  for (const email of "a@gmail.com a@mailinator.com a@duck.com broken@ a@no-list-has-this.example.org".split(" ")) {
    await send(port, "GET", `${DETECT}?email=${email}`);
  }
  await send(port, "GET", DETECT);
  await send(port, "GET", "/secret-path-of-somebody");
  await send(port, "BREW", "/healthz").catch(() => undefined);
  await send(port, "PUT", "/healthz");
  const { text } = await send(port, "GET", "/metrics");
  expect(text).toContain(`addrsift_http_requests_total{route="${DETECT}",method="GET",status="200"} 5`);
  expect(text).toContain(`addrsift_http_requests_total{route="${DETECT}",method="GET",status="400"} 1`);
  expect(text).toContain('addrsift_http_requests_total{route="none",method="GET",status="404"} 1');
  expect(text).toContain('addrsift_http_requests_total{route="/healthz",method="PUT",status="405"} 1');
  for (const name of ["invalid", "disposable", "relay", "public", "other"]) {
    expect(text).toContain(`addrsift_addresses_total{class="${name}"} 1`);
  }
  expect(text).toContain(`addrsift_http_request_duration_seconds_bucket{le="+Inf",route="${DETECT}",method="GET"} 6`);
  expect(text).toContain(`addrsift_http_request_duration_seconds_count{route="${DETECT}",method="GET"} 6`);
  expect(text).not.toContain("secret-path");
  expect(text).not.toContain("@");
});

const bad = { body: "{", headers: { "content-type": "text/plain" } };

it("requests are checked in the order route, method, key, scope, media type, size, body", async () => {
  const { text: reader } = await makeKey(home, { scopes: ["notifications:read"] });
  const huge = "x".repeat(65 * 1024);
  const json = { "content-type": "application/json" };
  const steps: [string, string, string, Parameters<typeof send>[3]][] = [
    ["NOT_FOUND", "POST", `${CHANNELS}s`, bad],
    ["NOT_FOUND", "POST", `${CHANNELS}/`, bad],
    ["METHOD_NOT_ALLOWED", "PUT", CHANNELS, bad],
    ["MISSING_API_KEY", "POST", CHANNELS, { ...bad, body: huge }],
    ["INVALID_API_KEY", "POST", CHANNELS, { ...bad, body: huge, key: "adsf_wrong" }],
    ["INSUFFICIENT_SCOPE", "POST", CHANNELS, { ...bad, body: huge, key: reader }],
    ["UNSUPPORTED_MEDIA_TYPE", "POST", CHANNELS, { ...bad, body: huge, key: fullKey }],
    ["PAYLOAD_TOO_LARGE", "POST", CHANNELS, { body: huge, key: fullKey, headers: json }],
    ["INVALID_BODY", "POST", CHANNELS, { body: "{", key: fullKey, headers: json }],
  ];
  for (const [expected, method, path, request] of steps) {
    expect(code(await api.send(method, path, request)), `${method} ${path}`).toBe(expected);
  }
});

it("an unsupported method gets 405 with the supported methods", async () => {
  const expectations: [string, string, string][] = [
    ["DELETE", DETECT, "GET, HEAD, POST"],
    ["PUT", CHANNELS, "POST, GET, HEAD"],
    ["POST", `${DOMAINS}/gmail.com`, "GET, HEAD"],
    ["GET", `${DOMAINS}/detect`, "POST"],
    ["POST", `${CHANNELS}/ch_x`, "GET, HEAD, PATCH, DELETE"],
    ["OPTIONS", "/healthz", "GET, HEAD"],
    ["POST", "/metrics", "GET, HEAD"],
  ];
  for (const [method, path, allow] of expectations) {
    const { status, headers, json } = await api.send(method, path);
    expect([status, json["code"], headers["allow"]]).toEqual([405, "METHOD_NOT_ALLOWED", allow]);
  }
});

it.each([
  ...["/api/v1", "/api/v1/emails/detect/", "/api/v1/emails//detect", "/API/v1/emails/detect", "/healthz/x"],
  ...["//healthz", "/../healthz"],
])("unknown path %s gets 404", async (path) => {
  expect(code(await api.send("GET", path))).toBe("NOT_FOUND");
});

it("--rate-limit limits the requests of each key, and of each client address without a key", async () => {
  const { port } = await start("--rate-limit", "3");
  const { text: other } = await makeKey(home);
  const path = `${DETECT}?email=a@x.com`;
  for (const key of [fullKey, other, undefined]) {
    const request = (): Promise<Reply> => send(port, "GET", path, key === undefined ? {} : { key });
    const allowed = await Promise.all([request(), request(), request()]);
    expect(allowed.map(({ status }) => status)).toEqual([200, 200, 200]);
    // Each second allows three more requests, so many must be sent at once.
    let replies: readonly Reply[] = allowed;
    while (!replies.some(({ status }) => status === 429))
      replies = await Promise.all(Array.from({ length: 50 }, request));
    expect(replies.find(({ status }) => status === 429)?.headers["retry-after"]).toBe("1");
  }
  expect((await send(port, "GET", "/healthz")).status).toBe(200);
});
