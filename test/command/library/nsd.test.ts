// Tests live DNS with a real name server: the command and the library against nsd with the test's zones.

import { createDetector, createDnsResolver, type Detection } from "addrsift";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasNsd, startNsd } from "../../helpers/nsd.mjs";
import { objectsOf, outputOf } from "../../helpers/run.ts";

const ZONE = `$TTL 60
@ IN SOA ns hostmaster 1 3600 600 86400 60
@ IN NS ns
ns IN A 127.0.0.1
exclusive IN MX 10 in.mail.tm.
shared IN MX 1 aspmx.l.google.com.
shared IN MX 5 alt1.aspmx.l.google.com.
relay IN MX 10 mx1.simplelogin.co.
relay IN MX 20 mx2.simplelogin.co.
null IN MX 0 .
implicit IN A 8.8.4.4
listed IN A 116.202.9.167
aliased IN MX 10 alias
alias IN CNAME target
target IN A 172.245.213.219
*.wild IN MX 10 in.mail.tm.
xn--bcher-kva IN MX 10 in.mail.tm.
text IN TXT "no mail here"
cname IN CNAME exclusive
${Array.from({ length: 400 }, (_, i) => `many IN MX ${i} mx${i}.a-rather-long-name-for-an-exchanger.some-host.com.`).join("\n")}
`;

const READS_400_RECORDS = !/^1\.(\d|[12]\d|3[0-3]|34\.[0-6])(\.|$)/.test(process.versions.ares);

const DOMAINS: readonly (readonly [name: string, verdict: object, status: string, matchedEntry?: string])[] = [
  ["exclusive.quiet-harbour-tools.com", { disposable: true, detection_source: "live_dns" }, "ok", "mail.tm"],
  ["shared.quiet-harbour-tools.com", { disposable: false, detection_source: "live_dns" }, "ok"],
  ["relay.quiet-harbour-tools.com", { relay_provider: "simplelogin" }, "ok", "simplelogin.co"],
  ["null.quiet-harbour-tools.com", { disposable: false, detection_source: "live_dns" }, "null_mx"],
  ["implicit.quiet-harbour-tools.com", { disposable: false, detection_source: "live_dns" }, "implicit_mx"],
  [
    "listed.quiet-harbour-tools.com",
    { disposable: true, detection_source: "live_dns" },
    "implicit_mx",
    "116.202.9.167",
  ],
  ["aliased.quiet-harbour-tools.com", { disposable: true, detection_source: "live_dns" }, "ok", "172.245.213.219"],
  ["a.b.wild.quiet-harbour-tools.com", { disposable: true, detection_source: "live_dns" }, "ok", "mail.tm"],
  ["bücher.quiet-harbour-tools.com", { disposable: true, detection_source: "live_dns" }, "ok", "mail.tm"],
  ["text.quiet-harbour-tools.com", { disposable: false, detection_source: "live_dns" }, "no_mail"],
  ["cname.quiet-harbour-tools.com", { disposable: true, detection_source: "live_dns" }, "ok", "mail.tm"],
  ["nowhere.quiet-harbour-tools.com", { disposable: false, detection_source: "live_dns" }, "nxdomain"],
  // c-ares 1.34.6 fails to read an answer of 400 records; 1.34.8 reads it.
  READS_400_RECORDS
    ? ["many.quiet-harbour-tools.com", { disposable: false, detection_source: "live_dns" }, "ok"]
    : ["many.quiet-harbour-tools.com", { disposable: false, detection_source: "precomputed" }, "error"],
  ["lame-harbour-tools.com", { disposable: false, detection_source: "precomputed" }, "servfail"],
  ["foreign-harbour-tools.com", { disposable: false, detection_source: "precomputed" }, "refused"],
];

if (!hasNsd) console.warn("skipped: live DNS against nsd, which is not installed (Debian: apt-get install nsd)");

describe.skipIf(!hasNsd)("against nsd (Debian: apt-get install nsd)", () => {
  let nsd: Awaited<ReturnType<typeof startNsd>>;
  beforeAll(async () => {
    nsd = await startNsd({ "quiet-harbour-tools.com": ZONE, "lame-harbour-tools.com": undefined });
  });
  afterAll(() => nsd?.stop());

  const check = (found: Detection | undefined, verdict: object, status: string, entry: string | undefined): void => {
    expect(found).toMatchObject(verdict);
    expect(found?.explain?.dns?.status).toBe(status);
    const entries = found?.explain?.matches?.map((match) => match.entry) ?? [];
    if (entry === undefined) expect(entries).toEqual([]);
    else expect(entries[0]).toBe(entry);
  };

  it("the command and the library classify every test domain correctly", async () => {
    const addresses = DOMAINS.map(([name]) => `anna@${name}`);
    const call = ["detect", "--explain", "--dns-server", nsd.address, ...addresses];
    const printed = objectsOf<Detection>(await outputOf(call));
    const detector = createDetector({ resolver: createDnsResolver({ servers: [nsd.address] }) });
    for (const [i, [name, verdict, status, entry]] of DOMAINS.entries()) {
      check(printed[i], verdict, status, entry);
      check(await detector.detect(`anna@${name}`, { explain: true }), verdict, status, entry);
    }
  });

  it("detect() with dns off makes no lookup", async () => {
    const detector = createDetector({ resolver: createDnsResolver({ servers: [nsd.address] }) });
    const address = "anna@exclusive.quiet-harbour-tools.com";
    expect(await detector.detect(address, { dns: "off" })).toMatchObject({ detection_source: "precomputed" });
    expect(await detector.detect(address)).toMatchObject({ detection_source: "live_dns" });
  });
});
