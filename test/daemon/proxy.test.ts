// Tests the daemon behind a proxy and with browsers: the client's address, access to metrics, cross-origin pages, and
// warnings.

import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeAll, expect, it } from "vitest";
import { openCheckedApi } from "../helpers/api-contract.ts";
import { AUTHORITY } from "../helpers/authority.ts";
import { startConnectProxy, startTlsHost } from "../helpers/connect-proxy.ts";
import { type Daemon, makeKey, send, sendRaw, testDaemon } from "../helpers/daemon.ts";
import { expectRefused, fileScratch, objectsOf, scratch } from "../helpers/run.ts";

const DETECT = "/api/v1/emails/detect";
const ONE = `${DETECT}?email=a@gmail.com`;
const CHANNELS = "/api/v1/team/notifications/channels";
const PAGE = "https://app.example.com";

const files = fileScratch();
const home = join(files.path, "home");
const start = (...args: string[]): Promise<Daemon> => testDaemon(["--dns", "off", ...args], { home });
let key: string;
beforeAll(async () => {
  key = (await makeKey(home)).text;
});

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly id?: string;
  readonly peer?: string;
  readonly path?: string;
  readonly [name: string]: unknown;
}

async function logLines(daemon: Daemon): Promise<Line[]> {
  await daemon.stop();
  return objectsOf<Line>(daemon.log());
}

it("with --trust-proxy, log and rate limits use the address in X-Forwarded-For", async () => {
  const daemon = await start("--trust-proxy", "127.0.0.1", "--public-url", "https://api.example.com");
  const requestFrom = (address: string): Promise<{ status: number }> =>
    send(daemon.port, "GET", CHANNELS, { key: "adsf_wrong", headers: { "x-forwarded-for": address } });
  for (let i = 0; i < 20; i += 1) expect((await requestFrom("1.1.1.1, 203.0.113.7")).status).toBe(401);
  expect((await requestFrom("203.0.113.7")).status).toBe(429);
  expect((await requestFrom("203.0.113.8")).status).toBe(401);
  const peers = (await logLines(daemon)).map(({ peer }) => peer).filter((peer) => peer !== undefined);
  expect(new Set(peers)).toEqual(new Set(["203.0.113.7", "203.0.113.8"]));
});

it.each(["x-forwarded-for", "forwarded", "via", "x-forwarded-proto"])(
  "without --public-url, the daemon warns once about requests with the proxy header %s",
  async (name) => {
    const daemon = await start();
    // A request without the header causes no warning.
    for (const headers of [{}, { [name]: "203.0.113.7" }, { [name]: "203.0.113.7" }])
      await send(daemon.port, "GET", "/healthz", { headers });
    const lines = await logLines(daemon);
    const message = expect.stringMatching(
      /^a proxy forwards requests but --public-url is not set, .*: set --public-url/,
    );
    expect(lines.filter(({ level }) => level === 40)).toMatchObject([{ msg: message }]);
    expect(lines[1]).toMatchObject({ msg: "request", peer: "127.0.0.1" });
  },
);

it("with --public-url, the daemon does not warn about proxy headers", async () => {
  const daemon = await start("--public-url", "https://api.example.com");
  await send(daemon.port, "GET", "/healthz", { headers: { via: "1.1 proxy" } });
  expect((await logLines(daemon)).filter(({ level }) => level >= 40)).toEqual([]);
});

it("with --metrics-port, metrics are served on that port only, and nothing else is served there", async () => {
  const daemon = await start("--public-url", "https://api.example.com", "--metrics-port", "0");
  await send(daemon.port, "GET", "/healthz");
  const url = /"metrics_url":"http:\/\/127\.0\.0\.1:(\d+)\/metrics"/.exec(daemon.log())?.[1];
  const served = await send(Number(url), "GET", "/metrics");
  expect(served.status).toBe(200);
  expect(served.text).toContain('addrsift_http_requests_total{route="/healthz",method="GET",status="200"} 1');
  const onMainPort = await send(daemon.port, "GET", "/metrics");
  expect([onMainPort.status, onMainPort.json["message"]]).toEqual([
    404,
    "metrics are on the port of --metrics-port: request them there",
  ]);
  const detection = await send(Number(url), "GET", ONE);
  expect([detection.status, detection.json["message"]]).toEqual([404, "there is no such path: use /metrics"]);
  expect((await send(Number(url), "GET", "/metrics", { headers: { host: "evil.example" } })).status).toBe(421);
});

it("with --host 0.0.0.0, /metrics rejects an unknown Host, as in DNS rebinding", async () => {
  const { port } = await start("--host", "0.0.0.0");
  expect((await send(port, "GET", "/metrics", { headers: { host: "rebound.example" } })).status).toBe(404);
  expect((await send(port, "GET", "/metrics", { headers: { host: `127.0.0.1:${port}` } })).status).toBe(200);
  expect((await send(port, "GET", "/healthz", { headers: { host: "any.example" } })).status).toBe(200);
});

