// Tests the library's detectDomain, and the types of results.

import {
  type Classified,
  createDetector,
  type Detection,
  type DomainDetection,
  detectDomain,
  type Explained,
  type ValidDetection,
} from "addrsift";
import { expect, expectTypeOf, it } from "vitest";
import { outputOf } from "../../helpers/run.ts";

const DETECTOR = createDetector();

it.each(["mailinator.com", "GMAIL.com", "jane@duck.com", "a.mailinator.com", "münchen.de", "example", "a..b", ""])(
  "detectDomain returns what the command prints for the domain %j",
  async (domain) => {
    for (const explain of [false, true]) {
      const call = `detect --domains -f json --offline${explain ? " --explain" : ""} --input -`;
      const [printed] = JSON.parse(await outputOf(call, { stdin: `${domain}\n` }));
      if (domain !== "") expect(await DETECTOR.detectDomain(domain, { explain, dns: "off" })).toEqual(printed);
    }
    expect(await detectDomain(domain)).toEqual(await DETECTOR.detectDomain(domain));
  },
);

it("detectDomain applies overrides and the resolver, and its errors name the wrong argument", async () => {
  const resolver = { route: async () => ({ status: "null_mx" as const }) };
  const own = createDetector({ overrides: new Map([["good-harbour.com", true]]), resolver });
  expect(await own.detectDomain("good-harbour.com")).toMatchObject({ disposable: true, detection_source: "override" });
  const { explain } = await own.detectDomain("other-harbour.com", { explain: true });
  expect(explain.dns?.status).toBe("null_mx");
  const { explain: ofFunction } = await detectDomain("other-harbour.com", { explain: true });
  expect(ofFunction.dns?.status).toBe("skipped");
  await expect(DETECTOR.detectDomain(1 as never)).rejects.toThrow("a domain must be a string, not 1");
  await expect(detectDomain("a.com", { dns: "off" } as never)).rejects.toThrow("unknown option dns: ");
  await expect(DETECTOR.detectDomain("a.com", { explian: true } as never)).rejects.toThrow(/did you mean explain\?/);
});

it("syntax_validation narrows the types of destructured fields", async () => {
  const { syntax_validation, normalized, disposable } = await DETECTOR.detect("Jane@Gmail.com");
  expectTypeOf(normalized).toEqualTypeOf<string | undefined>();
  if (syntax_validation) expectTypeOf(normalized).toEqualTypeOf<string>();
  if (syntax_validation) expectTypeOf(disposable).toEqualTypeOf<boolean>();
  expect(normalized).toBe("jane@gmail.com");
});

it("explain: true and classes: true change the types of results", async () => {
  const { explain } = await DETECTOR.detect("jane@gmail.com", { explain: true });
  const [first] = DETECTOR.detectMany(["jane@gmail.com"], { explain: true });
  expect(first?.explain).toEqual(explain);
  expectTypeOf(explain).not.toBeNullable();
  expectTypeOf(DETECTOR.detect("x")).resolves.toEqualTypeOf<Detection>();
  expectTypeOf(DETECTOR.detect("x", { dns: "off" })).resolves.toEqualTypeOf<Detection>();
  expectTypeOf(DETECTOR.detectMany(["x"], { explain: true })).toEqualTypeOf<Explained<Detection>[]>();
  expectTypeOf(DETECTOR.detectMany(["x"], { classes: true })).toEqualTypeOf<Classified<Detection>[]>();
  // @ts-expect-error: a mistyped name.
  await expect(DETECTOR.detect("x", { explain: true, clases: true })).rejects.toThrow("did you mean classes?");
  expectTypeOf(DETECTOR.detectDomain("x")).resolves.toEqualTypeOf<DomainDetection>();
  expectTypeOf<Explained<ValidDetection>["explain"]>().not.toBeNullable();
});
