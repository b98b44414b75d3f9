// Tests the routes of channels over real sockets: teams, response envelopes, media types and idempotency.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type CheckedApi, openCheckedApi } from "../helpers/api-contract.ts";
import { type Daemon, makeKey, type Reply, startDaemon } from "../helpers/daemon.ts";

const PATH = "/api/v1/team/notifications/channels";
let daemon: Daemon;
let api: CheckedApi;
let red: string;
let blue: string;
beforeAll(async () => {
  daemon = await startDaemon(["--dns", "off"]);
  red = (await makeKey(daemon.home, { team: "red" })).text;
  blue = (await makeKey(daemon.home, { team: "blue" })).text;
  api = await openCheckedApi(daemon.port);
});
afterAll(() => daemon.stop());

const create = (body: Readonly<Record<string, unknown>>, key = red): Promise<Reply> =>
  api.send("POST", PATH, { body, key });
const createId = async (body: Readonly<Record<string, unknown>>): Promise<string> => {
  const { status, json, text } = await create(body);
  expect(status, text).toBe(200);
  return json["id"] as string;
};

it("PATCH changes a channel, as application/json or application/merge-patch+json", async () => {
  const id = await createId({ name: "before", type: "email", config: { address: "ops@example.org" } });
  const patched = await api.send("PATCH", `${PATH}/${id}`, { body: { name: "after" }, key: red });
  expect(patched.json).toMatchObject({ code: "SUCCESS", id, name: "after", config: { address: "ops@example.org" } });
  const headers = { "content-type": "application/merge-patch+json" };
  const unset = await api.send("PATCH", `${PATH}/${id}`, { body: '{"config":{"address":null}}', headers, key: red });
  expect(unset.json).toMatchObject({ config: {} });
  const wrong = await api.send("PATCH", `${PATH}/${id}`, { body: { name: "" }, key: red });
  expect(wrong).toMatchObject({
    status: 400,
    json: { code: "INVALID_BODY", message: expect.stringContaining("name") },
  });
});

it.each([
  [{ type: "email" }, "name"],
  [{ name: "x" }, "type"],
  [{ name: "x", type: "email", extra: 1 }, "extra"],
  [{ name: "x", type: "webhook", config: { url: "ftp://x" } }, "config.url"],
  [{ name: "x", type: "email", config: { address: "ops@gmail.con" } }, "config.address"],
  [
    { name: "x", type: "webhook", config: { url: "https://x.example.com", headers: { "X-A": "" } } },
    "config.headers.X-A",
  ],
  [{ name: "x", type: "webhook", config: { whsec_secret: 1 } }, undefined],
  ["[]", undefined],
])("the error of creating a channel from %j has the field %s", async (body, field) => {
  const headers = { "content-type": "application/json" };
  const { status, json } = await api.send("POST", PATH, { body, key: red, headers });
  expect([status, json["code"], json["field"]]).toEqual([400, "INVALID_BODY", field]);
});

it("a body that is too large for a channel is to be shortened", async () => {
  const { status, json } = await create({ name: "x".repeat(65_536), type: "email" });
  expect([status, json["message"]]).toEqual([413, "the body exceeds 64 KiB: shorten it"]);
});

it("a second DELETE of a channel gets 404", async () => {
  const id = await createId({ name: "gone", type: "email" });
  const { status, json } = await api.send("DELETE", `${PATH}/${id}`, { key: red });
  expect([status, json["code"], json["id"]]).toEqual([200, "SUCCESS", id]);
  for (const method of ["GET", "DELETE"]) {
    expect((await api.send(method, `${PATH}/${id}`, { key: red })).status).toBe(404);
  }
});

it("an Idempotency-Key creates one channel for repeated requests, and rejects a different body", async () => {
  const body = { name: "once", type: "webhook", config: { url: "https://hooks.example.com/in" } };
  const createOnce = (requestBody: Readonly<Record<string, unknown>>, idempotencyKey: string): Promise<Reply> =>
    api.send("POST", PATH, { body: requestBody, key: red, headers: { "idempotency-key": idempotencyKey } });
  const both = await Promise.all([createOnce(body, "a"), createOnce(body, "a")]);
  const [first, second] = both.sort((a, b) => a.status - b.status) as [Reply, Reply];
  expect(first.json).toMatchObject({ code: "SUCCESS", config: { secret: expect.stringMatching(/^whsec_/) } });
  if (second.status === 200) expect(second.text).toBe(first.text);
  else {
    expect([second.status, second.json["code"]]).toEqual([409, "IDEMPOTENCY_KEY_IN_USE"]);
    expect(second.headers["retry-after"]).toBe("1");
  }
  expect((await createOnce(body, "a")).text).toBe(first.text);
  const other = await createOnce({ ...body, name: "twice" }, "a");
  expect([other.status, other.json["code"]]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
  for (const name of ["", "x".repeat(256)]) expect((await createOnce(body, name)).status).toBe(400);
});

it("a team gets 404 for another team's channel", async () => {
  const id = await createId({ name: "red's", type: "webhook", config: { url: "https://hooks.example.com/in" } });
  const { team, data } = (await api.send("GET", PATH, { key: blue })).json;
  expect(team).toBe("blue");
  expect((data as { id: string }[]).map((channel) => channel.id)).not.toContain(id);
  for (const [method, body] of [
    ["GET"],
    ["DELETE"],
    ["PATCH", { name: "mine" }],
    ["PATCH", { wrong: true }],
  ] as const) {
    const request = { key: blue, ...(body === undefined ? {} : { body }) };
    const foreign = await api.send(method, `${PATH}/${id}`, request);
    const missing = await api.send(method, `${PATH}/ch_doesnotexist`, request);
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe(missing.text);
    expect(Object.keys(foreign.headers)).toEqual(Object.keys(missing.headers));
  }
  expect((await api.send("GET", `${PATH}/${id}`, { key: red })).json).toMatchObject({ name: "red's" });
});

it("an invalid channel id gets 404", async () => {
  for (const id of ["%2e%2e", "..%2f..%2fstore.json", "__proto__", "constructor", "x".repeat(600), "ch_%00"]) {
    expect((await api.send("GET", `${PATH}/${id}`, { key: red })).json["code"]).toBe("NOT_FOUND");
  }
});
