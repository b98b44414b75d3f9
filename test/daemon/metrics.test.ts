// Tests monitoring: metrics, log lines for final failures, and the examples for Prometheus and Grafana.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Daemon, makeKey, revokeKey, send, startDaemon } from "../helpers/daemon.ts";
import { type MailServer, startMailServer } from "../helpers/mail-server.ts";
import { type NameServer, startNameServer } from "../helpers/name-server.ts";
import { type Receiver, startReceiver, status } from "../helpers/receiver.ts";
import { objectsOf, run } from "../helpers/run.ts";

const PATH = "/api/v1/team/notifications/channels";
const EXAMPLES = join(import.meta.dirname, "../../man/examples");
const example = (name: string): string => readFileSync(join(EXAMPLES, name), "utf8");
const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

let daemon: Daemon;
let key: string;
let mail: MailServer;
let receiver: Receiver;
let names: NameServer;
beforeAll(async () => {
  mail = await startMailServer();
  receiver = await startReceiver();
  names = await startNameServer(({ name }) =>
    name.startsWith("mx") ? { mx: [[1, "m.harbour-three.com"]], a: ["192.0.2.1"] } : { rcode: 3 },
  );
  const args = ["--dns-server", names.address, "--dns-timeout", "20s", "--allow-private", "127.0.0.0/8"];
  daemon = await startDaemon(args, { env: { ADDRSIFT_SMTP_URL: mail.url, ADDRSIFT_SMTP_FROM: "a@example.com" } });
  key = (await makeKey(daemon.home)).text;
});
afterAll(async () => {
  await daemon.stop();
  await mail.close();
  await receiver.close();
  await names.stop();
});

const metrics = async (): Promise<string> => (await send(daemon.port, "GET", "/metrics")).text;
const detect = (domain: string): Promise<unknown> =>
  send(daemon.port, "GET", `/api/v1/emails/detect?email=a@${domain}`);
const post = (path: string, body: Record<string, unknown> = {}): ReturnType<typeof send> =>
  send(daemon.port, "POST", path, { key, body });

it("the first scrape of /metrics omits event loop statistics without a sample", async () => {
  const text = await metrics();
  expect(text).toMatch(/^nodejs_eventloop_lag_max_seconds \d/m);
  expect(text).not.toMatch(/ (?:nan|9223372036\S*)$/im);
});

it("metrics report DNS lookups by status and duration, and cache hits", async () => {
  for (const domain of ["mx-harbour-one.com", "mx-harbour-one.com", "no-harbour-two.com"]) await detect(domain);
  const text = await metrics();
  expect(text).toContain('addrsift_dns_lookups_total{status="ok"} 1\n');
  expect(text).toContain('addrsift_dns_lookups_total{status="nxdomain"} 1\n');
  expect(text).toContain("addrsift_dns_cached_total 1\n");
  expect(text).toContain("addrsift_dns_duration_seconds_count 2\n");
  expect(text).toMatch(
    /addrsift_http_request_duration_seconds_count\{route="\/api\/v1\/emails\/detect",method="GET"\} 3\n/,
  );
});

it("metrics report the age of the lists, the next expiry of an active key, and rejected keys", async () => {
  expect(await metrics()).not.toMatch(/^addrsift_keys_next_expiry_timestamp_seconds /m);
  for (const expires of ["2040-01-31", "2039-01-31", "2038-01-31"]) await makeKey(daemon.home, { expires });
  await makeKey(daemon.home, { expires: "12h", nowMs: Date.now() - 86_400_000 });
  await revokeKey(daemon.home, (await makeKey(daemon.home, { expires: "2037-01-31" })).id);
  await send(daemon.port, "GET", PATH, { key: "adsf_wrong" });
  const text = await metrics();
  const built = Number(/^addrsift_lists_built_timestamp_seconds (\d+)$/m.exec(text)?.[1]);
  expect(built * 1000).toBeGreaterThan(Date.parse("2026-01-01"));
  expect(text).toContain('addrsift_failed_keys_total{reason="malformed"} 1\n');
  const expiry = Date.parse("2038-01-31") / 1000;
  expect(text).toContain(`addrsift_keys_next_expiry_timestamp_seconds ${expiry}\n`);
});

