// Tests the verdict of the lists on a domain: the first decisive entry wins over all others that match.

import { describe, expect, it } from "vitest";
import type { RoutingEvidence } from "../../../src/detection/routing-evidence.ts";
import { isWorkAddress, VerdictFactory } from "../../../src/detection/verdict.ts";
import { ListMatch } from "../../../src/lists/table.ts";

const match = (found: Partial<ListMatch>): ListMatch => Object.assign(new ListMatch(), found);

describe("VerdictFactory", () => {
  const verdicts = new VerdictFactory((number) => `relay_${number}`);

  it("relayProvider is set only if a relay entry decides", () => {
    const judged = (settling: ListMatch["decidingKind"]) =>
      verdicts.judge(match({ decidingKind: settling, relay: 3 }), undefined);
    expect(judged("relay")).toMatchObject({ relayProvider: "relay_3", isDisposable: false, isDecided: true });
    expect(judged("disposable")).toMatchObject({ relayProvider: undefined, isDisposable: true, isDecided: true });
    expect(judged("none")).toMatchObject({ relayProvider: undefined, isDisposable: false, isDecided: false });
  });

  it("an override decides disposable and keeps the other fields", () => {
    const relay = match({ decidingKind: "relay", relay: 0 });
    const allowed = { relayProvider: "relay_0", source: "override", isDecided: true };
    expect(verdicts.judge(relay, true)).toMatchObject({ ...allowed, isDisposable: true });
    const reserved = verdicts.judge(match({}), false, "reserved");
    expect(reserved).toMatchObject({ isDisposable: false, isDecided: true, kind: "reserved" });
  });

  it("a domain that accepts no mail is not a work domain", () => {
    const routed = (answered: boolean, noMail: boolean) =>
      verdicts.withRouting(verdicts.judge(match({}), undefined), {
        isAnswered: answered,
        acceptsNoMail: noMail,
      } as RoutingEvidence);
    expect(routed(true, true)).toMatchObject({
      acceptsNoMail: true,
      isUnanswered: false,
      isDecided: true,
      source: "live_dns",
    });
    expect(routed(true, false)).toMatchObject({ acceptsNoMail: false, isUnanswered: false, isDecided: true });
    expect(routed(false, true)).toMatchObject({
      acceptsNoMail: false,
      isUnanswered: true,
      isDecided: false,
      source: "precomputed",
    });
    const work = [routed(true, false), routed(true, true), verdicts.judge(match({}), undefined, "machine")].map(
      isWorkAddress,
    );
    expect(work).toEqual([true, false, false]);
  });

  it("a domain with a low-confidence entry is a work domain only if an override allows it", () => {
    const doubted = match({ hasLowConfidenceEntry: true });
    expect(isWorkAddress(verdicts.judge(match({}), undefined))).toBe(true);
    expect(isWorkAddress(verdicts.judge(match({ decidingKind: "mistyped" }), undefined))).toBe(false);
    expect(isWorkAddress(verdicts.judge(doubted, undefined))).toBe(false);
    expect(isWorkAddress(verdicts.judge(doubted, false))).toBe(true);
    expect(isWorkAddress(verdicts.withOverride(verdicts.judge(doubted, undefined), false))).toBe(true);
    expect(verdicts.judge(doubted, undefined)).toMatchObject({ isDisposable: false, isDecided: false });
  });
});
