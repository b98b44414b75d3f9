// Tests options from environment variables: an option on the command line overrides the variable, which overrides the
// default.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type NameServer, startNameServer } from "../../helpers/name-server.ts";
import { expectRefused, objectsOf, run } from "../../helpers/run.ts";

const ADDRESS = "ada@quiet-harbour-tools.com";

let server: NameServer;
beforeAll(async () => {
  server = await startNameServer(({ type }) => (type === 15 ? { mx: [[1, "in.mail.tm"]] } : {}));
});
afterAll(() => server.stop());

it.each([
  ["off", [ADDRESS], undefined, "precomputed"],
  ["", [ADDRESS], undefined, "live_dns"],
  ["off", ["--dns", "auto", ADDRESS], undefined, "live_dns"],
  ["off", ["--dns", "on"], `${ADDRESS}\n`, "live_dns"],
  ["on", [], `${ADDRESS}\n`, "live_dns"],
  ["on", ["--offline"], `${ADDRESS}\n`, "precomputed"],
] as const)("ADDRSIFT_DNS=%j: detect %j with input %j has detection_source %s", async (value, args, input, source) => {
  const env = { ADDRSIFT_DNS: value, ADDRSIFT_DNS_SERVERS: server.address };
  const stdin = input ?? "";
  // On a busy machine, the name server must not look silent.
  const timeout = source === "live_dns" ? ["--dns-timeout", "60000"] : [];
  const { status, stdout } = await run(["detect", ...args, ...timeout], { env, stdin });
  expect([status, objectsOf(stdout)[0]]).toMatchObject([0, { detection_source: source }]);
});

const env = { ADDRSIFT_MIN_CONFIDENCE: "confirmed" };
const count = async (args: readonly string[], environment: Record<string, string>): Promise<number> =>
  (await run(["lists", "export", "--class", "disposable", ...args], { env: environment })).stdout.length;

it("ADDRSIFT_MIN_CONFIDENCE sets the default of --min-confidence in every command with that option", async () => {
  const legacy = await count(["--min-confidence", "legacy"], {});
  const confirmed = await count(["--min-confidence", "confirmed"], {});
  expect(confirmed).toBeLessThan(legacy);
  expect(await count([], env)).toBe(confirmed);
  expect(await count(["--min-confidence", "legacy"], env)).toBe(legacy);
});

it.each([
  ["legacy", "a@tempmail.dev", true],
  ["single", "a@tempmail.dev", false],
  ["single", "a@10minutemail.com", true],
  ["confirmed", "a@10minutemail.com", false],
])("lists lookup agrees with detect at the confidence %s about %s", async (confidence, address, isDisposable) => {
  const calls = [
    [["--min-confidence", confidence], {}],
    [[], { ADDRSIFT_MIN_CONFIDENCE: confidence }],
  ] as const;
  for (const [args, env] of calls) {
    const lookup = await run(["lists", "lookup", "--json", address, ...args], { env });
    const { matches } = objectsOf(lookup.stdout)[0] as unknown as { matches: { counted?: false }[] };
    const detection = await run(["detect", "--offline", "--json", address, ...args], { env });
    expect(matches.some(({ counted }) => counted !== false)).toBe(isDisposable);
    expect(objectsOf(detection.stdout)[0]).toMatchObject({ disposable: isDisposable });
  }
});

const DNS = 'ADDRSIFT_DNS does not know "no": did you mean on? choose from auto, on, off';
const CONFIDENCE = 'ADDRSIFT_MIN_CONFIDENCE does not know "high": choose';
it.each([
  [{ ADDRSIFT_DNS: "no" }, `detect ${ADDRESS}`, DNS],
  [{ ADDRSIFT_DNS: "no" }, "serve", DNS],
  [{ ADDRSIFT_MIN_CONFIDENCE: "high" }, "lists export", CONFIDENCE],
])("a one-line error names an invalid environment variable: %j with %s", async (env, call, line) =>
  expectRefused(call, line, { env }),
);
