// Reads our OpenAPI document: a flat list of its operations, the fields of their shapes, and a curl line for each.

import { shellQuoted } from "../common/text.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly examples?: readonly unknown[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface PathOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

/** The part of the document that is read. */
export interface OpenApi {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, PathOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** One operation. */
export interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly needsKey: boolean;
  readonly parameters: readonly Parameter[];
  readonly bodyType: string | undefined;
  readonly body: Schema | undefined;
  readonly answer: Schema | undefined;
  readonly responses: readonly { readonly status: string; readonly description: string }[];
}

/** All operations, in the document's order. */
export function operationsOf({ paths }: OpenApi): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const { operationId, tags, summary, description, security, parameters = [], requestBody, responses } = operation;
      const [bodyType] = Object.keys(requestBody?.content ?? {});
      return {
        id: operationId,
        tag: tags[0] ?? "",
        method: method.toUpperCase(),
        path,
        summary,
        description,
        needsKey: security.length > 0 && !security.some((one) => Object.keys(one).length === 0),
        parameters,
        bodyType,
        body: bodyType === undefined ? undefined : requestBody?.content[bodyType]?.schema,
        answer: responses["200"]?.content?.["application/json"]?.schema,
        responses: Object.entries(responses)
          .filter(([status]) => status !== "200")
          .map(([status, { description: text }]) => ({ status, description: text })),
      };
    }),
  );
}

/** The fields of a shape with what they are; those of data are the fields of what is in it. */
export function fieldsOf(schema: Schema | undefined, document: OpenApi): (readonly [string, string])[] {
  const { properties = {} } = resolved(schema, document);
  return Object.entries(properties).flatMap(([name, field]) => {
    const inner = resolved(resolved(field, document).items ?? field, document);
    if (name === "data" && inner.properties !== undefined) return fieldsOf(inner, document);
    return [[name, textOf({ ...resolved(field, document), ...field })] as const];
  });
}

function textOf({ description, enum: values, type }: Schema): string {
  const kind = values === undefined ? String(type ?? "") : values.map((value) => `\`${value}\``).join(", ");
  return description ?? kind;
}

function resolved(schema: Schema | undefined, { components }: OpenApi): Schema {
  if (schema?.$ref === undefined) return schema ?? {};
  return components.schemas[schema.$ref.replace("#/components/schemas/", "")] ?? {};
}

/** A line for a shell. `base` is the daemon's URL with a slash at its end. */
export function curlOf(operation: Operation, document: OpenApi, base: string): string {
  const { method, path, parameters, needsKey, bodyType } = operation;
  const query = parameters
    .filter(({ in: place, required }) => place === "query" && required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(schema.examples?.[0] ?? "VALUE"))}`);
  // The document tells routes of one path apart by what is behind a #.
  const shown = path
    .slice(1)
    .replace(/#.*/, "")
    .replace(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());
  const url = base + shown + (query.length === 0 ? "" : `?${query.join("&")}`);
  return [
    `curl -s ${shellQuoted(url)}`,
    ...(method === "GET" || (method === "POST" && bodyType !== undefined) ? [] : [`-X ${method}`]),
    ...(needsKey ? ['-H "Authorization: Bearer $API_KEY"'] : []),
    ...(bodyType === undefined ? [] : [`-H 'Content-Type: ${bodyType}'`, sentBody(operation, document)]),
  ].join(" \\\n  ");
}

/** A body of text is a file. */
function sentBody(operation: Operation, document: OpenApi): string {
  return operation.bodyType?.startsWith("text/")
    ? "-X POST -T FILE"
    : `-d ${shellQuoted(exampleOf(operation, document))}`;
}

function exampleOf({ body, bodyType }: Operation, document: OpenApi): string {
  const { examples, properties = {}, required = [] } = resolved(body, document);
  const fields = Object.entries(properties).filter(([name]) => required.includes(name));
  const values = fields.map(([name, field]) => [
    name,
    resolved(field, document).examples?.[0] ?? `${name.toUpperCase()}`,
  ]);
  const example = examples?.[0] ?? Object.fromEntries(values);
  if (bodyType !== "application/x-www-form-urlencoded") return JSON.stringify(example);
  return new URLSearchParams(example as Record<string, string>).toString();
}
