// `GET` and `POST /api/v1/emails/detect` over real sockets. Each answer is checked against the OpenAPI document.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CheckedApi, checkedApi } from "../helpers/api-contract.ts";
import { type Daemon, type Reply, sendRaw, startDaemon } from "../helpers/daemon.ts";
import { fieldsOf } from "../helpers/detections.ts";
import { run } from "../helpers/run.ts";

const PATH = "/api/v1/emails/detect";
let daemon: Daemon;
let api: CheckedApi;

beforeAll(async () => {
  daemon = await startDaemon(["--dns", "off"]);
  api = await checkedApi(daemon.port);
});
afterAll(() => daemon.stop());

const get = (query: string): Promise<Reply> => api.ask("GET", `${PATH}?${query}`);
const post = (body: Readonly<Record<string, unknown>>): Promise<Reply> => api.ask("POST", PATH, { body });

describe("GET", () => {
  it("answers 200 with the envelope and the detection of the contract", async () => {
    const { status, headers, text } = await get("email=Jane.Doe+news@gmail.com");
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    const fields = fieldsOf("janedoe@gmail.com", { subaddressing: true, public_domain: true });
    const data = { email: "Jane.Doe+news@gmail.com", ...fields };
    expect(text).toBe(`${JSON.stringify({ code: "SUCCESS", message: "The address was classified.", data })}\n`);
  });

  it("takes a + for a plus, written either way", async () => {
    const [bare, encoded] = await Promise.all([get("email=a+b@x.com"), get("email=a%2Bb@x.com")]);
    expect(bare.text).toBe(encoded.text);
    expect(bare.json["data"]).toMatchObject({ email: "a+b@x.com", normalized: "a@x.com", subaddressing: true });
  });

  it.each([
    ["jane@@example.org", { syntax_validation: false }],
    ["%20jane@example.org", { email: " jane@example.org", syntax_validation: false }],
    ["joe@mailinator.com", { disposable: true, relay_domain: false }],
    ["me@duck.com", { relay_domain: true, relay_provider: "duckduckgo", disposable: false }],
    ["info@example.org", { role_address: true }],
    ["j%C3%BCrgen@example.org", { email: "jürgen@example.org", normalized: "jürgen@example.org" }],
    ["jane@b%C3%BCcher.de", { normalized: "jane@xn--bcher-kva.de" }],
    ["a%FFb@example.org", { email: "a\ufffdb@example.org", syntax_validation: false }],
    ["%22a%20b%22@example.org", { email: '"a b"@example.org', syntax_validation: true }],
  ])("%s is 200 with what it is", async (address, expected) => {
    const { status, json } = await get(`email=${address}`);
    expect(status).toBe(200);
    expect(json["data"]).toMatchObject(expected);
  });

  it("sends nothing else of a malformed address", async () => {
    expect((await get("email=broken@")).json["data"]).toEqual({ email: "broken@", syntax_validation: false });
  });

  it("cuts what it shows of a long address", async () => {
    const { json } = await get(`email=${"a".repeat(4000)}@example.org`);
    expect(json["data"]).toEqual({ email: `${"a".repeat(1024)}…`, syntax_validation: false });
  });

  it("adds the evidence when asked", async () => {
    expect((await get("email=joe@mailinator.com&explain=true")).json["data"]).toMatchObject({
      explain: { domain: "mailinator.com", matches: [{ flag: "disposable", entry: "mailinator.com" }] },
    });
    expect((await get("email=jane@@example.org&explain=true")).json["data"]).toMatchObject({
      explain: { syntax_error: { code: "multiple_at", offset: 5 } },
    });
    expect((await get("email=joe@mailinator.com&explain=false")).json["data"]).not.toHaveProperty("explain");
  });

  it("says the same as the command line, byte for byte", async () => {
    const addresses = [
      "Jane.Doe+news@gmail.com",
      "joe@mailinator.com",
      "broken@",
      "jürgen@bücher.de",
      "a\u202eb@example.org",
    ];
    const { stdout } = await run(["detect", "--offline", "--format", "ndjson", ...addresses]);
    const lines = stdout.toString().trimEnd().split("\n");
    for (const [i, address] of addresses.entries()) {
      const { text } = await get(`email=${encodeURIComponent(address)}`);
      expect(text.slice(text.indexOf('"data":') + 7, -2)).toBe(lines[i]);
    }
  });

  it.each([
    ["", "email is missing"],
    ["email=", "email is empty"],
    ["email=a@x.com&email=b@x.com", "more than once"],
    [`email=${"a".repeat(4097)}`, "over 4 KiB"],
    ["email=a@x.com&explain=yes", "explain must be true or false"],
    ["email=a@x.com&dns=maybe", "dns must be"],
    ["email=a&b@x.com", "unknown query parameter"],
    ["email=100%@x.com", "hexadecimal"],
  ])("?%s is 400 INVALID_QUERY", async (query, message) => {
    const { status, json } = await get(query);
    expect(status).toBe(400);
    expect(json).toEqual({ code: "INVALID_QUERY", message: expect.stringContaining(message) });
  });

  it("says of raw UTF-8 in the target that it must be encoded", async () => {
    const target = `GET ${PATH}?email=jürgen@example.org HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const answer = await sendRaw(daemon.port, [target]);
    expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(answer).toContain("percent-encode");
  });

  it("takes an absolute target, whose host counts", async () => {
    const target = (host: string): string =>
      `GET http://${host}${PATH}?email=a@x.com HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
    expect(await sendRaw(daemon.port, [target("127.0.0.1:8025")])).toMatch(/^HTTP\/1.1 200 /);
    expect(await sendRaw(daemon.port, [target("evil.example")])).toMatch(/^HTTP\/1.1 421 /);
  });
});

