// Verdicts of the lists on a domain: the entry that settles it decides, whatever else was met on the way.

import { describe, expect, it } from "vitest";
import type { RoutingEvidence } from "../../../src/detection/routing-evidence.ts";
import { isWorkAddress, VerdictFactory } from "../../../src/detection/verdict.ts";
import { ListMatch } from "../../../src/lists/table.ts";

const match = (found: Partial<ListMatch>): ListMatch => Object.assign(new ListMatch(), found);

describe("Verdicts", () => {
  const verdicts = new VerdictFactory((number) => `relay_${number}`);

  it("names a relay only where the relay settles the domain", () => {
    const judged = (settling: ListMatch["settling"]) => verdicts.judge(match({ settling, relay: 3 }), undefined);
    expect(judged("relay")).toMatchObject({ relayProvider: "relay_3", disposable: false, settled: true });
    expect(judged("disposable")).toMatchObject({ relayProvider: undefined, disposable: true, settled: true });
    expect(judged("none")).toMatchObject({ relayProvider: undefined, disposable: false, settled: false });
  });

  it("takes a decision of the team over the lists, and keeps what else they say", () => {
    const relay = match({ settling: "relay", relay: 0 });
    const allowed = { relayProvider: "relay_0", source: "override", settled: true };
    expect(verdicts.judge(relay, true)).toMatchObject({ ...allowed, disposable: true });
    const reserved = verdicts.judge(match({}), false, "reserved");
    expect(reserved).toMatchObject({ disposable: false, settled: true, kind: "reserved" });
  });

  it("judges what DNS found, and calls no domain work that takes no mail", () => {
    const routed = (answered: boolean, noMail: boolean) =>
      verdicts.withRouting(verdicts.judge(match({}), undefined), {
        isAnswered: answered,
        acceptsNoMail: noMail,
      } as RoutingEvidence);
    expect(routed(true, true)).toMatchObject({ noMail: true, unknown: false, settled: true, source: "live_dns" });
    expect(routed(true, false)).toMatchObject({ noMail: false, unknown: false, settled: true });
    expect(routed(false, true)).toMatchObject({ noMail: false, unknown: true, settled: false, source: "precomputed" });
    const work = [routed(true, false), routed(true, true), verdicts.judge(match({}), undefined, "machine")].map(
      isWorkAddress,
    );
    expect(work).toEqual([true, false, false]);
  });

  it("calls nothing work whose entry does not count, unless the team allows it", () => {
    const doubted = match({ doubted: true });
    expect(isWorkAddress(verdicts.judge(match({}), undefined))).toBe(true);
    expect(isWorkAddress(verdicts.judge(match({ settling: "mistyped" }), undefined))).toBe(false);
    expect(isWorkAddress(verdicts.judge(doubted, undefined))).toBe(false);
    expect(isWorkAddress(verdicts.judge(doubted, false))).toBe(true);
    expect(isWorkAddress(verdicts.withOverride(verdicts.judge(doubted, undefined), false))).toBe(true);
    expect(verdicts.judge(doubted, undefined)).toMatchObject({ disposable: false, settled: false });
  });
});
