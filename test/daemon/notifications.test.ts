import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type CheckedApi, openCheckedApi } from "../helpers/api-contract.ts";
import { type Daemon, makeKey, type Reply, send, startDaemon, testDaemon } from "../helpers/daemon.ts";
import { type MailServer, startMailServer } from "../helpers/mail-server.ts";
import { type Receiver, startReceiver, status } from "../helpers/receiver.ts";

const PATH = "/api/v1/team/notifications/channels";
const EMAIL = { name: "ops", type: "email", config: { address: "ops@example.org" } };

let mail: MailServer;
let receiver: Receiver;
let daemon: Daemon;
let api: CheckedApi;
let key: string;
beforeAll(async () => {
  mail = await startMailServer();
  receiver = await startReceiver();
  const args = ["--dns", "off", "--log-level", "trace", "--allow-private", "127.0.0.0/8"];
  const env = { ADDRSIFT_SMTP_URL: mail.url, ADDRSIFT_SMTP_FROM: "noreply@example.com" };
  daemon = await startDaemon([...args, "--public-url", "https://notify.example.com/base"], { env });
  key = (await makeKey(daemon.home, { team: "red" })).text;
  api = await openCheckedApi(daemon.port);
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = status(204);
});
afterEach(() => {
  mail.mails.length = 0;
});
afterAll(async () => {
  await daemon.stop();
  await mail.close();
  await receiver.close();
});

let mailboxes = 0;
const post = (path: string, body?: object): Promise<Reply> =>
  api.send("POST", path, { key, ...(body === undefined ? {} : { body: body as Readonly<Record<string, unknown>> }) });

async function createEmail(): Promise<string> {
  mailboxes += 1;
  const { json, status: code } = await post(PATH, { ...EMAIL, config: { address: `ops${mailboxes}x@example.org` } });
  expect(code).toBe(200);
  const { message, ...channel } = json;
  expect(message).toMatch(/^a message was sent to the address: /);
  expect((await api.send("GET", `${PATH}/${channel["id"]}`, { key })).json).toEqual(channel);
  return channel["id"] as string;
}

async function createHook(more: object = {}): Promise<{ readonly id: string; readonly secret: string }> {
  const config = { url: `${receiver.url}/in`, ...more };
  const { json } = await post(PATH, { name: "hook", type: "webhook", config });
  return { id: json["id"] as string, secret: (json["config"] as { secret: string }).secret };
}

async function isVerified(id: string): Promise<unknown> {
  return (await api.send("GET", `${PATH}/${id}`, { key })).json["is_verified"];
}

/** Returns the path of the latest mail's link, without the path of the public URL. */
function mailedPath(): string {
  const { text = "" } = mail.mails.at(-1)?.message ?? {};
  return /^https:\/\/notify\.example\.com\/base(\/verify\/[0-9a-f]{64})$/m.exec(text)?.[1] ?? "";
}

it("a local daemon mails a link and the token, and detection needs no key", async () => {
  const env = { ADDRSIFT_SMTP_URL: mail.url, ADDRSIFT_SMTP_FROM: "noreply@example.com" };
  const loopback = await testDaemon(["--dns", "off"], { env });
  const local = await testDaemon(["--dns", "off", "--public-url", "http://localhost:8080"], { env });
  const { text: loopbackKey } = await makeKey(loopback.home);
  const created = await send(loopback.port, "POST", PATH, { key: loopbackKey, body: EMAIL });
  const { text = "" } = mail.mails.at(-1)?.message ?? {};
  const [, path = "", token = ""] = new RegExp(`^${loopback.url}(/verify/([0-9a-f]{64}))$`, "m").exec(text) ?? [];
  expect(text).toContain(`    ${token}\n\n    addrsift channels verify ${created.json["id"]} --team default\n`);
  expect((await send(loopback.port, "GET", path)).status).toBe(200);
  expect((await send(loopback.port, "POST", path)).status).toBe(200);
  const shown = await send(loopback.port, "GET", `${PATH}/${created.json["id"]}`, { key: loopbackKey });
  expect(shown.json["is_verified"]).toBe(true);

  expect((await send(local.port, "GET", "/api/v1/emails/detect?email=a@b.com")).status).toBe(200);
  const { text: localKey } = await makeKey(local.home);
  await send(local.port, "POST", PATH, { key: localKey, body: EMAIL });
  expect(mail.mails.at(-1)?.message.text).toMatch(/^http:\/\/localhost:8080\/verify\/[0-9a-f]{64}$/m);
});

