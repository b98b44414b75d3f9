// Detection of domains over real sockets. Answers are checked against the OpenAPI document and the command line.

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type CheckedApi, checkedApi } from "../helpers/api-contract.ts";
import { ask, type Daemon, makeKey, type Reply, startDaemon, testDaemon } from "../helpers/daemon.ts";
import { domainFieldsOf } from "../helpers/detections.ts";
import { startNameServer, TYPE } from "../helpers/name-server.ts";
import { run } from "../helpers/run.ts";

const PATH = "/api/v1/domains";
let daemon: Daemon;
let api: CheckedApi;

beforeAll(async () => {
  daemon = await startDaemon(["--dns", "off"]);
  api = await checkedApi(daemon.port);
});
afterAll(() => daemon.stop());

const get = (segment: string): Promise<Reply> => api.ask("GET", `${PATH}/${segment}`);
const post = (body: Readonly<Record<string, unknown>>): Promise<Reply> => api.ask("POST", `${PATH}/detect`, { body });

const DOMAINS = [
  "gmail.com",
  "GoogleMail.com",
  "mailinator.com",
  "duck.com",
  "bücher.de",
  "XN--BCHER-KVA.de",
  "jane@example.org",
  "Jane.Doe+news@gmail.com",
  "user.fastmail.com",
  "",
  " gmail.com",
  "gmial.com",
  "no dots",
  "broken@",
  "a..b",
  "-a.com",
  "detect",
  "100%.com",
  "a/b.com",
  "a\u202eb.org",
  "[192.0.2.1]",
  `${"a".repeat(64)}.com`,
  `${"ä.".repeat(300)}de`,
];

describe("GET", () => {
  it("answers 200 with the envelope and what is known of the domain", async () => {
    const { status, headers, text } = await get("GoogleMail.com");
    expect(status).toBe(200);
    expect(headers).toMatchObject({ "content-type": "application/json", "cache-control": "no-store" });
    const data = { domain: "GoogleMail.com", ...domainFieldsOf("gmail.com", { public_domain: true }) };
    expect(text).toBe(`${JSON.stringify({ code: "SUCCESS", message: "The domain was classified.", data })}\n`);
  });

  it.each([
    ["mailinator.com", { disposable: true }],
    ["duck.com", { relay_domain: true, relay_provider: "duckduckgo" }],
    ["b%C3%BCcher.de", { domain: "bücher.de", normalized: "xn--bcher-kva.de" }],
    ["%67mail%2Ecom", { domain: "gmail.com", public_domain: true }],
    ["jane+x@gmail.com", { domain: "jane+x@gmail.com", normalized: "gmail.com" }],
    ["jane%40gmail.com", { domain: "jane@gmail.com", normalized: "gmail.com" }],
    ["a%2Fb.com", { domain: "a/b.com", syntax_validation: false }],
    ["a%FFb.com", { domain: "a\ufffdb.com", syntax_validation: false }],
    ["%20", { domain: " ", syntax_validation: false }],
    ["a..b", { syntax_validation: false }],
  ])("%s is 200 with what it is", async (segment, expected) => {
    const { status, json } = await get(segment);
    expect(status).toBe(200);
    expect(json["data"]).toMatchObject(expected);
  });

  it("takes up to 4 KiB, and shows less of it", async () => {
    const { status, json } = await get("%C3%A4".repeat(2048));
    expect(status).toBe(200);
    expect(json["data"]).toEqual({ domain: `${"ä".repeat(1024)}…`, syntax_validation: false });
  });

  it("adds the evidence when asked", async () => {
    expect((await get("sub.mailinator.com?explain=true")).json["data"]).toMatchObject({
      explain: { domain: "sub.mailinator.com", matches: [{ flag: "disposable", entry: "mailinator.com" }] },
    });
    expect((await get("a..com?explain=true&dns=off")).json["data"]).toMatchObject({
      explain: { syntax_error: { code: "domain_dot", offset: 2 } },
    });
    expect((await get("mailinator.com?explain=false")).json["data"]).not.toHaveProperty("explain");
  });

  it.each([
    ["a.com?explain=yes", "explain must be true or false"],
    ["a.com?dns=maybe", "dns must be"],
    ["a.com?dns=off&dns=off", "dns is given more than once"],
    ["a.com?email=a@x.com", "unknown query parameter: use explain or dns"],
    ["a%2.com", "domain has a % without two hexadecimal digits"],
    ["a".repeat(4097), "domain is over 4 KiB"],
  ])("%s is 400 INVALID_QUERY", async (target, message) => {
    const { status, json } = await get(target);
    expect(status).toBe(400);
    expect(json).toEqual({ code: "INVALID_QUERY", message: expect.stringContaining(message) });
  });

  it("has the headers without the body for HEAD", async () => {
    const { status, headers, text } = await api.ask("HEAD", `${PATH}/gmail.com`);
    expect([status, text]).toEqual([200, ""]);
    expect(Number(headers["content-length"])).toBeGreaterThan(100);
  });

  it.each(["", "/", "/gmail.com/x", "/gmail.com/"])("%s below the path is 404", async (rest) => {
    expect((await ask(daemon.port, "GET", `${PATH}${rest}`)).json["code"]).toBe("NOT_FOUND");
  });

  it("answers 405 with the methods there are", async () => {
    const { headers } = await ask(daemon.port, "POST", `${PATH}/gmail.com`);
    expect(headers["allow"]).toBe("GET, HEAD");
    expect((await ask(daemon.port, "GET", `${PATH}/detect`)).headers["allow"]).toBe("POST");
  });
});

