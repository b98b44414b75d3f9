// Tests DNS in the real command: when it is queried, its results, and its deadline. The test's name server counts
// queries.

import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type NameServer, startNameServer } from "../../helpers/name-server.ts";
import {
  expectRefused,
  linesOf,
  objectsOf,
  type PrintedDetection,
  type RunResult,
  run,
  runProcess,
  scratch,
} from "../../helpers/run.ts";

const EXCHANGES: Readonly<Record<string, string>> = {
  exclusive: "in.mail.tm",
  under: "mail.mailinator.com",
  google: "aspmx.l.google.com",
  relay: "mx1.simplelogin.co",
  fine: "mx.some-unlisted-host.com",
};

let server: NameServer;
const folder = scratch();
beforeAll(async () => {
  server = await startNameServer(({ name }) => {
    const [label = "", second] = name.split(".");
    if (label === "silent") return undefined;
    if (label === "mx" && second === "some-unlisted-host") return {};
    if (label === "null") return { mx: [[0, ""]] };
    if (label === "void") return {};
    if (label === "lame") return { rcode: 2 };
    const exchange = EXCHANGES[label];
    return exchange === undefined ? { rcode: 3 } : { mx: [[10, exchange]] };
  });
});
beforeEach(() => {
  server.questions.length = 0;
});
afterAll(async () => {
  folder.remove();
  await server.stop();
});

// A long timeout: the name server runs in this process, and on a busy machine it must not look silent.
const detect = (...args: string[]): Promise<RunResult> => {
  const timeout = args.includes("--dns-timeout") ? [] : ["--dns-timeout", "60000"];
  return run(["detect", "--dns-server", server.address, ...timeout, ...args]);
};
const detectOne = async (...args: string[]): Promise<PrintedDetection> => {
  const { status, stdout, stderr } = await detect(...args);
  expect(stderr.toString()).toBe("");
  expect(status).toBe(0);
  return objectsOf(stdout)[0] as PrintedDetection;
};

it.each<[string, object]>([
  ["exclusive", { disposable: true, relay_domain: false }],
  ["under", { disposable: true }],
  ["google", { disposable: false }],
  ["relay", { disposable: false, relay_domain: true, relay_provider: "simplelogin" }],
  ["fine", { disposable: false }],
  ["nowhere", { disposable: false }],
])("the domain %s.quiet-harbour-tools.com gets its exchanger's verdict", async (label, verdict) => {
  const expected = { ...verdict, detection_source: "live_dns" };
  expect(await detectOne(`anna@${label}.quiet-harbour-tools.com`)).toMatchObject(expected);
});

it("--explain shows the mail exchanger that matched", async () => {
  const { explain } = await detectOne("--explain", "anna@exclusive.quiet-harbour-tools.com");
  const sources = [expect.stringMatching(/^addrsift mail-exchangers\.tsv \d{4}-\d\d-\d\d$/)];
  expect(explain).toMatchObject({
    matches: [{ flag: "disposable", entry: "mail.tm", kind: "mx", sources, detail: "mail_tm" }],
    mail_provider: "mail_tm",
  });
  expect(explain?.["dns"]).toEqual({
    status: "ok",
    exchanges: [{ preference: 10, exchange: "in.mail.tm" }],
    checked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    duration_ms: expect.any(Number),
  });
});

it.each([
  ["exclusive", "disposable", "mail.tm (mx)"],
  ["fine", "ok", ""],
  ["nowhere", "no mail", "DNS: there is no such domain"],
  ["null", "no mail", "DNS: the domain accepts no mail"],
  ["void", "no mail", "DNS: neither exchanger nor address"],
  ["lame", "unknown", "DNS: servfail"],
  ["silent", "unknown", "DNS: timeout"],
])("--format table shows %s.quiet-harbour-tools.com as %j with the reason %j", async (label, verdict, reason) => {
  const address = `info@${label}.quiet-harbour-tools.com`;
  // Other domains are answered at once, but on a busy machine that may take longer.
  const timeout = label === "silent" ? "150" : "60000";
  const args = ["--dns-server", server.address, "--format", "table", "--dns-timeout", timeout, address];
  const { stdout } = await run(["detect", ...args], { env: { COLUMNS: "160" } });
  const [row = "", ...reasons] = linesOf(stdout).slice(1);
  expect(row.trimEnd().split(/ {2,}/)).toEqual([address, `${verdict}, role`, "info@"]);
  expect(reasons.map((line) => line.trim())).toEqual(reason === "" ? [] : [reason]);
});

