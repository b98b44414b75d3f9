// Tests the resolver against a misbehaving name server: each outcome, the deadline, coalesced and cached lookups.

import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { MailRouting } from "../../../src/detection/routing.ts";
import { createDnsResolver, type DnsOptions, type DnsResolver } from "../../../src/dns/resolver.ts";
import { type NameServer, type Question, type Reaction, startNameServer, TYPE } from "../../helpers/name-server.ts";

const GARBAGE = Buffer.from(Array.from({ length: 40 }, (_, i) => (i * 37) & 0xff));

const NINE = Array.from({ length: 9 }, (_, i) => `8.8.4.${i + 1}`);

/** Reactions of the name server, by the first label of the queried name. */
const REACTIONS: Readonly<Record<string, (question: Question) => Reaction | undefined>> = {
  good: () => ({
    mx: [
      [20, "MX3.Good-Exchange.com"],
      [10, "mx2.good-exchange.com"],
      [10, "mx1.good-exchange.com"],
    ],
  }),
  null: () => ({ mx: [[0, ""]] }),
  implicit: ({ type }) => (type === TYPE.A ? { a: ["192.0.2.7", "127.0.0.9", ...NINE] } : {}),
  special: ({ type }) => (type === TYPE.A ? { a: ["127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0"] } : {}),
  empty: () => ({}),
  nowhere: () => ({ rcode: 3 }),
  lame: () => ({ rcode: 2 }),
  refusing: () => ({ rcode: 5 }),
  silent: () => undefined,
  halfsilent: ({ type }) => (type === TYPE.MX ? {} : undefined),
  late: () => ({ mx: [[1, "mx.late-exchange.com"]], delayMs: 320 }),
  cut: () => ({ mx: [[1, "mx.cut-exchange.com"]], truncated: true }),
  garbage: () => ({ garbage: GARBAGE }),
  nonsense: () => ({
    mx: [
      [1, "not a host"],
      [2, "-"],
      [3, "single"],
    ],
  }),
  many: () => ({ mx: Array.from({ length: 40 }, (_, i) => [i, `mx${i}.many-exchange.com`] as const) }),
};

let server: NameServer;
const testServers: NameServer[] = [];
/** Starts a name server for one test. */
async function startServer(react: (question: Question) => Reaction | undefined): Promise<NameServer> {
  const started = await startNameServer(react);
  testServers.push(started);
  return started;
}
beforeAll(async () => {
  server = await startNameServer((question) => REACTIONS[question.name.split(".")[0] as string]?.(question));
});
afterAll(() => Promise.all([server, ...testServers].map((each) => each.stop())));
beforeEach(() => {
  server.questions.length = 0;
});

const createResolver = (options: DnsOptions = {}): DnsResolver =>
  createDnsResolver({ servers: [server.address], timeoutMs: 20_000, ...options });
const route = (label: string, options?: DnsOptions): Promise<MailRouting> =>
  createResolver(options).route(`${label}.asked-domain.com`);

const okWith = (...all: (readonly [preference: number, exchange: string])[]): object => ({
  status: "ok",
  exchanges: all.map(([preference, exchange]) => ({ preference, exchange })),
});
const OUTCOMES: readonly (readonly [label: string, routing: object])[] = [
  ["good", okWith(...[1, 2, 3].map((i) => [i < 3 ? 10 : 20, `mx${i}.good-exchange.com`] as const))],
  ["null", { status: "null_mx" }],
  [
    "implicit",
    {
      status: "implicit_mx",
      exchanges: [{ preference: 0, exchange: "implicit.asked-domain.com", addresses: NINE.slice(0, 8) }],
    },
  ],
  ["special", { status: "no_mail" }],
  ["empty", { status: "no_mail" }],
  ["nowhere", { status: "nxdomain" }],
  ["lame", { status: "servfail" }],
  ["refusing", { status: "refused" }],
  ["late", okWith([1, "mx.late-exchange.com"])],
  ["cut", okWith([1, "mx.cut-exchange.com"])],
  ["nonsense", { status: "no_mail" }],
];

