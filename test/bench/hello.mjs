// Servers that the daemon is compared with. `hello` is node:http with a constant response of six bytes; `detection`
// sends the body and headers of a detection instead; `fastify` does so in Fastify, and `fastify-log` also logs.
//   node test/bench/hello.mjs hello|detection|fastify|fastify-log PORT

import { createServer } from "node:http";

const DETECTION = `${JSON.stringify({
  code: "SUCCESS",
  message: "The address was classified.",
  data: {
    email: "first.last+1@mailinator.com",
    syntax_validation: true,
    normalized: "first.last@mailinator.com",
    subaddressing: true,
    role_address: false,
    public_domain: false,
    relay_domain: false,
    disposable: true,
    detection_source: "precomputed",
  },
})}\n`;

let count = 0;

function nextId() {
  count += 1;
  return `0123456789ab-${count.toString(36)}`;
}

// Sets the length, because otherwise Node sends chunks, which costs more.
function sendHello(_request, response) {
  response.writeHead(200, { "Content-Type": "text/plain", "Content-Length": 6 });
  response.end("hello\n");
}

function sendDetection(_request, response) {
  const headers = ["Content-Type", "application/json", "Content-Length", String(DETECTION.length)];
  headers.push("Cache-Control", "no-store", "X-Content-Type-Options", "nosniff", "X-Request-Id", nextId());
  response.writeHead(200, headers);
  response.end(DETECTION, "latin1");
}

async function startFastify(port, logger) {
  const { default: fastify } = await import("fastify");
  const app = fastify({ genReqId: nextId, logger });
  app.get("/api/v1/emails/detect", (request, reply) => {
    reply.headers({ "content-type": "application/json", "cache-control": "no-store" });
    reply.headers({ "x-content-type-options": "nosniff", "x-request-id": request.id });
    reply.send(DETECTION);
  });
  await app.listen({ port, host: "127.0.0.1" });
}

const SERVERS = {
  hello: (port) => createServer(sendHello).listen(port, "127.0.0.1"),
  detection: (port) => createServer(sendDetection).listen(port, "127.0.0.1"),
  fastify: (port) => startFastify(port, false),
  "fastify-log": (port) => startFastify(port, { stream: process.stderr }),
};

const [kind, port] = process.argv.slice(2);
await SERVERS[kind](Number(port));
