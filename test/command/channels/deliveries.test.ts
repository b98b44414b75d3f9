// Tests `channels test | verify | deliveries` and `detect --notify` with a real receiver and a real mail server.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { listenOnFreePort } from "../../helpers/listening.ts";
import { type MailServer, startMailServer } from "../../helpers/mail-server.ts";
import { type Receiver, startReceiver, status } from "../../helpers/receiver.ts";
import {
  type Call,
  COMMAND,
  cleanEnvironment,
  expectOneLine,
  linesOf,
  type RunInput,
  type RunResult,
  run,
  runProcess,
  runShell,
  scratch,
} from "../../helpers/run.ts";
import { CERTIFICATE, PRIVATE_KEY } from "../../unit/outbound/certificate.ts";

let mail: MailServer;
let receiver: Receiver;
let files: ReturnType<typeof scratch>;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  mail = await startMailServer();
});
beforeEach(async () => {
  receiver = await startReceiver();
  files = scratch();
  env = {
    ADDRSIFT_HOME: join(files.path, "home"),
    ADDRSIFT_SMTP_URL: mail.url,
    ADDRSIFT_SMTP_FROM: "addrsift <noreply@example.com>",
    ADDRSIFT_ALLOW_PRIVATE: "127.0.0.0/8",
  };
});
afterEach(async () => {
  files.remove();
  await receiver.close();
  mail.mails.length = 0;
});
afterAll(() => mail.close());

function call(line: Call, input: RunInput = {}): Promise<RunResult> {
  const options = { ...input, env: { ...env, ...input.env } };
  // Node reads its own variables only when it starts.
  const needsProcess = Object.keys(options.env).some((name) => name.startsWith("NODE_"));
  return needsProcess ? runProcess(line, options) : run(line, options);
}

async function runJson(line: string, input: RunInput = {}) {
  const { status: code, stdout, stderr } = await call(`${line} --json`, input);
  expect({ code, stderr: stderr.toString() }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout.toString());
}

const expectError = async (line: string, message: string | RegExp, input: RunInput = {}): Promise<void> =>
  expectOneLine(await call(line, input), message);

const createHook = (more = "") =>
  runJson(`channels create --name hook --type webhook --config url=${receiver.url}/in${more}`);
const createMail = () => runJson("channels create --name ops --type email --config address=ops@example.org");

it("channels deliveries shows the status of --json while an attempt is running", async () => {
  const { id } = await createHook();
  receiver.answer = (response) => {
    shown = call(`channels deliveries ${id}`).finally(() => response.writeHead(204).end());
  };
  let shown: Promise<RunResult> | undefined;
  await runJson(`channels test ${id}`);
  expect((await shown)?.stdout.toString()).toMatch(/ channel\.test {2}pending {2}.*\n.* running\n$/);
});

/** Creates a webhook and verifies it by a test. */
async function createVerifiedHook() {
  const hook = await createHook();
  await runJson(`channels test ${hook.id}`);
  return hook;
}

const deliveries = (id: string) => runJson(`channels deliveries ${id}`);
/** Returns the first token in a mail. */
const tokenIn = (text = ""): string => /^ {4}([0-9a-f]{64})$/m.exec(text)?.[1] ?? "";

/** Verifies the signature of a received request, and returns its body. */
function payload(secret: string, index = 0) {
  const { body, headers } = receiver.received[index] ?? { body: "", headers: {} };
  new Webhook(secret).verify(body, headers as Record<string, string>);
  return JSON.parse(body);
}

it("channels test verifies a webhook and lists its delivery", async () => {
  const { id, config } = await createHook();
  expect(await runJson(`channels test ${id}`)).toMatchObject({ id, is_verified: true });
  expect(payload(config.secret)).toMatchObject({ type: "channel.test", data: { channel_id: id } });
  expect(await deliveries(id)).toMatchObject([{ event: "channel.test", status: "delivered", attempts: 1 }]);
  const table = await call(`channels deliveries ${id}`);
  expect(linesOf(table.stdout)[0]).toMatch(/^ID +EVENT +STATUS +TRIES +HISTORY \(UTC\)/);
  expect(linesOf(table.stdout)[1]).toMatch(/^msg_\w+ +channel.test +delivered +1 +[-0-9]+ [:0-9]+ created/);
});