it("CORS: an allowed origin can send requests with preflight and key, other origins can't", async () => {
  const { port } = await start("--cors-origin", PAGE, "--cors-origin", "http://localhost:5173/");
  for (const origin of [PAGE, "http://localhost:5173"]) {
    const preflightHeaders = {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization",
    };
    const preflight = await send(port, "OPTIONS", DETECT, { headers: preflightHeaders });
    expect([preflight.status, preflight.text, preflight.headers["content-type"]]).toEqual([204, "", undefined]);
    expect(preflight.headers).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "GET, HEAD, POST",
      "access-control-allow-headers": expect.stringContaining("Authorization"),
      "access-control-max-age": "7200",
      vary: "Origin",
    });
    expect(preflight.headers).not.toHaveProperty("access-control-allow-credentials");
    const response = await send(port, "GET", ONE, { key, headers: { origin, "sec-fetch-site": "cross-site" } });
    const { "access-control-allow-origin": allowed, vary } = response.headers;
    expect([response.status, allowed, vary]).toEqual([200, origin, "Origin"]);
    const rejected = await send(port, "GET", CHANNELS, { headers: { origin } });
    expect([rejected.status, rejected.headers["access-control-allow-origin"]]).toEqual([401, origin]);
  }
  const evilHeaders = { origin: "https://evil.example", "access-control-request-method": "POST" };
  const rejectedPreflight = await send(port, "OPTIONS", DETECT, { headers: evilHeaders });
  expect([rejectedPreflight.status, rejectedPreflight.json]).toEqual([
    403,
    { code: "CROSS_SITE", message: expect.stringContaining("--cors-origin") },
  ]);
  const read = await send(port, "GET", ONE, { key, headers: evilHeaders });
  expect(read.headers).not.toHaveProperty("access-control-allow-origin");
  expect(read.headers.vary).toBe("Origin");
  const link = await send(port, "GET", "/verify/x", { headers: { origin: PAGE } });
  expect(link.headers).not.toHaveProperty("access-control-allow-origin");
});

it("a cross-site request without a key is rejected", async () => {
  const { port } = await start();
  const api = await openCheckedApi(port);
  for (const site of ["cross-site", "same-site"]) {
    const reply = await api.send("GET", ONE, { headers: { "sec-fetch-site": site } });
    expect([reply.status, reply.json["code"]]).toEqual([403, "CROSS_SITE"]);
    expect((await api.send("GET", ONE, { key, headers: { "sec-fetch-site": site } })).status).toBe(200);
  }
  for (const site of ["same-origin", "none"]) {
    expect((await api.send("GET", ONE, { headers: { "sec-fetch-site": site } })).status).toBe(200);
  }
  // Browsers before 2023 send only Origin.
  for (const origin of ["http://evil.example", "null", "http://localhost:1"]) {
    const reply = await api.send("GET", ONE, { headers: { origin } });
    expect([reply.status, reply.json["code"]]).toEqual([403, "CROSS_SITE"]);
  }
  expect((await api.send("GET", ONE, { headers: { origin: `http://127.0.0.1:${port}` } })).status).toBe(200);
  const open = await start("--public-detect");
  expect((await send(open.port, "GET", ONE, { headers: { "sec-fetch-site": "cross-site" } })).status).toBe(200);
});

it.each([
  ["*", "is not the origin of a page"],
  ["app.example.com", "is not the origin of a page"],
  ["https://app.example.com/path", "is not the origin of a page"],
  ["https://me@app.example.com", "is not the origin of a page"],
  ["null", "is not the origin of a page"],
])("--cors-origin rejects %s", async (text, message) => expectRefused(`serve --cors-origin ${text}`, message));

it("response and log have the X-Request-Id of the request, or a new one", async () => {
  const daemon = await start();
  const reused = await send(daemon.port, "GET", "/healthz", { headers: { "x-request-id": "web-42/a" } });
  expect(reused.headers["x-request-id"]).toBe("web-42/a");
  const createdIds: unknown[] = [];
  for (const invalid of [undefined, "joe@example.org", "a b", "x".repeat(129)]) {
    const headers: Record<string, string> = invalid === undefined ? {} : { "x-request-id": invalid };
    createdIds.push((await send(daemon.port, "GET", "/nowhere", { headers })).headers["x-request-id"]);
  }
  expect(new Set(createdIds).size).toBe(4);
  for (const id of createdIds) expect(id).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/);
  const ids = (await logLines(daemon)).filter(({ msg }) => msg === "request").map(({ id }) => id);
  expect(ids).toEqual(["web-42/a", ...createdIds]);
});

it("--log-addresses logs any unknown path except verification links", async () => {
  const daemon = await start("--log-addresses");
  await send(daemon.port, "GET", "/a/wrong/path@b.example");
  await send(daemon.port, "GET", "/verify/secret/more");
  await send(daemon.port, "PUT", "/healthz");
  const lines = (await logLines(daemon)).filter(({ msg }) => msg === "request");
  expect(lines.map(({ path, route }) => path ?? route)).toEqual(["/a/wrong/path@b.example", undefined, "/healthz"]);
});

