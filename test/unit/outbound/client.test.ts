// Tests requests over real sockets: no spelling, DNS answer or redirect reaches a special address; time and size are
// limited.

import { createServer as createTcpServer, type Server, Socket } from "node:net";
import * as ipaddr from "ipaddr.js";
import * as undici from "undici";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createClient,
  type OutboundClient,
  type OutboundOutcome,
  type OutboundRequest,
} from "../../../src/outbound/client.ts";
import { createGuard } from "../../../src/outbound/guard.ts";
import { type Lookup, systemLookup } from "../../../src/outbound/lookup.ts";
import { startConnectProxy, startTlsHost } from "../../helpers/connect-proxy.ts";
import { listenOnFreePort } from "../../helpers/listening.ts";
import { type Receiver, startReceiver, status } from "../../helpers/receiver.ts";

const LOOPBACK = ["127.0.0.0/8", "::1"];

function clientWith(
  allowed: readonly string[],
  lookup: Lookup = systemLookup,
  undiciModule: object = undici,
  more: Partial<Parameters<typeof createClient>[0]> = {},
): OutboundClient {
  const guard = () => createGuard(ipaddr, allowed);
  return createClient({ undici: () => undiciModule as typeof undici, guard, lookup, ...more });
}

function post(client: OutboundClient, url: string, more: Partial<OutboundRequest> = {}): Promise<OutboundOutcome> {
  const request = {
    method: "POST",
    url,
    body: "{}",
    timeoutMs: 9000,
    bodyLimitBytes: 1024,
    overLimit: "truncate",
  } as const;
  return client.send({ ...request, ...more });
}

function faultOf(outcome: OutboundOutcome): { code: string; message: string } {
  if (outcome.ok) throw new Error(`got a response: ${outcome.response.status}`);
  return outcome.fault;
}

function responseOf(outcome: OutboundOutcome): { status: number; headers: Record<string, string>; text: string } {
  if (!outcome.ok) throw new Error(outcome.fault.message);
  const { status: code, headers, body } = outcome.response;
  return { status: code, headers: { ...headers }, text: Buffer.from(body).toString("utf8") };
}

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const NOT_PUBLIC_MESSAGE =
  "hook.example does not resolve to a public IP address: check the name; the operator can allow a private range with --allow-private";

