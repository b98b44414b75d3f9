// Checks responses against the daemon's OpenAPI document: status, media type, headers and body.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect } from "vitest";
import { type Reply, type RequestOptions, send } from "./daemon.ts";

interface Operation {
  readonly responses: Readonly<
    Record<
      string,
      { readonly content: Readonly<Record<string, object>>; readonly headers?: Readonly<Record<string, object>> }
    >
  >;
}

/** Sends requests to a daemon and checks each response. */
export interface CheckedApi {
  readonly document: { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };
  readonly send: (method: string, path: string, options?: RequestOptions) => Promise<Reply>;
}

/** Reads the OpenAPI document of the daemon on this port. */
export async function openCheckedApi(port: number): Promise<CheckedApi> {
  const document = (await send(port, "GET", "/openapi.json")).json as unknown as CheckedApi["document"];
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(closeObjects(document), "document");
  const validators = new Map<string, ValidateFunction>();
  const check = (method: string, path: string, reply: Reply): void => {
    const template = Object.keys(document.paths).find((candidate) => matches(candidate, path));
    const name = method === "HEAD" ? "get" : method.toLowerCase();
    const operation = template === undefined ? undefined : document.paths[template]?.[name];
    const type = (reply.headers["content-type"] ?? "").split(";")[0] as string;
    if (operation === undefined || template === undefined) {
      // For a path or method that the document lacks, the response is still a fault.
      expect([404, 405, 400, 421]).toContain(reply.status);
      expect(Object.keys(reply.json)).toEqual(["code", "message"]);
      return;
    }
    const response = operation.responses[reply.status];
    expect(response, `${method} ${template} ${reply.status} ${reply.text}`).toBeDefined();
    expect(Object.keys(response?.content ?? {})).toContain(type);
    for (const header of Object.keys(response?.headers ?? {}))
      expect(reply.headers).toHaveProperty(header.toLowerCase());
    if (method === "HEAD" || type !== "application/json") return;
    const escaped = template.replaceAll("~", "~0").replaceAll("/", "~1");
    const reference = `document#/paths/${escaped}/${name}/responses/${reply.status}/content/application~1json/schema`;
    const validate = validators.get(reference) ?? ajv.compile({ $ref: reference });
    validators.set(reference, validate);
    expect(validate(reply.json), `${method} ${path}: ${ajv.errorsText(validate.errors)} in ${reply.text}`).toBe(true);
  };
  return {
    document,
    send: async (method, path, options) => {
      const reply = await send(port, method, path, options);
      check(method, path.split("?")[0] as string, reply);
      return reply;
    },
  };
}

/** Rejects fields that the document lacks, in objects that it leaves open for fields of later versions. */
function closeObjects<T extends object>(document: T): T {
  return JSON.parse(JSON.stringify(document), (key, value) => {
    const isOpen = value?.type !== "object" || value.properties === undefined || key === "OpenApiDocument";
    return isOpen ? value : { additionalProperties: false, ...value };
  });
}

function matches(template: string, path: string): boolean {
  const segments = template.split("/");
  const parts = path.split("/");
  return (
    segments.length === parts.length && segments.every((segment, i) => segment.startsWith("{") || segment === parts[i])
  );
}