it("addresses in private networks can be senders and channels; a mistyped top-level domain can't", async () => {
  const env = { ADDRSIFT_SMTP_URL: mail.url, ADDRSIFT_SMTP_FROM: "addrsift <a@mail.zone17>" };
  const local = await testDaemon(["--dns", "off"], { env });
  const localKey = (await makeKey(local.home)).text;
  const create = (address: string): Promise<Reply> =>
    send(local.port, "POST", PATH, { key: localKey, body: { ...EMAIL, config: { address } } });
  for (const address of ["ops@corp.internal", "ops@corp.local", "ops@corp.LAN", "ops@host.home.arpa"]) {
    const { status: code, json } = await create(address);
    expect([code, json["message"]]).toEqual([200, expect.stringMatching(/^a message was sent to the address: /)]);
  }
  expect(mail.mails.map(({ from }) => from)).toEqual(Array(4).fill("a@mail.zone17"));
  for (const address of ["ops@gmail.con", "ops@corp"]) expect((await create(address)).status).toBe(400);
  // Spellings of one mailbox share its limit.
  for (const name of ["Ops", "oPs", "opS", "OPs"]) await create(`${name}@corp.internal`);
  expect((await create("OPS@corp.internal")).json["message"]).toMatch(/five|5/);
});

it("after a webhook is created or its url is changed, the response says to test the channel", async () => {
  const { json } = await post(PATH, { name: "hook", type: "webhook", config: { url: `${receiver.url}/in` } });
  expect(json["message"]).toBe("test the channel to verify it");
  const tested = await post(`${PATH}/${json["id"]}/test`);
  const { code, message, delivery_id: _, ...record } = tested.json;
  expect([code, message]).toEqual(["SUCCESS", "The webhook accepted the test: the channel is verified."]);
  const { json: shown } = await api.send("GET", `${PATH}/${json["id"]}`, { key });
  expect({ code, ...record }).toEqual(shown);
  expect(shown["is_verified"]).toBe(true);
  const patch = async (body: Readonly<Record<string, unknown>>) =>
    (await api.send("PATCH", `${PATH}/${json["id"]}`, { key, body })).json;
  expect(await patch({ name: "other" })).not.toHaveProperty("message");
  expect(await patch({ config: { secret: null } })).toMatchObject({ is_verified: true });
  expect(await patch({ config: { url: `${receiver.url}/other` } })).toMatchObject({
    is_verified: false,
    message: "test the channel to verify it",
  });
});

it("a verification link changes nothing until its button is pressed, and then gets 410", async () => {
  const id = await createEmail();
  const path = mailedPath();
  for (const method of ["GET", "HEAD", "GET"]) {
    const page = await api.send(method, path);
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "content-security-policy": expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'/),
      "x-content-type-options": "nosniff",
    });
    if (method === "HEAD") continue;
    expect(page.text).toMatch(/<html lang="en">.*<main>.*<h1>Confirm this address<\/h1>/s);
    expect(page.text).toContain('<form method="post"><button type="submit">Confirm this address</button></form>');
    expect(page.text).not.toMatch(/<script|https?:|src=|<img/);
  }
  expect(await isVerified(id)).toBe(false);
  const json = { headers: { accept: "application/json" } };
  expect((await api.send("GET", path, json)).json).toMatchObject({ code: "SUCCESS", id, is_verified: false });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const done = await api.send("POST", path, { headers, body: "" });
  expect(done.status).toBe(200);
  expect(done.text).toContain("<h1>The address is confirmed</h1>");
  expect(await isVerified(id)).toBe(true);
  for (const method of ["GET", "POST"]) {
    const again = await api.send(method, path);
    expect(again.status).toBe(410);
    expect(again.text).toContain('<p class="code">TOKEN_USED</p>');
    expect(again.headers["cache-control"]).toBe("no-store");
  }
  expect((await api.send("POST", path, json)).json).toEqual({ code: "TOKEN_USED", message: expect.any(String) });
});

