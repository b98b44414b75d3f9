// Tests the rules of live DNS about mail exchangers, with small lists and a resolver that reads a table.

import { getEventListeners } from "node:events";
import { domainToASCII } from "node:url";
import { expect, it } from "vitest";
import { encodeUtf8 } from "../../../src/base/bytes/bytes.ts";
import { matches } from "../../../src/base/shapes.ts";
import type { ValidDetection } from "../../../src/detection/detection.ts";
import { Detector } from "../../../src/detection/detector.ts";
import { ADDRESS_EXPLANATION } from "../../../src/detection/evidence.ts";
import { createDetection } from "../../../src/detection/format.ts";
import type { Exchange, MailResolver, MailRouting } from "../../../src/detection/routing.ts";
import { indexOverrides, type Overrides } from "../../../src/lists/overrides.ts";
import { entryOf } from "../../helpers/entries.ts";
import { rows, smallLists } from "../../helpers/small-table.ts";

const lists = smallLists({
  disposable: new Map([
    ["burner.com", entryOf("D")],
    ["old-burner.com", entryOf("t")],
    ["crawled-burner.com", entryOf("E")],
    [domainToASCII("mаilbox-here.com"), entryOf("D")],
  ]),
  relays: rows(["relay-here.com", "relay_one", "subdomains", "s"]),
  public: rows(["mailbox-here.com", "operator", "zz", "s"]),
  protected: rows(["company-here.com", "company", "r"]),
  providers: rows(["operator", "gmail", "s"]),
  roles: rows(["info", "prefix", "s"]),
  rootZone: ["com"],
  specialUse: rows(["onion", "RFC 7686"], ["test", "RFC 6761"]),
  formerProviders: rows(["once-mail.com", "H"]),
  mailSuffixes: rows(["gov.com", "e"]),
  typos: rows(["a", "b.com", "r"]),
  typoTlds: rows(["con", "com", "r"]),
  exchanges: rows(
    ["203.0.113.7", "address", "disposable", "burner", "s"],
    ["203.0.113.8", "address", "shared", "hosting", "s"],
    ["203.0.113.9", "address", "parked", "for_sale", "s"],
    ["exclusive-mx.com", "suffix", "disposable", "burner", "s"],
    ["forward-mx.com", "suffix", "relay", "forward_one", "s"],
    ["mx.exact-mx.com", "exact", "disposable", "burner", "s"],
    ["parked-mx.com", "suffix", "parked", "for_sale", "s"],
    ["parked.burner.com", "exact", "parked", "for_sale", "s"],
    ["shared.burner.com", "exact", "shared", "hosting", "s"],
    ["shared-mx.com", "suffix", "shared", "hosting", "s"],
  ),
});

const mx = (...hosts: (string | [host: string, ...addresses: string[]])[]): Exchange[] =>
  hosts.map((host, i) => {
    const [exchange, ...addresses] = typeof host === "string" ? [host] : host;
    return { preference: i, exchange: exchange as string, ...(addresses.length === 0 ? {} : { addresses }) };
  });

async function detect(
  address: string,
  route: MailResolver["route"] | MailRouting,
  { overrides = new Map(), ...policy }: { overrides?: Overrides; minConfidence?: "legacy" | "confirmed" } = {},
): Promise<ValidDetection> {
  const resolver = { route: typeof route === "function" ? route : async () => route };
  const setup = {
    lists,
    // The small table has no top-level labels.
    syntax: { allowReserved: true, allowUnknownTld: true },
    overrides: indexOverrides(overrides),
    ...policy,
  };
  const detector = new Detector(setup, resolver);
  const bytes = encodeUtf8(address);
  const detection = await detector.detect(bytes, 0, bytes.length, { explain: true }, (classifier, explain) =>
    Object.assign(createDetection(address, classifier), { explain }),
  );
  if (!detection.syntax_validation) throw new Error(`${address} is malformed`);
  if (!matches(ADDRESS_EXPLANATION, detection.explain)) throw new Error("the evidence has another shape");
  return detection;
}

