// Lists full of domains whose name servers never answer leave room for a single question beside them.

import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, type Daemon, type Reply, startDaemon } from "../helpers/daemon.ts";
import { type NameServer, startNameServer, TYPE } from "../helpers/name-server.ts";

const PATH = "/api/v1/emails/detect";
let server: NameServer;
let daemon: Daemon;
beforeAll(async () => {
  server = await startNameServer(({ name, type }) => {
    if (name.startsWith("silent")) return undefined;
    return type === TYPE.MX ? { mx: [[1, "mx.good-exchange.com"]] } : { a: ["8.8.4.4"] };
  });
  daemon = await startDaemon(["--dns-server", server.address, "--dns-timeout", "8000"]);
});
afterAll(async () => {
  await daemon.stop("SIGKILL");
  await server.stop();
});

const list = (name: string): Promise<Reply | Error> => {
  const emails = Array.from({ length: 1000 }, (_, i) => `a@silent${i}-${name}-harbour.com`);
  return ask(daemon.port, "POST", PATH, { body: { emails } }).catch((error: Error) => error);
};

it("a single question beside five lists of silence is answered", async () => {
  const lists = ["a", "b", "c", "d", "e"].map(list);
  // The lists are at work.
  await expect.poll(() => server.questions.length).toBeGreaterThanOrEqual(30);
  for (let i = 0; i < 5; i += 1) {
    const { json } = await ask(daemon.port, "GET", `${PATH}?email=a@good${i}-harbour.com&explain=true`);
    expect(json["data"]).toMatchObject({ detection_source: "live_dns", explain: { dns: { status: "ok" } } });
  }
  // The resolver has 128 queries at once, and lists never all of them.
  const silent = new Set(server.questions.map(({ name }) => name).filter((name) => name.startsWith("silent")));
  expect(silent.size).toBeLessThan(128);
  await daemon.stop("SIGKILL");
  await Promise.all(lists);
});
