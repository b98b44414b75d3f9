// Tests payloads against their schemas, the text of messages, and the delays between attempts.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matches, type TObject } from "../../../src/base/shapes.ts";
import { MAX_ATTEMPTS, retryDelayMs } from "../../../src/channels/attempt.ts";
import { createEvent, describeEvent, EVENT_DEFINITIONS, type EventData } from "../../../src/channels/events.ts";
import { EVENTS } from "../../../src/channels/kinds.ts";
import { renderEventMail } from "../../../src/channels/mail/templates.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const DATA: EventData = {
  "channel.test": { channel_id: "ch_1" },
  "detection.completed": {
    rows: 3,
    classes: { valid: 2, invalid: 1 },
    duration_ms: 65_000,
    exit_status: 1,
    data_version: "v",
  },
  "lists.updated": { data_version: "v2", previous_data_version: "v1", disposable_added: 1000, disposable_removed: 2 },
  "lists.update_failed": { data_version: "v1", reason: "the source could not be fetched" },
};

describe.each(EVENTS)("%s", (name) => {
  const event = createEvent(name, DATA[name] as never, NOW);

  it(`the payload of ${name} has exactly the fields of its schema`, () => {
    const shape: TObject = EVENT_DEFINITIONS[name].shape;
    const { required = [], properties } = shape;
    expect(matches(shape, event)).toBe(true);
    expect(Object.keys(event).sort()).toEqual([...required].sort());
    expect(Object.keys(event.data).sort()).toEqual([...(properties["data"]?.["required"] ?? [])].sort());
    expect(properties["type"]?.["const"]).toBe(name);
    expect(event).toMatchObject({ version: 1, timestamp: "2026-11-21T12:00:00.000Z" });
  });

  it(`the mail about ${name} contains all texts of the payload`, () => {
    const { subject, text, html } = renderEventMail(event as never, "ops");
    expect(subject).toMatch(/^\[ops\] [A-Z]/);
    for (const part of [text, html]) expect(part).toContain("2026-11-21T12:00:00.000Z");
    for (const value of Object.values(DATA[name])) {
      if (typeof value === "string") expect(text).toContain(value);
    }
  });
});

it("a failed run is reported with its error", () => {
  const failure = { rows: 0, duration_ms: 0, exit_status: 2, error: "can't read in.csv: check its name" };
  const { text } = createEvent("detection.completed", { ...DATA["detection.completed"], ...failure }, NOW);
  expect(text).toBe(
    "Detection failed (exit status 2): 0 rows were classified in 0.0 s. Can't read in.csv: check its name.",
  );
});

it.each([
  [1, 119_600, "1 row was classified in 2 min 0 s."],
  [0, 0, "0 rows were classified in 0.0 s."],
  [2, 1049, "2 rows were classified in 1.0 s."],
  [1_234_567, 59_949, "1,234,567 rows were classified in 59.9 s."],
  [1000, 59_950, "1,000 rows were classified in 1 min 0 s."],
  [3, 60_000, "3 rows were classified in 1 min 0 s."],
  [4, 3_599_499, "4 rows were classified in 59 min 59 s."],
])("a run of %d rows in %d ms is reported as %s", (rows, duration_ms, text) => {
  const data = { ...DATA["detection.completed"], rows, duration_ms };
  expect(describeEvent(createEvent("detection.completed", data, 0)).paragraphs).toEqual([text]);
});

it.each([
  [{}, "Lists updated: New lists are in use: 1 disposable domain was added, 2 removed."],
  [
    { rolled_back: true },
    "Lists rolled back: Earlier lists are in use again: 1 disposable domain was added, 2 removed.",
  ],
])("the text of lists.updated with %o is %s", (more, text) => {
  const data = { ...DATA["lists.updated"], disposable_added: 1, ...more };
  expect(createEvent("lists.updated", data, NOW).text).toBe(text);
});

it("the mail about a run has its label in the subject, and counts only classes that have rows", () => {
  const classes = { valid: 2, no_reply: 1, unreserved: 2, invalid: 0 };
  const data = { ...DATA["detection.completed"], classes, label: "\u202enightly" };
  const { subject, text } = renderEventMail(createEvent("detection.completed", data, NOW), "ops");
  expect(subject).toBe("[ops] Detection completed: nightly");
  expect(text.match(/^\w[\w ]*:/gm)).toEqual(["Valid:", "No reply:", "Exit status:", "Lists:", "Time:"]);
});

it.each([
  [0, "Detection completed"],
  [1, "Detection completed"],
  [2, "Detection failed (exit status 2)"],
  [129, "Detection was interrupted (exit status 129)"],
  [130, "Detection was interrupted (exit status 130)"],
  [143, "Detection was interrupted (exit status 143)"],
])("the text and the mail subject of a run with exit status %d start with %s", (exit_status, heading) => {
  const event = createEvent("detection.completed", { ...DATA["detection.completed"], exit_status }, NOW);
  expect(event.text).toBe(`${heading}: 3 rows were classified in 1 min 5 s.`);
  expect(renderEventMail(event, "ops").subject).toBe(`[ops] ${heading}`);
});

it("the retry delay grows and ends after the last attempt", () => {
  const delays = Array.from({ length: MAX_ATTEMPTS - 1 }, (_, i) => retryDelayMs(i + 1, undefined, () => 0) ?? 0);
  expect(delays).toEqual([...delays].sort((a, b) => a - b));
  expect(delays[0]).toBe(5000);
  expect(new Set(delays).size).toBe(MAX_ATTEMPTS - 1);
  expect(retryDelayMs(MAX_ATTEMPTS, undefined, () => 0)).toBeUndefined();
});

it("the retry delay has up to 25 % jitter and is never shorter than Retry-After", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: MAX_ATTEMPTS - 1 }),
      fc.nat(86_400_000),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (attempts, after, chance) => {
        const base = retryDelayMs(attempts, undefined, () => 0) ?? 0;
        const delay = retryDelayMs(attempts, after, () => chance) ?? 0;
        expect(delay).toBeGreaterThanOrEqual(Math.max(base, after));
        expect(delay).toBeLessThanOrEqual(Math.ceil(Math.max(base, after) * 1.25));
      },
    ),
  );
});