const CASES: readonly (readonly [
  description: string,
  exchanges: Exchange[],
  verdict: object,
  matches: readonly object[],
])[] = [
  [
    "an exclusive exchanger",
    mx("a.exclusive-mx.com"),
    { disposable: true },
    [{ flag: "disposable", entry: "exclusive-mx.com", kind: "mx", sources: ["exchanges"], detail: "burner" }],
  ],
  ["an exclusive exchanger in capitals", mx("A.Exclusive-MX.com"), { disposable: true }, [{}]],
  ["an exact-match exchanger", mx("mx.exact-mx.com"), { disposable: true }, [{ entry: "mx.exact-mx.com" }]],
  ["a host below an exact-match exchanger", mx("a.mx.exact-mx.com"), { disposable: false }, []],
  ["a host that only ends like an exchanger", mx("notexclusive-mx.com"), { disposable: false }, []],
  [
    "a host under a disposable domain",
    mx("mail.burner.com"),
    { disposable: true },
    [{ flag: "disposable", entry: "burner.com", kind: "mx", confidence: "confirmed" }],
  ],
  ["an exchanger of confidence single", mx("x.crawled-burner.com"), { disposable: true }, [{ confidence: "single" }]],
  ["an exchanger of confidence legacy", mx("x.old-burner.com"), { disposable: false }, []],
  ["shared infrastructure", mx("mx.shared-mx.com"), { disposable: false }, []],
  ["a shared host under a disposable domain", mx("shared.burner.com"), { disposable: false }, []],
  ["a public provider's host", mx("mx.mailbox-here.com"), { disposable: false, public_domain: false }, []],
  ["a company's host", mx("mx.company-here.com"), { disposable: false }, []],
  ["a host of a relay that is no exchanger", mx("mx.relay-here.com"), { disposable: false, relay_domain: false }, []],
  [
    "a relay's exchanger",
    mx("mx1.forward-mx.com", "mx2.forward-mx.com"),
    { disposable: false, relay_domain: true, relay_provider: "forward_one" },
    [{ flag: "relay_domain", entry: "forward-mx.com", kind: "mx", detail: "forward_one" }],
  ],
  [
    "a relay's and an exclusive exchanger: a relay is never disposable",
    mx("a.exclusive-mx.com", "mx1.forward-mx.com"),
    { disposable: false, relay_provider: "forward_one" },
    [{ flag: "relay_domain" }],
  ],
  ["a shared and an exclusive exchanger", mx("a.shared-mx.com", "a.exclusive-mx.com"), { disposable: true }, [{}]],
  [
    "a listed address",
    mx(["mx.some-host.com", "198.51.100.1", "203.0.113.7"]),
    { disposable: true },
    [{ flag: "disposable", entry: "203.0.113.7", kind: "mx_address", detail: "burner" }],
  ],
  [
    "a parked exchanger, which is reported but decides nothing",
    mx("park.parked-mx.com"),
    { disposable: false, relay_domain: false },
    [{ flag: "parked", entry: "parked-mx.com", kind: "mx", detail: "for_sale" }],
  ],
  ["a parked host under a disposable domain", mx("parked.burner.com"), { disposable: false }, [{ flag: "parked" }]],
  [
    "a parked and an exclusive exchanger",
    mx("park.parked-mx.com", "a.exclusive-mx.com"),
    { disposable: true },
    [{ flag: "parked" }, { flag: "disposable" }],
  ],
  [
    "a parked, an exclusive and a relay's exchanger: a relay is never disposable",
    mx("park.parked-mx.com", "a.exclusive-mx.com", "mx1.forward-mx.com"),
    { disposable: false, relay_provider: "forward_one" },
    [{ flag: "parked" }, { flag: "relay_domain" }],
  ],
  [
    "a parked address",
    mx(["mx.some-host.com", "203.0.113.9"]),
    { disposable: false },
    [{ flag: "parked", entry: "203.0.113.9", kind: "mx_address", detail: "for_sale" }],
  ],
  ["a shared address", mx(["mx.some-host.com", "203.0.113.8"]), { disposable: false }, []],
  ["a shared exchanger with a listed address", mx(["mx.shared-mx.com", "203.0.113.7"]), { disposable: false }, []],
  ["an unlisted exchanger", mx("mx.some-host.com"), { disposable: false }, []],
  ["an overlong name", mx(`${"a.".repeat(200)}exclusive-mx.com`), { disposable: false }, []],
];

