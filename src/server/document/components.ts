// Shapes as JSON Schema (2020-12, as OpenAPI 3.1 uses it). A shape with a name stands once among the components, and elsewhere as a
// reference to it.

import type { Shape } from "../../base/shapes.ts";

/** JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** Collects the named shapes of a document. */
export class Components {
  /** What was referred to so far, by name. */
  readonly schemas: Record<string, Schema> = {};

  /** The schema of a shape, or the reference to it. */
  schemaOf(shape: Shape): Schema {
    return this.resolve(shape) as Schema;
  }

  private resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.resolve(item));
    if (typeof value !== "object" || value === null) return value;
    const { $id: name, ...others } = value as { readonly $id?: string };
    // TypeBox's own marks are symbols, which entries leave out.
    const schema = Object.fromEntries(Object.entries(others).map(([key, part]) => [key, this.resolve(part)]));
    if (name === undefined) return schema;
    this.schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }
}
