// The bounds of a webhook's own headers. What is in one header is in ../channels.test.ts.

import { describe, expect, it } from "vitest";
import { parseHeaders } from "../../../../src/channels/config/parse.ts";

const headers = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, "v"]));

/** Names and values of so many bytes in all. */
function bytes(count: number): Record<string, string> {
  return { "X-1": "v".repeat(4096), "X-2": "v".repeat(count - 4096 - 6) };
}

describe("a webhook's headers", () => {
  it("a webhook's headers are at most 20", () => {
    expect(parseHeaders(headers(20))).toMatchObject({ ok: true });
    expect(parseHeaders(headers(21))).toMatchObject({
      ok: false,
      fault: { message: "config.headers has more than 20 headers: remove some" },
    });
  });

  it("have at most 8192 bytes of names and values", () => {
    expect(parseHeaders(bytes(8192))).toMatchObject({ ok: true });
    expect(parseHeaders(bytes(8193))).toMatchObject({
      ok: false,
      fault: { message: "config.headers has 8193 bytes of names and values: give at most 8192 in all" },
    });
  });
});
