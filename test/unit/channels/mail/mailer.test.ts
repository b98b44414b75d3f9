// Tests mails sent to a real SMTP server: exactly one recipient, no injected headers, and errors as return values.

import { connect, createServer } from "node:net";
import * as nodemailer from "nodemailer";
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from "vitest";
import { parseMailbox } from "../../../../src/address/mailbox.ts";
import { AddrsiftError } from "../../../../src/base/errors.ts";
import { escapeHtml } from "../../../../src/base/format-text.ts";
import { createEvent } from "../../../../src/channels/events.ts";
import { createMailer, type Mailer, parseSmtpSettings } from "../../../../src/channels/mail/mailer.ts";
import { renderEventMail, renderLinkMail } from "../../../../src/channels/mail/templates.ts";
import { lists } from "../../../helpers/classify.ts";
import { listenOnFreePort } from "../../../helpers/listening.ts";
import { type MailServer, startMailServer } from "../../../helpers/mail-server.ts";
import { freePort } from "../../../helpers/programs.mjs";
import { startLineRecorder } from "./smtp-lines.ts";

const parse = (address: string): ReturnType<typeof parseMailbox> => parseMailbox(address, {}, lists);
const MAIL = renderLinkMail("https://a.example", "t0k");

function mailerFor(url: string, from = "addrsift <noreply@example.com>"): Mailer {
  const settings = parseSmtpSettings(url, from, parse);
  if (typeof settings === "string") throw new Error(settings);
  return createMailer(settings, parse, () => nodemailer);
}

let server: MailServer;
beforeAll(async () => {
  server = await startMailServer();
});
afterEach(() => {
  server.mails.length = 0;
  server.recipients.length = 0;
  server.refuse = () => undefined;
});
afterAll(() => server.close());