describe("a request to a special address", () => {
  const connect = vi.spyOn(Socket.prototype, "connect");
  beforeEach(() => {
    connect.mockClear();
  });
  afterAll(() => {
    connect.mockRestore();
  });

  const spellings = `127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.0.0.1. 0 0.0.0.0
    １２７.0.0.1 127。0。0。1 %31%32%37.0.0.1 ①②⑦.0.0.1 [::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1]
    [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::127.0.0.1] [2002:7f00:1::] user:secret@127.0.0.1
    example.com@127.0.0.1 localhost LOCALHOST 169.254.169.254 0xa9fea9fe [::ffff:169.254.169.254] [fe80::1]
    [fd00:ec2::254] 10.0.0.1 192.168.0.1`.split(/\s+/);

  it.each(spellings)("a request to the special address %s is blocked", async (host) => {
    const fault = faultOf(await post(clientWith([]), `http://${host}:${receiver.port}/x?token=hidden`));
    expect(fault.code).toBe("address");
    expect(fault.message).toMatch(
      /is an? .*: requests go only to public addresses; .*--allow-private|localhost does not resolve to a public IP address: /i,
    );
    expect(fault.message).not.toMatch(/secret|hidden/);
    expect(connect).not.toHaveBeenCalled();
  });

  const lookupResults: readonly (readonly [string, readonly string[]])[] = [
    ["loopback", ["127.0.0.1"]],
    ["the metadata service", ["169.254.169.254"]],
    ["a public and a private address", ["1.1.1.1", "127.0.0.1"]],
    ["a private and a public address", ["10.0.0.1", "1.1.1.1"]],
    ["NAT64 of loopback", ["64:ff9b::7f00:1"]],
    ["IPv4-mapped loopback", ["::ffff:127.0.0.1"]],
    ["6to4 of loopback", ["2002:7f00:1::"]],
    ["an address with a zone", ["fe80::1%lo"]],
    ["no IP address", ["localhost"]],
    ["no address", []],
    ["far too many addresses", Array.from({ length: 33 }, (_, i) => `127.0.1.${i + 1}`)],
  ];

  it.each(lookupResults)("a request to a name that resolves to %s is blocked", async (_, addresses) => {
    const client = clientWith(["127.0.1.0/24"], async () => addresses);
    const fault = faultOf(await post(client, `http://hook.example:${receiver.port}/`));
    expect(fault.message).toBe(NOT_PUBLIC_MESSAGE);
    expect(connect).not.toHaveBeenCalled();
  });

  it.each(["ENOTFOUND", "ENODATA", "EAI_AGAIN", "EAI_FAIL"])(
    "a name whose lookup fails with %s gets the same message as a name with a private address",
    async (code) => {
      const client = clientWith([], () => Promise.reject(Object.assign(new Error(code), { code })));
      expect(faultOf(await post(client, `http://hook.example:${receiver.port}/`)).message).toBe(NOT_PUBLIC_MESSAGE);
    },
  );

  it.each([
    ["ENOTFOUND", /^the name servers have no address for hook\.example: check the name; .* HTTPS_PROXY$/],
    ["EAI_AGAIN", /^no name server answered for hook\.example: check the machine's name servers; .* HTTPS_PROXY$/],
  ])("the message for the operator says why the lookup of a name failed: %s", async (code, message) => {
    const lookup: Lookup = () => Promise.reject(Object.assign(new Error(code), { code }));
    const client = clientWith([], lookup, undici, { forOperator: true });
    const operatorMessage = faultOf(await post(client, "http://hook.example/")).message;
    if (!operatorMessage.endsWith("this machine has no network")) expect(operatorMessage).toMatch(message);
    expect(operatorMessage).not.toContain("--allow-private");
  });

  it("the message for the operator has the blocked address of a name", async () => {
    const lookup: Lookup = async () => ["10.1.2.3"];
    const client = clientWith([], lookup, undici, { forOperator: true });
    expect(faultOf(await post(client, "http://hook.example/"))).toEqual({
      code: "address",
      message: "hook.example leads to 10.1.2.3, a private address: --allow-private can open its range",
    });
  });

  it("a name is resolved once, so DNS rebinding can't reach a blocked address", async () => {
    // 127.0.0.2 stands in for a public address.
    const other = await startReceiver(status(200), "127.0.0.2");
    let lookups = 0;
    const rebinding: Lookup = async () => (lookups++ === 0 ? ["127.0.0.2"] : ["127.0.0.1"]);
    const client = clientWith(["127.0.0.2"], rebinding);
    expect(responseOf(await post(client, `http://hook.example:${other.port}/`)).status).toBe(200);
    expect(lookups).toBe(1);
    expect(faultOf(await post(client, `http://hook.example:${receiver.port}/`)).code).toBe("address");
    expect(receiver.connections()).toBe(0);
    await other.close();
  });

  it("a connection whose peer has a blocked address is closed", async () => {
    const buildConnector: typeof undici.buildConnector = (options) => {
      const connector = undici.buildConnector(options);
      return (target, callback) => connector({ ...target, hostname: "127.0.0.1" }, callback);
    };
    const client = clientWith(["127.0.0.2"], systemLookup, { ...undici, buildConnector });
    const fault = faultOf(await post(client, `http://127.0.0.2:${receiver.port}/`));
    expect(fault.message).toMatch(/^127\.0\.0\.2 does not resolve to a public IP address: /);
    expect(receiver.received).toEqual([]);
  });

  it("a redirect to a blocked address is not followed", async () => {
    const target = await startReceiver();
    receiver.answer = status(307, { location: `${target.url}/` });
    const { status: code } = responseOf(await post(clientWith(LOOPBACK), receiver.url));
    expect(code).toBe(307);
    expect(target.connections()).toBe(0);
    await target.close();
  });
});

it.each([
  ["ftp://127.0.0.1/", "neither http nor https"],
  ["file:///etc/passwd", "neither http nor https"],
  ["javascript:alert(1)", "neither http nor https"],
  ["unix:/run/docker.sock", "neither http nor https"],
  ["http://", "can't be read"],
  ["no url", "can't be read"],
  ["http://127.0.0.1:25/", "port 25 is not for HTTP"],
  ["http://127.0.0.1:0/", "port 0 is not for HTTP"],
])("a request to the URL %s is rejected: %s", async (url, message) => {
  expect(faultOf(await post(clientWith(LOOPBACK), url))).toMatchObject({ code: "url" });
  expect(faultOf(await post(clientWith(LOOPBACK), url)).message).toMatch(message);
});

it("a URL's credentials are sent as Basic authorization, not in the path", async () => {
  await post(clientWith(LOOPBACK), `http://us%C3%A9r:p%40ss%zz@127.0.0.1:${receiver.port}/in?key=1#part`);
  const [{ url, headers } = { url: "", headers: {} }] = receiver.received;
  expect(url).toBe("/in?key=1");
  expect(headers.authorization).toBe(`Basic ${Buffer.from("usér:p%40ss%zz").toString("base64")}`);
  expect(headers.connection).toBe("close");
});

it("a receiver in an allowed range can be reached by name and by IPv6 address", async () => {
  const receiver6 = await startReceiver(status(200), "::1").catch(() => undefined);
  const client = clientWith(LOOPBACK);
  expect(responseOf(await post(client, `http://localhost:${receiver.port}/`)).status).toBe(204);
  if (receiver6 !== undefined) expect(responseOf(await post(client, receiver6.url)).status).toBe(200);
  await receiver6?.close();
});

it("a response has status, headers and body", async () => {
  receiver.answer = (response) => response.writeHead(429, { "Retry-After": "7", "X-Two": ["a", "b"] }).end("later");
  const response = responseOf(await post(clientWith(LOOPBACK), receiver.url));
  expect(response).toMatchObject({ status: 429, text: "later", headers: { "retry-after": "7" } });
});

it("an endless response body is truncated, or fails if overLimit is fault", async () => {
  receiver.answer = (response) => {
    const chunk = Buffer.alloc(65_536, "x");
    const fill = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on("drain", fill).on("error", () => {});
    fill();
  };
  const client = clientWith(LOOPBACK);
  const request = { method: "GET", bodyLimitBytes: 100_000 } as const;
  expect(responseOf(await post(client, receiver.url, { bodyLimitBytes: 100_000 })).text.length).toBe(100_000);
  const fault = faultOf(await post(client, receiver.url, { ...request, overLimit: "fault" }));
  expect(fault).toEqual({
    code: "size",
    message: `${new URL(receiver.url).host} answered with more than 100000 bytes`,
  });
});

it("a response body of exactly the limit is complete, and one byte more is a fault", async () => {
  receiver.answer = (response) => response.end("12345678");
  const exact = { bodyLimitBytes: 8, overLimit: "fault" } as const;
  expect(responseOf(await post(clientWith(LOOPBACK), receiver.url, exact)).text).toBe("12345678");
  expect(faultOf(await post(clientWith(LOOPBACK), receiver.url, { ...exact, bodyLimitBytes: 7 })).code).toBe("size");
});

it("the request does not wait for the rest of a truncated response body", async () => {
  receiver.answer = (response) => response.write("12345678");
  const truncated = { bodyLimitBytes: 8, timeoutMs: 600_000 };
  expect(responseOf(await post(clientWith(LOOPBACK), receiver.url, truncated)).text).toBe("12345678");
});

it("a response body that ends early is a fault only if overLimit is fault", async () => {
  receiver.answer = (response) => {
    response.writeHead(200, { "Content-Length": "100" });
    response.write("half");
    setTimeout(() => response.destroy(), 20);
  };
  const client = clientWith(LOOPBACK);
  expect(responseOf(await post(client, receiver.url)).status).toBe(200);
  expect(faultOf(await post(client, receiver.url, { overLimit: "fault" })).code).toBe("answer");
});

it("a response that never arrives fails at the deadline", async () => {
  receiver.answer = () => {};
  const fault = faultOf(await post(clientWith(LOOPBACK), receiver.url, { timeoutMs: 300 }));
  expect(fault).toEqual({ code: "timeout", message: `${new URL(receiver.url).host} did not answer within 0.3 s` });
});

it("response headers that are too slow or too large are a fault", async () => {
  const slowServer = await startTcp((write) => {
    write("HTTP/1.1 200 OK\r\n");
    return setInterval(() => write("x-a: b\r\n"), 20);
  });
  expect(faultOf(await post(clientWith(LOOPBACK), slowServer.url, { timeoutMs: 300 })).code).toBe("timeout");
  const largeServer = await startTcp((write) => void write(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(70_000)}\r\n\r\n`));
  expect(faultOf(await post(clientWith(LOOPBACK), largeServer.url)).code).toBe("size");
  for (const server of [slowServer, largeServer]) server.close();
});

it.each([
  ["something other than HTTP", "SSH-2.0-OpenSSH_9.2\r\n", /did not answer in HTTP/],
  ["nothing at all", "", /closed the connection without a complete answer/],
])("a request to a server that sends %s fails", async (_, text, message) => {
  const server = await startTcp((write, end) => {
    if (text !== "") write(text);
    else end();
  });
  const fault = faultOf(await post(clientWith(LOOPBACK), server.url));
  expect(fault.code).toBe("answer");
  expect(fault.message).toMatch(message);
  server.close();
});

it("a request to a closed port or unknown host, or with an invalid header, fails with a one-line reason", async () => {
  const closed = await startReceiver();
  await closed.close();
  const client = clientWith(LOOPBACK);
  expect(faultOf(await post(client, closed.url))).toEqual({
    code: "connect",
    message: `${new URL(closed.url).host} refused the connection`,
  });
  const unknown: Lookup = () => Promise.reject(Object.assign(new Error("x"), { code: "ENOTFOUND" }));
  expect(faultOf(await post(clientWith(LOOPBACK, unknown), "http://hook.example/")).message).toMatch(
    /does not resolve to a public IP address/,
  );
  const header = { headers: { "X-Bad": "a\r\nX-Evil: secret" } };
  const fault = faultOf(await post(client, receiver.url, header));
  expect(fault.code).toBe("request");
  expect(fault.message).not.toContain("secret");
  expect(receiver.received).toEqual([]);
});

it("a request whose DNS lookup hangs fails at the deadline and never connects", async () => {
  let resolve: (addresses: string[]) => void = () => {};
  const lateLookup: Lookup = () => new Promise((done) => (resolve = done));
  const fault = faultOf(
    await post(clientWith(LOOPBACK, lateLookup), `http://hook.example:${receiver.port}/`, { timeoutMs: 100 }),
  );
  expect(fault.code).toBe("timeout");
  resolve(["127.0.0.1"]);
  await new Promise((done) => setTimeout(done, 50));
  expect(receiver.connections()).toBe(0);
});

it("TLS certificates are verified even with NODE_TLS_REJECT_UNAUTHORIZED=0", async () => {
  const { port, close } = await startTlsHost("seen");
  Object.assign(process.env, { NODE_TLS_REJECT_UNAUTHORIZED: "0" });
  try {
    const fault = faultOf(await post(clientWith(LOOPBACK), `https://localhost:${port}/`));
    expect(fault).toEqual({
      code: "tls",
      message: expect.stringMatching(/ of localhost:\d+ failed \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)$/),
    });
    expect(faultOf(await post(clientWith(LOOPBACK), `https://localhost:${receiver.port}/`)).code).toBe("tls");
  } finally {
    Reflect.deleteProperty(process.env, "NODE_TLS_REJECT_UNAUTHORIZED");
    close();
  }
});

