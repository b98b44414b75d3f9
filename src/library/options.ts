// Validates the library's arguments at run time, for callers in plain JavaScript.

import { SYNTAX_SWITCHES } from "../address/options.ts";
import { formatAlternatives, suggestName } from "../base/closest-names.ts";
import { usageError } from "../base/errors.ts";
import { CONFIDENCES } from "../lists/confidence.ts";

/** Returns what the value should be; undefined if it is valid. */
type Check = (value: unknown, name: string) => string | undefined;
type Checks = Readonly<Record<string, Check>>;

const flag: Check = (value) => (typeof value === "boolean" ? undefined : "true or false");

const oneOf =
  (values: readonly string[]): Check =>
  (value) =>
    values.includes(value as string) ? undefined : formatAlternatives(values);

const withMethod =
  (method: string, expected: string): Check =>
  (value) =>
    typeof (value as Readonly<Record<string, unknown>> | null)?.[method] === "function" ? undefined : expected;

/** Returns the name of a built-in class. `instanceof` fails for an object of another realm. */
const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice("[object ".length, -1);

/** Checks the types of an override map. createDetector checks the form of its keys. */
const checkOverrides: Check = (value, name) => {
  if (tagOf(value) !== "Map") return "a Map of domains to true or false";
  for (const [entry, disposable] of value as ReadonlyMap<unknown, unknown>) {
    if (typeof entry !== "string") rejectType(`an entry of ${name}`, "a domain or an address", entry);
    if (typeof disposable !== "boolean") rejectType(`${name} of "${entry}"`, "true or false", disposable);
  }
  return undefined;
};

export const SYNTAX_OPTIONS: Checks = Object.fromEntries(Object.values(SYNTAX_SWITCHES).map((name) => [name, flag]));

const bytesOrFile: Check = (value) => {
  if (isBytes(value)) return undefined;
  if (tagOf(value) !== "URL") return "a Uint8Array or a file URL";
  if ((value as URL).protocol === "file:") return undefined;
  return "a file URL, or the bytes that fetch returns for another URL (await (await fetch(url)).bytes())";
};

export const DETECTOR_OPTIONS: Checks = {
  syntax: (value, name) => {
    checkOptions(value, SYNTAX_OPTIONS, name);
    return undefined;
  },
  minConfidence: oneOf(CONFIDENCES),
  overrides: checkOverrides,
  home: (value) => (typeof value === "string" && value !== "" ? undefined : "the path of a folder"),
  lists: bytesOrFile,
  onWarning: (value) => (typeof value === "function" ? undefined : "a function"),
  resolver: withMethod("route", "createDnsResolver() or an object with a method route"),
};

export const DETECT_MANY_OPTIONS: Checks = { explain: flag, classes: flag };

export const DETECT_OPTIONS: Checks = {
  ...DETECT_MANY_OPTIONS,
  dns: oneOf(["on", "off"]),
  signal: withMethod("addEventListener", "an AbortSignal"),
};

const number: Check = (value) => (typeof value === "number" ? undefined : "a number");

export const RESOLVER_OPTIONS: Checks = {
  servers: (value) =>
    Array.isArray(value) && value.every((server) => typeof server === "string") ? undefined : "an array of ADDR[:PORT]",
  timeoutMs: number,
  waitMs: (value) => (value === "unbounded" || typeof value === "number" ? undefined : 'a number or "unbounded"'),
  maxQueriesInFlight: number,
  cacheEntries: number,
};

export function isBytes(value: unknown): value is Uint8Array {
  return tagOf(value) === "Uint8Array";
}

/** Throws AddrsiftError USAGE for an unknown option or an invalid value. */
export function checkOptions(options: unknown, checks: Checks, parent = ""): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    rejectType(parent === "" ? "the options" : `option ${parent}`, "an object", options);
  }
  const prefix = parent === "" ? "" : `${parent}.`;
  for (const [name, value] of Object.entries(options as object)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined)
      throw usageError(`unknown option ${prefix}${name}: ${suggestName(name, Object.keys(checks))}`);
    const expected = value === undefined ? undefined : check(value, `${prefix}${name}`);
    if (expected !== undefined) rejectType(`option ${prefix}${name}`, expected, value);
  }
}

/** Throws AddrsiftError USAGE: `subject` must be `expected`, not `value`. */
export function rejectType(subject: string, expected: string, value: unknown): never {
  throw usageError(`${subject} must be ${expected}, not ${describeValue(value)}`);
}

function describeValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return "an array";
  if (tagOf(value) === "URL") return String(value);
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "function" ? "a function" : String(value);
}