it("POST of a verification link that accepts only JSON returns the verified channel's id and address", async () => {
  const id = await createEmail();
  const { json } = await api.send("POST", mailedPath(), { headers: { accept: "application/json" } });
  const address = `ops${mailboxes}x@example.org`;
  expect(json).toEqual({ code: "SUCCESS", message: "The address is verified.", id, address, is_verified: true });
});

it("a replay during an attempt of the delivery gets 409 DELIVERY_IN_PROGRESS", async () => {
  const { path } = await createTestedHook();
  const responses: (() => void)[] = [];
  receiver.answer = (response) => void responses.push(() => response.writeHead(204).end());
  const first = post(`${path}/replay`);
  await expect.poll(() => responses.length).toBe(1);
  expect(await post(`${path}/replay`)).toMatchObject({
    status: 409,
    json: { code: "DELIVERY_IN_PROGRESS", message: expect.stringMatching(/^the delivery is being sent now: wait/) },
  });
  for (const respond of responses) respond();
  expect((await first).status).toBe(200);
});

it.each([
  ["PUT", "/verify/x", 405],
  ["GET", "/verify/x/y", 404],
  ["GET", "/verify/", 404],
])("every response under /verify/ forbids referrers and caching: %s %s", async (method, path, code) => {
  const { status: actual, headers } = await send(daemon.port, method, path);
  expect(actual).toBe(code);
  expect(headers).toMatchObject({
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
  });
});

it.each(["/verify/x", "/verify/%00", `/verify/${"0".repeat(64)}`, "/verify/<script>"])(
  "an unknown verification link %s gets 404, and makes browsers request no icon",
  async (path) => {
    const { status: code, text, headers } = await send(daemon.port, "GET", encodeURI(path));
    expect(code).toBe(404);
    expect(text).not.toContain("<script");
    expect(text).toContain('<link rel="icon" href="data:,">');
    expect(headers["content-security-policy"]).toContain("img-src data:");
  },
);

/** Creates a verified webhook. `path` is that of its only delivery. */
async function createTestedHook(): Promise<{ readonly id: string; readonly secret: string; readonly path: string }> {
  const hook = await createHook();
  await post(`${PATH}/${hook.id}/test`);
  const [first] = (await api.send("GET", `${PATH}/${hook.id}/deliveries`, { key })).json["data"] as { id: string }[];
  return { ...hook, path: `${PATH}/${hook.id}/deliveries/${first?.id}` };
}

it("a failed test of a webhook gets 502 with the reason", async () => {
  const { id } = await createHook({ url: `${receiver.url}/s3cr3t?key=s3cr3t`, headers: { "X-Key": "s3cr3t" } });
  receiver.answer = status(301, { location: "https://example.com/" });
  const failed = await post(`${PATH}/${id}/test`);
  expect(failed.status).toBe(502);
  expect(failed.json).toEqual({
    code: "TEST_FAILED",
    message: "the webhook answered 301: redirects are not followed, give the final URL",
  });
  expect(await isVerified(id)).toBe(false);
  const internal = await createHook({ url: "http://[::ffff:10.0.0.1]/" });
  const message = expect.stringMatching(/is a private address.*--allow-private/);
  expect((await post(`${PATH}/${internal.id}/test`)).json).toEqual({ code: "TEST_FAILED", message });
});

it("the test of a webhook needs a key of the channel's team with the required scope", async () => {
  const { id } = await createHook();
  const reader = (await makeKey(daemon.home, { team: "red", scopes: ["notifications:read"] })).text;
  const stranger = (await makeKey(daemon.home, { team: "blue" })).text;
  for (const [path, scope] of [
    ["test", "notifications:test"],
    ["verification", "notifications:update"],
  ]) {
    const denied = await api.send("POST", `${PATH}/${id}/${path}`, { key: reader });
    const message = expect.stringContaining(scope as string);
    expect(denied.json).toMatchObject({ code: "INSUFFICIENT_SCOPE", message });
    expect((await api.send("POST", `${PATH}/${id}/${path}`, { key: stranger })).status).toBe(404);
    expect((await api.send("POST", `${PATH}/${id}/${path}`)).status).toBe(401);
  }
  expect((await api.send("GET", `${PATH}/${id}/deliveries`, { key: stranger })).status).toBe(404);
  expect(receiver.received).toEqual([]);
  const { path: delivery } = await createTestedHook();
  expect((await api.send("POST", `${delivery}/replay`, { key: stranger })).status).toBe(404);
});

