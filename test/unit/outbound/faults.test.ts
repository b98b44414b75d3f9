// Tests error messages of requests: what callers see, and what only an operator sees.

import { networkInterfaces } from "node:os";
import { expect, it } from "vitest";
import { toOutboundFault } from "../../../src/outbound/faults.ts";
import { ProxyError } from "../../../src/outbound/proxy.ts";

const hasNetwork = Object.values(networkInterfaces()).some((all) => all?.some(({ internal }) => !internal));
const PROXY = new URL("http://anna:pw@proxy.example:3128");

const errorWith = (code: string): Error => Object.assign(new Error("x"), { code });
const messageOf = (error: unknown, forOperator: boolean, proxy?: URL, host = "hook.example"): string => {
  const { code, message } = toOutboundFault(error, host, { forOperator, proxy });
  return `${code}: ${message}`;
};

it.each([
  ["EHOSTUNREACH", "connect: hook.example can't be reached"],
  ["EADDRNOTAVAIL", "connect: hook.example can't be reached"],
  ["ETIMEDOUT", "timeout: hook.example did not accept the connection in time"],
])("only the message for the operator has the fix for %s", (code, plain) => {
  expect(messageOf(errorWith(code), false)).toBe(plain);
  const help = hasNetwork ? ": check the network; if this network requires a proxy, set HTTPS_PROXY" : "no network";
  expect(messageOf(errorWith(code), true).endsWith(help)).toBe(true);
  if (hasNetwork) expect(messageOf(errorWith(code), true)).toBe(plain + help);
});

it.each([
  ["ECONNREFUSED", "connect: hook.example refused the connection"],
  ["UND_ERR_SOCKET", "answer: hook.example closed the connection without a complete answer"],
  ["ECONNRESET", "answer: hook.example closed the connection without a complete answer"],
  ["HPE_INVALID", "answer: hook.example did not answer in HTTP (HPE_INVALID)"],
  ["CERT_HAS_EXPIRED", "tls: the TLS certificate or handshake of hook.example failed (CERT_HAS_EXPIRED)"],
])("callers and the operator get the same message about %s", (code, line) => {
  expect([messageOf(errorWith(code), false), messageOf(errorWith(code), true)]).toEqual([line, line]);
});

it("the message for the operator about an unknown certificate authority names NODE_EXTRA_CA_CERTS", () => {
  expect(messageOf(errorWith("SELF_SIGNED_CERT_IN_CHAIN"), true)).toMatch(
    /^tls: .* not trusted here \(SELF_SIGNED_CERT_IN_CHAIN\): if a proxy decrypts TLS, set NODE_EXTRA_CA_CERTS to the file of its CA certificate$/,
  );
});

it("the message is about the first of several connection errors, and general for an error without a code", () => {
  const errors = [errorWith("ECONNREFUSED"), errorWith("EPIPE")];
  expect(messageOf(Object.assign(new Error("x"), { errors }), false)).toMatch(/refused the connection$/);
  expect(messageOf(new Error("x"), false)).toBe("answer: hook.example did not answer in HTTP");
});

it.each([
  [errorWith("ECONNREFUSED"), PROXY, "connect: # refused the connection"],
  [errorWith("ENOTFOUND"), PROXY, "name: the host name of # can't be resolved: check its URL"],
  [407, PROXY, "answer: # rejected the user name and password (407): put them in its URL"],
  [407, new URL(PROXY.origin), "answer: # requires a user name and password (407): put them in its URL"],
  [502, PROXY, "answer: # did not connect to hook.example%"],
])("only the operator sees the proxy's name in a proxy fault: %s", (cause, proxy, line) => {
  const error = new ProxyError("", { cause });
  const expected = (name: string, status: string): string => line.replace("#", name).replace("%", status);
  expect(messageOf(error, false, proxy)).toBe(expected("the operator's proxy", ""));
  expect(messageOf(error, true, proxy)).toBe(expected("the proxy proxy.example:3128", ` (${cause})`));
});

it("the message about an unknown name has no port, as the one about an internal name", () => {
  const message = messageOf(errorWith("ENOTFOUND"), false, undefined, "hook.example:8443");
  expect(message).toMatch(/^name: hook\.example does not resolve to a public IP address/);
  const refusal = messageOf(errorWith("ECONNREFUSED"), false, undefined, "hook.example:8443");
  expect(refusal).toBe("connect: hook.example:8443 refused the connection");
});
