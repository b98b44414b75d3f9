// Tests stream slots: who gets a slot when all are in use, and which stream is evicted.

import fc from "fast-check";
import { expect, it } from "vitest";
import { MIN_IDLE_MS, type StreamHandle, StreamSlots } from "../../../../src/server/http/stream-slots.ts";
import { sampleSize } from "../../../helpers/sampling.ts";

interface TestStream extends StreamHandle {
  readonly caller: string;
  idleMs: number;
  reason?: string;
}

const createStream = (caller: string, idleMs: number): TestStream => ({
  caller,
  idleMs,
  abort(reason) {
    this.reason = reason;
  },
});

/** Acquires a slot for each `CALLER:IDLE_SECONDS`. */
function fillSlots(capacity: number, texts: readonly string[]): { slots: StreamSlots; streams: TestStream[] } {
  const slots = new StreamSlots(capacity);
  const streams = texts.map((text) => {
    const [caller = "", seconds] = text.split(":");
    return createStream(caller, Number(seconds) * 1000);
  });
  for (const stream of streams) expect(slots.acquire(stream.caller, stream)).toBe(true);
  return { slots, streams };
}

it.each([
  ["a free slot, however long others are idle", 3, ["a:9999", "a:9999"], "a", true, -1],
  ["a free slot, however many streams its caller has", 4, ["a:0", "a:0", "a:0"], "a", true, -1],
  ["no slot while each caller has one active stream", 2, ["a:119", "b:0"], "c", false, -1],
  ["the longest-idle slot of the callers with the most streams", 4, ["a:130", "b:200", "a:0", "b:150"], "c", true, 1],
  ["an active slot of the caller with the most streams", 4, ["a:1", "a:3", "a:2", "b:0"], "c", true, 1],
  ["a slot of the caller with most streams, not another's idle slot", 4, ["a:1", "a:3", "a:2", "b:500"], "c", true, 1],
  ["a slot of a caller with two streams more", 4, ["a:1", "a:3", "a:2", "b:0"], "b", true, 1],
  ["one of another caller's two slots, if its own caller has none", 4, ["a:0", "a:1", "b:0", "b:0"], "c", true, 1],
  ["no active slot of a caller with one stream more", 3, ["a:0", "a:1", "b:0"], "b", false, -1],
  ["an idle slot of a caller with one stream more", 3, ["a:0", "a:121", "b:0"], "b", true, 1],
  ["only its caller's idle slot, if others have no more streams", 4, ["a:130", "a:0", "b:500", "b:0"], "a", true, 0],
  ["no slot, if its caller's are active and others have no more", 4, ["a:0", "a:0", "b:500", "b:0"], "a", false, -1],
  ["the only slot, if it is idle", 1, ["a:120"], "b", true, 0],
  ["no slot, if the only one is active", 1, ["a:119"], "b", false, -1],
] as const)("a stream gets %s", (_, capacity, texts, caller, isAcquired, evicted) => {
  const { slots, streams } = fillSlots(capacity, texts);
  expect(slots.acquire(caller, createStream(caller, 0))).toBe(isAcquired);
  expect(streams.findIndex(({ reason }) => reason !== undefined)).toBe(evicted);
});

it("an evicted stream is aborted with the reason for the eviction", () => {
  const idle = fillSlots(1, ["a:130"]);
  idle.slots.acquire("b", createStream("b", 0));
  expect(idle.streams[0]?.reason).toBe(
    "its client sent or read less than 1 KiB in 130 s, and all stream slots (1) were in use",
  );
  const surplus = fillSlots(2, ["a:0", "a:0"]);
  surplus.slots.acquire("b", createStream("b", 0));
  expect(surplus.streams[0]?.reason).toBe("all stream slots (2) were in use, and its caller used most of them");
});

it("a released stream slot can be acquired again", () => {
  const { slots, streams } = fillSlots(1, ["a:0"]);
  slots.release(streams[0] as TestStream);
  expect([slots.activeCount, slots.acquire("b", createStream("b", 0)), slots.activeCount]).toEqual([0, true, 1]);
});

it("a caller without a stream gets a slot if another caller has two, and no stream is evicted needlessly", () => {
  const callers = fc.constantFrom("a", "b", "c", "d");
  const step = fc.oneof(
    fc.record({ kind: fc.constantFrom("open" as const), caller: callers, idleS: fc.integer({ min: 0, max: 200 }) }),
    fc.record({ kind: fc.constantFrom("close" as const), at: fc.integer({ min: 0, max: 9 }) }),
    fc.record({ kind: fc.constantFrom("progress" as const), at: fc.integer({ min: 0, max: 9 }) }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 60 }), (capacity, steps) => {
      const slots = new StreamSlots(capacity);
      let active: TestStream[] = [];
      const count = (caller: string): number => active.filter((one) => one.caller === caller).length;
      for (const each of steps) {
        if (each.kind === "close") {
          const [closed] = active.splice(each.at, 1);
          if (closed !== undefined) slots.release(closed);
        } else if (each.kind === "progress") {
          const stream = active[each.at];
          if (stream !== undefined) stream.idleMs = 0;
        } else {
          const { caller } = each;
          const isFull = active.length === capacity;
          const maxCount = Math.max(0, ...active.map((one) => count(one.caller)));
          const opened = createStream(caller, each.idleS * 1000);
          const isAcquired = slots.acquire(caller, opened);
          const [evicted, ...others] = active.filter(({ reason }) => reason !== undefined);
          expect(others).toEqual([]);
          expect(isAcquired).toBe(!isFull || evicted !== undefined);
          if (!isFull) expect(evicted).toBeUndefined();
          if (isFull && count(caller) === 0 && maxCount >= 2) expect(isAcquired).toBe(true);
          if (evicted !== undefined && evicted.idleMs < MIN_IDLE_MS) {
            expect(count(evicted.caller)).toBe(maxCount);
            expect(maxCount).toBeGreaterThanOrEqual(count(caller) + 2);
          }
          active = active.filter((one) => one !== evicted);
          if (isAcquired) active.push(opened);
        }
        expect(slots.activeCount).toBe(active.length);
        expect(active.length).toBeLessThanOrEqual(capacity);
      }
    }),
    { numRuns: sampleSize(2000) },
  );
});
