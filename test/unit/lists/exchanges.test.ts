// Tests invariants of data/mail-exchangers.tsv: exchangers of disposable services match, shared ones do not, and each
// row has a source.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { judgeRouting } from "../../../src/detection/routing-evidence.ts";
import { maintainedLists } from "../../helpers/build-inputs.ts";
import { lists } from "../../helpers/classify.ts";

const { exchanges, relays } = maintainedLists();
const judge = (exchange: string): ReturnType<typeof judgeRouting> =>
  judgeRouting({ status: "ok", exchanges: [{ preference: 1, exchange }] }, lists, 0);

// Each is named in a public issue or source as the exchanger of a disposable email service.
const DISPOSABLE = `in.mail.tm mx.mail-data.net mx.discard.email mx1.mytemp.email mx2.mytemp.email mx3.mytemp.email
mail.wallywatts.com mxa.tempamail.com mxb.tempamail.com mxc.tempamail.com mxd.tempamail.com mxe.tempamail.com
mxf.tempamail.com hi.mail.cx tmail.delivery mx2.den.yt mail.temporary-mail.net mail.dustmail.net mx.moakt.com
mx.temp-mail.io prd-smtp.10minutemail.com smtp.yopmail.com mail.mailinator.com mailnesia.com mx.1secmail.com
generator.email emailfake.com mx.dropmail.me mail.getnada.com mail.guerrillamail.com recv7.erinn.biz`.split(/\s+/);

// Exchangers of domains that are for sale, misspelled or spam traps.
const PARKED = `park-mx.above.com mx156.hostedmxserver.com mail.h-email.net mail.b-io.co mx4.beavis99.com
aero4.unstablemail.com mx37.m1bp.com em4.rejecthost.com`.split(/\s+/);

const RELAYS: readonly (readonly [exchange: string, provider: string])[] = [
  ["mx1.simplelogin.co", "simplelogin"],
  ["mail.anonaddy.me", "addy_io"],
  ["mail2.anonaddy.me", "addy_io"],
  ["mx1.alias.proton.me", "proton_pass"],
  ["smtp-inbound1.duck.com", "duckduckgo"],
];

// Common mail providers.
const PROVIDERS: readonly (readonly [exchange: string, provider: string])[] = [
  ["aspmx.l.google.com", "google_workspace"],
  ["aspmx2.googlemail.com", "google_workspace"],
  ["alt1.gmail-smtp-in.l.google.com", "gmail"],
  ["example-com.mail.protection.outlook.com", "microsoft_365"],
  ["example-com.v-v1.mx.microsoft", "microsoft_365"],
  ["eur.olc.protection.outlook.com", "outlook_com"],
  ["mxa-00000001.gslb.pphosted.com", "proofpoint"],
  ["us-smtp-inbound-1.mimecast.com", "mimecast"],
  ["mx.zoho.eu", "zoho"],
  ["route1.mx.cloudflare.net", "cloudflare_routing"],
  ["mx1.forwardemail.net", "forward_email"],
  ["mx2.improvmx.com", "improvmx"],
  ["inbound-smtp.eu-west-1.amazonaws.com", "amazon_ses"],
  ["mx1.simplelogin.co", "simplelogin"],
];

const WELL_KNOWN = readFileSync(join(import.meta.dirname, "well-known-exchangers.tsv"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => line.split("\t"));
const PUBLIC_SOURCE = /https:\/\/|github\.com\/|npm:/;

it.each(DISPOSABLE)("exchanger %s is disposable", (exchange) => {
  expect(judge(exchange)).toMatchObject({ isDisposable: true, relayProvider: undefined });
});

it("more than 300 well-known exchangers match no entry", () => {
  expect(WELL_KNOWN.length).toBeGreaterThan(300);
  const matched = WELL_KNOWN.filter(([exchange = ""]) => judge(exchange).matches.length > 0);
  expect(matched).toEqual([]);
});

it("each well-known mail exchanger has a source", () => {
  expect(WELL_KNOWN.filter((row) => row.length !== 3 || !PUBLIC_SOURCE.test(row[2] ?? ""))).toEqual([]);
});

it.each(PARKED)("exchanger %s is parked, not disposable", (exchange) => {
  expect(judge(exchange)).toMatchObject({
    isDisposable: false,
    relayProvider: undefined,
    matches: [{ flag: "parked" }],
  });
});

it.each(PROVIDERS)("exchanger %s belongs to %s", (exchange, provider) => {
  expect(judge(exchange).mailProvider).toBe(provider);
});

it.each(RELAYS)("exchanger %s is a relay of %s", (exchange, provider) => {
  expect(judge(exchange)).toMatchObject({ isDisposable: false, relayProvider: provider });
});

it("each row of mail-exchangers.tsv has a public source", () => {
  expect([...exchanges.values()].filter(([, , , , source = ""]) => !PUBLIC_SOURCE.test(source))).toEqual([]);
});

it("no row of mail-exchangers.tsv is disposable because of the share of listed domains that use it", () => {
  const wrong = [...exchanges.values()].filter(
    ([, , exchangeClass, , source = ""]) =>
      exchangeClass === "disposable" && /\d+ of \d+|domains listed|survey/.test(source),
  );
  expect(wrong).toEqual([]);
});

it("no row of mail-exchangers.tsv repeats the class and provider of its parent", () => {
  const parents = (host: string): string[] => host.split(".").map((_, i, labels) => labels.slice(i + 1).join("."));
  const repeated = [...exchanges.values()].filter(([host = "", match, exchangeClass, provider]) => {
    const parentRows = match === "address" ? [] : parents(host).map((name) => exchanges.get(name));
    const nearest = parentRows.find((row) => row?.[1] === "suffix");
    return nearest?.[2] === exchangeClass && nearest?.[3] === provider;
  });
  expect(repeated).toEqual([]);
});

it("the provider of each relay exchanger is in relays.tsv", () => {
  const relayProviders = new Set([...relays.values()].map(([, provider]) => provider));
  const unknown = [...exchanges.values()].filter(
    ([, , exchangeClass, provider]) => exchangeClass === "relay" && !relayProviders.has(provider),
  );
  expect(unknown).toEqual([]);
});

it("exchangers of relays, mailbox providers and protected hosts are not disposable", () => {
  const wrong = [...exchanges.values()].filter(([host = "", match, exchangeClass]) => {
    if (match === "address" || exchangeClass !== "disposable") return false;
    const matches = judge(`x.${host}`).matches.concat(judge(host).matches);
    return matches.some(({ flag }) => flag !== "disposable");
  });
  expect(wrong).toEqual([]);
});
