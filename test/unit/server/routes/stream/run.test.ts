// Tests that a stream whose input and output never wait shares the event loop with other work.

import { expect, it } from "vitest";
import { encodeUtf8 } from "../../../../../src/base/bytes/bytes.ts";
import type { Policy } from "../../../../../src/bulk/run/options.ts";
import type { ByteSource } from "../../../../../src/bulk/streams.ts";
import type { ClassifierSetup } from "../../../../../src/detection/classifier.ts";
import { DEFAULT_CONFIDENCE } from "../../../../../src/lists/confidence.ts";
import { readStreamQuery } from "../../../../../src/server/routes/stream/parameters.ts";
import { Stream, StreamClassifiers } from "../../../../../src/server/routes/stream/run.ts";
import { streamSettings } from "../../../../../src/server/routes/stream/settings.ts";
import { lists } from "../../../../helpers/classify.ts";

const MAX_CHUNKS = 100;
const CHUNK = encodeUtf8("jane@gmail.com\njoe@mailinator.com\nbroken\n".repeat(500));

/** Yields rows until `isDone`, at most MAX_CHUNKS chunks. Reads never leave the microtask queue. */
function rowsUntil(isDone: () => boolean): ByteSource {
  let chunks = 0;
  return {
    read: async (target, offset) => {
      if (isDone() || chunks === MAX_CHUNKS) return 0;
      chunks += 1;
      target.set(CHUNK, offset);
      return CHUNK.length;
    },
    close: () => {},
  };
}

it.each(["", "explain=true"])("a long stream with the query %j does not block other requests", async (query) => {
  const policy = { syntax: {}, minConfidence: DEFAULT_CONFIDENCE };
  const createSetup = (setupPolicy: Policy): ClassifierSetup => ({ lists, ...setupPolicy, cacheEntries: 64 });
  const classifiers = new StreamClassifiers(policy, createSetup, undefined);
  const settings = streamSettings("lines", "ndjson", readStreamQuery(query), policy);
  let otherSteps = 0;
  const runOther = (): void => {
    otherSteps += 1;
    if (otherSteps < 5) setImmediate(runOther);
  };
  const source = rowsUntil(() => otherSteps === 5);
  const stream = await Stream.open(source, settings, classifiers.get(settings.rows.policy));
  setImmediate(runOther);
  await stream.run({ write: async () => {} }, new AbortController().signal);
  expect(otherSteps).toBe(5);
});
