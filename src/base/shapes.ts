// Builders of shapes. A shape is a value's TypeScript type, JSON Schema (2020-12), validator (TypeBox) and description
// in one. Code of a one-off `detect` may import only types from here, so that TypeBox isn't loaded.

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
/** `Type`, with the other fields of `All` as undefined. A union of such types narrows by any destructured field. */
export type WithAbsent<Type, All> = Type & { readonly [Field in Exclude<keyof All, keyof Type>]?: undefined };

// A choice is one schema with `enum`; TypeBox's union of literals would be one schema per word.
const CHOICE = "Choice";
TypeRegistry.Set<{ readonly enum: readonly unknown[] }>(CHOICE, (shape, value) => shape.enum.includes(value));
// Looser than RFC 3339: anything that Date parses.
FormatRegistry.Set("date-time", (text) => !Number.isNaN(Date.parse(text)));

export function matches<S extends Shape>(shape: S, value: unknown): value is ValueOf<S> {
  return Check(shape, value);
}

/** `keywords` are additional JSON Schema keywords. */
export function text(description?: string, keywords: Readonly<Record<string, unknown>> = {}): TString {
  return StringShape({ ...keywords, ...descriptionKeyword(description) });
}

export function choice<const Words extends readonly string[]>(
  words: Words,
  description?: string,
): TUnsafe<Words[number]> {
  return Unsafe({ [Kind]: CHOICE, type: "string", enum: words, ...descriptionKeyword(description) });
}

export const literal: typeof Literal = Literal;
/** Wraps a JSON Schema as a shape of type `T`. */
export const rawSchema: <T>(schema: Readonly<Record<string, unknown>>) => TUnsafe<T> = Unsafe;
export const optional: typeof Optional = Optional;

export function allOptional(fields: TProperties): TProperties {
  return Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, Optional(shape)]));
}

/** The same value or null, in the JSON Schema. */
export function nullable<S extends Shape>(shape: S): S {
  return { ...shape, type: [shape["type"], "null"] };
}

export function flag(description?: string): ReturnType<typeof BooleanShape> {
  return BooleanShape(descriptionKeyword(description));
}

/** A non-negative integer. */
export function count(description?: string, keywords: Readonly<Record<string, unknown>> = {}): TInteger {
  return Integer({ minimum: 0, ...keywords, ...descriptionKeyword(description) });
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
  keywords: Readonly<Record<string, unknown>> = {},
): TUnsafe<readonly Static<S>[]> {
  const list: TArray<S> = ArrayShape(items, { ...keywords, ...descriptionKeyword(description) });
  return Unsafe(list);
}

export function mapOf<S extends Shape>(values: S, description?: string): TUnsafe<Readonly<Record<string, Static<S>>>> {
  return Unsafe(ObjectShape({}, { additionalProperties: values, ...descriptionKeyword(description) }));
}

/** An object that may have unknown fields, which a later version may add. For stored and sent values. */
export function openObject<F extends Fields>(fields: F, description?: string): TObject<F> {
  return ObjectShape(fields, descriptionKeyword(description));
}

/** An object with only these fields. For responses. */
export function closedObject<F extends Fields>(fields: F, description?: string): TObject<F> {
  return ObjectShape(fields, { additionalProperties: false, ...descriptionKeyword(description) });
}

/** Adds the name under which the OpenAPI document refers to the shape. */
export function named<S extends Shape>(name: string, shape: S): S {
  return { ...shape, $id: name };
}

function descriptionKeyword(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}