it("channels test reports success on standard error, and prints nothing with --quiet", async () => {
  const { id } = await createHook();
  const line = "addrsift: The webhook accepted the test: the channel is verified.\n";
  const { status, stdout, stderr } = await call(`channels test ${id}`);
  expect([status, stdout.toString(), stderr.toString()]).toEqual([0, "", line]);
  expect((await call(`channels test ${id} --quiet`)).stderr.toString()).toBe("");
});

it("channels test reports a failure in one line", async () => {
  const { id } = await createHook();
  receiver.answer = status(503);
  await expectError(`channels test ${id}`, /^addrsift: the webhook answered 503\n$/);
  expect(await deliveries(id)).toMatchObject([{ status: "failed" }]);
  expect(await deliveries(`${id} --status delivered`)).toEqual([]);
  const json = await call(`channels test ${id} --json`);
  expect([json.status, json.stderr.toString()]).toEqual([2, "addrsift: the webhook answered 503\n"]);
  const error = "the webhook answered 503";
  expect(JSON.parse(json.stdout.toString())).toMatchObject({
    id,
    is_verified: false,
    message: error,
    last_delivery: { status: "failed", error },
  });
  const incomplete = await runJson("channels create --name later --type webhook");
  const rejected = await call(`channels test ${incomplete.id} --json`);
  expect([rejected.status, JSON.parse(rejected.stdout.toString())]).toMatchObject([
    2,
    { id: incomplete.id, message: expect.stringContaining("config.url is missing") },
  ]);
  await expectError(requiredNotify(incomplete.id), "config.url is missing: update the channel to add it");
  await expectError("channels test ch_nothing", "there is no channel ch_nothing in the team default");
  await expectError(`channels test ${id} --team other`, "there is no channel");
});

it("channels test connects to private addresses only with --allow-private", async () => {
  const { id } = await createHook();
  const noPrivate = { env: { ADDRSIFT_ALLOW_PRIVATE: "" } };
  await expectError(`channels test ${id}`, /^addrsift: 127.0.0.1 is a loopback address: /, noPrivate);
  expect(receiver.connections()).toBe(0);
  expect(await deliveries(id)).toEqual([]);
  await runJson(`channels test ${id} --allow-private 10.0.0.0/8 --allow-private 127.0.0.1`, noPrivate);
  expect(receiver.connections()).toBe(1);
  const wrong =
    /^addrsift: --allow-private or \S+ has "10\/8", which is not a range of addresses: give one such as 10\.0\.0\.0\/8\n$/;
  await expectError(`channels test ${id} --allow-private 10/8`, wrong);
});

it("channels test accepts a trusted TLS certificate for the host's name, and rejects others", async () => {
  const server = createTlsServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, (_, response) => response.end());
  const port = await listenOnFreePort(server);
  const trusted = { env: { NODE_EXTRA_CA_CERTS: files.file("ca.pem", CERTIFICATE) } };
  const create = "channels create --name tls --type webhook --config";
  const { id } = await runJson(`${create} url=https://localhost:${port}/in`);
  const unknown = { env: { NODE_TLS_REJECT_UNAUTHORIZED: "0", NODE_NO_WARNINGS: "1" } };
  await expectError(`channels test ${id}`, / handshake of localhost:\d+ failed/, unknown);
  expect(await runJson(`channels test ${id}`, trusted)).toMatchObject({ is_verified: true });
  const other = await runJson(`${create} url=https://127.0.0.2:${port}/in`);
  await new Promise((resolve) => server.close(resolve));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.2", resolve));
  await expectError(`channels test ${other.id}`, "ERR_TLS_CERT_ALTNAME_INVALID", trusted);
  await new Promise((resolve) => server.close(resolve));
});

it("channels verify reads the mailed token from standard input and accepts it once", async () => {
  const { id, is_verified } = await createMail();
  expect(is_verified).toBe(false);
  const text = mail.mails[0]?.message.text ?? "";
  expect(text).toContain(`addrsift channels verify ${id}`);
  expect(String((await call(`channels get ${id}`)).stdout)).toMatch(/\nverify by +its message: open the link/);
  const token = tokenIn(text);
  const verify = `channels verify ${id}`;
  await expectError(verify, "the token is missing");
  const problem = "the channel is not verified: use the link or token that was emailed first";
  await expectError(requiredNotify(id), `${problem} (addrsift channels verify ${id}`);
  await expectError(verify, "the token is not valid for this channel", { stdin: `${token.slice(1)}\n` });
  expect(await runJson(verify, { stdin: `  ${token}\r\nmore` })).toMatchObject({ is_verified: true });
  await expectError(verify, "this link or token was already used", { stdin: token });
  expect(await runJson(`channels get ${id}`)).toMatchObject({ is_verified: true });
  expect(await runJson(`channels test ${id}`)).toMatchObject({ is_verified: true });
  expect(mail.mails.at(-1)?.message.subject).toBe("[ops] Test notification");
});