describe.concurrent("the outcome", () => {
  it.each(OUTCOMES)("for the name server's response %s, the resolver returns $1", async (label, expected) => {
    const { checkedAt, durationMs, ...routing } = await route(label);
    expect(routing).toEqual(expected);
    expect(Math.abs(Date.now() - (checkedAt as number))).toBeLessThan(60_000);
    expect(durationMs).toBeGreaterThanOrEqual(0);
  });

  it("the resolver returns the 16 exchangers with the lowest preferences", async () => {
    const { exchanges = [] } = await route("many");
    expect(exchanges.map(({ preference }) => preference)).toEqual(Array.from({ length: 16 }, (_, i) => i));
  });

  it("the resolver returns error if no server listens", async () => {
    const dead = await startNameServer(() => undefined);
    await dead.stop();
    expect(await route("good", { servers: [dead.address] })).toMatchObject({ status: "error" });
  });

  it.each(["silent", "halfsilent", "garbage"])(
    "the resolver gives up by the deadline on a %s server",
    async (label) => {
      const begin = performance.now();
      expect(await route(label, { timeoutMs: 200 })).toMatchObject({
        status: label === "garbage" ? expect.stringMatching(/timeout|error/) : "timeout",
      });
      if (label !== "garbage") expect(performance.now() - begin).toBeGreaterThanOrEqual(195);
    },
  );

  it("the resolver retries a lost query", async () => {
    let queryCount = 0;
    const lossy = await startServer(() => (queryCount++ === 0 ? undefined : { mx: [[1, "mx.found-exchange.com"]] }));
    expect(await route("good", { servers: [lossy.address] })).toMatchObject({ status: "ok" });
  });

  it("the resolver waits for a slow answer even after many fast ones", async () => {
    const busy = createResolver({ cacheEntries: 1 });
    for (let i = 0; i < 60; i += 1) await busy.route(`good.n${i}.asked-domain.com`);
    const fastLookups = Array.from({ length: 25 }, async (_, i) => {
      await new Promise((resolve) => setTimeout(resolve, 20 * i));
      return busy.route(`good.m${i}.asked-domain.com`);
    });
    expect(await busy.route("late.asked-domain.com")).toMatchObject({ status: "ok" });
    for (const { status } of await Promise.all(fastLookups)) expect(status).toBe("ok");
  });
});

/** Repeats lookups until one queries only the server `queried`. After a stall of 250 ms, it queries `other` too. */
const expectOnlyQueried = async (resolver: DnsResolver, queried: NameServer, other: NameServer): Promise<void> => {
  let count = 0;
  await expect
    .poll(async () => {
      const name = `good.n${count++}.asked-domain.com`;
      await resolver.route(name);
      return [queried, other].map(({ questions }) => questions.some((question) => question.name === name));
    })
    .toEqual([true, false]);
};

it("the resolver prefers the second server after the first was silent", async () => {
  const silent = await startServer(() => undefined);
  const resolver = createResolver({ servers: [silent.address, server.address] });
  expect(await resolver.route("implicit.a.asked-domain.com")).toMatchObject({ status: "implicit_mx" });
  await expectOnlyQueried(resolver, server, silent);
});

it("the resolver returns to the first server when the second falls silent", async () => {
  const first = await startServer(({ name }) => (name.startsWith("a.") ? undefined : { rcode: 3 }));
  const second = await startServer(({ name }) => (name.startsWith("b.") ? undefined : { rcode: 3 }));
  const resolver = createResolver({ servers: [first.address, second.address] });
  await resolver.route("a.asked-domain.com");
  await expectOnlyQueried(resolver, second, first);
  await resolver.route("b.asked-domain.com");
  await expectOnlyQueried(resolver, first, second);
});

