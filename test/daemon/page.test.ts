// `GET /` and `POST /` over real sockets: what browsers get of the page, its form without JavaScript, and who may use it.

import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CheckedApi, checkedApi } from "../helpers/api-contract.ts";
import { ask, type Daemon, type Reply, startDaemon } from "../helpers/daemon.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const daemons: Daemon[] = [];
let daemon: Daemon;
let api: CheckedApi;

async function start(...args: readonly string[]): Promise<Daemon> {
  const started = await startDaemon(["--dns", "off", ...args]);
  daemons.push(started);
  return started;
}

beforeAll(async () => {
  daemon = await start();
  api = await checkedApi(daemon.port);
});
afterAll(() => Promise.all(daemons.map(({ stop }) => stop())));

const send = (emails: string, headers = {}): Promise<Reply> =>
  api.ask("POST", "/", { headers: { ...FORM, ...headers }, body: new URLSearchParams({ emails }).toString() });

describe("the page", () => {
  it("the page is one file with a policy that names its script and its style by their digests", async () => {
    const { status, headers, text } = await api.ask("GET", "/");
    expect([status, headers["content-type"], headers["cache-control"]]).toEqual([
      200,
      "text/html; charset=utf-8",
      "no-cache",
    ]);
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
    expect(text.match(/(?:src|href|action)="(?!data:|#|openapi\.json)/g)).toBeNull();
  });

  it("the page is not sent again to who has it, and is compressed", async () => {
    const { headers } = await api.ask("GET", "/");
    const again = await ask(daemon.port, "GET", "/", { headers: { "if-none-match": headers.etag as string } });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, "", headers.etag]);
    const packed = await ask(daemon.port, "GET", "/", { headers: { "accept-encoding": "gzip" } });
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(Number(packed.headers["content-length"])).toBeLessThan(42_500);
    expect((await ask(daemon.port, "HEAD", "/")).text).toBe("");
  });

  it("the page is not there with --no-page, nor in the document", async () => {
    const { port } = await start("--no-page");
    expect((await ask(port, "GET", "/")).json["code"]).toBe("NOT_FOUND");
    const { document } = await checkedApi(port);
    expect(Object.keys(document.paths)).not.toContain("/");
    expect(Object.keys(api.document.paths)).toContain("/");
  });
});

describe("its form, without JavaScript", () => {
  it("shows what one address is, with the place where it breaks a rule", async () => {
    const { status, headers, text } = await send("jane..doe@gmail.com");
    expect([status, headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(headers).toHaveProperty("content-security-policy");
    expect(text).toContain("Not a valid address");
    expect(text).toContain("jane.<mark>.</mark>doe@gmail.com");
    expect(text).toContain("wrong at character 6");
  });

  it("takes lines, a form's plus for a plus, and spaces at the ends away", async () => {
    const { text } = await send("  jane+news@gmail.com\r\n\r\njoe@mailinator.com\t\r\n");
    expect(text).toContain("2 addresses");
    expect(text).toContain("jane+news@gmail.com");
    expect(text).toContain("Disposable address");
  });

  it("writes all that was typed as text, never as markup", async () => {
    const typed = '"</script><script>alert(1)</script>"@<img src=x onerror=alert(1)>.com\n</textarea><b>&amp;';
    const { text } = await send(typed);
    expect(text).not.toMatch(/<img|<b>|<script>alert/);
    expect(text.match(/<script/g)).toHaveLength(2);
    expect(text.match(/<\/textarea>/g)).toHaveLength(1);
  });

  it.each([
    ["", "Type an address first."],
    ["a@b.com\n".repeat(101), "at most 100 addresses at once, not 101"],
  ])("says what is wrong with %#", async (emails, problem) => {
    const { status, text } = await send(emails);
    expect(status).toBe(400);
    expect(text).toContain(problem);
  });

  it("refuses an unknown wish about DNS", async () => {
    const { status, text } = await api.ask("POST", "/", { headers: FORM, body: "emails=a@b.com&dns=maybe" });
    expect([status, text.includes("dns must be on, or left out.")]).toEqual([400, true]);
  });

  it("refuses other types, other sites and large bodies", async () => {
    const typed = await api.ask("POST", "/", { body: { emails: "a@b.com" } });
    expect([typed.status, typed.json["message"]]).toEqual([
      415,
      "the body has another type than this path takes: send Content-Type: application/x-www-form-urlencoded",
    ]);
    expect((await send("a@b.com", { "sec-fetch-site": "cross-site" })).json["code"]).toBe("CROSS_SITE");
    expect((await send("a@b.com\n".repeat(20_000))).status).toBe(413);
  });

  it("writes no address to the log", async () => {
    await send("secret.name@example.org");
    // Lines of requests are written together, within half a second.
    await expect.poll(() => daemon.log(), { timeout: 5000 }).toContain('"route":"/"');
    expect(daemon.log()).not.toContain("secret.name");
  });

  it("needs a key where detection does, and says what to do instead", async () => {
    const { port } = await start("--public-url", "https://addr.example.com");
    const { text } = await ask(port, "GET", "/");
    expect(text).toContain("asks for an API key");
    expect(text).not.toContain("<textarea");
    expect((await ask(port, "POST", "/", { headers: FORM, body: "emails=a@b.com" })).status).toBe(401);
  });
});
