// The library as a program imports it: by the package's own name, from what the build made.

import { createDetector, parseMailbox, SYNTAX_FAULTS } from "addrsift";
import { describe, expect, it } from "vitest";
import { lists } from "./helpers/classify.ts";

describe("createDetector", () => {
  const detector = createDetector();

  it("gives the detection object of one address", async () => {
    expect(await detector.detect("Anna.Beck+news@googlemail.com")).toEqual({
      email: "Anna.Beck+news@googlemail.com",
      syntax_validation: true,
      normalized: "annabeck@gmail.com",
      subaddressing: true,
      role_address: false,
      public_domain: true,
      relay_domain: false,
      disposable: false,
      detection_source: "precomputed",
    });
    expect(await detector.detect("anna@duck.com")).toMatchObject({ relay_domain: true, relay_provider: "duckduckgo" });
    expect(await detector.detect("anna@mailinator.com")).toMatchObject({ disposable: true });
  });

  it("gives a malformed address back without more", async () => {
    expect(await detector.detect("anna@")).toEqual({ email: "anna@", syntax_validation: false });
    expect(await detector.detect("")).toEqual({ email: "", syntax_validation: false });
  });

  it("keeps the caller's string: untrimmed, uncut, unmended", async () => {
    for (const email of [" anna@example.com ", `${"x".repeat(5000)}@example.com`, "\ud800@example.com"]) {
      expect(await detector.detect(email)).toEqual({ email, syntax_validation: false });
    }
  });

  it("adds the evidence when asked", async () => {
    expect(await detector.detect("anna@example.com")).not.toHaveProperty("explain");
    const { explain } = await detector.detect("anna@gmial.com", { explain: true });
    expect(explain).toMatchObject({ suggestion: "anna@gmail.com", data_version: detector.dataVersion });
    expect(detector.dataVersion).toBe(lists.meta.dataVersion);
  });

  it("takes a syntax policy, a least confidence and overrides", async () => {
    const strict = createDetector({
      syntax: { asciiOnly: true, allowDomainLiteral: true },
      minConfidence: "confirmed",
      overrides: new Map([["example.com", true]]),
    });
    expect(await strict.detect("josé@example.com")).toMatchObject({ syntax_validation: false });
    expect(await strict.detect("anna@[192.0.2.1]")).toMatchObject({ syntax_validation: true });
    expect(await strict.detect("anna@0-180.com")).toMatchObject({ disposable: false });
    expect(await strict.detect("anna@shop.example.com")).toMatchObject({
      disposable: true,
      detection_source: "override",
    });
    expect(await detector.detect("anna@shop.example.com")).toMatchObject({ disposable: false });
  });

  it.each([undefined, null, 5, {}, ["anna@example.com"]])("refuses %j, which is no string", async (value) => {
    const failure = {
      name: "AddrsiftError",
      code: "USAGE",
      message: expect.stringMatching(/^an address is a string, not /),
    };
    await expect(detector.detect(value as unknown as string)).rejects.toMatchObject(failure);
  });

  it.each([5, null, {}, "dns"])("refuses %j as a resolver", (resolver) => {
    const make = (): unknown => createDetector({ resolver } as unknown as Parameters<typeof createDetector>[0]);
    expect(make).toThrow(
      expect.objectContaining({ code: "USAGE", message: expect.stringMatching(/^resolver .*: give /) }),
    );
  });

  it("answers many at once, each its own", async () => {
    const emails = Array.from({ length: 200 }, (_, i) => `user${i}@${i % 2 === 0 ? "gmail.com" : "mailinator.com"}`);
    const detections = await Promise.all(emails.map((email) => detector.detect(email)));
    expect(detections.map(({ email }) => email)).toEqual(emails);
    expect(
      detections.every((detection, i) => "disposable" in detection && detection.disposable === (i % 2 === 1)),
    ).toBe(true);
  });
});

describe("parseMailbox", () => {
  it("gives the parts of a well-formed address, from text or octets", () => {
    const value = { localPart: "josé", domain: { ascii: "xn--bcher-kva.com", unicode: "bücher.com" }, smtputf8: true };
    expect(parseMailbox("josé@Bücher.com")).toEqual({ ok: true, value });
    expect(parseMailbox(new TextEncoder().encode("josé@Bücher.com"))).toEqual({ ok: true, value });
  });

  it("gives the fault of a malformed one, by the policy", () => {
    expect(parseMailbox("é@exa mple.com")).toEqual({ ok: false, fault: { code: "white_space", offset: 6 } });
    expect(parseMailbox("a@[192.0.2.1]")).toEqual({ ok: false, fault: { code: "domain_literal", offset: 2 } });
    expect(parseMailbox("a@[192.0.2.1]", { allowDomainLiteral: true }).ok).toBe(true);
    expect(SYNTAX_FAULTS.domain_literal.reference).toContain("RFC 5321");
  });
});