it("the resolver keeps the first server if only one domain is slow there", async () => {
  const second = await startServer(() => ({ mx: [[1, "mx.second-exchange.com"]] }));
  const firstAfterSlow = async (): Promise<string | undefined> => {
    const resolver = createResolver({ servers: [server.address, second.address] });
    const slow = resolver.route("silent.asked-domain.com");
    await resolver.route("good.a.asked-domain.com");
    expect(await slow).toMatchObject({ exchanges: [{ exchange: "mx.second-exchange.com" }] });
    return (await resolver.route("good.later.asked-domain.com")).exchanges?.[0]?.exchange;
  };
  // Repeated, because after a stall of this process both domains are slow.
  await expect.poll(firstAfterSlow).toBe("mx1.good-exchange.com");
});

const WITH_ADDRESS = { preference: 1, exchange: "mx1.own-exchange.com", addresses: ["8.8.4.4"] };
const WITHOUT_ADDRESS = { preference: 2, exchange: "mx2.own-exchange.com" };
const startOwn = (): Promise<NameServer> =>
  startServer(({ name, type }) => {
    if (type === TYPE.MX)
      return {
        mx: [
          [1, "mx1.own-exchange.com"],
          [2, "mx2.own-exchange.com"],
        ],
      };
    return name.startsWith("mx2") ? undefined : { a: ["8.8.4.4", "10.1.1.1"] };
  });

it("the resolver adds addresses of the selected exchanges", async () => {
  const resolver = createResolver({ servers: [(await startOwn()).address] });
  const routing = await resolver.route("asked-domain.com", undefined, () => ["mx1.own-exchange.com"]);
  expect(routing.exchanges).toEqual([WITH_ADDRESS, WITHOUT_ADDRESS]);
});

it("the resolver returns the exchanges even if an address lookup times out", async () => {
  const own = await startOwn();
  const resolver = createResolver({ servers: [own.address] });
  await resolver.route("earlier-domain.com", undefined, () => ["mx1.own-exchange.com"]);
  const selected = ["mx1.own-exchange.com", "mx2.own-exchange.com"];
  const routing = resolver.route("asked-domain.com", undefined, () => selected);
  await expect.poll(() => own.questions.map(({ name }) => name)).toContain("mx2.own-exchange.com");
  // Ends the lookup like its deadline.
  resolver.close();
  expect(await routing).toMatchObject({ status: "ok", exchanges: [WITH_ADDRESS, WITHOUT_ADDRESS] });
});

it("the resolver coalesces concurrent lookups and caches the result", async () => {
  const resolver = createResolver();
  const all = await Promise.all(Array.from({ length: 50 }, () => resolver.route("good.asked-domain.com")));
  for (const routing of all) expect(routing).toBe(all[0]);
  expect(await resolver.route("good.asked-domain.com")).toBe(all[0]);
  // One query may be sent three times.
  expect(server.questions.length).toBeLessThanOrEqual(3);
});

it("the resolver repeats a lookup after its eviction from the cache", async () => {
  const small = createResolver({ cacheEntries: 4, timeoutMs: 20_000 });
  // Repeated lookups of `a` keep it in the cache.
  for (const label of "abcadab") await small.route(`good.${label}.asked-domain.com`);
  // A slow query is sent twice.
  expect(server.questions.map(({ name }) => name[5]).join("")).toMatch(/^a+b+c+d+b+$/);
});

it.each([
  ["good", 3600],
  ["null", 3600],
  ["implicit", 3600],
  ["nowhere", 300],
  ["empty", 300],
  ["lame", 15],
])("the resolver caches what it returns for the name server's response %s for %i seconds", async (label, seconds) => {
  const uptime = vi.spyOn(process, "uptime");
  onTestFinished(() => uptime.mockRestore());
  const resolver = createResolver({ timeoutMs: 20_000 });
  const routeAt = (now: number): Promise<MailRouting> => {
    uptime.mockReturnValue(now);
    return resolver.route(`${label}.asked-domain.com`);
  };
  const first = await routeAt(1000);
  expect(await routeAt(999.9 + seconds)).toBe(first);
  expect(await routeAt(1000 + seconds)).not.toBe(first);
});

