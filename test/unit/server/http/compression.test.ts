// Tests which Accept-Encoding headers select gzip.

import { expect, it } from "vitest";
import { acceptsGzip } from "../../../../src/server/http/body-io.ts";

it.each([
  ["gzip", true],
  ["deflate, GZIP;q=0.5, br", true],
  ["x-gzip", true],
  ["*", true],
  ["br, *;q=0.1", true],
  ["", false],
  ["br", false],
  ["identity", false],
  ["gzip;q=0", false],
  ["gzip;q=0.000", false],
  ["gzip;q=0, *", false],
  ["*;q=0", false],
])("Accept-Encoding %j allows gzip: %s", (header, allowsGzip) => {
  expect(acceptsGzip(header)).toBe(allowsGzip);
});
