// Verdicts of the lists on a domain: the entry that settles it decides, whatever else was met on the way.

import { describe, expect, it } from "vitest";
import { isWork, Verdicts } from "../../../src/detection/verdict.ts";
import { ListMatch } from "../../../src/lists/table.ts";

const match = (found: Partial<ListMatch>): ListMatch => Object.assign(new ListMatch(), found);

describe("Verdicts", () => {
  const verdicts = new Verdicts((number) => `relay_${number}`);

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

  it("calls no domain work that takes no mail or names machines", () => {
    const verdict = verdicts.judge(match({}), undefined);
    const evidence = {
      answered: true,
      disposable: false,
      relayProvider: undefined,
      mailProvider: undefined,
      matches: [],
    };
    const routed = (noMail: boolean) => verdicts.judgeRouted(verdict, { ...evidence, noMail });
    expect([isWork(routed(false)), isWork(routed(true))]).toEqual([true, false]);
    expect(isWork(verdicts.judge(match({}), undefined, "machine"))).toBe(false);
  });

  it("calls nothing work whose entry does not count, unless the team allows it", () => {
    const doubted = match({ doubted: true });
    expect(isWork(verdicts.judge(match({}), undefined))).toBe(true);
    expect(isWork(verdicts.judge(doubted, undefined))).toBe(false);
    expect(isWork(verdicts.judge(doubted, false))).toBe(true);
    expect(isWork(verdicts.override(verdicts.judge(doubted, undefined), false))).toBe(true);
    expect(verdicts.judge(doubted, undefined)).toMatchObject({ disposable: false, settled: false });
  });
});
