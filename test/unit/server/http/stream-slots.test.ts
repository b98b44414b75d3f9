import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MIN_IDLE_MS, type StreamHandle, StreamSlots } from "../../../../src/server/http/stream-slots.ts";
import { tries } from "../../../helpers/tries.ts";

interface Held extends StreamHandle {
  readonly caller: string;
  idleMs: number;
  reason?: string;
}

const stream = (caller: string, idleMs: number): Held => ({
  caller,
  idleMs,
  abort(reason) {
    this.reason = reason;
  },
});

/** Streams `CALLER:SECONDS` that were idle for so long, each in its place. */
function placed(limit: number, texts: readonly string[]): { places: StreamSlots; streams: Held[] } {
  const places = new StreamSlots(limit);
  const streams = texts.map((text) => {
    const [caller = "", seconds] = text.split(":");
    return stream(caller, Number(seconds) * 1000);
  });
  for (const one of streams) expect(places.acquire(one.caller, one)).toBe(true);
  return { places, streams };
}

describe("places for streams", () => {
  it.each([
    ["takes a free one, however long others stand still", 3, ["a:9999", "a:9999"], "a", true, -1],
    ["takes a free one, whatever its caller has", 4, ["a:0", "a:0", "a:0"], "a", true, -1],
    ["gets none while others move", 2, ["a:119", "b:0"], "c", false, -1],
    ["takes that of the one that stood still for longest", 4, ["a:130", "b:200", "a:0", "b:150"], "c", true, 1],
    ["takes one above the share at once, the slowest", 4, ["a:1", "a:3", "a:2", "b:0"], "c", true, 1],
    ["takes one above the share before a slower one below it", 4, ["a:1", "a:3", "a:2", "b:500"], "c", true, 1],
    ["takes one above the share also where its caller has some", 4, ["a:1", "a:3", "a:2", "b:0"], "b", true, 1],
    ["of a caller with its share takes only one of its own", 4, ["a:130", "a:0", "b:500", "b:0"], "a", true, 0],
    ["of a caller with its share gets none when its own move", 4, ["a:0", "a:0", "b:500", "b:0"], "a", false, -1],
    ["of a caller above its share gets none when its own move", 2, ["a:0", "a:0"], "a", false, -1],
    ["takes the only place when it stands still", 1, ["a:120"], "b", true, 0],
    ["leaves the only place to the one that moves", 1, ["a:119"], "b", false, -1],
  ] as const)("a stream that asks for a place %s", (_, limit, texts, caller, taken, cut) => {
    const { places, streams } = placed(limit, texts);
    expect(places.acquire(caller, stream(caller, 0))).toBe(taken);
    expect(streams.findIndex(({ reason }) => reason !== undefined)).toBe(cut);
  });

  it("an evicted stream gets the reason", () => {
    const still = placed(1, ["a:130"]);
    still.places.acquire("b", stream("b", 0));
    expect(still.streams[0]?.reason).toBe(
      "its client neither sent nor read anything for 130 s, and all stream slots (1) were in use",
    );
    const above = placed(2, ["a:0", "a:0"]);
    above.places.acquire("b", stream("b", 0));
    expect(above.streams[0]?.reason).toBe("all stream slots (2) were in use, and its caller used more than half");
  });

  it("a released slot can be acquired again", () => {
    const { places, streams } = placed(1, ["a:0"]);
    places.release(streams[0] as Held);
    expect([places.activeCount, places.acquire("b", stream("b", 0)), places.activeCount]).toEqual([0, true, 1]);
  });
});

it("evicts only when all slots are taken, for a caller above its share or an idle stream", () => {
  const callers = fc.constantFrom("a", "b", "c");
  const step = fc.oneof(
    fc.record({ kind: fc.constantFrom("take" as const), caller: callers, idleS: fc.integer({ min: 0, max: 200 }) }),
    fc.record({ kind: fc.constantFrom("leave" as const), at: fc.integer({ min: 0, max: 9 }) }),
    fc.record({ kind: fc.constantFrom("move" as const), at: fc.integer({ min: 0, max: 9 }) }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 60 }), (limit, steps) => {
      const places = new StreamSlots(limit);
      let held: Held[] = [];
      const share = Math.max(1, Math.floor(limit / 2));
      const count = (caller: string): number => held.filter((one) => one.caller === caller).length;
      for (const each of steps) {
        if (each.kind === "leave") {
          const [gone] = held.splice(each.at, 1);
          if (gone !== undefined) places.release(gone);
        } else if (each.kind === "move") {
          const moved = held[each.at];
          if (moved !== undefined) moved.idleMs = 0;
        } else {
          const { caller } = each;
          const full = held.length === limit;
          const isAbove = held.some((one) => one.caller !== caller && count(one.caller) > share);
          const stands = held.some(({ idleMs }) => idleMs >= MIN_IDLE_MS);
          const young = stream(caller, each.idleS * 1000);
          const taken = places.acquire(caller, young);
          const [cut, ...others] = held.filter(({ reason }) => reason !== undefined);
          expect(others).toEqual([]);
          expect(taken).toBe(!full || cut !== undefined);
          if (!full) expect(cut).toBeUndefined();
          if (cut !== undefined) expect(count(cut.caller) > share || cut.idleMs >= MIN_IDLE_MS).toBe(true);
          if (cut !== undefined && count(caller) >= share) expect(cut.caller).toBe(caller);
          if (full && count(caller) < share) expect(taken).toBe(isAbove || stands);
          held = held.filter((one) => one !== cut);
          if (taken) held.push(young);
        }
        expect(places.activeCount).toBe(held.length);
        expect(held.length).toBeLessThanOrEqual(limit);
      }
    }),
    { numRuns: tries(2000) },
  );
});
