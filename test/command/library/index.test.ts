// Tests the built library as a program imports it, by the package's name.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type AddressClass, createDetector, createDnsResolver, parseMailbox, SYNTAX_FAULTS } from "addrsift";
import { expect, it } from "vitest";
import { LISTS_PATH, lists, ROOT } from "../../helpers/classify.ts";
import { fieldsOf } from "../../helpers/detections.ts";
import { compileOtherLists } from "../../helpers/other-lists.ts";
import { fileScratch, runProgram } from "../../helpers/run.ts";

const files = fileScratch();

const USAGE = { name: "AddrsiftError", code: "USAGE" };
const matching = (message: string | RegExp): unknown =>
  typeof message === "string" ? message : expect.stringMatching(message);

const detector = createDetector();

// Jest and tsx can't load an ES module by require.
it("require() loads the library without ES modules, and import loads the same code", async () => {
  const code = `import * as imported from "addrsift"; import { createRequire } from "node:module";
    const required = createRequire(import.meta.url)("addrsift");
    console.log(Object.keys(imported).filter((name) => imported[name] === required[name]).join(" "));`;
  const args = ["--no-experimental-require-module", "--input-type=module", "--eval", code];
  const { stdout, stderr } = await runProgram(process.execPath, args, { cwd: ROOT });
  const names = [
    "AddrsiftError",
    "CONFIDENCES",
    "SYNTAX_FAULTS",
    "createDetector",
    "createDnsResolver",
    "detectDomain",
  ];
  expect([stdout.toString(), stderr.toString()]).toEqual([`${[...names, "parseMailbox"].join(" ")}\n`, ""]);
});

it("detect() returns the detection of an address", async () => {
  expect(await detector.detect("Anna.Beck+news@googlemail.com")).toEqual({
    email: "Anna.Beck+news@googlemail.com",
    ...fieldsOf("annabeck@gmail.com", { subaddressing: true, public_domain: true }),
  });
  expect(await detector.detect("anna@duck.com")).toMatchObject({ relay_domain: true, relay_provider: "duckduckgo" });
  expect(await detector.detect("anna@mailinator.com")).toMatchObject({ disposable: true });
});

it("detect() returns the caller's string unchanged", async () => {
  for (const email of [" anna@example.com ", `${"x".repeat(5000)}@example.com`, "\ud800@example.com"]) {
    expect(await detector.detect(email)).toEqual({ email, syntax_validation: false });
  }
});

it("detect() adds the evidence if explain is true", async () => {
  expect(await detector.detect("anna@example.com")).not.toHaveProperty("explain");
  const { explain } = await detector.detect("anna@gmial.com", { explain: true });
  expect(explain).toMatchObject({ suggestion: "anna@gmail.com", data_version: detector.dataVersion });
  expect(detector.dataVersion).toBe(lists.meta.dataVersion);
});