it("an unlisted domain is no_mail if it accepts no mail, and unknown if DNS did not answer", async () => {
  const labels = ["fine", "nowhere", "null", "void", "lame"];
  const addresses = labels.map((label) => `anna@${label}.quiet-harbour-tools.com`);
  const selectedLabels = async (...args: string[]): Promise<string[]> =>
    linesOf((await detect("-f", "plain", ...args, ...addresses)).stdout).map((line) => line.replace(/^.*@|\..*$/g, ""));
  expect(await selectedLabels("--select", "no_mail")).toEqual(["nowhere", "null", "void"]);
  expect(await selectedLabels("--select", "unknown")).toEqual(["lame"]);
  expect(await selectedLabels("--reject", "no_mail,unknown")).toEqual(["fine"]);
  expect((await detect("--fail-on", "no_mail", addresses[0] as string)).status).toBe(0);
  expect((await detect("--fail-on", "no_mail", addresses[2] as string)).status).toBe(1);
});

it.each(["csv", "tsv", "json", "plain"])("--format %s prints unlisted domains in input order", async (format) => {
  const [one, other] = ["a@exclusive.quiet-harbour-tools.com", "b@nowhere.quiet-harbour-tools.com"];
  const { status, stdout } = await detect("-f", format, one, other);
  expect([status, stdout.toString()]).toEqual([0, expect.stringMatching(new RegExp(`${one}.*${other}`, "s"))]);
  if (format !== "plain") expect(stdout.toString()).toContain("live_dns");
});

it.each([
  ["for listed domains", ["a@gmail.com", "b@x.mailinator.com", "c@duck.com", "d@mozilla.org", "broken@"]],
  ["with --offline", ["--offline", "a@exclusive.quiet-harbour-tools.com"]],
  ["with --offline and --dns on", ["--offline", "--dns", "on", "a@exclusive.quiet-harbour-tools.com"]],
  ["with --dns off", ["--dns", "off", "a@exclusive.quiet-harbour-tools.com"]],
  ["for an address literal", ["--allow-domain-literal", "a@[192.0.2.1]"]],
  ["for .onion", ["--allow-reserved", "a@quiet-harbour-tools.onion"]],
])("detect sends no DNS query: %s", async (_, args) => {
  const { status, stdout } = await detect("--explain", ...args);
  expect(status).toBe(0);
  expect(server.questions).toEqual([]);
  for (const { explain } of objectsOf(stdout)) {
    if (explain?.["syntax_error"] === undefined) expect(explain).toMatchObject({ dns: { status: "skipped" } });
  }
});

it("detect sends no DNS query for bulk input by default", async () => {
  const { stdout } = await run(["detect", "--dns-server", server.address], {
    stdin: "a@exclusive.quiet-harbour-tools.com\n",
  });
  expect(objectsOf(stdout)).toMatchObject([{ disposable: false, detection_source: "precomputed" }]);
  expect(server.questions).toEqual([]);
});

it("--offline loads no network module", async () => {
  const hook = folder.file(
    "loaded.cjs",
    `process.on("exit", () => require("node:fs").writeSync(2, process.moduleLoadList.filter((name) =>
      /Binding (cares|udp|tcp|tls|pipe)_wrap|^NativeModule (dns|dgram|net|tls)$/.test(name)).join()));`,
  );
  const loaded = async (...args: string[]): Promise<string> => {
    const env = { NODE_OPTIONS: `--require ${hook}` };
    const { stderr } = await runProcess(["detect", "--dns-server", server.address, ...args], { env });
    return stderr.toString();
  };
  const address = "a@exclusive.quiet-harbour-tools.com";
  expect(await loaded(address)).toContain("cares_wrap");
  expect(await loaded("--offline", address)).toBe("");
  expect(await loaded("a@mailinator.com")).toBe("");
});

