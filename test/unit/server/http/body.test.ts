// Tests media types and JSON bodies: what is accepted and what is rejected, in bounded time.

import { expect, it } from "vitest";
import { checkMediaType, parseJsonObject } from "../../../../src/server/http/body.ts";
import { RequestHeaders } from "../../../../src/server/http/request-context.ts";

const JSON_BODY = { types: ["application/json"] };

const JSON_TYPE = ["Content-Type", "application/json"];

function checkType(...raw: readonly string[]): ReturnType<typeof checkMediaType> {
  return checkMediaType(new RequestHeaders(raw), JSON_BODY);
}

it.each([
  "application/json; charset=utf-8",
  "application/json ; x=y",
  ...`application/json Application/JSON application/json;charset="UTF-8"`.split(" "),
])("checkMediaType accepts %s", (type) => {
  expect(checkType("Content-Type", type)).toBeUndefined();
});

it.each([
  "",
  "application/json; charset=iso-8859-1",
  ..."text/plain application/x-www-form-urlencoded application/jsonx application/merge-patch+json".split(" "),
])("checkMediaType rejects %j", (type) => {
  expect(checkType("Content-Type", type)).toMatchObject({ status: 415 });
});

it("checkMediaType rejects a compressed body", () => {
  expect(checkType(...JSON_TYPE, "Content-Encoding", "gzip")).toMatchObject({ status: 415 });
  expect(checkType(...JSON_TYPE, "Content-Encoding", "identity")).toBeUndefined();
});

it("checkMediaType rejects a missing or repeated Content-Type", () => {
  expect(checkType()).toMatchObject({ status: 415 });
  expect(checkType(...JSON_TYPE, ...JSON_TYPE)).toMatchObject({ status: 415 });
});

function faultMessage(text: string | Uint8Array): string | undefined {
  const parsed = parseJsonObject(typeof text === "string" ? new TextEncoder().encode(text) : text);
  return "rejection" in parsed ? (JSON.parse(String(parsed.rejection.body)) as { message: string }).message : undefined;
}

it.each(["{}", '{"a":[[[1]]]}', '\ufeff{"a":1}', `{"a":"${"[".repeat(1000)}"}`, '{"a":"\\"[[[["}', ' {"a":"\\\\"} '])(
  "parseJsonObject accepts $0",
  (text) => {
    expect(faultMessage(text)).toBeUndefined();
  },
);

it.each([
  ["", "not JSON"],
  ["{", "not JSON"],
  ['{"a":1', "not JSON"],
  ["{'a':1}", "not JSON"],
  ["[]", "must be a JSON object"],
  ["null", "must be a JSON object"],
  ['"text"', "must be a JSON object"],
  ["12", "must be a JSON object"],
  ["[".repeat(100_000), "nested more than"],
  ['{"a":'.repeat(50_000), "nested more than"],
  [`{"a":${"[".repeat(40)}${"]".repeat(40)}}`, "nested more than"],
])("parseJsonObject rejects $0: $1", (text, message) => {
  expect(faultMessage(text)).toContain(message);
});

it.each([[[0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]], [[0xff, 0xfe, 0x7b, 0x00]], [[0xed, 0xa0, 0x80]]])(
  "parseJsonObject rejects the bytes %j, which are not UTF-8",
  (bytes) => {
    expect(faultMessage(Uint8Array.from(bytes))).toContain("not UTF-8");
  },
);