describe("POST", () => {
  it.each([false, true])(
    "says the same as the command line, byte for byte, and as GET; evidence: %s",
    async (explain) => {
      const more = explain ? ["--explain"] : [];
      const input = DOMAINS.filter((domain) => domain !== "");
      const { stdout } = await run(["detect", "--offline", "--format", "ndjson", "--domains", ...more, "--", ...input]);
      const lines = stdout.toString().trimEnd().split("\n");
      const { text, json } = await post({ domains: input, explain });
      expect(json).toMatchObject({ code: "SUCCESS", message: "The domains were classified." });
      expect(text.slice(text.indexOf('"data":[') + 8, -3)).toBe(lines.join(","));
      for (const [i, domain] of input.entries()) {
        const one = await get(`${encodeURIComponent(domain)}?explain=${explain}`);
        if (domain !== "detect") expect(one.text.slice(one.text.indexOf('"data":') + 7, -2)).toBe(lines[i]);
      }
    },
  );

  it("answers in order, blank and broken domains included, none, and a thousand", async () => {
    const { json } = await post({ domains: DOMAINS, dns: "off" });
    expect((json["data"] as { domain: string }[]).map(({ domain }) => domain)).toEqual(DOMAINS);
    expect((await post({ domains: [] })).json["data"]).toEqual([]);
    const domains = Array.from({ length: 1000 }, (_, i) => `host${i}.example.com`);
    const many = (await post({ domains })).json["data"] as { domain: string }[];
    expect(many.map(({ domain }) => domain)).toEqual(domains);
  });

  it.each([
    [{}, "domains is missing: give an array of domains"],
    [{ domains: "a.com" }, "domains must be an array"],
    [{ domains: ["a.com", 5] }, "domains[1] must be a string"],
    [{ domains: Array.from({ length: 1001 }, () => "a.com") }, "domains has 1001 domains: give at most 1000"],
    [{ domains: [], explain: "true" }, "explain must be true or false"],
    [{ domains: [], dns: "auto" }, "dns must be"],
    [{ domains: [], emails: [] }, "unknown field in the body: use domains, explain and dns"],
  ])("%j is 400 INVALID_BODY", async (body, message) => {
    const { status, json } = await post(body);
    expect(status).toBe(400);
    expect(json).toEqual({ code: "INVALID_BODY", message: expect.stringContaining(message) });
  });
});

