// Tests detection of addresses and domains over real sockets, against the OpenAPI document and the command line's
// results.

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type CheckedApi, openCheckedApi } from "../helpers/api-contract.ts";
import { type Daemon, type Reply, send, sendRaw, startDaemon, testDaemon } from "../helpers/daemon.ts";
import { domainFieldsOf, fieldsOf } from "../helpers/detections.ts";
import { startNameServer, TYPE } from "../helpers/name-server.ts";
import { objectsOf, run } from "../helpers/run.ts";

const EMAILS = "/api/v1/emails/detect";
const DOMAINS = "/api/v1/domains";
let daemon: Daemon;
let api: CheckedApi;

beforeAll(async () => {
  daemon = await startDaemon(["--dns", "off"]);
  api = await openCheckedApi(daemon.port);
});
afterAll(() => daemon.stop());

type Data = Readonly<Record<string, unknown>>;

/** The routes of one kind of input, examples, and the expected results. */
interface Subject {
  readonly subjectName: "address" | "domain";
  readonly plural: "addresses" | "domains";
  readonly field: "email" | "domain";
  readonly list: "emails" | "domains";
  readonly singlePath: string;
  readonly listPath: string;
  /** Separates options from the single path, which may already have a query. */
  readonly separator: "&" | "?";
  readonly args: readonly string[];
  /** Inputs with the same result as a single request, in a list, and on the command line. */
  readonly texts: readonly string[];
  /** The whole result of the first text. */
  readonly firstResult: Data;
  /** Encoded inputs, and fields of their results. */
  readonly targets: readonly (readonly [string, Data])[];
  readonly longest: readonly [string, Data];
  readonly rejected: readonly (readonly [string, string])[];
}

const words = (text: string): string[] => text.split(" ");
const SUBJECTS: readonly Subject[] = [
  {
    subjectName: "address",
    plural: "addresses",
    field: "email",
    list: "emails",
    singlePath: `${EMAILS}?email=`,
    listPath: EMAILS,
    separator: "&",
    args: [],
    texts: [
      ...words("Jane.Doe+news@gmail.com joe@mailinator.com me@duck.com info@example.org jürgen@example.org"),
      ...words("jane@bücher.de a\u202eb@example.org jane@@example.org broken@"),
      ...['"a b"@example.org', " jane@example.org"],
    ],
    firstResult: fieldsOf("janedoe@gmail.com", { subaddressing: true, public_domain: true }),
    targets: [
      ["a+b@x.com", { email: "a+b@x.com", normalized: "a@x.com", subaddressing: true }],
      ["%20jane@example.org", { email: " jane@example.org", syntax_validation: false }],
      ["a%FFb@example.org", { email: "a\ufffdb@example.org", syntax_validation: false }],
    ],
    longest: [`${"a".repeat(4000)}@example.org`, { email: `${"a".repeat(1024)}…`, syntax_validation: false }],
    rejected: [
      ["", "email is empty"],
      ["a&b@x.com", 'unknown query parameter "b@x.com": use email, explain, classes or dns'],
    ],
  },
  {
    subjectName: "domain",
    plural: "domains",
    field: "domain",
    list: "domains",
    singlePath: `${DOMAINS}/`,
    listPath: `${DOMAINS}/detect`,
    separator: "?",
    args: ["--domains"],
    texts: [
      ...words("GoogleMail.com gmail.com mailinator.com sub.mailinator.com duck.com bücher.de XN--BCHER-KVA.de"),
      ...words("jane@example.org Jane.Doe+news@gmail.com user.fastmail.com gmial.com broken@ a..b -a.com 100%.com"),
      ...words(`a/b.com a\u202eb.org [192.0.2.1] ${"a".repeat(64)}.com ${"ä.".repeat(300)}de`),
      ...[" gmail.com", "no dots"],
    ],
    firstResult: domainFieldsOf("gmail.com", { public_domain: true }),
    targets: [
      ["%67mail%2Ecom", { domain: "gmail.com", public_domain: true }],
      ["jane+x@gmail.com", { domain: "jane+x@gmail.com", normalized: "gmail.com" }],
      ["a%2Fb.com", { domain: "a/b.com", syntax_validation: false }],
      ["a%FFb.com", { domain: "a\ufffdb.com", syntax_validation: false }],
      ["%20", { domain: " ", syntax_validation: false }],
    ],
    longest: ["%C3%A4".repeat(2048), { domain: `${"ä".repeat(1024)}…`, syntax_validation: false }],
    rejected: [
      ["a.com?email=a@x.com", 'unknown query parameter "email": use explain, classes or dns'],
      ["a%2.com", "domain has a % without two hexadecimal digits"],
      ["a".repeat(4097), "domain exceeds 4 KiB"],
    ],
  },
];

