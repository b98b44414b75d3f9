// Tests the queue of lists' DNS lookups: concurrency, fair order, timeouts, and aborted requests.

import { expect, it } from "vitest";
import type { MailRouting } from "../../../../../src/detection/routing.ts";
import { DnsLookupQueue, type Lookup } from "../../../../../src/server/routes/detect/dns-lookup-queue.ts";

const NXDOMAIN: MailRouting = { status: "nxdomain" };
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type QueueLookup = (lookup: Lookup) => Promise<MailRouting>;

/** Lookups that run until the test finishes them. */
class ManualLookups {
  /** Names of the started lookups, in order. */
  readonly started: string[] = [];
  private readonly finishers: (() => void)[] = [];

  add(queueLookup: QueueLookup, name: string, count: number): Promise<MailRouting[]> {
    const lookup = (): Promise<MailRouting> => {
      this.started.push(name);
      return new Promise((resolve) => this.finishers.push(() => resolve(NXDOMAIN)));
    };
    return Promise.all(Array.from({ length: count }, () => queueLookup(lookup)));
  }

  async finish(count: number): Promise<void> {
    for (const finish of this.finishers.splice(0, count)) finish();
    await tick();
  }
}

it("at most 24 DNS lookups run per list of addresses, and 30 in total", async () => {
  const [queue, lookups] = [new DnsLookupQueue(), new ManualLookups()];
  const first = lookups.add(queue.open(undefined), "a", 100);
  expect(lookups.started).toHaveLength(24);
  const second = lookups.add(queue.open(undefined), "b", 100);
  expect(lookups.started).toHaveLength(30);
  for (let i = 0; i < 200; i += 1) await lookups.finish(1);
  expect(lookups.started).toHaveLength(200);
  for (const routing of [...(await first), ...(await second)]) expect(routing).toBe(NXDOMAIN);
});

it("the DNS lookups of a short list of addresses start among those of long lists", async () => {
  const [queue, lookups] = [new DnsLookupQueue(), new ManualLookups()];
  lookups.add(queue.open(undefined), "a", 300);
  lookups.add(queue.open(undefined), "b", 300);
  lookups.add(queue.open(undefined), "c", 3);
  await lookups.finish(12);
  expect(lookups.started.slice(30).filter((name) => name === "c")).toHaveLength(3);
});

it("a failed DNS lookup makes room for another one", async () => {
  const list = new DnsLookupQueue().open(undefined);
  const failing = Array.from({ length: 100 }, () => list(() => Promise.reject(new Error("no"))));
  for (const { status } of await Promise.allSettled(failing)) expect(status).toBe("rejected");
  expect(await list(async () => NXDOMAIN)).toBe(NXDOMAIN);
});

it("DNS lookups still queued at the deadline resolve to timeout", async () => {
  const [queue, lookups] = [new DnsLookupQueue(), new ManualLookups()];
  const list = queue.open(undefined, 30);
  const all = lookups.add(list, "a", 100);
  await new Promise((resolve) => setTimeout(resolve, 60));
  await lookups.finish(24);
  expect((await all).map(({ status }) => status)).toEqual([
    ...Array<string>(24).fill("nxdomain"),
    ...Array<string>(76).fill("timeout"),
  ]);
  expect(await list(async () => NXDOMAIN)).toEqual({ status: "timeout" });
});

it("after its request is aborted, a list of addresses starts no DNS lookups and makes room for others", async () => {
  const [queue, lookups, controller] = [new DnsLookupQueue(), new ManualLookups(), new AbortController()];
  const aborted = lookups.add(queue.open(controller.signal), "a", 100);
  const other = lookups.add(queue.open(undefined), "b", 24);
  controller.abort(new Error("gone"));
  await expect(aborted).rejects.toThrow("gone");
  expect(lookups.started).toHaveLength(30);
  await lookups.finish(30);
  await lookups.finish(18);
  expect(lookups.started.filter((name) => name === "a")).toHaveLength(24);
  expect(await other).toHaveLength(24);
});