it.each(CASES)("a domain's mail exchangers decide its verdict: %s", async (_, exchanges, verdict, matches) => {
  const detection = await detect("anna@unlisted-name.com", { status: "ok", exchanges });
  expect(detection).toMatchObject({ ...verdict, detection_source: "live_dns" });
  expect(detection.explain?.matches).toHaveLength(matches.length);
  expect(detection.explain?.matches).toMatchObject(matches);
  expect(detection.explain?.dns).toEqual({ status: "ok", exchanges });
  expect(detection).toHaveProperty("relay_domain", detection.relay_provider !== undefined);
});

it("a domain without MX records is disposable if its own address is listed", async () => {
  const exchanges = mx(["unlisted-name.com", "203.0.113.7"]);
  const detection = await detect("anna@unlisted-name.com", { status: "implicit_mx", exchanges });
  expect(detection).toMatchObject({ disposable: true, detection_source: "live_dns" });
});

it("a disposable exchanger counts only if its confidence is at least the minimum", async () => {
  const routing: MailRouting = { status: "ok", exchanges: mx("x.crawled-burner.com") };
  expect(await detect("a@unlisted-name.com", routing, { minConfidence: "confirmed" })).toMatchObject({
    disposable: false,
    detection_source: "live_dns",
  });
});

const provider = async (routing: MailRouting, address = "a@unlisted-name.com"): Promise<unknown> =>
  (await detect(address, routing)).explain?.mail_provider;

it.each([
  ["is that of a shared exchanger", mx("a.shared-mx.com"), "hosting"],
  ["is that of an exchanger of any class", mx("park.parked-mx.com"), "for_sale"],
  ["is that of the first listed exchanger", mx("mx.some-host.com", "a.shared-mx.com", "a.exclusive-mx.com"), "hosting"],
  ["is that of a listed address", mx(["mx.some-host.com", "203.0.113.7"]), "burner"],
  ["is missing if no exchanger is listed", mx("mx.some-host.com", "mail.burner.com"), undefined],
])("mail_provider %s", async (_, exchanges, expected) => {
  expect(await provider({ status: "ok", exchanges })).toBe(expected);
});

it("the evidence omits mail_provider without a DNS answer", async () => {
  const exchanges = mx("a.shared-mx.com");
  expect(await provider({ status: "timeout", exchanges })).toBeUndefined();
  expect(await provider({ status: "ok", exchanges }, "a@mailbox-here.com")).toBeUndefined();
});

it("the evidence has mail_provider between matches and dns", async () => {
  const detection = await detect("a@unlisted-name.com", { status: "ok", exchanges: mx("a.shared-mx.com") });
  const keys = Object.keys(detection.explain ?? {});
  expect(keys.slice(keys.indexOf("matches"))).toEqual(["matches", "mail_provider", "dns", "data_version"]);
});

it.each(["null_mx", "no_mail", "nxdomain", "implicit_mx", "ok"] as const)(
  "detection_source is live_dns after %s",
  async (status) => {
    const timestamps = { checkedAt: Date.UTC(2026, 10, 21, 20), durationMs: 3 };
    const detection = await detect("a@unlisted-name.com", { status, ...timestamps });
    expect(detection).toMatchObject({ disposable: false, detection_source: "live_dns" });
    expect(detection.explain?.dns).toEqual({ status, checked_at: "2026-11-21T20:00:00.000Z", duration_ms: 3 });
  },
);

it.each(["timeout", "servfail", "refused", "error"] as const)(
  "detection_source is precomputed on %s",
  async (status) => {
    const exchanges = mx("a.exclusive-mx.com");
    const detection = await detect("a@unlisted-name.com", { status, exchanges });
    expect(detection).toMatchObject({ disposable: false, relay_domain: false, detection_source: "precomputed" });
    expect(detection.explain?.dns?.status).toBe(status);
    expect(detection.explain?.matches).toEqual([]);
  },
);