describe.each(SUBJECTS)("detection of a $subjectName", (subject) => {
  const { subjectName, plural, field, list, singlePath, listPath, separator, args, texts } = subject;
  const get = (target: string): Promise<Reply> => api.send("GET", `${singlePath}${target}`);
  const post = (body: Data): Promise<Reply> => api.send("POST", listPath, { body });
  const namesOf = ({ json }: Reply): unknown[] => (json["data"] as Data[]).map((row) => row[field]);

  it(`GET of one ${subjectName} returns the documented envelope and detection, and HEAD the same length`, async () => {
    const { status, headers, text } = await get(texts[0] as string);
    expect(status).toBe(200);
    const security = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
    expect(headers).toMatchObject({ "content-type": "application/json", ...security });
    const data = { [field]: texts[0], ...subject.firstResult };
    expect(text).toBe(`${JSON.stringify({ code: "SUCCESS", message: `The ${subjectName} was classified.`, data })}\n`);
    const head = await api.send("HEAD", `${singlePath}${texts[0]}`);
    expect([head.status, head.text, Number(head.headers["content-length"])]).toEqual([
      200,
      "",
      Buffer.byteLength(text),
    ]);
  });

  it.each(subject.targets)(`GET decodes the ${subjectName} in the target %s`, async (target, expected) => {
    const { status, json } = await get(target);
    expect([status, json["data"]]).toEqual([200, expect.objectContaining(expected)]);
  });

  it(`GET accepts one ${subjectName} of 4 KiB, and the response has its first 1,024 characters`, async () => {
    const { status, json } = await get(subject.longest[0]);
    expect([status, json["data"]]).toEqual([200, subject.longest[1]]);
  });

  it.each(subject.rejected)(`GET of the ${subjectName} "%s" gets 400 INVALID_QUERY`, async (target, message) => {
    const { status, json } = await get(target);
    expect([status, json]).toEqual([400, { code: "INVALID_QUERY", message: expect.stringContaining(message) }]);
  });

  it.each([false, true])(
    `GET of one ${subjectName} and POST of a list return the same bytes as the command line, with explain=%s`,
    async (explain) => {
      const format = ["--offline", "--format", "ndjson", ...(explain ? ["--explain"] : [])];
      const { stdout } = await run(["detect", ...args, ...format, "--", ...texts]);
      const lines = stdout.toString().trimEnd().split("\n");
      const { text, json } = await post({ [list]: texts, explain, dns: "off" });
      expect(json).toMatchObject({ code: "SUCCESS", message: `The ${plural} were classified.` });
      expect(text.slice(text.indexOf('"data":[') + 8, -3)).toBe(lines.join(","));
      for (const [i, example] of texts.entries()) {
        const reply = await get(`${encodeURIComponent(example)}${separator}explain=${explain}`);
        expect(reply.text.slice(reply.text.indexOf('"data":') + 7, -2)).toBe(lines[i]);
      }
    },
  );

  it(`with classes, GET of one ${subjectName} and POST of a list return the classes that the command line prints`, async () => {
    const options = "--offline --fields classes -f ndjson --".split(" ");
    const { stdout } = await run(["detect", ...args, ...options, ...texts]);
    const expected = objectsOf<{ classes: string[] }>(stdout).map(({ classes }) => classes);
    const { json } = await post({ [list]: texts, classes: true, dns: "off" });
    expect(json["data"]).toEqual(expected.map((classes) => expect.objectContaining({ classes })));
    const reply = await get(`${encodeURIComponent(texts[0] as string)}${separator}classes=true&explain=true&dns=off`);
    expect(Object.keys(reply.json["data"] as object).slice(-2)).toEqual(["classes", "explain"]);
    expect(reply.json["data"]).toMatchObject({ classes: expected[0] });
  });

  it(`POST of a list of ${plural} keeps order and blanks, up to 1,000 items and 512 KiB`, async () => {
    const withBlanks = ["", ...texts, "", " "];
    expect(namesOf(await post({ [list]: withBlanks }))).toEqual(withBlanks);
    expect(namesOf(await post({ [list]: [] }))).toEqual([]);
    const many = Array.from({ length: 1000 }, (_, i) => `user@host${i}.example.com`);
    expect(namesOf(await post({ [list]: many, explain: true }))).toEqual(many);
    expect((await post({ [list]: ["x".repeat(513 * 1024)] })).json["code"]).toBe("PAYLOAD_TOO_LARGE");
  });

  it.each([
    [{}, `${list} is missing: send an array of ${plural}`],
    [{ [list]: "a.com" }, `${list} must be an array`],
    [{ [list]: ["a.com", 5] }, `${list}[1] must be a string`],
    [{ [list]: Array.from({ length: 1001 }, () => "a.com") }, `${list} has 1001 ${plural}: send at most 1000`],
    [{ [list]: [], explain: "true" }, "explain must be true or false"],
    [{ [list]: [], classes: 1 }, "classes must be true or false"],
    [{ [list]: [], dns: "auto" }, "dns must be"],
    [{ [list]: [], explian: true }, 'unknown field "explian": did you mean explain?'],
    [{ [list]: [], ["\n".repeat(60)]: 1 }, `unknown field "${"\\n".repeat(40)}": use ${list}, explain, classes or dns`],
    [{ [list.slice(0, -1)]: "a.com" }, `did you mean ${list}?`],
  ])(`POST of a list of ${plural} with the body %j gets 400 INVALID_BODY`, async (body, message) => {
    const { status, json } = await post(body);
    expect([status, json["code"]]).toEqual([400, "INVALID_BODY"]);
    expect(json["message"]).toContain(message);
    // A name that is escaped or shortened is only in the message.
    const [name] = Object.keys(body).slice(-1);
    if (name?.startsWith("\n")) expect(json).not.toHaveProperty("field");
    else expect(json["field"]).toContain(name ?? list);
  });
});

