// Tests the OpenAPI document: it is complete and valid for other tools, and a client generated from it works.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { API_FAULTS } from "../../src/server/http/response.ts";
import { faultsOf } from "../../src/server/openapi.ts";
import { ROUTES } from "../../src/server/routes/table.ts";
import { type CheckedApi, openCheckedApi } from "../helpers/api-contract.ts";
import { type Daemon, makeKey, startDaemon, testDaemon } from "../helpers/daemon.ts";
import { scratch } from "../helpers/run.ts";

const ROOT = join(import.meta.dirname, "../..");
const folder = scratch();
let daemon: Daemon;
let api: CheckedApi;
beforeAll(async () => {
  daemon = await startDaemon(["--dns", "off"]);
  api = await openCheckedApi(daemon.port);
});
afterAll(async () => {
  await daemon.stop();
  folder.remove();
});

it("the OpenAPI document has exactly the routes of the route table", () => {
  const operations = Object.entries(api.document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(operations.sort()).toEqual(ROUTES.map((route) => `${route.method} ${route.path}`).sort());
});

it.each(ROUTES.map((route) => [route.id, route] as const))(
  "the OpenAPI document has every status and error code of the operation %s",
  (_, route) => {
    const responses = api.document.paths[route.path]?.[route.method.toLowerCase()]?.responses ?? {};
    const codes = faultsOf(route);
    const statuses = new Set([200, ...codes.map((code) => API_FAULTS[code].status)]);
    expect(Object.keys(responses).map(Number).sort()).toEqual([...statuses].sort());
    for (const code of codes) expect(JSON.stringify(responses[API_FAULTS[code].status])).toContain(code);
  },
);

it("the OpenAPI document suits code generators: one tag per operation, examples, and a union only of results", async () => {
  const { paths, webhooks, components } = api.document as unknown as Record<string, Record<string, object>>;
  const operations = [...Object.values(paths ?? {}), ...Object.values(webhooks ?? {})].flatMap((item) =>
    Object.values(item as Record<string, { tags?: string[] }>),
  );
  for (const { tags } of operations) expect(tags).toHaveLength(1);
  const text = JSON.stringify({ paths, components });
  expect(text).not.toMatch(/"(oneOf|allOf)":|"type":"boolean","const"|"const":(true|false),"type"/);
  expect(text.match(/"anyOf":/g)).toHaveLength(2);
  type Schema = { required?: string[]; properties?: object; examples?: object[]; anyOf?: object[] };
  const { schemas } = components as { schemas: Record<string, Schema> };
  // Some generated clients use the first schema that fits, and valid results fit InvalidDetection too.
  expect(schemas["Detection"]?.anyOf).toEqual(
    ["ValidDetection", "InvalidDetection"].map((name) => ({ $ref: `#/components/schemas/${name}` })),
  );
  expect(schemas["ChannelCreation"]?.examples).toHaveLength(2);
  const example = schemas["Detection"]?.examples?.[0] as { email: string } | undefined;
  const { json } = await api.send("GET", `/api/v1/emails/detect?email=${example?.email}`);
  expect(json["data"]).toEqual(example);
  expect(JSON.stringify(schemas["ValidDetection"])).not.toMatch(/"blank"|"duplicate"|"known"/);
  const stream = paths?.["/api/v1/emails/stream"] as { readonly post: { readonly parameters: object } };
  // The texts of the stream's parameters are also those of options of the command line.
  expect(JSON.stringify(stream.post.parameters)).not.toMatch(/--|\btable\b|\breport\b|\bfile\b/);
  for (const [name, { required = [], properties = {} }] of Object.entries(schemas)) {
    expect(Object.keys(properties), name).toEqual(expect.arrayContaining(required));
    // From an optional constant, openapi-python-client generates Python that does not compile.
    const constants = Object.entries(properties).flatMap(([key, schema]) => ("const" in schema ? [key] : []));
    expect(required, name).toEqual(expect.arrayContaining(constants));
  }
  expect(schemas["ChannelConfig"]).toMatchObject({
    properties: { events: { minItems: 1 }, secret: { pattern: expect.stringContaining("whsec_") } },
  });
});

it("the OpenAPI document has JSON detection and streams as separate operations", () => {
  const operation = (path: string) => api.document.paths[path]?.["post"] as unknown as Record<string, never>;
  const typesOf = (path: string): string[][] => {
    const { requestBody, responses } = operation(path) as unknown as Record<
      string,
      Record<string, { content: object }>
    >;
    return [requestBody, responses?.["200"]].map((part) => Object.keys((part as { content: object }).content));
  };
  expect(typesOf("/api/v1/emails/detect")).toEqual([["application/json"], ["application/json"]]);
  expect(operation("/api/v1/emails/detect")["parameters"]).toBeUndefined();
  const types = ["text/plain", "text/csv", "application/x-ndjson"];
  expect(typesOf("/api/v1/emails/stream")).toEqual([types, ["application/x-ndjson", "text/csv"]]);
  expect(operation("/api/v1/emails/stream")["operationId"]).toBe("streamAddresses");
  expect(operation("/api/v1/emails/stream")["parameters"]).toContainEqual(expect.objectContaining({ name: "column" }));
});

it("the OpenAPI document allows new fields in responses, but not in requests", () => {
  const { paths, components } = api.document as unknown as {
    paths: Record<string, Record<string, { requestBody?: object; responses: object }>>;
    components: { schemas: Record<string, object> };
  };
  const isClosed = (value: object): boolean => {
    const text = JSON.stringify(value);
    const names = Array.from(text.matchAll(/#\/components\/schemas\/(\w+)/g), ([, name]) => name as string);
    return (
      text.includes('"additionalProperties":false') || names.some((name) => isClosed(components.schemas[name] ?? {}))
    );
  };
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  expect(operations.map(({ responses }) => isClosed(responses))).not.toContain(true);
  const bodies = operations.flatMap(({ requestBody }) => requestBody ?? []);
  expect(bodies.filter(isClosed).length).toBeGreaterThan(3);
});

it("the OpenAPI document lists values in responses as examples, so that new ones break no client", () => {
  const { schemas } = (api.document as unknown as { components: { schemas: Record<string, Schema> } }).components;
  type Schema = { properties: Record<string, Readonly<Record<string, unknown>>> };
  expect(schemas["Fault"]?.properties["code"]).toEqual({
    type: "string",
    description: expect.stringMatching(/`NOT_FOUND`, .* later versions may have others\.$/),
    examples: Object.keys(API_FAULTS),
  });
  const [requests, responses] = ["DetectionBatch", "Explanation"].map((name) => JSON.stringify(schemas[name]));
  expect(requests).toContain('"enum"');
  expect(responses).not.toContain('"enum"');
});

it("the OpenAPI document is constant and names the public URL", async () => {
  const [first, second] = await Promise.all([api.send("GET", "/openapi.json"), api.send("GET", "/openapi.json")]);
  expect(first.text).toBe(second.text);
  const proxied = await testDaemon(["--dns", "off", "--public-url", "https://api.example.com/base/"]);
  const { document } = await openCheckedApi(proxied.port);
  expect((document as unknown as { servers: object }).servers).toEqual([{ url: "https://api.example.com/base" }]);
});

const CLIENT = `
import createClient from "openapi-fetch";
import type { components, paths } from "./api.ts";

const [, , baseUrl = "", key = ""] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${key}\` } });

const one = await client.GET("/api/v1/emails/detect", { params: { query: { email: "a+b@mailinator.com", explain: true } } });
if (one.error !== undefined) throw new Error(one.error.message);
const detection: components["schemas"]["Detection"] = one.data.data;
if (detection.syntax_validation) {
  const [normalized, isDisposable]: [string, boolean] = [detection.normalized, detection.disposable];
  console.log(normalized, isDisposable, detection.explain?.domain);
}

const many = await client.POST("/api/v1/emails/detect", { body: { emails: ["jane@gmail.com", "broken@"], dns: "off" } });
console.log(many.data?.data.map((row) => row.syntax_validation).join(" "));

const rows = await createClient<paths, "text/csv">({ baseUrl }).POST("/api/v1/emails/stream", {
  params: { query: { fields: ["disposable", "row"] } },
  headers: { "Content-Type": "text/csv" },
  body: "email\\njane@gmail.com\\n",
  bodySerializer: String,
  parseAs: "text",
});
const text: string | undefined = rows.data;
console.log(text?.split("\\n").join(" "));

const wrong = await client.GET("/api/v1/emails/detect", { params: { query: { email: "" } } });
console.log(wrong.response.status, wrong.error?.code);

const created = await client.POST("/api/v1/team/notifications/channels", {
  body: { name: "ops", type: "webhook", config: { url: "https://hooks.example.com/in", events: ["lists.updated"] } },
});
const id = created.data?.id ?? "";
const secret: string | undefined = created.data?.config.secret;
console.log(secret?.startsWith("whsec_"));
const changed = await client.PATCH("/api/v1/team/notifications/channels/{id}", {
  params: { path: { id } },
  body: { name: "operations", config: { events: null, headers: { "X-Key": null }, enabled: true } },
});
console.log(changed.data?.name, changed.data?.is_verified);
const listed = await client.GET("/api/v1/team/notifications/channels");
console.log(listed.data?.data.length);
const deleted = await client.DELETE("/api/v1/team/notifications/channels/{id}", { params: { path: { id } } });
console.log(deleted.data?.id === id);
const missing = await client.GET("/api/v1/team/notifications/channels/{id}", { params: { path: { id } } });
const code: "NOT_FOUND" | string | undefined = missing.error?.code;
console.log(missing.response.status, code);

// @ts-expect-error The fields of a channel's config are typed in a change too.
export const wrongChange: components["schemas"]["ChannelChange"] = { config: { enabled: "yes" } };

// @ts-expect-error A method that the document does not have must not type-check.
export type Missing = paths["/api/v1/emails/detect"]["put"]["requestBody"]["x"];
`;

it("a client generated from the OpenAPI document type-checks, and can call the daemon", async () => {
  const document = folder.file("api.json", JSON.stringify(api.document));
  const generator = join(ROOT, "node_modules/openapi-typescript/bin/cli.js");
  execFileSync(process.execPath, [generator, document, "--output", "api.ts"], { cwd: folder.path, stdio: "pipe" });
  folder.file("client.ts", CLIENT);
  folder.file("package.json", '{"type":"module"}');
  mkdirSync(join(folder.path, "out"));
  symlinkSync(join(ROOT, "node_modules"), join(folder.path, "node_modules"));
  const flags = ["--strict", "--noUncheckedIndexedAccess", "--target", "es2023", "--module", "nodenext"];
  flags.push("--types", "node", "--rewriteRelativeImportExtensions", "--skipLibCheck", "--outDir", "out");
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const options = { cwd: folder.path, encoding: "utf8" } as const;
  const compiled = spawnSync(process.execPath, [compiler, ...flags, "client.ts"], options);
  expect([compiled.status, compiled.stdout]).toEqual([0, ""]);
  const { text: key } = await makeKey(daemon.home);
  const output = execFileSync(process.execPath, ["out/client.js", daemon.url, key], options);
  expect(output.trimEnd().split("\n")).toEqual([
    "a@mailinator.com true mailinator.com",
    "true false",
    "email,disposable,row jane@gmail.com,false,2 ",
    "400 INVALID_QUERY",
    "true",
    "operations false",
    "1",
    "true",
    "404 NOT_FOUND",
  ]);
});