it("the verification mail has a link if there is a public URL", async () => {
  env = { ...env, ADDRSIFT_PUBLIC_URL: "https://notify.example.com/" };
  await createMail();
  expect(mail.mails[0]?.message.text).toMatch(/^https:\/\/notify\.example\.com\/verify\/[0-9a-f]{64}$/m);
});

/** Message of `--fail-on disposable`. */
const FAIL_ON_MESSAGE = "addrsift: 1 row of 5 is disposable (row 2)\n";
const ADDRESSES = "jane@gmail.com\njoe@mailinator.com\nbroken@\n\nme@duck.com\n";

it("detect --notify sends counts and no address", async () => {
  const { id, config } = await createVerifiedHook();
  const result = await call(`detect --notify ${id} --fail-on disposable`, { stdin: ADDRESSES });
  expect([result.status, linesOf(result.stdout).length, result.stderr.toString()]).toEqual([1, 5, FAIL_ON_MESSAGE]);
  const { type, data } = payload(config.secret, 1);
  expect(type).toBe("detection.completed");
  expect(data).toMatchObject({
    rows: 5,
    exit_status: 1,
    classes: { valid: 3, invalid: 1, blank: 1, disposable: 1, relay: 1, public: 1 },
    data_version: expect.stringMatching(/^\d{4}-/),
  });
  expect(JSON.stringify(receiver.received)).not.toMatch(/jane|gmail|joe|mailinator|duck|whsec_/);
  expect(await deliveries(id)).toMatchObject([{ event: "detection.completed", status: "delivered" }, {}]);
  await call(`detect --notify ${id} jane@gmail.com`);
  expect(payload(config.secret, 2).data).toMatchObject({ rows: 1, exit_status: 0 });
});

it("detect with several --notify sends the counts to each channel once", async () => {
  const [first, second] = [await createVerifiedHook(), await createVerifiedHook()];
  const paused = await createHook(" --config enabled=false");
  const ids = [first.id, second.id, paused.id, first.id];
  const { stderr } = await call(`detect jane@gmail.com ${ids.map((id) => `--notify ${id}`).join(" ")}`);
  expect(stderr.toString()).toMatch(
    new RegExp(`^addrsift: the channel ${paused.id} is not notified: [^\n]*paused[^\n]*\n$`),
  );
  for (const { id } of [first, second])
    expect(await deliveries(id)).toMatchObject([{ event: "detection.completed", status: "delivered" }, {}]);
  const required = `detect --notify-required --notify ${first.id} --notify ${paused.id}`;
  await expectError(required, `--notify ${paused.id}: the channel is paused`);
});

/** Runs `detect --notify` and returns its warning. Expects all rows and the exit status of the classification. */
async function warningOf(id: string, input: RunInput = {}): Promise<string> {
  const line = `detect --fail-on disposable --notify ${id}`;
  const { status: code, stdout, stderr } = await call(line, { stdin: ADDRESSES, ...input });
  expect({ code, rows: linesOf(stdout).length }).toEqual({ code: 1, rows: 5 });
  return stderr.toString().replace(FAIL_ON_MESSAGE, "");
}
const requiredNotify = (id: string): string => `detect --notify-required --notify ${id}`;

it("detect --notify fails for an unknown channel, and warns about a paused channel", async () => {
  const { id } = await createHook();
  await expectError("detect --notify ch_nothing", /: there is no such channel: addrsift channels list/);
  await expectError(requiredNotify("ch_nothing"), /^addrsift: --notify ch_nothing: there is no such channel/);
  await expectError(requiredNotify(id), "not verified: send a test first (addrsift channels test");
  const other = await createHook(" --config events=lists.updated");
  await runJson(`channels test ${other.id}`);
  expect(await warningOf(other.id)).toMatch(/is not notified: the channel does not receive detection.completed/);
  await runJson(`channels update ${other.id} --unset events --config enabled=false`);
  expect(await warningOf(other.id)).toMatch(
    /is not notified: the channel is paused: resume it first \(addrsift channels update ch_\S+ --config enabled=true\)\n$/,
  );
  await expectError(requiredNotify(other.id), "is paused");
  expect(await deliveries(other.id)).toHaveLength(1);
  await expectError(`detect --offline --notify ${id}`, "use --dns off in place of --offline");
  await expectError("detect --notify-required", "add --notify CHANNEL");
});