it("createDetector() applies syntax policy, minimum confidence and overrides", async () => {
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

it.each([undefined, null, 5, {}, ["anna@example.com"]])("detect() rejects %j, which is not a string", async (value) => {
  const message = expect.stringMatching(/^an address must be a string, not /);
  await expect(detector.detect(value as unknown as string)).rejects.toMatchObject({ ...USAGE, message });
});

it.each([
  [null, "the options must be an object, not null"],
  [3, "the options must be an object, not 3"],
  [[], "the options must be an object, not an array"],
  [{ minConfidance: "single" }, "unknown option minConfidance: did you mean minConfidence?"],
  [{ minConfidence: "sure" }, 'option minConfidence must be legacy, single, corroborated or confirmed, not "sure"'],
  [{ syntax: true }, "option syntax must be an object, not true"],
  [{ syntax: { asciOnly: true } }, "unknown option syntax.asciOnly: did you mean asciiOnly?"],
  [{ syntax: { allowReserved: "yes" } }, 'option syntax.allowReserved must be true or false, not "yes"'],
  [{ overrides: { "a.com": true } }, "option overrides must be a Map of domains to true or false, not an object"],
  [{ overrides: new Map([["a.com", "yes"]]) }, 'overrides of "a.com" must be true or false, not "yes"'],
  [{ overrides: new Map([["@Foo.com", true]]) }, 'overrides: "@Foo.com" matches no address: write foo.com'],
  [
    { overrides: new Map([["*.a.com", false]]) },
    /^overrides: "\*\.a\.com" needs no asterisk, because a domain includes those below it: give a\.com/,
  ],
  [
    { overrides: new Map([["A.b@gmail.com", true]]) },
    'overrides: "A.b@gmail.com" matches no address: write ab@gmail.com',
  ],
  [{ overrides: new Map([["a@b@", true]]) }, /^overrides: "a@b@" is not an address, because .*: give one such as/],
  [
    { overrides: new Map([["a.nosuchtld", true]]) },
    'overrides: "a.nosuchtld" matches only with --allow-unknown-tld: nosuchtld is not a top-level domain',
  ],
  [{ overrides: new Map([[5, true]]) }, "an entry of overrides must be a domain or an address, not 5"],
  [{ resolver: 5 }, "option resolver must be createDnsResolver() or an object with a method route, not 5"],
  [{ resolver: {} }, /^option resolver must be .*, not an object$/],
])("createDetector() rejects the options %o", (options, message) => {
  const create = (): unknown => createDetector(options as unknown as Parameters<typeof createDetector>[0]);
  expect(create).toThrow(expect.objectContaining({ ...USAGE, message: matching(message) }));
});

it.each([
  [null, "the options must be an object, not null"],
  [{ dns: "maybe" }, 'option dns must be on or off, not "maybe"'],
  [{ signal: "now" }, 'option signal must be an AbortSignal, not "now"'],
])("detect() rejects the options %o", async (options, message) => {
  const answer = detector.detect("anna@example.com", options as unknown as Parameters<typeof detector.detect>[1]);
  await expect(answer).rejects.toMatchObject({ ...USAGE, message: matching(message) });
});

it("detect() and detectDomain() reject with the reason of a signal that is already aborted", async () => {
  const options = { signal: AbortSignal.abort(new Error("enough")) };
  await expect(detector.detect("anna@gmail.com", options)).rejects.toThrow("enough");
  await expect(detector.detectDomain("gmail.com", options)).rejects.toThrow("enough");
});

it("createDetector() copies the overrides", async () => {
  const overrides = new Map([["own-harbour.com", true]]);
  const { detectMany } = createDetector({ overrides });
  overrides.set("own-harbour.com", false).set("gmail.com", true);
  const disposable = detectMany(["a@own-harbour.com", "a@gmail.com"]).map((result) => result.disposable);
  expect(disposable).toEqual([true, false]);
});

it("createDetector() ignores undefined options", async () => {
  const options = { syntax: undefined, minConfidence: undefined, overrides: undefined, resolver: undefined };
  const withUndefined = createDetector(options as unknown as Parameters<typeof createDetector>[0]);
  expect(await withUndefined.detect("anna@mailinator.com")).toMatchObject({ disposable: true });
});

it("classes: true adds all classes of an address or a domain, including the classes that depend on DNS", async () => {
  const resolver = { route: async () => ({ status: "nxdomain" }) as const };
  const live = createDetector({ resolver });
  const classesOf = async (address: string, dns: "on" | "off" = "on"): Promise<readonly AddressClass[]> =>
    (await live.detect(address, { classes: true, dns })).classes;
  const ofNoReply = ["valid", "public", "role", "no_reply", "subaddressed", "unreserved"];
  expect(await classesOf("no-reply+x@gmail.com")).toEqual(ofNoReply);
  expect(await classesOf("")).toEqual(["invalid"]);
  expect(await classesOf("ann@no-such-harbour.com")).toEqual(["valid", "unreserved", "no_mail"]);
  expect(await classesOf("ann@no-such-harbour.com", "off")).toEqual(["valid", "unreserved", "work"]);
  const domain = await live.detectDomain("gmial.com", { classes: true, dns: "off" });
  expect(domain.classes).toEqual(["valid", "mistyped", "unreserved"]);
  const [many] = live.detectMany(["no-reply+x@gmail.com"], { classes: true, explain: true });
  expect(many?.classes).toEqual(ofNoReply);
  expect(Object.keys(many ?? {}).slice(-3)).toEqual(["detection_source", "classes", "explain"]);
});

it.each([
  [{ timeout: 5 }, "unknown option timeout: did you mean timeoutMs?"],
  [{ servers: "192.0.2.1" }, 'option servers must be an array of ADDR[:PORT], not "192.0.2.1"'],
  [{ servers: [5] }, "option servers must be an array of ADDR[:PORT], not an array"],
  [{ timeoutMs: "5" }, 'option timeoutMs must be a number, not "5"'],
  [{ waitMs: "none" }, 'option waitMs must be a number or "unbounded", not "none"'],
  [{ cacheEntries: 0 }, "cacheEntries can't be 0: give a whole number from 1 to 10000000"],
])("createDnsResolver() rejects the options %o", (options, message) => {
  expect(() => createDnsResolver(options as object)).toThrow(expect.objectContaining({ ...USAGE, message }));
});

it("createDnsResolver() accepts all its options", () => {
  const limits = { timeoutMs: 5, maxQueriesInFlight: 3, cacheEntries: 10 };
  createDnsResolver({ servers: ["192.0.2.1:53"], waitMs: "unbounded", ...limits }).close();
});

it("parseMailbox() applies the syntax policy", () => {
  const spaced = { code: "white_space", offset: 5, ...SYNTAX_FAULTS.white_space };
  expect(parseMailbox("é@exa mple.com")).toEqual({ ok: false, fault: spaced });
  const literal = { code: "domain_literal", offset: 2, ...SYNTAX_FAULTS.domain_literal };
  expect(parseMailbox("a@[192.0.2.1]")).toEqual({ ok: false, fault: literal });
  expect(parseMailbox("a@[192.0.2.1]", { allowDomainLiteral: true }).ok).toBe(true);
  expect(SYNTAX_FAULTS.domain_literal.reference).toContain("RFC 5321");
});

it.each([
  [undefined, {}, "an address must be a string or a Uint8Array, not undefined"],
  [["a@b.com"], {}, "an address must be a string or a Uint8Array, not an array"],
  [new Uint16Array(3), {}, "an address must be a string or a Uint8Array, not an object"],
  ["a@b.com", null, "the options must be an object, not null"],
  ["a@b.com", { asciiOnly: 1 }, "option asciiOnly must be true or false, not 1"],
  ["a@b.com", { allowTld: true }, /^unknown option allowTld: use noQuotedLocal, /],
])("parseMailbox() rejects %o with %o", (address, options, message) => {
  const parse = (): unknown => parseMailbox(address as string, options as unknown as { asciiOnly: boolean });
  expect(parse).toThrow(expect.objectContaining({ ...USAGE, message: matching(message) }));
});

const detectorWithoutDns = createDetector({ resolver: { route: () => Promise.reject(new Error("looked up")) } });
const addresses = [
  ...["Anna.Beck+news@googlemail.com", "anna@mailinator.com", "anna@duck.com", "anna@", ""],
  ...[`${"\u00fc".repeat(3000)}@example.org`, "jos\u00e9@b\u00fccher.de", "info@quiet-harbour-tools.com"],
  "\ud800@example.com",
];

it("detectMany() returns what detect() returns without DNS, in order", async () => {
  const single = await Promise.all(addresses.map((address) => detectorWithoutDns.detect(address, { dns: "off" })));
  expect(detectorWithoutDns.detectMany(addresses)).toEqual(single);
  expect(detectorWithoutDns.detectMany([])).toEqual([]);
  const explained = addresses.map((address) => detectorWithoutDns.detect(address, { dns: "off", explain: true }));
  expect(detectorWithoutDns.detectMany(addresses, { explain: true })).toEqual(await Promise.all(explained));
});

it.each([
  ["a@b.com", undefined, 'the addresses must be an array of strings, not "a@b.com"'],
  [["a@b.com", 5], undefined, "addresses[1] must be a string, not 5"],
  // biome-ignore lint/suspicious/noSparseArray: a hole is the value under test.
  [["a@b.com", , "x"], undefined, "addresses[1] must be a string, not undefined"],
  [[], { dns: "off" }, "unknown option dns: use explain or classes"],
])("detectMany() rejects %j with %j", (addresses, options, message) => {
  const call = (): unknown => detectorWithoutDns.detectMany(addresses as string[], options as object);
  expect(call).toThrow(expect.objectContaining({ ...USAGE, message }));
});

const bytes = new Uint8Array(readFileSync(fileURLToPath(import.meta.resolve("addrsift/lists.bin"))));

it("createDetector() accepts bytes or the file URL of lists.bin as option lists", async () => {
  for (const value of [bytes, Buffer.from(bytes), pathToFileURL(LISTS_PATH)]) {
    const detector = createDetector({ lists: value });
    expect(detector.dataVersion).toBe(lists.meta.dataVersion);
    expect(await detector.detect("a@mailinator.com")).toMatchObject({ disposable: true });
  }
});

it.each([
  [{ lists: "dist/lists.bin" }, 'option lists must be a Uint8Array or a file URL, not "dist/lists.bin"'],
  [
    { lists: new URL("https://example.org/lists.bin") },
    /^option lists must be a file URL, or .*, not https:\/\/example\.org\/lists\.bin$/,
  ],
  [{ lists: bytes, home: "/tmp" }, "options home and lists exclude each other: give one"],
  [{ home: "" }, 'option home must be the path of a folder, not ""'],
  [{ onWarning: 1 }, "option onWarning must be a function, not 1"],
])("createDetector() rejects invalid values of lists, home and onWarning (row %#)", (options, message) => {
  const error = expect.objectContaining({ ...USAGE, message: matching(message) });
  expect(() => createDetector(options as object)).toThrow(error);
});

it.each([
  [
    bytes.slice(0, 100_000),
    "DATA",
    /^the lists in option lists can't be used \(.+\): give addrsift\/lists\.bin of this /,
  ],
  [new URL("file:///nope.bin"), "OPERATION", /nope\.bin can't be used \(ENOENT\): there is no such file or folder, /],
])("createDetector() throws an error about the caller's file for unusable lists (row %#)", (lists, code, message) => {
  const error = expect.objectContaining({ name: "AddrsiftError", code, message: matching(message) });
  expect(() => createDetector({ lists })).toThrow(error);
});

it("createDetector() throws a one-line error if the package's lists.bin is damaged", async () => {
  mkdirSync(join(files.path, "damaged"));
  files.file("damaged/lists.bin", "damaged");
  const copy = join(files.path, "damaged/library.cjs");
  copyFileSync(join(ROOT, "dist/library.cjs"), copy);
  const { createDetector: create } = createRequire(import.meta.url)(copy);
  const message = expect.stringMatching(/^the lists in \S+ can't be used \([^)]+\): install addrsift again$/);
  expect(() => create()).toThrow(expect.objectContaining({ name: "AddrsiftError", code: "DATA", message }));
});

it("createDetector() with option home uses the home's lists and overrides, and reloads them", async () => {
  const home = join(files.path, "home");
  const warnings: string[] = [];
  const overrides = new Map([["mine.example.org", true]]);
  const detector = createDetector({ home, overrides, onWarning: (line) => void warnings.push(line) });
  const verdict = (address: string): unknown => {
    const [found] = detector.detectMany([address]);
    return found?.syntax_validation === true ? [found.disposable, found.detection_source] : found;
  };
  expect(verdict("a@mailinator.com")).toEqual([true, "precomputed"]);
  expect(verdict("a@mine.example.org")).toEqual([true, "override"]);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "overrides.tsv"), "mailinator.com\tallow\nmine.example.org\tallow\n");
  await expect.poll(() => verdict("a@mailinator.com")).toEqual([false, "override"]);
  expect(verdict("a@mine.example.org")).toEqual([true, "override"]);
  writeFileSync(join(home, "lists.bin"), compileOtherLists("2030-01-01-test", "new-throw-away.com"));
  await expect.poll(() => detector.dataVersion).toBe("2030-01-01-test");
  expect(verdict("a@new-throw-away.com")).toEqual([true, "precomputed"]);
  // The home did not exist at first.
  const missing = `there is no folder ${home}, so the home is empty: check option home`;
  expect(warnings).toEqual([missing]);
  writeFileSync(join(home, "lists.bin"), "damaged");
  await expect.poll(() => verdict("a@new-throw-away.com") && warnings).toHaveLength(2);
  expect(warnings[1]).toMatch(/lists\.bin can't be used \([^)]+\), so the previous lists stay in use: /);
  expect(verdict("a@new-throw-away.com")).toEqual([true, "precomputed"]);
});

it("the manual documents every option of createDetector, detect and detectMany", () => {
  const manual = readFileSync(fileURLToPath(new URL("../../../man/addrsift.md", import.meta.url)), "utf8");
  const detector = createDetector();
  const calls = [
    (): unknown => createDetector({ "": 1 } as object),
    (): unknown => createDetector({ syntax: { "": 1 } as object }),
    (): unknown => detector.detectMany([], { "": 1 } as object),
  ];
  for (const call of calls) {
    const message = messageOf(call);
    const names = message.replace(/^.*: use /, "").split(/, | or /);
    for (const name of names) expect(manual).toContain(`\`${name.replace("syntax.", "")}\``);
  }
});

function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("no error was thrown");
}
