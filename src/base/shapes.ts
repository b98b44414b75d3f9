// Parts of shapes. One declaration is the TypeScript type, JSON Schema (2020-12), check (by TypeBox) and description of
// a value. A one-off never loads this: there, import types only.

import {
  Array as ArrayShape,
  Boolean as BooleanShape,
  FormatRegistry,
  Integer,
  Kind,
  Literal,
  Number as NumberShape,
  Object as ObjectShape,
  Optional,
  type Static,
  String as StringShape,
  type TArray,
  type TInteger,
  type TNumber,
  type TObject,
  type TProperties,
  type TSchema,
  type TString,
  type TUnsafe,
  TypeRegistry,
  Unsafe,
} from "@sinclair/typebox";
import { Check } from "@sinclair/typebox/value";

export type { Static, TObject };

export type Shape = TSchema;
export type Fields = TProperties;
export type ValueOf<S extends Shape> = Readonly<Static<S>>;

// A choice is one JSON Schema with `enum`; a union of literals would be a schema for each word.
const CHOICE = "Choice";
TypeRegistry.Set<{ readonly enum: readonly unknown[] }>(CHOICE, (shape, value) => shape.enum.includes(value));
// Looser than RFC 3339: all that we read as a time.
FormatRegistry.Set("date-time", (text) => !Number.isNaN(Date.parse(text)));

export function matches<S extends Shape>(shape: S, value: unknown): value is ValueOf<S> {
  return Check(shape, value);
}

/** Text, with more of JSON Schema when it is needed. */
export function text(description?: string, more: Readonly<Record<string, unknown>> = {}): TString {
  return StringShape({ ...more, ...described(description) });
}

export function choice<const Words extends readonly string[]>(
  words: Words,
  description?: string,
): TUnsafe<Words[number]> {
  return Unsafe({ [Kind]: CHOICE, type: "string", enum: words, ...described(description) });
}

export const literal: typeof Literal = Literal;
/** A shape, or JSON Schema that has no other form here, which TypeScript takes for `T`. */
export const rawSchema: <T>(schema: Readonly<Record<string, unknown>>) => TUnsafe<T> = Unsafe;
export const optional: typeof Optional = Optional;

export function allOptional(fields: TProperties): TProperties {
  return Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, Optional(shape)]));
}

export function flag(description?: string): ReturnType<typeof BooleanShape> {
  return BooleanShape(described(description));
}

/** A whole number from 0 on. */
export function count(description?: string, more: Readonly<Record<string, unknown>> = {}): TInteger {
  return Integer({ minimum: 0, ...more, ...described(description) });
}

export function number(limits: { readonly minimum?: number; readonly maximum?: number } = {}): TNumber {
  return NumberShape(limits);
}

export function time(description?: string): TString {
  return text(description, { format: "date-time" });
}

export function listOf<S extends Shape>(
  items: S,
  description?: string,
  more: Readonly<Record<string, unknown>> = {},
): TUnsafe<readonly Static<S>[]> {
  const list: TArray<S> = ArrayShape(items, { ...more, ...described(description) });
  return Unsafe(list);
}

export function mapOf<S extends Shape>(values: S, description?: string): TUnsafe<Readonly<Record<string, Static<S>>>> {
  return Unsafe(ObjectShape({}, { additionalProperties: values, ...described(description) }));
}

/** An object to which a later version may add fields: what is stored or sent. */
export function openObject<F extends Fields>(fields: F, description?: string): TObject<F> {
  return ObjectShape(fields, described(description));
}

/** An object with only these fields: what is answered. */
export function closedObject<F extends Fields>(fields: F, description?: string): TObject<F> {
  return ObjectShape(fields, { additionalProperties: false, ...described(description) });
}

/** The shape with a name by which others refer to it in the document. */
export function named<S extends Shape>(name: string, shape: S): S {
  return { ...shape, $id: name };
}

function described(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}