describe("access", () => {
  it("needs the scope of detection, in the same order of checks", async () => {
    const behind = await testDaemon(["--dns", "off", "--public-url", "https://api.example.com"]);
    const { text: key } = await makeKey(behind.home);
    const { text: reader } = await makeKey(behind.home, { scopes: ["notifications:read"] });
    const bad = { body: "{", headers: { "content-type": "text/plain" } };
    const codes: [string, string, string, Parameters<typeof ask>[3]][] = [
      ["MISSING_API_KEY", "GET", `${PATH}/a%2.com`, {}],
      ["MISSING_API_KEY", "POST", `${PATH}/detect`, bad],
      ["INSUFFICIENT_SCOPE", "GET", `${PATH}/a%2.com`, { key: reader }],
      ["INSUFFICIENT_SCOPE", "POST", `${PATH}/detect`, { ...bad, key: reader }],
      ["UNSUPPORTED_MEDIA_TYPE", "POST", `${PATH}/detect`, { ...bad, key }],
      ["PAYLOAD_TOO_LARGE", "POST", `${PATH}/detect`, { body: { domains: ["x".repeat(513 * 1024)] }, key }],
      ["SUCCESS", "GET", `${PATH}/gmail.com`, { key }],
      ["SUCCESS", "POST", `${PATH}/detect`, { body: { domains: ["gmail.com"] }, key }],
    ];
    for (const [expected, method, path, asking] of codes) {
      expect((await ask(behind.port, method, path, asking)).json["code"], `${method} ${path}`).toBe(expected);
    }
  });
});

describe("live DNS", () => {
  it("live DNS is asked about a domain that no list settles, once for one name, and not with dns=off", async () => {
    const server = await startNameServer(({ type }) => (type === TYPE.MX ? { mx: [[1, "mx.good-exchange.com"]] } : {}));
    onTestFinished(server.stop);
    const asking = await testDaemon(["--dns-server", server.address, "--dns-timeout", "20s"]);
    const off = await ask(asking.port, "GET", `${PATH}/quiet-harbour.com?dns=off`);
    expect(off.json["data"]).toMatchObject({ detection_source: "precomputed" });
    expect(server.questions).toEqual([]);
    const on = await ask(asking.port, "GET", `${PATH}/Quiet-Harbour.com?explain=true`);
    expect(on.json["data"]).toMatchObject({ detection_source: "live_dns", explain: { dns: { status: "ok" } } });
    const domains = ["gmail.com", "quiet-harbour.com", "a@quiet-harbour.com"];
    const many = await ask(asking.port, "POST", `${PATH}/detect`, { body: { domains } });
    const sources = (many.json["data"] as { detection_source: string }[]).map((row) => row.detection_source);
    expect(sources).toEqual(["precomputed", "live_dns", "live_dns"]);
    expect(server.questions.filter(({ type }) => type === TYPE.MX)).toHaveLength(1);
  });
});

describe("the operator", () => {
  it("sees domains by class and route in the metrics, and none of them in the log unless asked", async () => {
    const eyes = await testDaemon(["--dns", "off"]);
    const shown = await testDaemon(["--dns", "off", "--log-addresses"]);
    for (const { port } of [eyes, shown]) {
      for (const domain of ["gmail.com", "mailinator.com", "duck.com", "secret-name.example.org", "broken.."]) {
        await ask(port, "GET", `${PATH}/${domain}`);
      }
    }
    const { text } = await ask(eyes.port, "GET", "/metrics");
    await Promise.all([eyes.stop(), shown.stop()]);
    expect(text).toContain(`addrsift_http_requests_total{route="${PATH}/{domain}",method="GET",status="200"} 5`);
    for (const name of ["public", "disposable", "relay", "other", "invalid"]) {
      expect(text).toContain(`addrsift_domains_total{class="${name}"} 1`);
      expect(text).toContain(`addrsift_addresses_total{class="${name}"} 0`);
    }
    expect(eyes.log()).toContain('"route":"/api/v1/domains/{domain}"');
    expect(`${text}${eyes.log()}`).not.toContain("secret-name");
    expect(shown.log()).toContain('"path":"/api/v1/domains/secret-name.example.org"');
  });
});