it("the resolver caches an exchanger's addresses for an hour, and their absence for 15 seconds", async () => {
  const uptime = vi.spyOn(process, "uptime");
  onTestFinished(() => uptime.mockRestore());
  const hosts = ["mx1.own-exchange.com", "mx2.own-exchange.com"];
  // Not an empty answer, which c-ares in Node 20.19.0 caches.
  let addressAnswers: Reaction[] = [{ a: ["8.8.4.4"] }, { a: ["10.0.0.1"] }];
  const own = await startServer(({ name, type }) =>
    type === TYPE.MX ? { mx: hosts.map((host) => [1, host] as const) } : addressAnswers[hosts.indexOf(name)],
  );
  const resolver = createResolver({ servers: [own.address], timeoutMs: 20_000 });
  const addressesAt = async (now: number): Promise<unknown[]> => {
    uptime.mockReturnValue(now);
    const { exchanges = [] } = await resolver.route(`at-${now}.asked-domain.com`, undefined, () => hosts);
    return exchanges.map(({ addresses = [] }) => addresses[0]);
  };
  expect(await addressesAt(1000)).toEqual(["8.8.4.4", undefined]);
  addressAnswers = hosts.map(() => ({ a: ["1.1.1.1"] }));
  expect(await addressesAt(1014.9)).toEqual(["8.8.4.4", undefined]);
  expect(await addressesAt(1015)).toEqual(["8.8.4.4", "1.1.1.1"]);
  expect(await addressesAt(4600)).toEqual(["1.1.1.1", "1.1.1.1"]);
});

it("the resolver has at most maxQueriesInFlight queries in flight", async () => {
  let [open, maxOpen] = [0, 0];
  const queriedNames = new Set<string>();
  const countingServer = await startServer(({ name }) => {
    const answer = { mx: [[1, "mx.counted-exchange.com"]], delayMs: 15 } as const;
    // A query that is not answered in time is sent again.
    if (queriedNames.has(name)) return answer;
    queriedNames.add(name);
    open += 1;
    maxOpen = Math.max(maxOpen, open);
    setTimeout(() => {
      open -= 1;
    }, 15);
    return answer;
  });
  const limited = createDnsResolver({ servers: [countingServer.address], timeoutMs: 20_000, maxQueriesInFlight: 8 });
  const all = await Promise.all(Array.from({ length: 100 }, (_, i) => limited.route(`n${i}.asked-domain.com`)));
  for (const { status } of all) expect(status).toBe("ok");
  expect(maxOpen).toBeLessThanOrEqual(8);
  expect(maxOpen).toBeGreaterThan(1);
});

it("the resolver returns timeout for lookups still queued at the deadline, and answers later lookups", async () => {
  const resolver = createResolver({ maxQueriesInFlight: 1, waitMs: 100 });
  const [silent, ...waiting] = ["silent.a", "good.b", "good.c"].map((label) =>
    resolver.route(`${label}.asked-domain.com`),
  );
  expect(await Promise.all(waiting)).toMatchObject([{ status: "timeout" }, { status: "timeout" }]);
  resolver.close();
  expect(await silent).toMatchObject({ status: "timeout" });
  expect(await resolver.route("good.d.asked-domain.com")).toMatchObject({ status: "ok" });
});

it("close() ends running lookups with the status timeout", async () => {
  const resolver = createResolver({ timeoutMs: 600_000 });
  const routing = resolver.route("silent.asked-domain.com");
  resolver.close();
  expect(await routing).toMatchObject({ status: "timeout" });
});

it("a lookup continues after one of its callers aborts", async () => {
  const resolver = createResolver();
  const controller = new AbortController();
  const aborted = resolver.route("late.asked-domain.com", controller.signal);
  const continued = resolver.route("late.asked-domain.com");
  setTimeout(() => controller.abort(new Error("enough")), 50);
  await expect(aborted).rejects.toThrow("enough");
  expect(await continued).toMatchObject({ status: "ok" });
  await expect(resolver.route("good.asked-domain.com", AbortSignal.abort(new Error("before")))).rejects.toThrow(
    "before",
  );
  expect(server.questions.map(({ name }) => name)).not.toContain("good.asked-domain.com");
});