it("detection_source is precomputed if the resolver fails", async () => {
  const detection = await detect("a@unlisted-name.com", () => Promise.reject(new Error("broken")));
  expect(detection).toMatchObject({ detection_source: "precomputed", explain: { dns: { status: "error" } } });
});

const STATUS_RULE = "return an object whose status is one of skipped, ok,";
const EXCHANGE_RULE = 'return an array such as [{ preference: 10, exchange: "mx.example.com" }]';
it.each([
  [undefined, `the resolver returned the status undefined: ${STATUS_RULE}`],
  [{ status: "weird" }, `the resolver returned the status weird: ${STATUS_RULE}`],
  [{ status: "ok", exchanges: ["mx.burner.com"] }, `the resolver returned unusable exchanges: ${EXCHANGE_RULE}`],
  [{ status: "ok", exchanges: [null] }, `the resolver returned unusable exchanges: ${EXCHANGE_RULE}`],
  [{ status: "ok", exchanges: "mx.burner.com" }, `the resolver returned unusable exchanges: ${EXCHANGE_RULE}`],
])("a resolver that returns %o is an error", async (routing, message) => {
  // A mock that does not return a promise either.
  const detector = new Detector({ lists }, { route: () => routing as never });
  const bytes = encodeUtf8("a@unlisted-name.com");
  for (const request of [{}, { signal: new AbortController().signal }]) {
    const detect = async (): Promise<unknown> => detector.detect(bytes, 0, bytes.length, request, () => "read");
    await expect(detect()).rejects.toMatchObject({ code: "USAGE", message: expect.stringContaining(message) });
  }
});

const lookedUpNames = async (address: string, overrides?: Overrides): Promise<string[]> => {
  const names: string[] = [];
  const route = async (name: string): Promise<MailRouting> => {
    names.push(name);
    return { status: "no_mail" };
  };
  await detect(address, route, overrides === undefined ? {} : { overrides });
  return names;
};

it.each([
  ["anna@unlisted-name.com", ["unlisted-name.com"]],
  ["anna@Deep.UNLISTED-Name.com", ["deep.unlisted-name.com"]],
  ["anna@bücher.com", ["xn--bcher-kva.com"]],
  ["anna@old-burner.com", ["old-burner.com"]],
  ["anna@crawled-burner.com", []],
  ["anna@x.burner.com", []],
  ["anna@x.relay-here.com", []],
  ["anna@mailbox-here.com", []],
  ["anna@mail.company-here.com", []],
  ["anna@hidden.onion", []],
  ["anna@inside.test", ["inside.test"]],
])("for %s, the detector looks up %j", async (address, names) => {
  expect(await lookedUpNames(address)).toEqual(names);
});

it("the detector doesn't look up overridden domains and mailboxes", async () => {
  for (const subject of ["unlisted-name.com", "a@x.unlisted-name.com"])
    expect(await lookedUpNames("a@x.unlisted-name.com", new Map([[subject, true]]))).toEqual([]);
});

it("the detector doesn't look up a legacy domain at minimum confidence legacy", async () => {
  const fail = (): Promise<MailRouting> => Promise.reject(new Error("looked up"));
  expect(await detect("a@old-burner.com", fail, { minConfidence: "legacy" })).toMatchObject({ disposable: true });
});

it("the detector looks up a disposable domain below the minimum confidence", async () => {
  let count = 0;
  const route = async (): Promise<MailRouting> => {
    count += 1;
    return { status: "ok", exchanges: [] };
  };
  await detect("a@old-burner.com", route, { minConfidence: "confirmed" });
  expect(count).toBe(1);
});

