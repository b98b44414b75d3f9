// Tests the verdict of the lists on a domain: the first decisive entry wins over all others that match.

import { expect, it } from "vitest";
import type { RoutingEvidence } from "../../../src/detection/routing-evidence.ts";
import { isWorkAddress, VerdictFactory } from "../../../src/detection/verdict.ts";
import { ListMatch } from "../../../src/lists/table.ts";

const match = (fields: Partial<ListMatch>): ListMatch => Object.assign(new ListMatch(), fields);

const verdicts = new VerdictFactory((number) => `relay_${number}`);

it("relayProvider is set only if a relay entry decides", () => {
  const judge = (decidingKind: ListMatch["decidingKind"]) =>
    verdicts.judge(match({ decidingKind, relay: 3 }), undefined);
  expect(judge("relay")).toMatchObject({ relayProvider: "relay_3", isDisposable: false, isDecided: true });
  expect(judge("disposable")).toMatchObject({ relayProvider: undefined, isDisposable: true, isDecided: true });
  expect(judge("none")).toMatchObject({ relayProvider: undefined, isDisposable: false, isDecided: false });
});

it("an override decides whether a domain is disposable, and keeps the other fields of the verdict", () => {
  const relay = match({ decidingKind: "relay", relay: 0 });
  const allowed = { relayProvider: "relay_0", source: "override", isDecided: true };
  expect(verdicts.judge(relay, true)).toMatchObject({ ...allowed, isDisposable: true });
  const reserved = verdicts.judge(match({}), false, "reserved");
  expect(reserved).toMatchObject({ isDisposable: false, isDecided: true, kind: "reserved" });
});

it("a domain that accepts no mail is not a work domain", () => {
  const judge = (isAnswered: boolean, acceptsNoMail: boolean) =>
    verdicts.withRouting(verdicts.judge(match({}), undefined), { isAnswered, acceptsNoMail } as RoutingEvidence);
  expect(judge(true, true)).toMatchObject({
    acceptsNoMail: true,
    isUnanswered: false,
    isDecided: true,
    source: "live_dns",
  });
  expect(judge(true, false)).toMatchObject({ acceptsNoMail: false, isUnanswered: false, isDecided: true });
  expect(judge(false, true)).toMatchObject({
    acceptsNoMail: false,
    isUnanswered: true,
    isDecided: false,
    source: "precomputed",
  });
  const work = [judge(true, false), judge(true, true), verdicts.judge(match({}), undefined, "machine")].map(
    isWorkAddress,
  );
  expect(work).toEqual([true, false, false]);
});

it("a domain with a low-confidence entry is a work domain only if an override allows it", () => {
  const lowConfidence = match({ hasLowConfidenceEntry: true });
  expect(isWorkAddress(verdicts.judge(match({}), undefined))).toBe(true);
  expect(isWorkAddress(verdicts.judge(match({ decidingKind: "mistyped" }), undefined))).toBe(false);
  expect(isWorkAddress(verdicts.judge(lowConfidence, undefined))).toBe(false);
  expect(isWorkAddress(verdicts.judge(lowConfidence, false))).toBe(true);
  expect(isWorkAddress(verdicts.withOverride(verdicts.judge(lowConfidence, undefined), false))).toBe(true);
  expect(verdicts.judge(lowConfidence, undefined)).toMatchObject({ isDisposable: false, isDecided: false });
});