describe("HEAD", () => {
  it("has the headers of GET and no body", async () => {
    const { status, headers, text } = await api.ask("HEAD", `${PATH}?email=a@x.com`);
    expect(status).toBe(200);
    expect(Number(headers["content-length"])).toBeGreaterThan(100);
    expect(text).toBe("");
  });
});

describe("POST", () => {
  it("answers in order, blank and broken addresses included", async () => {
    const emails = ["jane@gmail.com", "", "broken@", "joe@mailinator.com", " a@x.com", "jürgen@example.org"];
    const { status, json } = await post({ emails });
    expect(status).toBe(200);
    expect(json).toMatchObject({ code: "SUCCESS", message: "The addresses were classified." });
    const data = json["data"] as { email: string; syntax_validation: boolean }[];
    expect(data.map(({ email }) => email)).toEqual(emails);
    expect(data.map((row) => row.syntax_validation)).toEqual([true, false, false, true, false, true]);
  });

  it("takes none, and a thousand", async () => {
    expect((await post({ emails: [] })).json["data"]).toEqual([]);
    const emails = Array.from({ length: 1000 }, (_, i) => `user${i}@host${i % 97}.example.com`);
    const { json } = await post({ emails });
    expect((json["data"] as { email: string }[]).map(({ email }) => email)).toEqual(emails);
  });

  it("adds the evidence, for a thousand as well", async () => {
    const emails = Array.from({ length: 1000 }, (_, i) => `user${i}@mailinator.com`);
    const { json } = await post({ emails, explain: true, dns: "off" });
    const data = json["data"] as { explain: object }[];
    expect(data).toHaveLength(1000);
    for (const row of data) expect(row.explain).toHaveProperty("matches");
  });

  it("agrees with GET about each address", async () => {
    const emails = ["Jane.Doe+news@gmail.com", "me@duck.com", "broken@", "jane@bücher.de"];
    const data = (await post({ emails, explain: true })).json["data"] as object[];
    for (const [i, email] of emails.entries()) {
      expect((await get(`email=${encodeURIComponent(email)}&explain=true`)).json["data"]).toEqual(data[i]);
    }
  });

  it.each([
    [{}, "emails is missing"],
    [{ emails: "a@x.com" }, "emails must be an array"],
    [{ emails: null }, "emails must be an array"],
    [{ emails: ["a@x.com", 5] }, "emails[1] must be a string"],
    [{ emails: ["a@x.com", null] }, "emails[1] must be a string"],
    [{ emails: [["a@x.com"]] }, "emails[0] must be a string"],
    [{ emails: Array.from({ length: 1001 }, () => "a@x.com") }, "at most 1000"],
    [{ emails: [], explain: "true" }, "explain must be true or false"],
    [{ emails: [], dns: "auto" }, "dns must be"],
    [{ emails: [], dns: true }, "dns must be"],
    [{ emails: [], email: "a@x.com" }, "unknown field"],
  ])("%j is 400 INVALID_BODY", async (body, message) => {
    const { status, json } = await post(body);
    expect(status).toBe(400);
    expect(json).toEqual({ code: "INVALID_BODY", message: expect.stringContaining(message) });
  });

  it("survives text that no encoder can write", async () => {
    const body = '{"emails":["\\ud800@example.org","\\u0000","a\\u0000@example.org"]}';
    const { status, json } = await api.ask("POST", PATH, { body, headers: { "content-type": "application/json" } });
    expect(status).toBe(200);
    expect(json["data"]).toMatchObject([
      { syntax_validation: false },
      { syntax_validation: false },
      { syntax_validation: false },
    ]);
  });
});