it("the daemon's log shows no verification token, no address and no secret", async () => {
  await expect.poll(daemon.log).toContain("/verify/{token}");
  expect(daemon.log()).not.toMatch(/[0-9a-f]{64}|example\.org|s3cr3t|whsec_/);
});

it("the query of a channel's deliveries selects by status and limits their number", async () => {
  const { id } = await createHook();
  await post(`${PATH}/${id}/test`);
  receiver.answer = status(500);
  for (const _ of [1, 2]) await post(`${PATH}/${id}/test`);
  const list = (query: string) => api.send("GET", `${PATH}/${id}/deliveries${query}`, { key });
  const [latest, second, first] = (await list("")).json["data"] as object[];
  expect((await list("?status=failed")).json["data"]).toEqual([latest, second]);
  expect((await list("?status=failed&limit=1")).json["data"]).toEqual([latest]);
  expect((await list("?status=delivered")).json["data"]).toEqual([first]);
  const none = { data: [], message: "None is pending in the last 30 days." };
  expect((await list("?status=pending")).json).toMatchObject(none);
});

it.each([
  ["status=lost", 'status does not know "lost": choose from pending, delivered, failed'],
  ["status=failed&status=pending", "status is given more than once: give it once"],
  ["limit=0", 'limit can\'t be "0": give a whole number from 1 to 10000'],
  ["limits=1", 'unknown query parameter "limits": did you mean limit?'],
])("GET of deliveries with ?%s gets 400 INVALID_QUERY", async (query, message) => {
  const { id } = await createHook();
  const { status: code, json } = await api.send("GET", `${PATH}/${id}/deliveries?${query}`, { key });
  expect([code, json]).toEqual([400, { code: "INVALID_QUERY", message }]);
});

it("the response to a test has the id of its delivery, and can be sent back in a PATCH", async () => {
  const { id } = await createHook();
  const tested = await post(`${PATH}/${id}/test`);
  const { data } = (await api.send("GET", `${PATH}/${id}/deliveries`, { key })).json;
  expect(data).toMatchObject([{ id: tested.json["delivery_id"], status: "delivered" }]);
  expect((await api.send("PATCH", `${PATH}/${id}`, { key, body: tested.json })).status).toBe(200);
  await api.send("PATCH", `${PATH}/${id}`, { key, body: { config: { enabled: false } } });
  const replayed = await post(`${PATH}/${id}/deliveries/${tested.json["delivery_id"]}/replay`);
  expect([replayed.status, replayed.json["message"]]).toEqual([400, "the channel is paused: resume it first"]);
});

it("a replay resends a delivery with the same webhook-id, and returns the delivery", async () => {
  const { id, secret, path } = await createTestedHook();
  const replayPath = `${path}/replay`;
  const { status: code, json } = await post(replayPath);
  expect([code, json["message"], json["status"]]).toEqual([200, "The event was delivered.", "delivered"]);
  expect(path.endsWith(`/${json["id"]}`)).toBe(true);
  const [before, after] = receiver.received;
  expect(after?.headers["webhook-id"]).toBe(before?.headers["webhook-id"]);
  new Webhook(secret).verify(after?.body ?? "", after?.headers as Record<string, string>);
  receiver.answer = status(500);
  expect((await post(replayPath)).json).toMatchObject({
    message: "The event was not delivered again: the webhook answered 500.",
    status: "delivered",
  });
  expect(await post(`${PATH}/${id}/deliveries/msg_nothing/replay`)).toMatchObject({
    status: 404,
    json: { code: "NOT_FOUND", message: expect.stringMatching(/no such delivery/) },
  });
  await api.send("PATCH", `${PATH}/${id}`, { key, body: { config: { enabled: false } } });
  expect(await post(replayPath)).toMatchObject({ status: 400, json: { code: "INVALID_BODY" } });
});