it("--notify-label names the run in the event, and rejects an address", async () => {
  const { id, config } = await createVerifiedHook();
  const line = `detect --notify ${id} --notify-label`;
  await call(`${line} nightly-import`, { stdin: ADDRESSES });
  const event = payload(config.secret, 1);
  expect(event.data).toMatchObject({ label: "nightly-import", rows: 5 });
  expect(event.text).toMatch(/^Detection completed: nightly-import: 5 rows were classified in [0-9.]+ s\.$/);
  expect(String((await call(`channels deliveries ${id}`)).stdout)).toMatch(
    /detection\.completed +delivered.*\n +nightly-import/,
  );
  await expectError(`${line} jane@example.org`, "--notify-label looks like an address: use a name without @");
  await expectError(`${line} ${"x".repeat(101)}`, "--notify-label is blank or too long: give 1 to 100 characters");
  await expectError("detect --notify-label x", "add --notify CHANNEL");
});

it("channels update --revoke-previous ends signatures with the previous secret", async () => {
  const { id } = await createVerifiedHook();
  await runJson(`channels update ${id} --unset secret`);
  await runJson(`channels test ${id}`);
  expect(receiver.received.at(-1)?.headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
  const until = Date.parse((await runJson(`channels get ${id}`)).previous_secret_until);
  expect(until - Date.now()).toBeGreaterThan(86_000_000);
  const revoked = await runJson(`channels update ${id} --revoke-previous`);
  expect([revoked.is_verified, revoked.previous_secret_until]).toEqual([true, undefined]);
  await runJson(`channels test ${id}`);
  expect(receiver.received.at(-1)?.headers["webhook-signature"]).toMatch(/^v1,\S+$/);
});

it("if no delivery is possible, detect --notify stores the event for the daemon without an attempt", async () => {
  const { id } = await createVerifiedHook();
  const noPrivate = { env: { ADDRSIFT_ALLOW_PRIVATE: "" } };
  const waits = /is not notified yet \(127.0.0.1 is a loopback address.+the daemon or the next command that/;
  expect(await warningOf(id, noPrivate)).toMatch(waits);
  expect((await deliveries(id))[0]).toMatchObject({ status: "pending", attempts: 0 });
  const email = await createMail();
  await runJson(`channels verify ${email.id}`, { stdin: tokenIn(mail.mails.at(-1)?.message.text) });
  const noMail = { env: { ADDRSIFT_SMTP_URL: "", ADDRSIFT_SMTP_FROM: "" } };
  expect(await warningOf(email.id, noMail)).toMatch(/is not notified yet \(mail is disabled until/);
  expect((await deliveries(email.id))[0]).toMatchObject({ status: "pending", attempts: 0 });
  const required = (channel: string) => `${requiredNotify(channel)} jane@gmail.com`;
  await expectError(required(email.id), `--notify ${email.id}: mail is disabled until`, noMail);
  await expectError(required(id), `--notify ${id}: 127.0.0.1 is a loopback address`, noPrivate);
  // The next command that can send delivers all pending events.
  await call(`detect --notify ${email.id} jane@gmail.com`);
  expect(mail.mails.filter(({ message }) => message.subject === "[ops] Detection completed")).toHaveLength(2);
  expect((await deliveries(id))[0]).toMatchObject({ status: "delivered", attempts: 1 });
});

it.each(["store.json", "deliveries.json"])("detect --notify prints its rows even if %s is damaged", async (name) => {
  const { id } = await createVerifiedHook();
  files.file(`home/${name}`, "{broken");
  expect(await warningOf(id)).toMatch(/^addrsift: .*(is damaged|is not notified)/);
  const required = await call(requiredNotify(id), { stdin: ADDRESSES });
  expect([required.status, required.stdout.toString()]).toEqual([2, ""]);
  expect(required.stderr.toString()).toMatch(new RegExp(`\naddrsift: --notify ${id}: \\S+${name} is damaged`));
});

it("channels replay resends a delivery of detect --notify with the same id", async () => {
  const { id } = await createVerifiedHook();
  receiver.answer = status(429, { "Retry-After": "31" });
  await call(`detect --notify ${id} jane@gmail.com`);
  const [delivery] = await deliveries(id);
  const noPrivate = { env: { ADDRSIFT_ALLOW_PRIVATE: "" } };
  await expectError(`channels replay ${delivery?.id}`, "--allow-private: the daemon tries again", noPrivate);
  await expectError(
    `channels replay ${delivery?.id}`,
    /^addrsift: the webhook answered 429: the daemon tries again\n$/,
  );
  expect((await call("channels list")).stdout.toString()).toMatch(
    /pending [-0-9]+ [:0-9]+: the webhook answered 429\n +failing since [-0-9]+ [:0-9]+\n$/,
  );
  receiver.answer = status(204);
  const replayed = await call(`channels replay ${delivery?.id}`);
  const line = `addrsift: ${delivery?.id} was delivered\n`;
  expect([replayed.status, replayed.stdout.toString(), replayed.stderr.toString()]).toEqual([0, "", line]);
  expect(receiver.received.at(-1)?.headers["webhook-id"]).toBe(delivery?.id);
  receiver.answer = status(500);
  await expectError(`channels replay ${delivery?.id}`, /^addrsift: the webhook answered 500\n$/);
  const json = await call(`channels replay ${delivery?.id} --json`);
  expect([json.status, json.stderr.toString()]).toEqual([2, "addrsift: the webhook answered 500\n"]);
  expect(JSON.parse(json.stdout.toString())).toMatchObject({
    id: delivery?.id,
    status: "delivered",
    last_error: "the webhook answered 500",
  });
  const time = "[0-9-]{10} [0-9:]{8}";
  const failure = "HTTP 429, [0-9,]+ ms: the webhook answered 429";
  expect((await call(`channels deliveries ${id}`)).stdout.toString()).toMatch(
    new RegExp(
      `delivered +5 +${time} created\n +${time} failed, ${failure}\n +${time} resend failed, ${failure}\n +${time} resend delivered, HTTP 204`,
    ),
  );
  await runJson(`channels update ${id} --config enabled=false`);
  const rejected = await call(`channels replay ${delivery?.id} --json`);
  const paused = { id: delivery?.id, status: "delivered", last_error: expect.stringContaining("is paused: resume it") };
  expect([rejected.status, JSON.parse(rejected.stdout.toString())]).toMatchObject([2, paused]);
  await expectError("channels replay msg_nothing", /^addrsift: there is no delivery msg_nothing in the team/);
});

it("--notify-required fails if the channel has too many undelivered events", async () => {
  const { id } = await createVerifiedHook();
  receiver.answer = status(429, { "Retry-After": "31" });
  await call(`detect --notify ${id} jane@gmail.com`);
  const stored = JSON.parse(readFileSync(join(env["ADDRSIFT_HOME"] as string, "deliveries.json"), "utf8"));
  const { records } = stored.collections.deliveries;
  const [{ id: deliveryId }] = await deliveries(id);
  for (let i = 0; i < 2000; i += 1) records[`msg_${i}`] = { ...records[deliveryId], id: `msg_${i}` };
  files.file("home/deliveries.json", JSON.stringify(stored));
  await expectError(`${requiredNotify(id)} jane@gmail.com`, `--notify ${id}: the channel has too many undelivered`);
  const { stderr } = await call(`detect --notify ${id} jane@gmail.com`);
  const line = "a channel was not notified: it has too many undelivered events, see addrsift channels deliveries";
  expect(stderr.toString()).toBe(`addrsift: ${line}\n`);
});

it("detect --notify sends an event for interrupted and failed runs", async () => {
  const { id, config } = await createVerifiedHook();
  // A run that a signal ended exits with the signal's status, even if --notify-required failed.
  receiver.answer = status(429, { "Retry-After": "31" });
  const args = [COMMAND, ...requiredNotify(id).split(" ")];
  const child = spawn(process.execPath, args, { env: cleanEnvironment(env), stdio: "pipe" });
  const closed = new Promise<number | null>((resolve) => child.on("close", (code) => resolve(code)));
  child.stdin.write(ADDRESSES);
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.kill("SIGINT");
  expect(await closed).toBe(130);
  expect(payload(config.secret, 1).data).toMatchObject({ rows: 5, exit_status: 130 });
  receiver.answer = status(204);
  const csv = 'email\njane@gmail.com\n"never closed';
  const broken = await call(`detect --csv --notify ${id}`, { stdin: csv + "x".repeat(17_000_000) });
  expect(broken.status).toBe(2);
  const error = expect.stringMatching(/^row 3 does not end within 16 MiB: /);
  expect(payload(config.secret, 2).data).toMatchObject({ rows: 1, exit_status: 2, error });
});

it("detect --notify does not report a run as completed if the reader of its output is gone", async () => {
  const { id, config } = await createVerifiedHook();
  const many = files.file("many.txt", "jane@gmail.com\n".repeat(100_000));
  const report = join(files.path, "report.html");
  const summary = join(files.path, "summary.json");
  const outputs = `--report '${report}' --summary-file '${summary}' --notify ${id}`;
  const result = await runShell(`addrsift detect -i '${many}' ${outputs} | head -n 1`, { env });
  expect(result.stderr.toString()).toBe("");
  const { text, data } = payload(config.secret, 1);
  expect(text).toMatch(/^Detection ended early: [\d,]+ rows were classified in .* The reader of the output closed it /);
  expect(data).toMatchObject({ exit_status: 0, error: expect.stringMatching(/^the reader of the output closed it/) });
  expect(data.rows).toBeLessThan(100_000);
  expect(readFileSync(report, "utf8")).toContain("Interrupted after");
  expect(JSON.parse(readFileSync(summary, "utf8"))).toMatchObject({ rows: data.rows, ended_early: true });
});

it.each([
  ["a missing file", "--csv no-such.csv", /^can't read no-such.csv: there is no such file/],
  ["a missing column", "--csv PEOPLE --column mail", /^there is no column mail: use one of 1 …$/],
  ["a file whose name has an address", "--csv a\u202e/%22jane@corp.example%22", /^…@corp\.example/],
  ["a file whose name has quotes", '--csv "jane"gmail"\n"', /^can't read …/],
  ["an output that can't be written", "--csv PEOPLE --summary-file no/such", /^can't write the summary to no\/such: /],
  ["a file as an argument", "PEOPLE", /people\.csv is a file: /],
])("detect --notify sends the error of a run that fails before its first row: %s", async (_, args, error) => {
  const { id, config } = await createVerifiedHook();
  const people = files.file("people.csv", "Jane Doe,jane@gmail.com\n");
  const line = `detect ${args.replace("PEOPLE", people)} --notify ${id} --notify-label nightly`;
  const failed = await call(line);
  expect([failed.status, failed.stdout.toString()]).toEqual([2, ""]);
  const { text, data } = payload(config.secret, 1);
  expect(data).toMatchObject({ label: "nightly", rows: 0, exit_status: 2, error: expect.stringMatching(error) });
  expect(data.data_version).toMatch(/^\d{4}-/);
  expect(text).toMatch(/^Detection failed \(exit status 2\): nightly: 0 rows were classified in [0-9.]+ s\. \S/);
  expect(JSON.stringify(receiver.received)).not.toMatch(/jane|gmail|Jane/);
});

it("commands in messages have the team and the home of the call, and can be run as they are", async () => {
  const home = join(files.path, "a home");
  const options = `--team acme --home '${home}'`;
  const create = `channels create --name x --type webhook --config url=${receiver.url}/in ${options} --json`;
  const runCommand = (command: string) => runShell(command, { env });
  const { id } = JSON.parse((await runCommand(`addrsift ${create}`)).stdout.toString());
  const detect = `addrsift detect --dns off --notify-required --notify ${id} --home '${home}' a@b.de`;
  const commandIn = (result: RunResult): string =>
    /\((addrsift channels .*)\)/.exec(result.stderr.toString())?.[1] ?? "";
  const test = commandIn(await runCommand(detect));
  expect(test).toBe(`addrsift channels test ${id} ${options}`);
  expect((await runCommand(test)).status).toBe(0);
  await runCommand(`addrsift channels update ${id} --config enabled=false ${options}`);
  const resume = commandIn(await runCommand(detect));
  expect(resume).toBe(`addrsift channels update ${id} --config enabled=true ${options}`);
  const [delivery] = JSON.parse(
    (await runCommand(`addrsift channels deliveries ${id} ${options} --json`)).stdout.toString(),
  );
  expect(commandIn(await runCommand(`addrsift channels replay ${delivery.id} ${options}`))).toBe(resume);
  expect((await runCommand(resume)).status).toBe(0);
  expect((await runCommand(detect)).status).toBe(0);
});

it("channels verify says how a webhook is verified", async () => {
  const { id } = await createHook();
  const message = `a channel of type webhook has no token: a test verifies it, run addrsift channels test ${id}`;
  await expectError(`channels verify ${id}`, message, { stdin: "x" });
});
