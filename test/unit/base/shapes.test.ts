// Tests which values a shape accepts.

import { expect, it } from "vitest";
import {
  choice,
  closedObject,
  count,
  listOf,
  mapOf,
  matches,
  named,
  openObject,
  optional,
  text,
  time,
} from "../../../src/base/shapes.ts";

it.each([
  ["a choice", choice(["a", "b"]), ["a", "b"], ["c", "", 1, null, ["a"]]],
  ["a count", count(), [0, 7], [-1, 0.5, "1", null]],
  ["a time", time(), ["2026-11-21T12:00:00.000Z", "2026-11-21"], ["", "noon", 5]],
  ["a list", listOf(text()), [[], ["a"]], ["a", [1], [null], {}]],
  ["a map", mapOf(text()), [{}, { a: "b", "c\nd": "e" }], [[], null, { a: 1 }, { "a\nb": 1 }]],
  ["any object", openObject({}), [{}, { a: 1 }], [[], null, "a"]],
  ["an open object", openObject({ a: text(), b: optional(text()) }), [{ a: "", c: 1 }], [{}, { a: "", b: 1 }]],
  ["a closed object", closedObject({ a: text() }), [{ a: "" }], [{}, { a: "", c: 1 }, [], null]],
  ["a named object", named("Name", openObject({ a: text() })), [{ a: "" }], [{}]],
])("the shape for %s accepts only valid values", (_, shape, good, bad) => {
  for (const value of good) expect([value, matches(shape, value)]).toEqual([value, true]);
  for (const value of bad) expect([value, matches(shape, value)]).toEqual([value, false]);
});