it("the detector looks up the addresses only of exchangers whose names decide nothing", async () => {
  const selected: (readonly string[] | undefined)[] = [];
  const detectWithExchangers = (...hosts: string[]): Promise<ValidDetection> =>
    detect("a@unlisted-name.com", async (_name, _signal, selectExchanges) => {
      selected.push(selectExchanges?.(mx(...hosts)));
      return { status: "ok", exchanges: mx(...hosts) };
    });
  await detectWithExchangers("mx.one-host.com", "mx.shared-mx.com", "mx.two-host.com");
  await detectWithExchangers("mx.one-host.com", "mx.exact-mx.com");
  await detectWithExchangers("mx1.forward-mx.com", "mx.one-host.com");
  await detectWithExchangers("mx.one-host.com", "park.parked-mx.com");
  await detectWithExchangers(...Array.from({ length: 40 }, (_, i) => `mx${i}.one-host.com`));
  expect(selected.slice(0, 3)).toEqual([["mx.one-host.com", "mx.two-host.com"], [], []]);
  expect(selected[3]).toEqual(["mx.one-host.com"]);
  expect(selected[4]).toHaveLength(4);
});

const slowResolver: MailResolver = {
  route: (name, signal) =>
    new Promise((resolve, reject) => {
      const exchanges = mx(name.startsWith("burner") ? "a.exclusive-mx.com" : "mx.some-host.com");
      setTimeout(() => resolve({ status: "ok", exchanges }), name.length % 7);
      signal?.addEventListener("abort", () => reject(signal.reason));
    }),
};
const detector = new Detector({ lists }, slowResolver);
const detectWithoutEvidence = (address: string, request: { dns?: boolean; signal?: AbortSignal } = {}): unknown => {
  const bytes = encodeUtf8(address);
  return detector.detect(bytes, 0, bytes.length, request, (classifier) => createDetection(address, classifier));
};

it("concurrent detections don't mix their results", async () => {
  const addresses = Array.from(
    { length: 200 },
    (_, i) => `a${i}@${i % 3 === 0 ? "burner" : "fine"}-${"x".repeat(i % 11)}${i}.com`,
  );
  const all = (await Promise.all(addresses.map((address) => detectWithoutEvidence(address)))) as ValidDetection[];
  for (const [i, detection] of all.entries()) {
    expect(detection).toMatchObject({ email: addresses[i], normalized: addresses[i], disposable: i % 3 === 0 });
  }
});

it("detect() returns synchronously if no DNS lookup is needed", () => {
  expect(detectWithoutEvidence("a@burner.com")).toMatchObject({ disposable: true, detection_source: "precomputed" });
  expect(detectWithoutEvidence("broken@")).toEqual({ email: "broken@", syntax_validation: false });
  expect(detectWithoutEvidence("a@fine-name.com", { dns: false })).toMatchObject({ detection_source: "precomputed" });
});

it("an aborted signal rejects only the detection that it was passed to", async () => {
  const controller = new AbortController();
  const aborted = detectWithoutEvidence("a@fine-name.com", { signal: controller.signal });
  const continued = detectWithoutEvidence("a@fine-name.com");
  controller.abort(new Error("enough"));
  await expect(aborted).rejects.toThrow("enough");
  expect(await continued).toMatchObject({ detection_source: "live_dns" });
});

it("an aborted signal rejects even if the resolver never settles", async () => {
  const stuck = new Detector({ lists }, { route: () => new Promise(() => {}) });
  const controller = new AbortController();
  const bytes = encodeUtf8("a@fine-name.com");
  const detection = stuck.detect(bytes, 0, bytes.length, { signal: controller.signal }, () => undefined);
  controller.abort(new Error("enough"));
  await expect(detection).rejects.toThrow("enough");
});

it("a lookup with a signal leaves no listener on it", async () => {
  const { signal } = new AbortController();
  const live = new Detector({ lists }, { route: async () => ({ status: "no_mail" }) });
  const bytes = encodeUtf8("a@fine-name.com");
  const detection = live.detect(bytes, 0, bytes.length, { signal }, () => undefined);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  await detection;
  await expect.poll(() => getEventListeners(signal, "abort")).toEqual([]);
});

it("for a disposable lookalike domain, the suggestion has the provider's domain", async () => {
  const { disposable, explain } = await detect("joe@mаilbox-here.com", { status: "skipped" });
  expect([disposable, explain?.suggestion]).toEqual([true, "joe@mailbox-here.com"]);
});