it("a mail has a text part, an HTML part and the header Auto-Submitted", async () => {
  expect(
    await mailerFor(server.url).send("ops@example.org", renderLinkMail("https://a.example/base/", "t0k"), "msg_1"),
  ).toEqual({ ok: true });
  const [mail] = server.mails;
  expect(mail).toMatchObject({ from: "noreply@example.com", to: ["ops@example.org"] });
  expect(mail?.message).toMatchObject({
    subject: "Confirm this address for notifications",
    from: { name: "addrsift", address: "noreply@example.com" },
    to: [{ address: "ops@example.org" }],
    messageId: "<msg_1@example.com>",
  });
  expect(mail?.message.text).toContain("https://a.example/base/verify/t0k\n");
  expect(mail?.message.html).toContain('<a href="https://a.example/base/verify/t0k"');
  expect(mail?.message.html).toContain("works once, for 24 hours");
  // Each link has its own color: a mail program's dark theme could make links unreadable on the fixed background.
  expect(mail?.message.html).not.toMatch(/<a (?![^>]*style="[^"]*\bcolor:#)/);
  const headers = Object.fromEntries(mail?.message.headers.map(({ key, value }) => [key, value]) ?? []);
  expect(headers).toMatchObject({ "auto-submitted": "auto-generated", "mime-version": "1.0" });
  expect(headers["content-type"]).toMatch(/^multipart\/alternative/);
  // RFC 5322 §2.1.1 has 998 as the limit.
  for (const line of mail?.raw.split("\r\n") ?? []) expect(line.length).toBeLessThanOrEqual(200);
});

it.each([
  ["jürgen@example.org", "jürgen@example.org"],
  // The server shows A-labels as Unicode.
  ["ops@münchen.de", "ops@münchen.de"],
  ["a+b@EXAMPLE.org", "a+b@example.org"],
])("a mail to %s has only the recipient %s", async (address, envelope) => {
  expect(await mailerFor(server.url).send(address, MAIL, "msg_1")).toEqual({ ok: true });
  expect(server.recipients).toEqual([envelope]);
  expect(server.mails[0]?.raw).toMatch(/^To: [^\r]*$/m);
});

const injections = [
  "ops@x.test\r\nRCPT TO:<evil@x.test>",
  "ops@x.test\nBcc: evil@x.test",
  "a@example.org, b@example.org",
  "a@example.org b@example.org",
  "<a@example.org>, <evil@example.org>",
  "Name <evil@example.org>",
  "group: a@example.org, b@example.org;",
  "a@example.org>\r\nDATA\r\n",
  "a@example.org> SIZE=1",
  "a@example.org\u0000",
  "a@example.org\u2028b@example.org",
  "",
  ...`a@example.org;b@example.org <evil@example.org> a(comment)@example.org a@example.org(comment)
      @relay.example:evil@example.org evil%example.org@ a@b@example.org
      "a@example.org,evil"@example.org@example.org a@[127.0.0.1]`.split(/\s+/),
];
it.each(injections)("the address %j can't add recipients", async (address) => {
  const attempt = await mailerFor(server.url).send(address, MAIL, "msg_1");
  expect(attempt).toEqual({
    ok: false,
    reason: "the address of the channel is not valid: change it",
    verdict: "give_up",
  });
  expect(server.recipients).toEqual([]);
});

it.each([
  ['"evil@example.com,b"@example.org', ['RCPT TO:<"evil@example.com,b"@example.org>']],
  ['"two words"@example.org', ['RCPT TO:<"two words"@example.org>']],
  ['"a\\"b"@example.org', ['RCPT TO:<"a\\"b"@example.org>']],
  ['"x> <evil@example.com"@example.org', []],
  ['"x> SIZE=1"@example.org', []],
] as const)("a mail to the unusual address %s reaches only that address, or nobody", async (address, lines) => {
  const recorder = await startLineRecorder();
  await mailerFor(recorder.url).send(address, MAIL, "msg_1");
  expect(recorder.lines.filter((line) => line.startsWith("RCPT"))).toEqual(lines);
  recorder.close();
});

const name = 'ops\r\nBcc: evil@example.org\r\n\r\n<script>alert("ü")</script>';

it("a channel name can't add headers or HTML to a mail", async () => {
  const mail = renderEventMail(createEvent("lists.update_failed", { data_version: name, reason: name }, 0), name);
  await mailerFor(server.url).send("ops@example.org", mail, "msg_1");
  expect(server.recipients).toEqual(["ops@example.org"]);
  const [received] = server.mails;
  expect(received?.message.bcc).toBeUndefined();
  expect(received?.message.subject).toContain("Bcc: evil@example.org");
  expect(received?.raw.split("\r\n\r\n")[0]).not.toMatch(/^Bcc:/im);
  expect(received?.message.html).not.toContain("<script>");
  expect(received?.message.html).toContain("&lt;script&gt;");
});

it("escapeHtml escapes the characters that could end an HTML attribute", () => {
  expect(escapeHtml(`"'><&`)).toBe("&quot;&#39;&gt;&lt;&amp;");
});

it.each([
  ["recipient", 550, "the mail server refused the recipient (550)", "give_up"],
  ["recipient", 450, "the mail server temporarily refused the recipient (450)", "retry"],
  ["data", 554, "the mail server refused the message (554)", "retry"],
  ["from", 553, "the mail server refused the sender, ADDRSIFT_SMTP_FROM (553)", "retry"],
] as const)(
  "a server that rejects the %s with %i gives the reason $2 and the verdict $3",
  async (step, code, reason, verdict) => {
    server.refuse = (current) => (current === step ? code : undefined);
    const attempt = await mailerFor(server.url).send("ops@example.org", MAIL, "msg_1");
    const response = `${code} rejected by the test`;
    expect(attempt).toEqual({ ok: false, reason, response, verdict, undelivered: true });
  },
);

it("a server whose greeting has status 554 refuses the connection, not the message", async () => {
  const refusing = createServer((socket) => socket.end("554 no service here\r\n"));
  onTestFinished(() => void refusing.close());
  const attempt = await mailerFor(`smtp://127.0.0.1:${await listenOnFreePort(refusing)}`).send(
    "ops@example.org",
    MAIL,
    "a",
  );
  expect(attempt).toMatchObject({ reason: "the mail server refused the connection (554)", verdict: "retry" });
});

it("the reason of a mail that fails because of wrong credentials names ADDRSIFT_SMTP_URL", async () => {
  const refusing = await startMailServer({ refusesLogins: true });
  onTestFinished(() => refusing.close());
  const attempt = await mailerFor(refusing.url.replace("//", "//me:hidden@")).send("ops@example.org", MAIL, "msg_1");
  const reason = "the mail server refused the credentials: the operator must correct ADDRSIFT_SMTP_URL";
  expect(attempt).toEqual({ ok: false, reason, verdict: "retry", undelivered: true });
});

it.each([
  ["a refused connection", async () => `smtp://me:hidden@127.0.0.1:${await freePort()}`, "refused the connection"],
  ["an unknown host", async () => "smtp://me:hidden@127.invalid", "has an unknown host name"],
  [
    "TLS to a port without it",
    async () => server.url.replace("smtp:", "smtps:").replace("//", "//me:hidden@"),
    "does not expect TLS on this port: the operator must use smtp://",
  ],
])("the reason of %s names the cause, but neither host nor credentials", async (_, createUrl, cause) => {
  const attempt = await mailerFor(await createUrl()).send("ops@example.org", MAIL, "msg_1");
  expect(attempt).toMatchObject({
    ok: false,
    verdict: "retry",
    reason: expect.stringContaining(cause),
    undelivered: true,
  });
  expect(JSON.stringify(attempt)).not.toMatch(/hidden|127/);
});

it("mail credentials are not sent without TLS", async () => {
  const settings = parseSmtpSettings("smtp://me:hidden@mail.example.com", "a@example.com", parse);
  expect(settings).toMatchObject({ requireTls: true });
  if (typeof settings === "string") throw new Error(settings);
  const local = createMailer({ ...settings, url: server.url }, parse, () => nodemailer);
  const attempt = await local.send("ops@example.org", MAIL, "msg_1");
  expect(attempt).toMatchObject({ ok: false, reason: expect.stringMatching(/no safe TLS/) });
  expect(server.recipients).toEqual([]);
});

it.each([
  ["STARTTLS", false],
  ["TLS from the first byte", true],
])("a self-signed certificate is accepted only on loopback: %s", async (_, secure) => {
  const tlsServer = await startMailServer({ tls: secure ? "always" : "offered" });
  expect(await mailerFor(tlsServer.url).send("ops@example.org", MAIL, "msg_1")).toEqual({ ok: true });
  const settings = parseSmtpSettings(tlsServer.url, "a@example.com", parse);
  if (typeof settings === "string") throw new Error(settings);
  const strictMailer = createMailer({ ...settings, isLoopback: false }, parse, () => nodemailer);
  expect(await strictMailer.send("ops@example.org", MAIL, "msg_2")).toEqual({
    ok: false,
    reason: expect.stringMatching(/^the certificate or TLS handshake .* failed \(\w+\): .*NODE_EXTRA_CA_CERTS$/),
    verdict: "retry",
    undelivered: true,
  });
  expect(tlsServer.mails).toHaveLength(1);
  await tlsServer.close();
});

it("the mailer sends on at most four connections at once, and all mails arrive", async () => {
  let open = 0;
  let maxOpen = 0;
  const counter = createServer((socket) => {
    open += 1;
    maxOpen = Math.max(maxOpen, open);
    const upstream = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.on("close", () => {
      open -= 1;
    });
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      one.on("error", () => other.destroy());
      one.pipe(other);
    }
  });
  const mailer = mailerFor(`smtp://127.0.0.1:${await listenOnFreePort(counter)}`);
  const sent = Array.from({ length: 13 }, (_, i) => mailer.send("ops@example.org", MAIL, `msg_${i}`));
  expect(await Promise.all(sent)).toEqual(Array(13).fill({ ok: true }));
  // Above four, because the counter notices a closed connection a moment later.
  expect(maxOpen).toBeLessThanOrEqual(6);
  expect(server.mails).toHaveLength(13);
  await new Promise((resolve) => counter.close(resolve));
});

