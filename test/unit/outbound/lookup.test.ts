// Tests host lookups with a real name server: a lookup that hangs delays no others, an aborted one sends no more queries,
// and the hosts file precedes the name server.

import { writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import {
  createLookup,
  type Lookup,
  type LookupOptions,
  parseHosts,
  parseSearchList,
} from "../../../src/outbound/lookup.ts";
import { type NameServer, startNameServer } from "../../helpers/name-server.ts";
import { scratch } from "../../helpers/run.ts";

const HOSTS = "# names\n127.0.0.9\tFiled.Example other # filed2.example\n::9 filed.example\n\nbad line\n";

let server: NameServer;
const queriedNames = (): string[] => server.questions.map(({ name }) => name);
beforeAll(async () => {
  server = await startNameServer(({ name }) => {
    if (name.includes("silent")) return undefined;
    return name.startsWith("good") || name === "short.inside.example" ? { a: ["127.0.0.1"] } : { rcode: 3 };
  });
});
afterAll(() => server.stop());

let files: ReturnType<typeof scratch>;
beforeEach(() => {
  server.questions.length = 0;
  files = scratch();
  writeFileSync(`${files.path}/hosts`, HOSTS);
  writeFileSync(`${files.path}/resolv.conf`, "search inside.example\n");
});
afterEach(() => files.remove());

function lookupWith(more: LookupOptions = {}): Lookup {
  const options = { hostsFile: `${files.path}/hosts`, resolvConf: `${files.path}/resolv.conf` };
  return createLookup({ ...options, servers: [server.address], ...more });
}

it("lookups that hang don't delay other lookups", async () => {
  const lookup = lookupWith({ timeoutMs: 60_000 });
  const controller = new AbortController();
  let ended = 0;
  const hanging = Array.from({ length: 40 }, (_, i) =>
    lookup(`silent${i}.example`, controller.signal).catch((error) => {
      ended += 1;
      return error.code;
    }),
  );
  for (let i = 0; i < 5; i++) expect(await lookup(`good${i}.example`)).toEqual(["127.0.0.1"]);
  expect(ended).toBe(0);
  controller.abort();
  expect(await Promise.all(hanging)).toEqual(hanging.map(() => "EAI_AGAIN"));
});

it("a lookup fails at its deadline", async () => {
  await expect(lookupWith({ timeoutMs: 50 })("silent.example")).rejects.toMatchObject({ code: "EAI_AGAIN" });
});

it("an aborted lookup ends without further queries", async () => {
  const controller = new AbortController();
  const waiting = lookupWith({ timeoutMs: 1000 })("silent.example", controller.signal);
  await expect.poll(() => queriedNames().length).toBeGreaterThanOrEqual(2);
  const rejection = expect(waiting).rejects.toMatchObject({ code: "EAI_AGAIN" });
  controller.abort();
  // All earlier queries arrive before this one.
  await lookupWith({ timeoutMs: 60_000 })("good.example");
  const before = queriedNames().length;
  await rejection;
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(queriedNames()).toHaveLength(before);
  await expect(lookupWith()("good.example", controller.signal)).rejects.toMatchObject({ code: "EAI_AGAIN" });
  expect(queriedNames()).toHaveLength(before);
});

it("a name in the hosts file is resolved without a query to a name server", async () => {
  expect(await lookupWith()("filed.EXAMPLE")).toEqual(["127.0.0.9", "::9"]);
  expect(await lookupWith()("localhost")).toEqual(["127.0.0.1", "::1"]);
  expect(queriedNames()).toEqual([]);
});

it("a lookup tries the search list first for a short name, last for a dotted one, never for a rooted one", async () => {
  expect(await lookupWith()("short")).toEqual(["127.0.0.1"]);
  expect(new Set(queriedNames())).toEqual(new Set(["short.inside.example"]));
  server.questions.length = 0;
  await expect(lookupWith()("no.example")).rejects.toMatchObject({ code: "ENOTFOUND" });
  expect([...new Set(queriedNames())]).toEqual(["no.example", "no.example.inside.example"]);
  server.questions.length = 0;
  await expect(lookupWith()("no.example.")).rejects.toMatchObject({ code: "ENOTFOUND" });
  expect([...new Set(queriedNames())]).toEqual(["no.example"]);
});

it("a lookup fails with the temporary error EAI_AGAIN if the name server does not listen", async () => {
  const closed = await startNameServer(() => undefined);
  await closed.stop();
  const options = { servers: [closed.address], timeoutMs: 1000 };
  await expect(lookupWith(options)("good.example")).rejects.toMatchObject({ code: "EAI_AGAIN" });
});

it.each([
  ["filed.example", ["127.0.0.9", "::9"]],
  ["filed.example.", ["127.0.0.9", "::9"]],
  ["OTHER", ["127.0.0.9"]],
  ["filed2.example", []],
  ["line", []],
  ["localhost", ["127.0.0.1", "::1"]],
  ["a.localhost.", ["127.0.0.1", "::1"]],
  ["notlocalhost", []],
])("the hosts file maps %s to %j", (host, addresses) => expect(parseHosts(HOSTS, host)).toEqual(addresses));

it.each([
  ["", []],
  ["nameserver 127.0.0.1\n", []],
  ["search a.example b.example. .\n", ["a.example", "b.example"]],
  ["domain a.example\nsearch b.example # c\n; search d\n", ["b.example"]],
  [`search ${"abcdefgh".split("").join(" ")}`, ["a", "b", "c", "d", "e", "f"]],
])("resolv.conf %j has the search list %j", (text, domains) => expect(parseSearchList(text)).toEqual(domains));