it("if the name server is silent, dns.status is timeout at the deadline", async () => {
  const row = await detectOne("--explain", "--dns-timeout", "300", "a@silent.quiet-harbour-tools.com");
  expect(row).toMatchObject({ disposable: false, detection_source: "precomputed" });
  expect(row.explain).toMatchObject({ matches: [], dns: { status: "timeout" } });
  expect((row.explain as { dns: { duration_ms: number } }).dns.duration_ms).toBeGreaterThanOrEqual(290);
});

it("if the name server is silent, --fail-on and --select treat the row as unknown", async () => {
  const silent = "a@silent.quiet-harbour-tools.com";
  const failing = await detect("--dns-timeout", "200", "--fail-on", "unknown", "--select", "unknown", silent);
  expect([failing.status, objectsOf(failing.stdout).map(({ email }) => email)]).toEqual([1, [silent]]);
  expect((await detect("--fail-on", "unknown", "b@fine.quiet-harbour-tools.com", "c@gmail.com")).status).toBe(0);
  expect((await detect("--offline", "--fail-on", "unknown", silent)).status).toBe(0);
});

it("detect looks up domains concurrently: silent name servers do not delay other domains", async () => {
  const addresses = Array.from({ length: 60 }, (_, i) => `a@silent.n${i}.quiet-harbour-tools.com`);
  // Sequential lookups would exceed the time limit of the test.
  const { stdout } = await detect("--dns-timeout", "6s", ...addresses, "b@exclusive.quiet-harbour-tools.com");
  const all = objectsOf(stdout);
  expect(all).toHaveLength(61);
  expect(all[60]).toMatchObject({ disposable: true });
});

it("--dns-server overrides ADDRSIFT_DNS_SERVERS", async () => {
  const call = "detect --dns-timeout 60000 a@exclusive.quiet-harbour-tools.com";
  const fromEnvironment = await run(call, { env: { ADDRSIFT_DNS_SERVERS: ` ${server.address}, ` } });
  expect(objectsOf(fromEnvironment.stdout)[0]).toMatchObject({ disposable: true });
  const env = { ADDRSIFT_DNS_SERVERS: "not.a.server" };
  expect((await run(`${call} --dns-server ${server.address}`, { env })).status).toBe(0);
  await expectRefused("detect a@gmail.com", 'ADDRSIFT_DNS_SERVERS does not take "not.a.server"', { env });
});

it.each([
  [["--offline", "a@x.org", "b@gmail.com"], undefined],
  [["--dns", "off", "a@x.org"], undefined],
  [["--offline", "--dns", "on"], "a@x.org\n"],
  [[], "a@x.org\n"],
])("ADDRSIFT_DNS_SERVERS is not validated if DNS is not used: %j", async (args, stdin) => {
  const env = { ADDRSIFT_DNS_SERVERS: "nope" };
  const { status, stdout, stderr } = await run(["detect", ...args], { env, ...(stdin && { stdin }) });
  expect([status, stderr.toString()]).toEqual([0, ""]);
  expect(objectsOf(stdout)[0]).toMatchObject({ email: "a@x.org" });
});

it.each([
  ["--dns-server dns.example.com", '--dns-server does not take "dns.example.com": give an IP address'],
  ["--dns-server 192.0.2.1:0", '--dns-server does not take "192.0.2.1:0"'],
  ["--offline --dns-server nope", '--dns-server does not take "nope"'],
  ["--dns=off --dns-server nope", '--dns-server does not take "nope"'],
])("detect %s is a usage error", async (options, message) => {
  await expectRefused(`detect ${options} a@gmail.com`, `addrsift: ${message}`);
});