it.each([
  [undefined, "a@example.com", "ADDRSIFT_SMTP_URL"],
  ["", "a@example.com", "ADDRSIFT_SMTP_URL"],
  ["smtp://h", undefined, "ADDRSIFT_SMTP_FROM"],
  ["smtp://h", "", "ADDRSIFT_SMTP_FROM"],
])("parseSmtpSettings with the URL %j and the sender %j returns the missing setting %s", (url, from, missing) =>
  expect(parseSmtpSettings(url, from, parse)).toBe(missing),
);

it.each([
  ["a@example.com", "", "a@example.com"],
  ["addrsift <a@example.com>", "addrsift", "a@example.com"],
  ['"Ops, Inc." <a@example.com>', "Ops, Inc.", "a@example.com"],
  ["Jürgen <a@münchen.de>", "Jürgen", "a@xn--mnchen-3ya.de"],
  ["<a@example.com>", "", "a@example.com"],
])("parseSmtpSettings parses the sender %s", (from, name, address) => {
  expect(parseSmtpSettings("smtps://h", from, parse)).toMatchObject({ from: { name, address }, requireTls: false });
});

it.each([
  ["http://user:hidden@h", "a@example.com"],
  ["http://user:hidden@h", undefined],
  ["smtp//hidden", "a@example.com"],
  ["smtp://", "a@example.com"],
  ["smtp://h", "hidden"],
  ["smtp://h", "a@example.com, hidden@example.com"],
  ["smtp://h", "x <hidden@example.com> y"],
])("parseSmtpSettings rejects the URL %s with the sender %s, and quotes neither", (url, from) => {
  let message = "";
  try {
    parseSmtpSettings(url, from, parse);
  } catch (error) {
    if (error instanceof AddrsiftError) message = error.message;
  }
  expect(message).toMatch(/^ADDRSIFT_SMTP_(URL|FROM) .*: give /);
  expect(message).not.toContain("hidden");
});

it.each(["?requireTLS=false&ignoreTLS=true", "?logger=true", "?tls.rejectUnauthorized=false", "#x", ":25/x"])(
  "parseSmtpSettings rejects options in the URL: %s",
  (tail) => {
    const settings = (): unknown =>
      parseSmtpSettings(`smtp://me:hidden@mail.example.com${tail}`, "a@example.com", parse);
    expect(settings).toThrow(/^ADDRSIFT_SMTP_URL \(or its file\) must end with the port, without \/, \? or #: write /);
  },
);