it("metrics and log report mails, failed deliveries and disabled channels", async () => {
  await post(PATH, { name: "m", type: "email", config: { address: "ops@example.org" } });
  mail.refuse = (step) => (step === "recipient" ? 550 : undefined);
  await post(PATH, { name: "n", type: "email", config: { address: "dev@example.org" } });
  mail.refuse = (step) => (step === "from" ? 553 : undefined);
  await post(PATH, { name: "o", type: "email", config: { address: "it@example.org" } });
  const created = await post(PATH, { name: "w", type: "webhook", config: { url: `${receiver.url}/in` } });
  const { id } = created.json as { id: string };
  await post(`${PATH}/${id}/test`);
  expect(await metrics()).toContain('addrsift_channels{type="webhook",verified="true"} 1\n');
  const notify = ["--notify", id, "--allow-private", "127.0.0.0/8", "--home", daemon.home];
  expect((await run(["detect", "a@example.com", "--dns", "off", ...notify])).status).toBe(0);
  const { json } = await send(daemon.port, "GET", `${PATH}/${id}/deliveries`, { key });
  const event = (json["data"] as { id: string; event: string }[]).find((one) => one.event !== "channel.test");
  const replay = `${PATH}/${id}/deliveries/${event?.id}/replay`;
  await post(replay);
  // A failed test is neither counted nor logged as a failed delivery.
  receiver.answer = status(500);
  expect((await post(`${PATH}/${id}/test`)).status).toBe(502);
  expect(await metrics()).toContain('addrsift_delivery_attempts_total{result="failed"} 0\n');
  receiver.answer = status(410);
  await post(replay);
  const text = await metrics();
  expect(text).toContain('addrsift_mails_total{result="sent"} 1\n');
  expect(text).toContain('addrsift_mails_total{result="refused"} 1\n');
  expect(text).toContain('addrsift_mails_total{result="failed"} 1\n');
  expect(text).toContain('addrsift_delivery_attempts_total{result="delivered"} 1\n');
  expect(text).toContain('addrsift_delivery_attempts_total{result="failed"} 1\n');
  // It was delivered before.
  expect(text).toContain("addrsift_deliveries_failed 0\n");
  expect(text).toContain("addrsift_deliveries_pending 0\n");
  expect(text).toContain('addrsift_channels{type="email",verified="false"} 3\n');
  expect(text).toContain('addrsift_channels{type="webhook",verified="false"} 1\n');
  expect(text).not.toContain("@");
  const warnings = (): object[] =>
    objectsOf<{ readonly level: number }>(daemon.log()).filter(({ level }) => level === 40);
  const unsubscribed = /^the receiver has unsubscribed, so the channel is no longer verified: test it /;
  // The log may arrive after the response.
  await expect.poll(warnings).toMatchObject([
    {
      channel: expect.stringMatching(/^ch_/),
      msg: "a mail was not sent",
      reason: expect.stringMatching(/recipient \(550/),
    },
    { channel: expect.stringMatching(/^ch_/), reason: expect.stringMatching(/refused the sender, .* \(553\)$/) },
    { channel: id, msg: expect.stringMatching(unsubscribed) },
  ]);
  expect(JSON.stringify(warnings())).not.toContain("/in");
});

it("the examples for Prometheus and Grafana use existing metrics", async () => {
  const text = await metrics();
  const existing = new Set(Array.from(text.matchAll(/^# HELP (\S+)/gm), ([, name]) => name));
  for (const file of ["prometheus-rules.yml", "grafana-dashboard.json"]) {
    const used = new Set(Array.from(example(file).matchAll(/\baddrsift_\w+/g), ([name]) => name));
    expect(used.size).toBeGreaterThan(8);
    for (const name of used) expect(existing, `${name} in ${file}`).toContain(name.replace(/_(bucket|sum|count)$/, ""));
  }
  const dashboard = JSON.parse(example("grafana-dashboard.json")) as { panels: { targets: object[] }[] };
  expect(dashboard.panels.every(({ targets }) => targets.length > 0)).toBe(true);
});

it.skipIf(!hasPromtool)("promtool accepts the example rules and the daemon's metrics", async () => {
  const rules = spawnSync("promtool", ["check", "rules", join(EXAMPLES, "prometheus-rules.yml")], { encoding: "utf8" });
  const count = example("prometheus-rules.yml").match(/^ +- (?:alert|record):/gm)?.length;
  expect([rules.status, rules.stdout]).toEqual([0, expect.stringContaining(`SUCCESS: ${count} rules found`)]);
  const tested = spawnSync("promtool", ["test", "rules", join(import.meta.dirname, "alerts.yml")], {
    encoding: "utf8",
  });
  expect([tested.status, tested.stdout]).toEqual([0, expect.stringContaining("SUCCESS")]);
  const checked = spawnSync("promtool", ["check", "metrics"], { input: await metrics(), encoding: "utf8" });
  expect([checked.status, checked.stderr]).toEqual([0, ""]);
});

it("addrsift_lists_update_failed is 1 after a failed update of the home's lists", async () => {
  expect(await metrics()).toContain("addrsift_lists_update_failed 0\n");
  const { status } = await run(["lists", "update", "--home", daemon.home, "--source", "D=https://127.0.0.1:1/"]);
  expect(status).toBe(2);
  expect(await metrics()).toContain("addrsift_lists_update_failed 1\n");
});

it("metrics distinguish a damaged store from an unreadable one", async () => {
  expect(await metrics()).toContain('addrsift_store_damaged{file="store.json"} 0\n');
  const damageStore = (): Promise<string> => {
    writeFileSync(join(daemon.home, "store.json"), "{broken");
    return metrics();
  };
  // Repeated, because the daemon may replace the file when it writes a key's last use.
  await expect.poll(damageStore).toContain('addrsift_store_damaged{file="store.json"} 1\n');
  const text = await metrics();
  expect(text).toContain('addrsift_store_damaged{file="deliveries.json"} 0\n');
  expect(text).toContain('addrsift_store_readable{file="store.json"} 1\n');
  // A folder can't be read as a file, also by root.
  rmSync(join(daemon.home, "store.json"));
  mkdirSync(join(daemon.home, "store.json"));
  const unreadable = await metrics();
  expect(unreadable).toContain('addrsift_store_damaged{file="store.json"} 0\n');
  expect(unreadable).toContain('addrsift_store_readable{file="store.json"} 0\n');
});
