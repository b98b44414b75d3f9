// Tests the queue of lists' DNS lookups: concurrency, fair order, timeouts, and aborted requests.

import { describe, expect, it } from "vitest";
import type { MailRouting } from "../../../../../src/detection/routing.ts";
import { DnsQueryQueue, type Lookup } from "../../../../../src/server/routes/detect/dns-query-queue.ts";

const NXDOMAIN: MailRouting = { status: "nxdomain" };
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type AskInTurn = (ask: Lookup) => Promise<MailRouting>;

/** Questions that are answered one by one, when the test says so. */
class Asked {
  readonly order: string[] = [];
  private readonly ends: (() => void)[] = [];

  bring(ask: AskInTurn, name: string, count: number): Promise<MailRouting[]> {
    const one = (): Promise<MailRouting> => {
      this.order.push(name);
      return new Promise((resolve) => this.ends.push(() => resolve(NXDOMAIN)));
    };
    return Promise.all(Array.from({ length: count }, () => ask(one)));
  }

  async answer(count: number): Promise<void> {
    for (const end of this.ends.splice(0, count)) end();
    await tick();
  }
}

describe("capacity", () => {
  it("runs at most 24 DNS lookups per list and 30 in total", async () => {
    const [room, asked] = [new DnsQueryQueue(), new Asked()];
    const first = asked.bring(room.open(undefined), "a", 100);
    expect(asked.order).toHaveLength(24);
    const second = asked.bring(room.open(undefined), "b", 100);
    expect(asked.order).toHaveLength(30);
    for (let i = 0; i < 200; i += 1) await asked.answer(1);
    expect(asked.order).toHaveLength(200);
    for (const routing of [...(await first), ...(await second)]) expect(routing).toBe(NXDOMAIN);
  });

  it("lookups of several lists alternate", async () => {
    const [room, asked] = [new DnsQueryQueue(), new Asked()];
    asked.bring(room.open(undefined), "a", 300);
    asked.bring(room.open(undefined), "b", 300);
    asked.bring(room.open(undefined), "c", 3);
    await asked.answer(12);
    expect(asked.order.slice(30).filter((name) => name === "c")).toHaveLength(3);
  });

  it("a failed lookup releases its capacity", async () => {
    const list = new DnsQueryQueue().open(undefined);
    const failing = Array.from({ length: 100 }, () => list(() => Promise.reject(new Error("no"))));
    for (const { status } of await Promise.allSettled(failing)) expect(status).toBe("rejected");
    expect(await list(async () => NXDOMAIN)).toBe(NXDOMAIN);
  });
});

describe("a list", () => {
  it("answers timeout to lookups still queued at the deadline", async () => {
    const [room, asked] = [new DnsQueryQueue(), new Asked()];
    const list = room.open(undefined, 30);
    const all = asked.bring(list, "a", 100);
    await new Promise((resolve) => setTimeout(resolve, 60));
    await asked.answer(24);
    expect((await all).map(({ status }) => status)).toEqual([
      ...Array<string>(24).fill("nxdomain"),
      ...Array<string>(76).fill("timeout"),
    ]);
    expect(await list(async () => NXDOMAIN)).toEqual({ status: "timeout" });
  });

  it("an aborted list starts no more lookups and releases its capacity", async () => {
    const [room, asked, leaving] = [new DnsQueryQueue(), new Asked(), new AbortController()];
    const left = asked.bring(room.open(leaving.signal), "a", 100);
    const other = asked.bring(room.open(undefined), "b", 24);
    leaving.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    expect(asked.order).toHaveLength(30);
    await asked.answer(30);
    await asked.answer(18);
    expect(asked.order.filter((name) => name === "a")).toHaveLength(24);
    expect(await other).toHaveLength(24);
  });
});