it("HTTP and HTTPS requests go through a proxy, and the host's certificate is verified", async () => {
  const { port, close } = await startTlsHost("seen");
  const [httpProxy, httpsProxy] = [await startConnectProxy(receiver.port), await startConnectProxy(port)];
  const client = clientWith(LOOPBACK, systemLookup, undici, {
    proxy: ({ protocol }) => new URL(`http://127.0.0.1:${(protocol === "http:" ? httpProxy : httpsProxy).port}`),
  });
  expect(responseOf(await post(client, "http://hook.example/")).status).toBe(204);
  expect(faultOf(await post(client, "https://hook.example/")).code).toBe("tls");
  expect([httpProxy.requestedHosts, httpsProxy.requestedHosts]).toEqual([["hook.example:80"], ["hook.example:443"]]);
  for (const proxy of [httpProxy, httpsProxy]) await proxy.close();
  close();
});

interface TcpServer {
  readonly url: string;
  close(): void;
}

type Respond = (write: (text: string) => void, end: () => void) => NodeJS.Timeout | undefined;

/** Starts a TCP server that calls `respond` at the first data of each connection. */
async function startTcp(respond: Respond): Promise<TcpServer> {
  const timers: (NodeJS.Timeout | undefined)[] = [];
  const server: Server = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () =>
      timers.push(
        respond(
          (text) => socket.write(text),
          () => socket.end(),
        ),
      ),
    );
  });
  return {
    url: `http://127.0.0.1:${await listenOnFreePort(server)}`,
    close: () => {
      for (const timer of timers) clearInterval(timer);
      server.close();
    },
  };
}
