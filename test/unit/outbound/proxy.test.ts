// Tests which requests use a proxy: environment variables, valid proxy URLs, and the rules of NO_PROXY.

import { expect, it } from "vitest";
import { basicAuthorization, createProxyFor, parseProxyUrl } from "../../../src/outbound/proxy.ts";

const PROXY = new URL("http://proxy.example:3128");

it.each([
  [{}, undefined, undefined],
  [{ HTTPS_PROXY: "http://a:1" }, "a:1", undefined],
  [{ HTTP_PROXY: "http://a:1" }, "a:1", "a:1"],
  [{ HTTPS_PROXY: "http://a:1", HTTP_PROXY: "b:2" }, "a:1", "b:2"],
  [{ https_proxy: "http://a:1", HTTPS_PROXY: "http://b:2" }, "a:1", undefined],
  [{ https_proxy: "", HTTPS_PROXY: " https://b:2/ " }, "b:2", undefined],
  [{ HTTPS_PROXY: "http://a:1", NO_PROXY: "*" }, undefined, undefined],
  [{ HTTPS_PROXY: "http://a:1", no_proxy: "x.example" }, undefined, undefined],
])("with %j, the proxy is %s for https, %s for http", (env, httpsProxy, httpProxy) => {
  const proxyFor = createProxyFor(env);
  expect(proxyFor(new URL("https://x.example/"))?.host).toBe(httpsProxy);
  expect(proxyFor(new URL("http://x.example/"))?.host).toBe(httpProxy);
});

it.each([
  ["a.example", "https://a.example/", true],
  ["a.example", "https://b.a.example/", true],
  ["A.Example", "https://a.example/", true],
  ["a.example", "https://ba.example/", false],
  [".a.example", "https://a.example/", true],
  ["*.a.example", "https://b.a.example/", true],
  ["b.example, a.example", "https://a.example/", true],
  ["b.example a.example", "https://a.example/", true],
  ["a.example:8443", "https://a.example:8443/", true],
  ["a.example:8443", "https://a.example/", false],
  ["a.example:443", "https://a.example/", true],
  ["a.example:80", "http://a.example/", true],
  ["10.0.0.1", "https://10.0.0.1/", true],
  ["2001:db8::1", "https://[2001:db8::1]/", true],
  ["[2001:db8::1]:443", "https://[2001:db8::1]/", true],
  ["[2001:db8::1]:80", "https://[2001:db8::1]/", false],
  ["*", "https://a.example/", true],
  ["", "https://a.example/", false],
  ["", "http://localhost/", true],
  ["", "http://127.0.0.1/", true],
  ["", "http://[::1]/", true],
])("NO_PROXY %j applies to %s: %s", (rules, url, isDirect) => {
  expect(createProxyFor({ NO_PROXY: rules }, PROXY)(new URL(url)) === undefined).toBe(isDirect);
});

it.each([
  "socks5://a:1",
  "http://",
  "foo",
  "anna:1@foo",
  "foo:",
  "http://a:/",
  "ftp://a",
  "http://a/path",
  "http://a?q=1",
  "a b",
])("parseProxyUrl rejects %j", (text) => {
  expect(() => parseProxyUrl(text, "--proxy")).toThrow(/^--proxy is not the URL of an HTTP proxy: give one such as /);
});

it.each([
  ["http://a", undefined],
  ["http://anna@a", "anna:"],
  ["http://anna:p%20w@a", "anna:p w"],
  ["anna:p%zz@a:1", "anna:p%zz"],
])("proxy URL %s has the credentials %s", (text, credentials) => {
  const basic = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  expect(basicAuthorization(parseProxyUrl(text, "--proxy"))).toBe(basic);
});