it.each([
  ["dns=off", "put dns in the body"],
  ["x&dns=off", "remove the ? and what follows"],
])("a list with the query ?%s gets 400 INVALID_QUERY with the fix", async (query, fix) => {
  const { status, json } = await send(daemon.port, "POST", `${EMAILS}?${query}`, { body: { emails: [] } });
  expect([status, json]).toEqual([400, { code: "INVALID_QUERY", message: `this path accepts no query: ${fix}` }]);
});

it("a request target with raw UTF-8 gets 400 with the advice to percent-encode it", async () => {
  const target = `GET ${EMAILS}?email=jürgen@example.org HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  expect(await sendRaw(daemon.port, [target])).toMatch(/^HTTP\/1.1 400 Bad Request\r\n.*percent-encode/s);
});

it("the host of an absolute-form request target overrides Host", async () => {
  const target = (host: string): string =>
    `GET http://${host}${EMAILS}?email=a@x.com HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
  expect(await sendRaw(daemon.port, [target("127.0.0.1:8025")])).toMatch(/^HTTP\/1.1 200 /);
  expect(await sendRaw(daemon.port, [target("evil.example")])).toMatch(/^HTTP\/1.1 421 /);
});

it("GET without an email parameter, or with a wrong path to a domain, is rejected", async () => {
  expect((await api.send("GET", EMAILS)).json).toMatchObject({ message: expect.stringContaining("email is missing") });
  for (const rest of ["", "/", "/gmail.com/x", "/gmail.com/"]) {
    expect((await send(daemon.port, "GET", `${DOMAINS}${rest}`)).json["code"]).toBe("NOT_FOUND");
  }
});

it("the daemon looks up an unlisted domain in DNS once for several requests, and never with dns=off", async () => {
  const server = await startNameServer(({ name, type }) => {
    if (name === "failing-harbour.com") return { rcode: 2 };
    return type === TYPE.MX ? { mx: [[1, "mx.good-exchange.com"]] } : {};
  });
  onTestFinished(server.stop);
  const live = await testDaemon(["--dns-server", server.address, "--dns-timeout", "20s"]);
  const off = await send(live.port, "GET", `${DOMAINS}/quiet-harbour.com?dns=off`);
  expect(off.json["data"]).toMatchObject({ detection_source: "precomputed" });
  expect(server.questions).toEqual([]);
  const on = await send(live.port, "GET", `${DOMAINS}/Quiet-Harbour.com?explain=true`);
  expect(on.json["data"]).toMatchObject({ detection_source: "live_dns", explain: { dns: { status: "ok" } } });
  const domains = ["gmail.com", "quiet-harbour.com", "a@quiet-harbour.com"];
  const many = await send(live.port, "POST", `${DOMAINS}/detect`, { body: { domains } });
  const sources = (many.json["data"] as { detection_source: string }[]).map((row) => row.detection_source);
  expect(sources).toEqual(["precomputed", "live_dns", "live_dns"]);
  expect(server.questions.filter(({ type }) => type === TYPE.MX)).toHaveLength(1);
  const emails = ["x@another-harbour.com"];
  const { json } = await send(live.port, "POST", EMAILS, { body: { emails, dns: "off" } });
  expect(json["data"]).toMatchObject([{ detection_source: "precomputed" }]);
  const unanswered = await send(live.port, "GET", `${EMAILS}?email=x@failing-harbour.com&classes=true`);
  const classes = ["valid", "unreserved", "work", "unknown"];
  expect(unanswered.json["data"]).toMatchObject({ detection_source: "precomputed", classes });
});
