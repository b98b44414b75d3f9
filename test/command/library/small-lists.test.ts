// Tests the small lists, and the library where there are no files: the verdicts equal those of the package's lists.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";
import type * as Library from "../../../src/library/index.ts";
import { KIND } from "../../../src/lists/format.ts";
import { lists, ROOT } from "../../helpers/classify.ts";
import { sampleSize } from "../../helpers/sampling.ts";

const importBuilt = async (name: string): Promise<typeof Library> => await import(join(ROOT, "dist/lib", name));
const { createDetector } = await importBuilt("index.js");
const web = await importBuilt("web.js");
const readBuilt = (name: string): Uint8Array => readFileSync(join(ROOT, "dist", name));

/** Addresses at each domain of the full lists and at a subdomain of it, with each role name, and in unusual forms. */
const ADDRESSES = Array.from(lists.entries())
  .filter((_, i) => i % 5 < sampleSize(5))
  .flatMap(({ kind, name }) => {
    const text = new TextDecoder().decode(name);
    if (kind === KIND.role) return [`${text}@example.com`, `${text}@unlisted-domain.com`];
    return kind === KIND.domain || kind === KIND.typo ? [`jane.doe+tag@${text}`, `x@sub.${text}`] : [];
  })
  .concat(["x@bücher.de", "x@xn--bcher-kva.de", "jane@@example.org", "x@co.uk", "x@a.b.invalidtld", '"a b"@gmail.com']);

it("the small lists give the verdicts of the full lists, and are packed to less than 480 KB", () => {
  const gz = readBuilt("lists-counted.bin.gz");
  expect(gz.length).toBeLessThan(480_000);
  const [small, full] = [createDetector({ lists: gunzipSync(gz) }), createDetector()];
  expect(small.detectMany(ADDRESSES)).toEqual(full.detectMany(ADDRESSES));
  expect(small.dataVersion).toBe(`${full.dataVersion}-single`);
  const createLegacy = (): unknown => createDetector({ lists: gunzipSync(gz), minConfidence: "legacy" });
  expect(createLegacy).toThrow("minConfidence can't be legacy with lists that lack legacy entries: give addrsift");
});

it("createDetector() rejects compressed or truncated lists with a one-line error", () => {
  const gz = readBuilt("lists-counted.bin.gz");
  const file = pathToFileURL(join(ROOT, "dist/lists-counted.bin.gz"));
  for (const lists of [gz, file]) {
    const message = /^the lists in \S.* are packed by gzip: unpack them first, [^\n]+$/;
    expect(() => createDetector({ lists })).toThrow(message);
  }
  const damaged = gunzipSync(gz).subarray(0, 1000);
  expect(() => createDetector({ lists: damaged })).toThrow(/^the lists in option lists can't be used [^\n]+$/);
});

it("the browser library has the same verdicts as the library with the same lists", () => {
  const detector = web.createDetector({ lists: readBuilt("lists.bin") });
  const some = ADDRESSES.filter((_, i) => i % 20 === 0 || i > ADDRESSES.length - 20);
  expect(detector.detectMany(some, { explain: true })).toEqual(createDetector().detectMany(some, { explain: true }));
  expect(web.parseMailbox("x@bücher.de")).toMatchObject({ ok: true, value: { domain: { ascii: "xn--bcher-kva.de" } } });
});

it.each([
  ["missing lists", () => web.createDetector(), /there are no files here: give createDetector the lists, /],
  ["a URL as lists", () => web.createDetector({ lists: new URL("file:///a") }), /option lists must be a Uint8Array/],
  ["a home", () => web.createDetector({ home: "/a" }), /give option lists in place of option home$/],
  ["name servers", () => web.createDnsResolver(), /there are no name servers here: give .* option resolver$/],
])("browser library: one-line error for %s", (_, call, message) => {
  expect(call).toThrow(expect.objectContaining({ name: "AddrsiftError", code: "USAGE" }));
  expect(call).toThrow(message);
  expect(call).not.toThrow("\n");
});

it("a worker bundle with the library is smaller than 250 KB", async () => {
  const contents = 'import { createDetector } from "addrsift"; export default { createDetector };';
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    minify: true,
    format: "esm",
    // ASCII would need escapes, which make the patterns of Unicode characters 4 KB longer.
    charset: "utf8",
    conditions: ["workerd"],
    write: false,
  });
  expect(outputFiles[0]?.contents.length).toBeLessThan(250_000);
});