it("a query on a path without parameters is rejected, after the key check", async () => {
  const api = await openCheckedApi((await start()).port);
  for (const [method, path, options, code] of [
    ["POST", `${DETECT}?explain=true`, { key, body: { emails: [] } }, "INVALID_QUERY"],
    ["GET", `${CHANNELS}?type=email&limit=1`, { key }, "INVALID_QUERY"],
    ["GET", `${CHANNELS}?type=email`, {}, "MISSING_API_KEY"],
    ["GET", "/healthz?probe=1", {}, "SUCCESS"],
    ["GET", "/verify/none?from=mail", {}, undefined],
  ] as const)
    expect([path, (await api.send(method, path, options)).json["code"]]).toEqual([path, code]);
});

it("HTTP/1.0 without Host is answered, and its connection closed", async () => {
  const { port } = await start();
  expect(await sendRaw(port, ["GET /healthz HTTP/1.0\r\n\r\n"])).toMatch(/^HTTP\/1.1 200 /);
  expect(await sendRaw(port, ["GET /healthz HTTP/1.0\r\nHost: evil.example\r\n\r\n"])).toMatch(/^HTTP\/1.1 421 /);
});

it("a Transfer-Encoding other than chunked gets 501", async () => {
  const { port } = await start();
  const head = `POST ${DETECT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
  for (const coding of ["gzip, chunked", "identity"]) {
    const answer = await sendRaw(port, [`${head}Transfer-Encoding: ${coding}\r\n\r\nd\r\n{"emails":[]}\r\n0\r\n\r\n`]);
    expect(answer).toMatch(/^HTTP\/1.1 501 [\s\S]*Connection: close[\s\S]*NOT_IMPLEMENTED/);
  }
});

it("a large response is compressed if the client accepts gzip", async () => {
  const { port } = await start();
  const emails = Array.from({ length: 1000 }, (_, i) => `name${i}@gmail.com`);
  const plain = await send(port, "POST", DETECT, { body: { emails } });
  expect(plain.headers).not.toHaveProperty("content-encoding");
  expect(plain.headers.vary).toBe("Accept-Encoding");
  const compressed = await postGzip(port, emails);
  expect(compressed.encoding).toBe("gzip");
  expect(compressed.body.length).toBeLessThan(plain.text.length / 5);
  expect(gunzipSync(compressed.body).toString()).toBe(plain.text);
  expect((await postGzip(port, emails.slice(0, 9))).encoding).toBeUndefined();
});

async function postGzip(port: number, emails: string[]): Promise<{ encoding: string | undefined; body: Buffer }> {
  const headers = { "content-type": "application/json", "accept-encoding": "gzip" };
  const outgoing = request({ port, host: "127.0.0.1", method: "POST", path: DETECT, headers, agent: false });
  outgoing.end(JSON.stringify({ emails }));
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  return { encoding: incoming.headers["content-encoding"], body: Buffer.concat(await incoming.toArray()) };
}

it("--proxy sends webhooks through the proxy, rejects private addresses, and does not reveal the proxy's address", async () => {
  const folder = scratch();
  const host = await startTlsHost("accepted");
  const proxy = await startConnectProxy(host.port, "anna:word");
  const file = folder.file("proxy-url", `http://anna:word@127.0.0.1:${proxy.port}\n`);
  const env = { NODE_EXTRA_CA_CERTS: folder.file("authority.pem", AUTHORITY), NO_PROXY: "straight.example" };
  const daemon = await testDaemon(["--dns", "off", "--proxy", `@${file}`], { home, env });
  const api = await openCheckedApi(daemon.port);
  const test = async (url: string): Promise<string> => {
    const body = { name: "hook", type: "webhook", config: { url } };
    const creation = await api.send("POST", CHANNELS, { key, body });
    if (creation.status !== 200) return creation.json["message"] as string;
    return (await api.send("POST", `${CHANNELS}/${creation.json["id"]}/test`, { key })).json["message"] as string;
  };
  expect(await test("https://hook.example/in")).toContain("the channel is verified");
  expect(proxy.requestedHosts).toEqual(["hook.example:443"]);
  expect(await test("https://10.0.0.1/in")).toContain("10.0.0.1 is a private address");
  expect(await test("https://straight.example/in")).toContain(
    "straight.example does not resolve to a public IP address",
  );
  for (const name of ["localhost", "localhost.", "a.localhost", "a.localhost.", "loca%6chost"]) {
    expect(await test(`http://${name}:${proxy.port}/in`)).toContain("is a loopback address: requests go only to");
  }
  expect(proxy.requestedHosts).toHaveLength(1);
  await proxy.close();
  expect(await test("https://hook.example/in")).toContain("the operator's proxy refused the connection");
  expect(daemon.log()).not.toContain("anna");
  host.close();
  folder.remove();
});

it("serve --proxy rejects a URL with a password", () =>
  expectRefused(
    "serve --proxy http://u:p@proxy:1",
    /^addrsift: --proxy or ADDRSIFT_PROXY has a password, .* --proxy @FILE\n$/,
  ));
